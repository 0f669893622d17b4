package render

import (
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"airqa/internal/terminal"
	"airqa/report"
)

func markdown(d Document) string {
	var blocks []string
	for _, p := range d.printable() {
		if p.Title != "" {
			blocks = append(blocks, "## "+MarkdownText(p.Title))
		}
		for _, s := range p.Text {
			blocks = append(blocks, MarkdownText(s))
		}
		var list []string
		for _, it := range p.Items {
			list = append(list, markdownItem(it))
		}
		if p.Table != nil {
			blocks = append(blocks, markdownTable(sheet(*p.Table)))
			for _, n := range p.Table.Notes {
				list = append(list, markdownItem(Item{Text: n}))
			}
		}
		if len(list) > 0 {
			blocks = append(blocks, strings.Join(list, "\n"))
		}
	}
	return strings.Join(blocks, "\n\n")
}

// markdownItem puts each command on a line of its own.
func markdownItem(it Item) string {
	var s strings.Builder
	s.WriteString("- " + MarkdownText(it.Text))
	for _, c := range it.Commands {
		s.WriteString("\\\n  `" + strings.ReplaceAll(terminal.Line(c), "`", "'") + "`")
	}
	return s.String()
}

// markdownTable has one head line and repeats every name, because Markdown has neither column groups nor sections.
func markdownTable(t sheet) string {
	if len(t.Lines) == 0 {
		return "none"
	}
	section := t.sectioned()
	names, left := t.names(section)
	row := func(cells []string) string {
		for i := range cells {
			cells[i] = strings.ReplaceAll(MarkdownText(cells[i]), "|", `\|`)
		}
		return "| " + strings.Join(cells, " | ") + " |"
	}
	lines := []string{row(names), "|" + t.alignment(left, " --- |", " ---: |")}
	for _, l := range t.Lines {
		lines = append(lines, row(cells(l, section)))
	}
	return strings.Join(lines, "\n")
}

// MarkdownText returns a text on one line in which Markdown has no effect.
func MarkdownText(s string) string { return markdownEscapes.Replace(terminal.Line(s)) }

var markdownEscapes = strings.NewReplacer(
	`\`, `\\`, `*`, `\*`, "`", "\\`", `[`, `\[`, `]`, `\]`, `&`, `&amp;`, `<`, `&lt;`, `>`, `&gt;`, `#`, `\#`,
	`$`, `\$`, `~`, `\~`, // formulas and strikethrough on GitHub
)

var errNoTable = errors.New("no table to write as CSV; choose another format")

// writeCSV prints one table with a column for every number and condition, or several tables with one number per line.
// No cell is a formula to a spreadsheet.
func writeCSV(w io.Writer, tables []sheet) error {
	if len(tables) == 0 {
		return errNoTable
	}
	records := [][]string{{"table", "section", "name", "measure", "value"}}
	if len(tables) == 1 {
		records = wide(tables[0].unrepeated())
	} else {
		for _, t := range tables {
			for _, l := range t.Lines {
				for i, v := range l.Values {
					if v.Text != "" {
						records = append(records, []string{t.Name, l.Section, l.Label, t.Heads[i].Name, v.Text})
					}
				}
			}
		}
	}
	return terminal.WriteCSV(w, slices.Values(records), true)
}

// wide has a record for each line of a table: n and interval after each score, and at the end the missing scores of a
// run and its scoring rules.
func wide(t sheet) [][]string {
	head := []string{t.Label}
	if t.Section != "" {
		head = append(head, t.Section)
	}
	for _, h := range t.Heads {
		head = append(head, h.Name)
		if h.Scored {
			for _, of := range cellFields {
				head = append(head, of+" "+h.Name)
			}
		}
	}
	runs := t.Section != ""
	if runs && !t.Tidy {
		head = append(head, "Unscored", "Partly scored", "Not run", "Damaged", "Unscored answers")
	}
	if runs {
		head = append(head, "Scoring", "Judge", "Dir")
	}
	records := [][]string{head}
	for _, l := range t.Lines {
		records = append(records, t.record(l, runs))
	}
	return records
}

func (t sheet) record(l report.Line, runs bool) []string {
	line := []string{l.Label}
	if t.Section != "" {
		line = append(line, l.Section)
	}
	for i, v := range l.Values {
		if v.Text == "-" { // no value is an empty field
			v.Text = ""
		}
		line = append(line, v.Text)
		if t.Heads[i].Scored {
			line = append(line, fields(v)...)
		}
	}
	switch r := l.Row; {
	case !runs:
	case r == nil:
		line = append(line, append(make([]string, 2+len(missing(&report.Row{}, t.Tidy))), "AirQA paper")...)
	default:
		line = append(append(line, missing(r, t.Tidy)...), r.Scoring, r.Judge, r.Dir)
	}
	return line
}

// cellFields are the columns that follow a score, as [fields] fills them.
var cellFields = []string{"n", "low", "high", "se", "se clustered", "unscored"}

// fields are empty if there is no value.
func fields(v report.Value) []string {
	if v.Cell == nil {
		return make([]string, len(cellFields))
	}
	low, high := "", ""
	if i := v.Cell.Interval; i != nil && v.Cell.Shown() {
		low, high = fixed(i.Low), fixed(i.High)
	}
	return []string{v.Count(), low, high, v.Error(), v.ClusteredError(), strconv.Itoa(v.Cell.Unscored)}
}

// missing counts the questions missing from the scores of a run; nothing for a table of observations.
func missing(r *report.Row, tidy bool) []string {
	if tidy {
		return nil
	}
	return []string{strconv.Itoa(r.Unscored), strconv.Itoa(r.Partial), strconv.Itoa(r.Unfinished), strconv.Itoa(r.Damaged), strconv.Itoa(r.UnscoredAnswers)}
}

// fixed prints a number with two decimals.
func fixed(x float64) string { return strconv.FormatFloat(x, 'f', 2, 64) }
