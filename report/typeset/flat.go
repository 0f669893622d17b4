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
			row = append(row, escaped(v.Marked()))
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
			for _, of := range cellFields {
				head = append(head, of+" "+h.Name)
			}
		}
	}
	if !t.Tidy {
		head = append(head, "Unscored", "Partly scored", "Not run", "Damaged", "Unscored answers")
	}
	if err := out.Write(terminal.CSV(append(head, "Scoring", "Judge", "Dir"))); err != nil {
		return err
	}
	for _, l := range t.Lines {
		line := []string{l.Label, l.Section}
		for i, v := range l.Values {
			line = append(line, field(v))
			if t.Heads[i].Scored {
				line = append(line, fields(v)...)
			}
		}
		if !t.Tidy {
			line = append(line, missing(l)...)
		}
		if err := out.Write(terminal.CSV(append(line, rules(l)...))); err != nil {
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

// cellFields are the columns that follow a score, as [fields] fills them.
var cellFields = []string{"n", "low", "high", "se", "se clustered", "unscored"}

// fields are empty where there is no value.
func fields(v report.Value) []string {
	if v.Cell == nil {
		return make([]string, len(cellFields))
	}
	low, high := "", ""
	if i := v.Cell.Interval; i != nil && v.Cell.Shown() {
		low, high = strconv.FormatFloat(i.Low, 'f', 2, 64), strconv.FormatFloat(i.High, 'f', 2, 64)
	}
	return []string{v.Count(), low, high, v.Error(), v.ClusteredError(), strconv.Itoa(v.Cell.Unscored)}
}

// missing counts what is not in the scores of a run.
func missing(l report.Line) []string {
	if l.Row == nil {
		return make([]string, 5)
	}
	r := l.Row
	return []string{strconv.Itoa(r.Unscored), strconv.Itoa(r.Partial), strconv.Itoa(r.Unfinished), strconv.Itoa(r.Damaged), strconv.Itoa(r.UnscoredAnswers)}
}

func rules(l report.Line) []string {
	if l.Row == nil {
		return []string{"", "", "AirQA paper"}
	}
	return []string{l.Row.Scoring, l.Row.Judge, l.Row.Dir}
}
