package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"airqa/env"
	"airqa/internal/terminal"
	"airqa/qa"
)

// papersCmd manages the papers of a data directory.
type papersCmd struct {
	List  papersListCmd  `cmd:"" default:"withargs" help:"List papers, with counts and problems (short form: airqa papers)."`
	Show  papersShowCmd  `cmd:"" help:"Show details and problems of papers."`
	Add   papersAddCmd   `cmd:"" help:"Read PDFs into the data directory, like airqa ingest."`
	Fetch papersFetchCmd `cmd:"" help:"Download and ingest the papers that questions need."`
	Join  papersJoinCmd  `cmd:"" help:"Make one data directory of several."`
	Rm    papersRmCmd    `cmd:"" help:"Remove papers with their rows, vectors and files."`
}

// papersFlags name a data directory and the format of a list.
type papersFlags struct {
	Data string `names:"output" short:"d" default:"airqa-data" placeholder:"DIR" help:"Data directory, created by airqa ingest."`
	listFlags
}

type papersListCmd struct {
	papersFlags
	Papers []string `arg:"" optional:"" name:"paper" help:"Show details of these papers instead, like airqa papers show."`
}

func (c papersListCmd) Run(a *app) error {
	if len(c.Papers) > 0 {
		return papersShowCmd(c).Run(a)
	}
	all, err := env.Holdings(a.ctx, c.Data)
	if err != nil {
		return err
	}
	return c.write(a, all, c.list)
}

type papersShowCmd struct {
	papersFlags
	Papers []string `arg:"" name:"paper" help:"Papers: uuid or a prefix of it, file name, or part of the title. All matches are shown."`
}

func (c papersShowCmd) Run(a *app) error {
	all, err := env.Holdings(a.ctx, c.Data)
	if err != nil {
		return err
	}
	var picked []env.Holding
	for _, name := range c.Papers {
		found, err := env.FindPapers(all, c.Data, name)
		if err != nil {
			return err
		}
		for _, h := range found {
			if !slices.ContainsFunc(picked, func(p env.Holding) bool { return p.PaperID == h.PaperID }) {
				picked = append(picked, h)
			}
		}
	}
	return c.write(a, picked, c.details)
}

// write prints papers in the selected format; for people, by table.
func (f papersFlags) write(a *app, list []env.Holding, table func(*app, []paperLine) error) error {
	lines := make([]paperLine, len(list))
	for i, h := range list {
		lines[i] = lineOf(h)
	}
	if f.isTable() {
		return table(a, lines)
	}
	return writeRows(a, f.Format, lines, paperColumns)
}

// papersAddCmd is airqa ingest under its name among the commands about papers.
type papersAddCmd struct{ ingestCmd }

// paperLine is the JSON of a paper.
type paperLine struct {
	PaperID    string   `json:"paper_id"`
	Title      string   `json:"title"`
	Conference string   `json:"conference"`
	Year       int      `json:"year"`
	Pages      int      `json:"pages"`
	Sections   int      `json:"sections"`
	Images     int      `json:"images"`
	Tables     int      `json:"tables"`
	Equations  int      `json:"equations"`
	References int      `json:"references"`
	Chunks     int      `json:"chunks"`
	PDF        string   `json:"pdf"` // path in the data directory, empty without one
	File       string   `json:"file"`
	Parser     string   `json:"parser"`
	Problems   []string `json:"problems"`
}

func lineOf(h env.Holding) paperLine {
	return paperLine{
		PaperID: h.PaperID, Title: h.Title, Conference: h.Conference, Year: h.Year,
		Pages: h.Counts.Pages, Sections: h.Counts.Sections, Images: h.Counts.Images, Tables: h.Counts.Tables,
		Equations: h.Counts.Equations, References: h.Counts.References, Chunks: h.Counts.Chunks,
		PDF: h.PDFPath, File: h.File.Name, Parser: h.File.Parser, Problems: append([]string{}, h.File.Problems...),
	}
}

var paperColumns = []string{
	"paper_id", "title", "conference", "year", "pages", "sections", "images", "tables", "equations", "references", "chunks", "pdf",
	"file", "parser", "problems",
}

