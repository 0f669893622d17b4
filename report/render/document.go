// Package render prints a [Document] in one of [Formats]: text for a terminal, Markdown, CSV, LaTeX, JSON, or an HTML page
// with charts. Start from [Document.Write]. It computes no numbers. It has the documents of [Report], of the agreement of
// judges and of the explanation of a score; others are made in the packages that have their numbers.
package render

import (
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io"
	"iter"
	"path/filepath"
	"slices"
	"strings"

	"airqa/internal/terminal"
	"airqa/report"
)

// Document is the content of a report in reading order.
type Document struct {
	Title string
	Parts []Part
	// Notes apply to the whole document. They are at the top of a page and at the end of a text.
	Notes []string
	// Data is the machine-readable content, one JSON object per line.
	Data []any
	// Stream yields the objects in place of Data, one at a time; it may be nil.
	Stream iter.Seq[any]
	// Columns are the paths, such as "price.input", of the values that CSV has of each object in Data. Without them CSV has
	// the tables.
	Columns []string
	// Appendix is at the end of a page.
	Appendix Appendix
}

// Appendix is a part of a page that another package made, with its style.
type Appendix struct {
	Style template.CSS
	Body  template.HTML
}

// Part is a section of a document. Empty fields print nothing.
type Part struct {
	Title string
	// Text holds paragraphs, Items the lines of a list.
	Text  []string
	Items []Item
	// Figures appear only on pages.
	Figures []Figure
	Table   *report.Table
	// Preformatted is what a text has in place of the part: lines that are already safe, painted, and fitted to the
	// terminal.
	Preformatted string
}

// Items are the lines of a list without commands.
func Items(lines ...string) []Item {
	list := make([]Item, len(lines))
	for i, s := range lines {
		list[i].Text = s
	}
	return list
}

// Item is a line of a list.
type Item struct {
	Text string
	// Commands can be copied into a shell and are never wrapped.
	Commands []string
}

// Options select the content and its format. The zero value prints Table 4 as text.
type Options struct {
	// Options select the tables of a report; with an empty Table, HTML has all of them. Intervals and Seed must be
	// those that the rows were collected with. WithPaper adds the paper's numbers to a report or to statistics.
	report.Options
	// Format is one of [Formats]; empty is text.
	Format string
	// Width is the terminal width in columns. A wider table is split, and long cells are wrapped. 0 is for files and
	// pipes: tables are whole, and prose is wrapped at 100 columns.
	Width int
	// Detail adds n, interval and standard errors below every score. CSV, JSON and HTML always include them.
	Detail bool
	// Style paints text for a terminal; the zero value does not.
	Style terminal.Style
	// Flips is the maximum number of questions per kind that a comparison lists; JSON has all of them.
	Flips int
	// Appendix is put at the end of a report's page.
	Appendix Appendix
}

// ErrOneTable is returned by [Report] for several tables as CSV, which no program could parse.
var ErrOneTable = errors.New("a CSV file contains one table; choose one with --table, or another format")

// Formats are the names of the formats.
func Formats() []string { return []string{"text", "md", "csv", "latex", "json", "html"} }

// FormatOf returns the format for a file suffix, or "" if it is unknown.
func FormatOf(path string) string {
	switch suffix := strings.TrimPrefix(strings.ToLower(filepath.Ext(path)), "."); suffix {
	case "txt":
		return "text"
	case "tex":
		return "latex"
	case "htm":
		return "html"
	default:
		if slices.Contains(Formats(), suffix) {
			return suffix
		}
		return ""
	}
}

// IsText reports whether the options select text.
func (o Options) IsText() bool { return o.Format == "" || o.Format == "text" }

// Write prints a document in the format of o.
func (d Document) Write(w io.Writer, o Options) error {
	switch o.Format {
	case "text", "":
		return writeText(w, d.text(o))
	case "md":
		return writeText(w, d.markdown())
	case "csv":
		return d.writeCSV(w, o)
	case "latex":
		return writeText(w, d.latex())
	case "json":
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		for v := range d.data() {
			if err := enc.Encode(v); err != nil {
				return err
			}
		}
		return nil
	case "html":
		return d.writePage(w)
	}
	return fmt.Errorf("unknown format %q; the formats are %s", o.Format, strings.Join(Formats(), ", "))
}

func writeText(w io.Writer, text string) error {
	_, err := fmt.Fprintln(w, strings.TrimRight(text, "\n"))
	return err
}

// data yields the objects.
func (d Document) data() iter.Seq[any] {
	if d.Stream == nil {
		return slices.Values(d.Data)
	}
	return d.Stream
}

// Add appends a part.
func (d *Document) Add(p Part) { d.Parts = append(d.Parts, p) }

// Warn adds a part with warnings, each once.
func (d *Document) Warn(warnings []string) {
	var notes []string
	for _, w := range warnings {
		if note := "note: " + w; !slices.Contains(notes, note) {
			notes = append(notes, note)
		}
	}
	d.Add(Part{Items: Items(notes...)})
}

func (d Document) tables() []sheet {
	var list []sheet
	for _, p := range d.Parts {
		if p.Table != nil {
			list = append(list, sheet(*p.Table))
		}
	}
	return list
}

// printable returns the parts to print in formats without figures, with the notes last.
func (d Document) printable() []Part {
	list := slices.DeleteFunc(slices.Clone(d.Parts), func(p Part) bool {
		return p.Table == nil && len(p.Text)+len(p.Items)+len(p.Preformatted) == 0
	})
	if len(d.Notes) > 0 {
		list = append(list, Part{Items: Items(d.Notes...)})
	}
	return list
}
