package report

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"airqa/internal/terminal"
)

// Formats are the names that [Write] knows.
func Formats() []string { return []string{"text", "md", "csv", "json"} }

// Options say how [Write] prints.
type Options struct {
	// Format is one of [Formats].
	Format string
	// Width is that of the terminal in characters; a text table that is wider is cut into several, one under the
	// other. 0 knows no bound.
	Width int
}

// Write prints rows in a format of [Formats]. Scores are per cent with two decimals, as in the paper; a cell without
// questions is a dash.
func Write(w io.Writer, rows []Row, o Options) error {
	switch o.Format {
	case "json":
		return writeJSON(w, rows)
	case "csv":
		return printTo(w, csvTable(rows).RenderCSV())
	case "md":
		return printTo(w, plainTable(rows).RenderMarkdown()+"\n\n"+strings.Join(Notes(rows), "\n"))
	case "text":
		return printTo(w, textTables(rows, o.Width)+"\n\n"+strings.Join(Notes(rows), "\n"))
	}
	return fmt.Errorf("unknown format %q; the formats are %s", o.Format, strings.Join(Formats(), ", "))
}

func printTo(w io.Writer, s string) error {
	_, err := fmt.Fprintln(w, strings.TrimRight(s, "\n"))
	return err
}

func writeJSON(w io.Writer, rows []Row) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for _, r := range rows {
		if err := enc.Encode(r); err != nil {
			return err
		}
	}
	return nil
}

// plainTable has one head line, for formats that know no groups.
func plainTable(rows []Row) table.Writer {
	t := table.NewWriter()
	head := table.Row{"Baseline", "Model"}
	for _, c := range Columns() {
		head = append(head, c.Name)
	}
	t.AppendHeader(head)
	for _, r := range rows {
		line := table.Row{terminal.Line(r.Baseline), terminal.Line(r.Model)}
		t.AppendRow(append(line, cells(r)...))
	}
	return t
}

// csvTable has a column for everything that a reader of the numbers must know.
func csvTable(rows []Row) table.Writer {
	t := table.NewWriter()
	head := table.Row{"Baseline", "Model"}
	for _, c := range Columns() {
		head = append(head, c.Name, "n "+c.Name)
	}
	t.AppendHeader(append(head, "Unscored", "Not run", "Scoring", "Judge", "Turns", "Prompt tokens", "Completion tokens", "Dir"))
	for _, r := range rows {
		line := table.Row{r.Baseline, r.Model}
		for i, cell := range cells(r) {
			line = append(line, cell, r.Cells[i].N)
		}
		t.AppendRow(append(line, r.Unscored, r.Unfinished, r.Scoring, r.Judge,
			strconv.FormatFloat(r.Turns, 'f', 2, 64), r.Usage.Prompt, r.Usage.Completion, r.Dir))
	}
	return t
}

// textTables prints one table, or one a group of columns where one is too wide.
func textTables(rows []Row, width int) string {
	all := Columns()
	whole := textTable(rows, all)
	if width == 0 || text.LongestLineLen(whole) <= width {
		return whole
	}
	var parts []string
	for i := 0; i < len(all); {
		j := i + 1
		for j < len(all) && all[j].Group == all[i].Group {
			j++
		}
		parts = append(parts, textTable(rows, all[i:j]))
		i = j
	}
	return strings.Join(parts, "\n\n")
}

// textTable has the paper's two head lines; rows of one model stand under its name.
func textTable(rows []Row, columns []Column) string {
	t := table.NewWriter()
	t.SetStyle(table.StyleLight)
	t.Style().Format.Header = text.FormatDefault
	groups, names := table.Row{"Baseline"}, table.Row{""}
	var configs []table.ColumnConfig
	for i, c := range columns {
		groups, names = append(groups, c.Group), append(names, c.Name)
		configs = append(configs, table.ColumnConfig{Number: i + 2, Align: text.AlignRight, AlignHeader: text.AlignCenter})
	}
	t.SetColumnConfigs(configs)
	t.AppendHeader(groups, table.RowConfig{AutoMerge: true})
	t.AppendHeader(names)
	model := ""
	for i, r := range rows {
		if i == 0 || r.Model != model {
			model = r.Model
			t.AppendSeparator()
			t.AppendRow(table.Row{"[" + terminal.Line(model) + "]"})
		}
		t.AppendRow(append(table.Row{terminal.Line(r.Baseline)}, cellsOf(r, columns)...))
	}
	return t.Render()
}

// cellsOf are the cells of some of the columns.
func cellsOf(r Row, columns []Column) table.Row {
	var some Row
	for _, c := range columns {
		for _, cell := range r.Cells {
			if cell.Column == c.Name {
				some.Cells = append(some.Cells, cell)
			}
		}
	}
	return cells(some)
}

func cells(r Row) table.Row {
	var line table.Row
	for _, c := range r.Cells {
		if c.N == 0 {
			line = append(line, "-")
			continue
		}
		line = append(line, strconv.FormatFloat(c.Score, 'f', 2, 64))
	}
	return line
}

// Notes are the lines under a table: how many questions each column has, how scores came about, and what is missing. Where
// the runs of a table differ in this, each has a line of its own.
func Notes(rows []Row) []string {
	notes := append(
		perRun(rows, questionsNote, "Scores in per cent. Questions per column: %s."),
		perRun(rows, func(r Row) string { return r.Scoring + "; judge of subjective answers: " + judgeName(r.Judge) }, "Scoring: %s.")...)
	if slices.ContainsFunc(rows, func(r Row) bool { return r.Model == "offline" }) {
		notes = append(notes, "The model \"offline\" is a rule-based policy that ships with airqa, not a language model: its scores say nothing of any model.")
	}
	for _, r := range rows {
		if r.Unscored+r.Unfinished > 0 {
			notes = append(notes, fmt.Sprintf("%s (%s): %d of %d questions counted; %d unscored, %d not run yet.",
				terminal.Line(r.Baseline), terminal.Line(r.Dir), r.Scored, r.Questions, r.Unscored, r.Unfinished))
		}
	}
	return notes
}

// perRun says what holds for all rows in one line, or else for each row in a line with its directory.
func perRun(rows []Row, what func(Row) string, format string) []string {
	var notes []string
	for i, r := range rows {
		text := what(r)
		if i > 0 && !slices.ContainsFunc(rows, func(other Row) bool { return what(other) != what(rows[0]) }) {
			break
		}
		notes = append(notes, fmt.Sprintf(format, text))
	}
	if len(notes) < 2 {
		return notes
	}
	for i, r := range rows {
		notes[i] = terminal.Line(r.Baseline) + " (" + terminal.Line(r.Dir) + "): " + notes[i]
	}
	return notes
}

func questionsNote(r Row) string {
	n := make([]string, len(r.Cells))
	for i, c := range r.Cells {
		n[i] = c.Column + " " + strconv.Itoa(c.N)
	}
	return strings.Join(n, ", ")
}

func judgeName(judge string) string {
	if judge == "offline" {
		return "offline (lexical overlap, no language model)"
	}
	return terminal.Line(judge)
}
