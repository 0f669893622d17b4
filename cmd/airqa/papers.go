package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"airqa/env"
	"airqa/env/join"
	"airqa/env/paperdb"
	"airqa/ingest/sources"
	"airqa/internal/terminal"
	"airqa/qa"
	"airqa/run/papers"
)

type papersFlags struct {
	Data string `short:"d" env:"AIRQA_DATA" default:"airqa-data" placeholder:"DIR" help:"Data directory, created by airqa ingest."`
	listFlags
}

type papersListCmd struct {
	papersFlags
	Limit    int      `name:"limit" placeholder:"N" help:"Maximum number listed. Default: 50 episodes or 100 papers in a table, otherwise all."`
	After    string   `placeholder:"UUID" help:"List only the papers after this one: lists are in the order of uuids."`
	Metadata string   `placeholder:"DIR" help:"Write the metadata of the papers to DIR/UUID.json (AirQA paper, A.2), which airqa ingest --metadata reads."`
	Papers   []string `arg:"" optional:"" name:"paper" help:"Show details of these papers instead, like airqa papers show."`
}

func (c papersListCmd) Run(a *app) error {
	if err := c.check(); err != nil {
		return err
	}
	if len(c.Papers) > 0 {
		return papersShowCmd{c.papersFlags, c.Papers}.Run(a)
	}
	if err := a.checkWhole(c.Data, "", false); err != nil {
		return err
	}
	papers, err := env.OpenPapers(a.ctx, c.Data)
	if err != nil {
		return err
	}
	defer func() { _ = papers.Close() }()
	if c.Metadata != "" {
		return c.writeMetadata(a, papers)
	}
	if c.isTable() {
		return c.list(a, papers)
	}
	return streamRows(a, c.Format, papers.List(a.ctx, c.After, c.Limit), lineOf, paperColumns)
}

func (c papersListCmd) check() error {
	switch {
	case c.Limit < 0:
		return qa.Usagef("--limit %d: must be at least 1; without it, JSON and CSV have all papers", c.Limit)
	case c.After != "" && !qa.IsUUID(c.After):
		return qa.Usagef("--after %q is not a uuid; copy a whole paper_id from airqa papers --json", c.After)
	case len(c.Papers) > 0 && (c.Limit > 0 || c.After != "" || c.Metadata != ""):
		return qa.Usagef("--limit, --after and --metadata are for the list of all papers, and cannot be combined with PAPER")
	}
	return nil
}

func (c papersListCmd) writeMetadata(a *app, papers *env.Papers) error {
	n := 0
	for h, err := range papers.List(a.ctx, c.After, c.Limit) {
		if err != nil {
			return err
		}
		m, err := papers.Paper(a.ctx, h.PaperID)
		if err == nil {
			err = sources.WriteMetadata(filepath.Join(c.Metadata, h.PaperID+".json"), sources.MetadataOf(m))
		}
		if err != nil {
			return err
		}
		n++
	}
	a.say("wrote the metadata of %s to %s", terminal.Plural(n, "paper"), c.Metadata)
	return nil
}

type papersShowCmd struct {
	papersFlags
	Papers []string `arg:"" name:"paper" help:"Papers: uuid or a prefix of it, file name, or part of the title. All matches are shown."`
}

func (c papersShowCmd) Run(a *app) error {
	papers, err := env.OpenPapers(a.ctx, c.Data)
	if err != nil {
		return err
	}
	defer func() { _ = papers.Close() }()
	var picked []string
	seen := make(map[string]bool)
	for _, name := range c.Papers {
		found, err := papers.Find(a.ctx, name)
		if err != nil {
			return err
		}
		for _, id := range found {
			if !seen[id] {
				picked = append(picked, id)
			}
			seen[id] = true
		}
	}
	list := papers.Holdings(a.ctx, picked)
	if !c.isTable() {
		return streamRows(a, c.Format, list, lineOf, paperColumns)
	}
	for h, err := range list {
		if err != nil {
			return err
		}
		if err := a.print(details(lineOf(h))); err != nil {
			return err
		}
	}
	return nil
}

type paperLine struct {
	PaperID    string `json:"paper_id"`
	Title      string `json:"title"`
	Conference string `json:"conference"`
	Year       int    `json:"year"`
	paperdb.Counts
	PDF       string   `json:"pdf"` // path in the data directory, empty without one
	File      string   `json:"file"`
	Parser    string   `json:"parser"`
	Illegible bool     `json:"illegible"`
	Withdrawn string   `json:"withdrawn"` // the mark, empty for most papers
	Problems  []string `json:"problems"`
}

func lineOf(h paperdb.Holding) paperLine {
	return paperLine{
		PaperID: h.PaperID, Title: h.Title, Conference: h.Conference, Year: h.Year,
		Counts: h.Counts,
		PDF:    h.PDFPath, File: h.File.Name, Parser: h.File.Parser, Illegible: h.File.Illegible != "",
		Withdrawn: h.File.Withdrawn, Problems: append([]string{}, h.File.Problems...),
	}
}

