package render_test

import (
	"bytes"
	"encoding/csv"
	"strings"
	"testing"

	"airqa/eval/author"
	"airqa/internal/stats"
	"airqa/internal/terminal"
	"airqa/report"
	"airqa/report/compare"
	"airqa/report/questions"
	"airqa/report/render"
)

const hostile = "=1+1|<b>\x1b[2J_*`$#%\\{}"

// document has every kind of part, with hostile names.
func document() render.Document {
	return render.Document{
		Title: hostile, Notes: []string{"A note on everything."}, Data: []any{map[string]int{"n": 1}},
		Parts: []render.Part{
			{Text: []string{"A paragraph."}, Items: []render.Item{{Text: "a plain item"}, {Text: hostile, Commands: []string{"airqa trace 'my run' " + strings.Repeat("q", 120)}}}},
			{Title: "A table", Figures: figures()[:1], Table: &report.Table{
				Name: "t", Title: "A table", Label: "name", Section: "section", Notes: []string{"A note on the table."},
				Heads: []report.Head{{Name: "n"}, {Name: "words", Left: true}},
				Lines: []report.Line{
					{Label: hostile, Section: "one", Values: []report.Value{{Text: "-1.5"}, {Text: "left"}}},
					{Label: "b", Section: "one", Values: []report.Value{{Text: "2"}, {Text: hostile}}},
					{Label: "c", Section: "two", Values: []report.Value{{Text: "3"}, {Text: strings.Repeat("long_word ", 12)}}},
				},
			}},
		},
	}
}

func printed(t *testing.T, d render.Document, o render.Options) string {
	t.Helper()
	var b bytes.Buffer
	if err := d.Write(&b, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Every format prints all parts and escapes untrusted text.
func TestFormats(t *testing.T) {
	for _, format := range render.Formats() {
		got := printed(t, document(), render.Options{Format: format})
		if strings.Contains(got, "\x1b") {
			t.Errorf("%s: a control character", format)
		}
		if format == "json" {
			continue
		}
		wanted := []string{"-1.5", "left"}
		if format != "csv" {
			wanted = append(wanted, "A paragraph.", "a plain item", "A note on the table.", "A note on everything.", strings.Repeat("q", 120))
		}
		for _, w := range wanted {
			if !strings.Contains(got, w) {
				t.Errorf("%s lacks %q:\n%s", format, w, got)
			}
		}
	}
	if err := document().Write(&bytes.Buffer{}, render.Options{Format: "pdf"}); err == nil || !strings.Contains(err.Error(), "text, md, csv, latex, json, html") {
		t.Errorf("unknown format: %v", err)
	}
}

// Text fits the terminal except for commands; a pipe loses nothing.
func TestWidths(t *testing.T) {
	for line := range strings.Lines(printed(t, document(), render.Options{Width: 40})) {
		if n := terminal.Width(strings.TrimRight(line, "\n")); n > 40 && !strings.Contains(line, "airqa trace") {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	if got := printed(t, document(), render.Options{}); !strings.Contains(got, strings.TrimSpace(strings.Repeat("long_word ", 12))) {
		t.Errorf("a cell was cut:\n%s", got)
	}
}

// No cell is a formula to a spreadsheet; several tables become one with a number per line.
func TestCSV(t *testing.T) {
	d := document()
	for _, want := range []int{4, 13} {
		records, err := csv.NewReader(strings.NewReader(printed(t, d, render.Options{Format: "csv"}))).ReadAll()
		if err != nil || len(records) != want {
			t.Fatalf("%d records, want %d, %v", len(records), want, err)
		}
		for _, r := range records {
			for _, cell := range r {
				if strings.HasPrefix(cell, "=") {
					t.Errorf("a formula: %s", cell)
				}
			}
		}
		d.Parts = append(d.Parts, d.Parts[1])
	}
}

// Comparisons, needs, statistics and findings have every format, even if almost empty.
func TestEveryDocument(t *testing.T) {
	half := 0.5
	group := compare.Group{Name: "sgl.", Questions: 2, A: 50, B: 100, Difference: 50, Interval: stats.Interval{Low: -10, High: 90}, Clusters: 2, P: 0.00001}
	r := compare.Result{All: group, Groups: []compare.Group{group}, PHolm: &half, Test: compare.McNemarTest, Flips: []compare.Flip{{UUID: "q", B: 1}}}
	for _, format := range render.Formats() {
		o := render.Options{Format: format, Flips: 1}
		for name, print := range map[string]func(*bytes.Buffer) error{
			"comparison": func(b *bytes.Buffer) error { return r.Write(b, o) },
			"comparisons": func(b *bytes.Buffer) error {
				return compare.WritePairs(b, make([]compare.Side, 2), []compare.Result{r}, o)
			},
			"need":       func(b *bytes.Buffer) error { return compare.Questions(3, 0.2, 0.8).Write(b, o) },
			"statistics": func(b *bytes.Buffer) error { return questions.Collect(author.File{}).Write(b, o) },
			"findings": func(b *bytes.Buffer) error {
				return questions.WriteFindings(b, []questions.Finding{{Rule: questions.RuleForm, Text: hostile}}, questions.Stats{}, o)
			},
		} {
			var b bytes.Buffer
			if name == "need" && format == "csv" {
				if err := print(&b); err == nil || !strings.Contains(err.Error(), "no table") {
					t.Errorf("CSV of sentences: %v", err)
				}
				continue
			}
			if err := print(&b); err != nil || b.Len() == 0 || strings.Contains(b.String(), "NaN") {
				t.Errorf("%s of %s: %v\n%s", format, name, err, b.String())
			}
		}
	}
}
