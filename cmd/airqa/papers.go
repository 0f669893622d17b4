package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"airqa/env"
	"airqa/internal/terminal"
	"airqa/report/render"
)

type papersCmd struct {
	Data string `short:"d" default:"airqa-data" placeholder:"DIR" help:"Data directory, created by airqa ingest."`
	listFlags
	UUID string `arg:"" optional:"" name:"paper" help:"Show details of matching papers only: uuid or a prefix of it, file name, or part of the title."`
}

func (papersCmd) Help() string {
	return `Examples:
  airqa papers --data papers
  airqa papers --data papers 2c5da742
  airqa papers --data papers "attention is all"
  airqa papers --data papers --json
  airqa papers --data papers --format csv > papers.csv

CSV columns are the JSON fields. Directories of interrupted ingests work too.`
}

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

func (c papersCmd) Run(a *app) error {
	all, err := env.Holdings(a.ctx, c.Data)
	if err != nil {
		return err
	}
	print := c.list
	if c.UUID != "" {
		print = c.details
		if all, err = env.FindPapers(all, c.Data, c.UUID); err != nil {
			return err
		}
	}
	lines := make([]paperLine, len(all))
	for i, h := range all {
		lines[i] = lineOf(h)
	}
	return render.List[paperLine]{
		Rows:    slices.Values(lines),
		Table:   func() error { return print(a, lines) },
		Object:  func(l paperLine) error { return a.printJSON(l) },
		Columns: paperColumns,
		Values:  render.Paths[paperLine](paperColumns),
	}.Write(a.out, c.Format, a.width > 0)
}

var paperColumns = []string{
	"paper_id", "title", "conference", "year", "pages", "sections", "images", "tables", "equations", "references", "chunks", "pdf",
	"file", "parser", "problems",
}

func (c papersCmd) list(a *app, lines []paperLine) error {
	t := terminal.Table{Head: []string{
		"id", "venue", "year", "pages", "sections", "images", "tables", "equations", "references", "chunks", "problems", "title",
	}}
	odd := 0
	for _, l := range lines {
		if len(l.Problems) > 0 {
			odd++
		}
		line := []string{l.PaperID, orDash(l.Conference), yearOf(l.Year)}
		for _, n := range []int{l.Pages, l.Sections, l.Images, l.Tables, l.Equations, l.References, l.Chunks, len(l.Problems)} {
			line = append(line, strconv.Itoa(n))
		}
		t.Rows = append(t.Rows, append(line, l.Title))
	}
	if err := a.print(t.Text(a.width)); err != nil {
		return err
	}
	a.say("%s, %d with problems; airqa papers --data %s UUID lists the problems", terminal.Plural(len(lines), "paper"), odd, c.Data)
	return nil
}

func (c papersCmd) details(a *app, lines []paperLine) error {
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
