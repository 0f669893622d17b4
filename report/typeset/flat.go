package typeset

import (
	"encoding/csv"
	"io"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"airqa/internal/terminal"
	"airqa/report"
)

// markdown has one head line and names every line in full, for a format that knows neither groups nor sections.
func markdown(t sheet) string {
	w := table.NewWriter()
	head := table.Row{t.Label, t.Section}
	for _, h := range t.Heads {
		head = append(head, h.Name)
	}
	w.AppendHeader(head)
	for _, l := range t.Lines {
		row := table.Row{escaped(l.Label), escaped(l.Section)}
		for _, v := range l.Values {
			row = append(row, escaped(v.Text))
		}
		w.AppendRow(row)
	}
	return w.RenderMarkdown()
}

// escaped is a text that Markdown shows as it is. The bar between cells is escaped with the table.
func escaped(s string) string { return markdownEscapes.Replace(terminal.Line(s)) }

var markdownEscapes = strings.NewReplacer(
	`\`, `\\`, `*`, `\*`, "`", "\\`", `[`, `\[`, `]`, `\]`, `&`, `&amp;`, `<`, `&lt;`, `>`, `&gt;`,
	`$`, `\$`, `~`, `\~`, // formulas and struck out words, on GitHub
)

// bullet is a note as an item of a list.
func bullet(s string) string { return "- " + escaped(s) }

// writeCSV has a column for everything that a reader of the numbers must know: n and interval beside each score, and by
// what rules the line came about.
func writeCSV(w io.Writer, tables []report.Table) error {
	if len(tables) != 1 {
		return errOneTable
	}
	t := sheet(tables[0]).without(func(h report.Head) bool { return h.Repeats })
	out := csv.NewWriter(w)
	head := []string{t.Label, t.Section}
	for _, h := range t.Heads {
		head = append(head, h.Name)
		if h.Scored {
			head = append(head, "n "+h.Name, "low "+h.Name, "high "+h.Name)
		}
	}
	if err := out.Write(append(head, "Unscored", "Not run", "Scoring", "Judge", "Dir")); err != nil {
		return err
	}
	for _, l := range t.Lines {
		line := []string{terminal.Line(l.Label), terminal.Line(l.Section)}
		for i, v := range l.Values {
			line = append(line, field(v))
			if t.Heads[i].Scored {
				line = append(line, fields(v)...)
			}
		}
		if err := out.Write(append(line, rules(l)...)); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// field is the value for a program: nothing is an empty field.
func field(v report.Value) string {
	if v.Text == "-" {
		return ""
	}
	return v.Text
}

// fields are n and both ends of the interval, empty where there is none.
func fields(v report.Value) []string {
	low, high := "", ""
	if v.Interval != nil {
		low, high = strconv.FormatFloat(v.Interval.Low, 'f', 2, 64), strconv.FormatFloat(v.Interval.High, 'f', 2, 64)
	}
	return []string{v.Count(), low, high}
}

func rules(l report.Line) []string {
	if l.Row == nil {
		return []string{"", "", "", "", "AirQA paper"}
	}
	return []string{strconv.Itoa(l.Row.Unscored), strconv.Itoa(l.Row.Unfinished), l.Row.Scoring, terminal.Safe(l.Row.Judge), terminal.Safe(l.Row.Dir)}
}