func (f papersFlags) list(a *app, lines []paperLine) error {
	t := terminal.Table{Head: []string{
		"id", "venue", "year", "pages", "sections", "images", "tables", "equations", "references", "passages", "problems", "title",
	}, Drop: []string{"equations", "sections", "images", "tables", "references", "passages", "pages", "year", "venue"}}
	odd := 0
	for _, l := range lines {
		if len(l.Problems) > 0 {
			odd++
		}
		id := l.PaperID
		if a.width > 0 {
			id = qa.ShortEpisode(id, 0)
		}
		line := []string{id, orDash(l.Conference), yearOf(l.Year)}
		for _, n := range []int{l.Pages, l.Sections, l.Images, l.Tables, l.Equations, l.References, l.Chunks, len(l.Problems)} {
			line = append(line, strconv.Itoa(n))
		}
		t.Rows = append(t.Rows, append(line, l.Title))
	}
	if err := a.print(t.Text(a.width)); err != nil {
		return err
	}
	a.say("%s, %d with problems; airqa papers show --data %s UUID lists the problems", terminal.Plural(len(lines), "paper"), odd, f.Data)
	return nil
}

func (papersFlags) details(a *app, lines []paperLine) error {
	for _, l := range lines {
		pdf := l.PDF
		if pdf == "" {
			pdf = "not stored here"
		}
		var text strings.Builder
		_, _ = fmt.Fprintf(&text, "%s\n  title       %s\n  venue       %s %s\n  read from   %s by %s\n  PDF         %s\n"+
			"  %d pages, %d sections, %d images, %d tables, %d equations, %d references, %d chunks\n  %s",
			l.PaperID, terminal.Line(l.Title), orDash(l.Conference), yearOf(l.Year), terminal.Line(l.File), l.Parser, pdf,
			l.Pages, l.Sections, l.Images, l.Tables, l.Equations, l.References, l.Chunks, terminal.Plural(len(l.Problems), "problem"))
		for _, p := range l.Problems {
			text.WriteString("\n  - " + terminal.Line(p))
		}
		if err := a.print(text.String()); err != nil {
			return err
		}
	}
	return nil
}

// orDash returns "-" for an empty cell.
func orDash(s string) string {
	if s = terminal.Line(s); s == "" {
		return "-"
	}
	return s
}

func yearOf(n int) string {
	if n == 0 {
		return "-"
	}
	return strconv.Itoa(n)
}

type papersRmCmd struct {
	dataFlags
	Papers []string `arg:"" name:"paper" help:"Papers to remove: uuid or a prefix of it, file name, or part of the title. Each name must match one paper."`
	DryRun bool     `env:"-" help:"Only print what would be removed."`
	JSON   bool     `name:"json" env:"-" help:"Print JSON."`
}

// removedLine is the JSON of a paper that was or would be removed.
type removedLine struct {
	PaperID string   `json:"paper_id"`
	Title   string   `json:"title"`
	Rows    int      `json:"rows"`
	Files   []string `json:"files"` // paths in the data directory
	Bytes   int64    `json:"bytes"`
}

// removedPapers is the JSON of a removal.
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
	all, err := env.Holdings(a.ctx, c.Data)
	if err != nil {
		return err
	}
	picked, err := env.FindRemoval(all, c.Data, c.Papers)
	if err != nil && !c.DryRun {
		// The papers may be gone already, but not their files.
		return errors.Join(err, a.session().CompleteRemoval(a.ctx, to))
	}
	if err != nil {
		return err
	}
	plan, err := env.PlanRemoval(c.Data, all, picked)
	if err != nil {
		return err
	}
	if !c.DryRun {
		if err := a.session().Remove(to, plan); err != nil {
			return err
		}
	}
	lines := make([]removedLine, len(picked))
	for i, h := range picked {
		n := h.Counts
		lines[i] = removedLine{
			PaperID: h.PaperID, Title: h.Title, Files: plan[i].Files, Bytes: plan[i].Bytes,
			Rows: 1 + n.Pages + n.Sections + n.Images + n.Tables + n.Equations + n.References + n.Chunks,
		}
	}
	return c.print(a, removedPapers{Format: 1, DryRun: c.DryRun, Papers: lines, Left: len(all) - len(picked)})
}

func (c papersRmCmd) print(a *app, removed removedPapers) error {
	if c.JSON {
		return a.printJSON(removed)
	}
	t := terminal.Table{Head: []string{"id", "rows", "files", "MB", "title"}}
	for _, l := range removed.Papers {
		t.Rows = append(t.Rows, []string{l.PaperID, strconv.Itoa(l.Rows), strconv.Itoa(len(l.Files)), fmt.Sprintf("%.1f", float64(l.Bytes)/1e6), l.Title})
	}
	if err := a.print(t.Text(a.width)); err != nil {
		return err
	}
	n := len(removed.Papers)
	if c.DryRun {
		a.say("%s would be removed, %d left; without --dry-run, the command removes them", terminal.Plural(n, "paper"), removed.Left)
		return nil
	}
	a.say("%s removed, %d left", terminal.Plural(n, "paper"), removed.Left)
	return nil
}