var paperColumns = []string{
	"paper_id", "title", "conference", "year", "pages", "sections", "images", "tables", "equations", "references", "chunks", "pdf",
	"file", "parser", "illegible", "withdrawn", "problems",
}

// list prints a table of the papers, with the command for the next ones.
func (c papersListCmd) list(a *app, papers *env.Papers) error {
	limit := cmp.Or(c.Limit, 100)
	lines, err := rowsOf(papers.List(a.ctx, c.After, limit+1), lineOf)
	if err != nil {
		return err
	}
	total, err := papers.Totals(a.ctx)
	if err != nil {
		return err
	}
	more := len(lines) > limit
	lines = lines[:min(limit, len(lines))]
	odd, err := printPapers(a, lines)
	if err != nil {
		return err
	}
	of := terminal.Plural(total.Papers, "paper")
	if len(lines) < total.Papers {
		of = fmt.Sprintf("%d of %s", len(lines), of)
	}
	a.say("%s, %d with problems; airqa papers show --data %s UUID lists the problems", of, odd, c.Data)
	if err := warnIllegible(a, papers); err != nil {
		return err
	}
	if more {
		next := "airqa papers --data %s --after %s"
		if c.Limit > 0 {
			next += fmt.Sprint(" --limit ", c.Limit)
		}
		a.next(next, c.Data, lines[limit-1].PaperID)
	}
	return nil
}

// printPapers prints a table and returns the number of papers with problems.
func printPapers(a *app, lines []paperLine) (odd int, err error) {
	t := terminal.Table{Head: []string{
		"id", "venue", "year", "pages", "sections", "images", "tables", "equations", "references", "passages", "problems", "title",
	}, Drop: []string{"equations", "sections", "images", "tables", "references", "passages", "pages", "year", "venue"}}
	for _, l := range lines {
		problems := strconv.Itoa(len(l.Problems))
		if len(l.Problems) > 0 {
			odd++
		}
		if l.Illegible {
			problems += ", illegible"
		}
		if l.Withdrawn != "" {
			problems += ", " + terminal.Line(l.Withdrawn)
		}
		id := l.PaperID
		if a.width > 0 {
			id = qa.ShortEpisode(id, 0)
		}
		line := []string{id, orDash(l.Conference), known(l.Year)}
		for _, n := range []int{l.Pages, l.Sections, l.Images, l.Tables, l.Equations, l.References, l.Chunks} {
			line = append(line, strconv.Itoa(n))
		}
		t.Rows = append(t.Rows, append(line, problems, l.Title))
	}
	return odd, a.print(t.Text(a.width))
}

// details describes a paper with its problems.
func details(l paperLine) string {
	var text strings.Builder
	_, _ = fmt.Fprintf(&text, "%s\n  title       %s\n  venue       %s %s\n  read from   %s by %s\n  PDF         %s\n"+
		"  %d pages, %d sections, %d images, %d tables, %d equations, %d references, %d chunks\n  %s",
		l.PaperID, terminal.Line(l.Title), orDash(l.Conference), known(l.Year), terminal.Line(l.File), l.Parser, cmp.Or(l.PDF, "not stored here"),
		l.Pages, l.Sections, l.Images, l.Tables, l.Equations, l.References, l.Chunks, terminal.Plural(len(l.Problems), "problem"))
	for _, p := range l.Problems {
		text.WriteString("\n  - " + terminal.Line(p))
	}
	return text.String()
}

func orDash(s string) string {
	if s = terminal.Line(s); s == "" {
		return "-"
	}
	return s
}

type papersRmCmd struct {
	dataFlags
	Papers []string `arg:"" name:"paper" help:"Papers to remove: uuid or a prefix of it, file name, or part of the title. Each name must match one paper."`
	dryRunFlag
	jsonFlag
}

type removedLine struct {
	PaperID string   `json:"paper_id"`
	Title   string   `json:"title"`
	Rows    int      `json:"rows"`
	Files   []string `json:"files"` // paths in the data directory
	Bytes   int64    `json:"bytes"`
}

type removedPapers struct {
	Format int           `json:"format"`
	DryRun bool          `json:"dry_run"`
	Papers []removedLine `json:"papers"`
	Left   int           `json:"left"`
}

