package typeset

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"airqa/internal/terminal"
	"airqa/report"
)

// Options say what and how [Write] prints. The zero value prints Table 4 as text.
type Options struct {
	// Options choose the tables; an empty Table is every one for HTML. Intervals and Seed are those that the rows were
	// collected with.
	report.Options
	// Format is one of [Formats]; empty is text.
	Format string
	// Width is that of the terminal in characters; a text table that is wider is cut into several, one under the
	// other, and notes are broken at blanks. 0 is no terminal: tables are whole, notes as wide as most.
	Width int
	// Detail puts n and interval under every score. Formats for machines and the HTML page have both in any case.
	Detail bool
}

// Formats are the names that [Write] knows.
func Formats() []string { return []string{"text", "md", "csv", "latex", "json", "html"} }

// FormatOf guesses a format from the suffix of a file; empty for one that it does not know.
func FormatOf(path string) string {
	return map[string]string{
		".txt": "text", ".md": "md", ".csv": "csv", ".tex": "latex", ".json": "json", ".html": "html", ".htm": "html",
	}[strings.ToLower(filepath.Ext(path))]
}

// Write prints the tables that o chooses. Scores are percent with two decimals, as in the paper; a cell without questions
// is a dash. JSON holds the numbers of all tables, whichever is chosen.
func Write(w io.Writer, rows []report.Row, o Options) error {
	if o.Format == "json" {
		return writeJSON(w, rows, o)
	}
	switch o.Format {
	case "html":
		if o.Table == "" {
			o.Table = report.AllTables
		}
	case "latex":
		rows = withoutPaths(rows)
	}
	tables, err := report.Build(rows, o.Options)
	if err != nil {
		return err
	}
	notes := report.Notes(rows)
	switch o.Format {
	case "csv":
		return writeCSV(w, tables)
	case "md":
		return printTo(w, documentOf(tables, notes, o, form{table: markdown, note: bullet, heading: "## "}))
	case "latex":
		return printTo(w, latexDocument(tables, notes, o))
	case "html":
		return writePage(w, rows, tables, notes, o)
	case "text", "":
		return printTo(w, documentOf(tables, notes, o, form{
			table: func(t sheet) string { return textTables(t, o.Width) },
			note:  func(s string) string { return strings.Join(terminal.Wrap(s, terminal.ProseWidth(o.Width)), "\n") },
		}))
	}
	return fmt.Errorf("unknown format %q; the formats are %s", o.Format, strings.Join(Formats(), ", "))
}

// withoutPaths names runs by the last part of their directories: a paper does not show where its author keeps them.
func withoutPaths(rows []report.Row) []report.Row {
	list := slices.Clone(rows)
	for i, r := range list {
		list[i].Dir = filepath.Base(r.Dir)
	}
	return list
}

// form is how a format writes what tables are made of.
type form struct {
	table   func(sheet) string
	note    func(string) string
	heading string
}

// documentOf puts tables one under the other, each with its notes, then the notes of all.
func documentOf(tables []report.Table, notes []string, o Options, f form) string {
	var b strings.Builder
	line := func(s string) { b.WriteString(s + "\n") }
	for _, table := range tables {
		t := sheet(table)
		if len(tables) > 1 {
			line(f.heading + t.heading() + "\n")
		}
		line(f.table(t.shown(o)) + "\n")
		for _, note := range t.Notes {
			line(f.note(note))
		}
		if len(tables) > 1 {
			line("")
		}
	}
	for _, note := range notes {
		line(f.note(note))
	}
	return b.String()
}

// heading names a table where there are several.
func (t sheet) heading() string {
	if strings.Trim(t.Name, "0123456789") == "" {
		return t.Title + " (as the paper's Table " + t.Name + ")"
	}
	return t.Title
}

// shown is the table as formats for people print it.
func (t sheet) shown(o Options) sheet {
	if o.Detail {
		return t.detailed()
	}
	return t
}

func printTo(w io.Writer, s string) error {
	_, err := fmt.Fprintln(w, strings.TrimRight(s, "\n"))
	return err
}

// document is all that is known, for programs.
type document struct {
	Format    int     `json:"format"`
	Intervals string  `json:"intervals"`
	Level     float64 `json:"level"`
	// Seed is that of the bootstrap.
	Seed  uint64              `json:"seed"`
	Runs  []report.Row        `json:"runs"`
	Paper []report.PaperTable `json:"paper,omitempty"`
	Notes []string            `json:"notes"`
}

// documentFormat changes when a key of [document] changes its meaning.
const documentFormat = 1

func writeJSON(w io.Writer, rows []report.Row, o Options) error {
	d := document{Format: documentFormat, Intervals: o.Intervals, Level: report.Level, Seed: o.Seed, Runs: rows, Notes: report.Notes(rows)}
	if d.Intervals == "" {
		d.Intervals = report.NoIntervals
	}
	if o.WithPaper {
		for _, number := range []string{"4", "5", "7", "13"} {
			p, err := report.Paper(number)
			if err != nil {
				return err
			}
			d.Paper = append(d.Paper, p)
		}
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(d)
}

// errOneTable refuses a file that no program could read back.
var errOneTable = errors.New("a CSV file holds one table; choose one with --table, or another format")
