package main

import (
	"errors"
	"fmt"
	"strconv"

	"airqa/env"
	"airqa/internal/terminal"
)

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
	return c.print(a, removedPapers{Format: 1, DryRun: c.DryRun, Papers: removedLines(picked, plan), Left: len(all) - len(picked)})
}

func removedLines(picked []env.Holding, plan []env.Removing) []removedLine {
	lines := make([]removedLine, len(picked))
	for i, h := range picked {
		n := h.Counts
		lines[i] = removedLine{
			PaperID: h.PaperID, Title: h.Title, Files: plan[i].Files, Bytes: plan[i].Bytes,
			Rows: 1 + n.Pages + n.Sections + n.Images + n.Tables + n.Equations + n.References + n.Chunks,
		}
	}
	return lines
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