func (c papersRmCmd) Run(a *app) error {
	to, err := c.target(a, false)
	if err != nil {
		return err
	}
	w := a.writer(to)
	before, err := env.OpenPapers(a.ctx, c.Data)
	if err != nil {
		return err
	}
	removed, plan, err := c.plan(a.ctx, before)
	err = errors.Join(err, before.Close())
	if err != nil && !c.DryRun {
		// The papers may be gone already, but not their files.
		return errors.Join(err, w.CompleteRemoval(a.ctx))
	}
	if err != nil {
		return err
	}
	if !c.DryRun {
		if err := w.Remove(plan); err != nil {
			return err
		}
	}
	if c.JSON {
		return a.printJSON(removed)
	}
	t := terminal.Table{Head: []string{"id", "rows", "files", "MB", "title"}}
	for _, l := range removed.Papers {
		megabytes := fmt.Sprintf("%.1f", float64(l.Bytes)/1e6)
		t.Rows = append(t.Rows, []string{l.PaperID, strconv.Itoa(l.Rows), strconv.Itoa(len(l.Files)), megabytes, l.Title})
	}
	if err := a.print(t.Text(a.width)); err != nil {
		return err
	}
	n := terminal.Plural(len(removed.Papers), "paper")
	if c.DryRun {
		a.say("%s would be removed, %d left; without --dry-run, the command removes them", n, removed.Left)
		return nil
	}
	a.say("%s removed, %d left", n, removed.Left)
	return nil
}

// plan finds the papers and their files.
func (c papersRmCmd) plan(ctx context.Context, papers *env.Papers) (removed removedPapers, plan []env.Removing, err error) {
	ids, err := papers.FindRemoval(ctx, c.Papers)
	if err != nil {
		return removed, nil, err
	}
	picked, err := rowsOf(papers.Holdings(ctx, ids), func(h paperdb.Holding) paperdb.Holding { return h })
	if err != nil {
		return removed, nil, err
	}
	if plan, err = papers.PlanRemoval(ctx, picked); err != nil {
		return removed, nil, err
	}
	total, err := papers.Totals(ctx)
	removed = removedPapers{Format: 1, DryRun: c.DryRun, Papers: make([]removedLine, len(picked)), Left: total.Papers - len(picked)}
	for i, h := range picked {
		n := h.Counts
		removed.Papers[i] = removedLine{
			PaperID: h.PaperID, Title: h.Title, Files: plan[i].Files, Bytes: plan[i].Bytes,
			Rows: 1 + n.Pages + n.Sections + n.Images + n.Tables + n.Equations + n.References + n.Chunks,
		}
	}
	return removed, plan, err
}

type papersJoinCmd struct {
	Data    string   `short:"d" env:"AIRQA_DATA" default:"airqa-data" placeholder:"DIR" help:"Data directory, created by airqa ingest."`
	Dirs    []string `arg:"" name:"dir" help:"Data directories whose papers are added to the one of --data, which is created if it is missing."`
	Partial bool     `help:"Accept missing parts, or that adding papers was interrupted."`
	Replace bool     `help:"Take a paper that is there in several versions from the last directory that has it. Default: refuse."`
	dryRunFlag
	jsonFlag
}

type joinedPapers struct {
	Format   int             `json:"format"`
	DryRun   bool            `json:"dry_run"`
	Data     string          `json:"data"`
	Papers   int             `json:"papers"`
	Added    int             `json:"added"`
	Sources  []join.Source   `json:"sources"`
	Replaced []join.Replaced `json:"replaced"`
}

func (c papersJoinCmd) Run(a *app) error {
	j, err := papers.Join(a.session(), join.Config{Dir: c.Data, From: c.Dirs, Partial: c.Partial, Replace: c.Replace, DryRun: c.DryRun})
	if _, ok := errors.AsType[*qa.FailedError](err); ok {
		err = fmt.Errorf("%w\n  To join without them, add --partial", err)
	}
	if err != nil {
		return err
	}
	joined := joinedPapers{
		Format: 1, DryRun: c.DryRun, Data: c.Data, Papers: j.Papers(), Added: j.Added(), Sources: j.Sources(),
		Replaced: append([]join.Replaced{}, j.Replaced()...),
	}
	if c.JSON {
		return a.printJSON(joined)
	}
	t := terminal.Table{Head: []string{"papers", "added", "present", "replaced", "directory"}}
	for _, s := range joined.Sources {
		t.Rows = append(t.Rows, []string{strconv.Itoa(s.Papers), strconv.Itoa(s.Added), strconv.Itoa(s.Present), strconv.Itoa(s.Replaced), s.Dir})
	}
	if err := a.print(t.Text(a.width)); err != nil {
		return err
	}
	for _, r := range joined.Replaced {
		a.say("replaced: %s (%s) of %s", r.PaperID, terminal.Line(r.File), r.Dir)
	}
	all := terminal.Plural(joined.Papers, "paper")
	switch {
	case joined.Added == 0:
		a.say("nothing to join: %s has all papers of these directories, %s in all", c.Data, all)
	case c.DryRun:
		a.say("%s would be added, %s in all; without --dry-run, the command adds them", terminal.Plural(joined.Added, "paper"), all)
	default:
		a.say("%s added, %s in %s", terminal.Plural(joined.Added, "paper"), all, c.Data)
		a.next("airqa search --data %s \"your query\"", c.Data)
	}
	return nil
}
