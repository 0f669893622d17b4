package questions

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"airqa/internal/terminal"
)

// Formats are the names that [Write] and [WriteFindings] know.
func Formats() []string { return []string{"text", "md", "csv", "json", "html"} }

// Options say what and how [Write] and [WriteFindings] print. The zero value is not of use: it has no format.
type Options struct {
	// Format is one of [Formats].
	Format string
	// Width is that of the terminal in characters, 0 for no bound.
	Width int
	// WithPaper puts the paper's own Table 2 beside.
	WithPaper bool
}

// Write prints statistics. JSON is the whole of s on one line; CSV has a line a number.
func Write(w io.Writer, s Stats, o Options) error {
	switch o.Format {
	case "json":
		return writeJSON(w, s)
	case "html":
		return page(s, o.WithPaper).Write(w)
	}
	tables := Tables(s, o.WithPaper)
	switch o.Format {
	case "csv":
		return writeCSV(w, tables)
	case "md":
		return writeMarkdown(w, s, tables)
	case "text":
		return writeText(w, s, tables, o.Width)
	}
	return unknown(o.Format)
}

func unknown(format string) error {
	return fmt.Errorf("unknown format %q; the formats are %s", format, strings.Join(Formats(), ", "))
}

func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// summary is the line above the tables.
func (s Stats) summary() string {
	text := s.Source + ": " + plural(s.Questions, "question") + " over " + plural(s.DistinctPapers, "paper")
	if s.Unread > 0 {
		text += "; " + plural(s.Unread, "record") + " could not be read"
	}
	return text
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func writeText(w io.Writer, s Stats, tables []Table, width int) error {
	parts := []string{broken(terminal.Line(s.summary()), width) + "\n"}
	for _, t := range tables {
		parts = append(parts, t.textOf(width))
	}
	_, err := io.WriteString(w, strings.Join(parts, "\n"))
	return err
}

func writeMarkdown(w io.Writer, s Stats, tables []Table) error {
	var b strings.Builder
	b.WriteString(cell(s.summary()) + "\n")
	for _, t := range tables {
		_, _ = fmt.Fprintf(&b, "\n### %s\n\n", t.Title)
		if len(t.Rows) == 0 {
			b.WriteString("none\n")
			continue
		}
		_, _ = fmt.Fprintf(&b, "| | %s |\n| --- |%s\n", strings.Join(t.Head, " | "), strings.Repeat(" ---: |", len(t.Head)))
		section := ""
		for _, r := range t.Rows {
			if r.Section != section {
				section = r.Section
				_, _ = fmt.Fprintf(&b, "| **%s** |%s\n", cell(section), strings.Repeat(" |", len(t.Head)))
			}
			_, _ = fmt.Fprintf(&b, "| %s | %s |\n", cell(r.Name), strings.Join(r.Cells, " | "))
		}
		if t.Note != "" {
			b.WriteString("\n" + t.Note + "\n")
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// markdown takes their meaning from the characters that have one in a table.
var markdown = strings.NewReplacer(`\`, `\\`, `|`, `\|`, "`", "\\`", `*`, `\*`, `_`, `\_`, `[`, `\[`, `]`, `\]`, `<`, `&lt;`, `&`, `&amp;`)

func cell(s string) string { return markdown.Replace(terminal.Line(s)) }

// writeCSV has one number a line: table, section, name, measure, value.
func writeCSV(w io.Writer, tables []Table) error {
	out := csv.NewWriter(w)
	lines := [][]string{{"table", "section", "name", "measure", "value"}}
	for _, t := range tables {
		for _, r := range t.Rows {
			for i, value := range r.Cells {
				if value != "" {
					lines = append(lines, terminal.CSV([]string{t.Key, r.Section, r.Name, t.Head[i], value}))
				}
			}
		}
	}
	return out.WriteAll(lines)
}
