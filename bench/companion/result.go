package companion

import (
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"airqa/internal/stats"
	"airqa/internal/terminal"
	"airqa/qa/dataset"
	"airqa/report"
	"airqa/report/render"
)

// Result is what a command of airqa bench found.
type Result struct {
	Format    int    `json:"format"`
	Benchmark string `json:"benchmark,omitempty"`
	Dataset   string `json:"dataset,omitempty"`
	// Title describes the result.
	Title  string  `json:"title"`
	Tables []Table `json:"tables"`
	// Faults are problems of the data and the predictions.
	Faults []string `json:"faults"`
	Notes  []string `json:"notes"`
}

// Table is a table of measures.
type Table struct {
	Name  string `json:"name"`
	Title string `json:"title"`
	// Label is the head of the rows.
	Label    string    `json:"-"`
	Decimals int       `json:"-"`
	Measures []Measure `json:"measures"`
}

// Measure is a number of a table.
type Measure struct {
	Row    string `json:"row"`
	Column string `json:"column"`
	// Value is nil if there is none.
	Value *float64 `json:"value"`
	// N is what the value counts or averages over; nil if it has none.
	N        *int            `json:"n,omitempty"`
	Interval *stats.Interval `json:"interval,omitempty"`
	// Printed is the paper's number, where there is one.
	Printed *float64 `json:"printed,omitempty"`
}

// measure is a value over n; NaN is none.
func measure(row, column string, value float64, n int) Measure {
	m := Measure{Row: row, Column: column, N: &n}
	if !math.IsNaN(value) {
		m.Value = &value
	}
	return m
}

// printed adds the paper's number.
func (m Measure) printed(value float64) Measure {
	m.Printed = &value
	return m
}

func newResult(benchmark, title string, r Request, faults []*dataset.Fault) *Result {
	result := &Result{Format: 1, Benchmark: benchmark, Dataset: r.Dataset, Title: title, Faults: []string{}, Notes: []string{}}
	lost := make(map[string]int)
	for _, f := range faults {
		result.Faults = append(result.Faults, f.Error())
		if f.Costs != "" {
			lost[f.Costs]++
		}
	}
	var counts []string
	for _, what := range slices.Sorted(maps.Keys(lost)) {
		counts = append(counts, terminal.Plural(lost[what], what))
	}
	if len(counts) > 0 {
		result.Notes = append(result.Notes, "Left out because of faults: "+strings.Join(counts, ", ")+".")
	}
	return result
}

// maxFaults is the number of faults that a text lists; JSON has all.
const maxFaults = 5

// Write prints the result.
func (r *Result) Write(w io.Writer, o render.Options) error {
	d := render.Document{Title: r.Title, Notes: r.Notes, Data: []any{r}}
	for _, t := range r.Tables {
		d.Parts = append(d.Parts, render.Part{Title: t.Title, Table: t.table()})
	}
	if n := len(r.Faults); n > 0 {
		p := render.Part{Title: terminal.Plural(n, "problem")}
		for i, f := range r.Faults {
			if i == maxFaults {
				p.Items = append(p.Items, render.Item{Text: "and " + strconv.Itoa(n-maxFaults) + " more; --json has all"})
				break
			}
			p.Items = append(p.Items, render.Item{Text: f})
		}
		d.Parts = append(d.Parts, p)
	}
	return d.Write(w, o)
}

// table has a line for each row, and for each column the value, n, the interval and the paper's number, where the
// column has any.
func (t Table) table() *report.Table {
	table := &report.Table{Name: t.Name, Title: t.Title, Label: t.Label}
	var rows, columns []string
	for _, m := range t.Measures {
		if !slices.Contains(rows, m.Row) {
			rows = append(rows, m.Row)
		}
		if !slices.Contains(columns, m.Column) {
			columns = append(columns, m.Column)
		}
	}
	for _, row := range rows {
		table.Lines = append(table.Lines, report.Line{Label: row})
	}
	for _, c := range columns {
		has := func(of func(Measure) bool) bool {
			return slices.ContainsFunc(t.Measures, func(m Measure) bool { return m.Column == c && of(m) })
		}
		counted := has(func(m Measure) bool { return m.N != nil })
		add := func(h report.Head, value func(Measure) report.Value) {
			table.Heads = append(table.Heads, h)
			for i, row := range rows {
				table.Lines[i].Values = append(table.Lines[i].Values, value(t.at(row, c)))
			}
		}
		add(report.Head{Name: c, Scored: counted}, func(m Measure) report.Value { return report.Value{Text: t.number(m.Value), Cell: m.cell()} })
		if counted {
			add(report.Head{Name: "n", Repeats: true}, func(m Measure) report.Value { return report.Value{Text: count(m.N)} })
		}
		if has(func(m Measure) bool { return m.Interval != nil }) {
			add(report.Head{Name: "95 %", Repeats: true}, func(m Measure) report.Value { return report.Value{Text: span(m.Interval)} })
		}
		if has(func(m Measure) bool { return m.Printed != nil }) {
			add(report.Head{Name: t.printedHead(c)}, func(m Measure) report.Value { return report.Value{Text: shortest(m.Printed)} })
		}
	}
	return table
}

// at is the measure of a row and a column; none if there is no such measure.
func (t Table) at(row, column string) Measure {
	i := slices.IndexFunc(t.Measures, func(m Measure) bool { return m.Row == row && m.Column == column })
	if i < 0 {
		return Measure{}
	}
	return t.Measures[i]
}

// printedHead names the column, too, if several have numbers of the paper.
func (t Table) printedHead(column string) string {
	if slices.ContainsFunc(t.Measures, func(m Measure) bool { return m.Printed != nil && m.Column != column }) {
		return column + " (paper)"
	}
	return "paper"
}

// cell has the count and the interval for formats that show them themselves.
func (m Measure) cell() *report.Cell {
	if m.Value == nil || m.N == nil {
		return nil
	}
	return &report.Cell{Score: *m.Value, N: *m.N, Interval: m.Interval}
}

func (t Table) number(v *float64) string {
	if v == nil {
		return "-"
	}
	return strconv.FormatFloat(*v, 'f', t.Decimals, 64)
}

func count(n *int) string {
	if n == nil {
		return "-"
	}
	return strconv.Itoa(*n)
}

func span(i *stats.Interval) string {
	if i == nil {
		return "-"
	}
	return strconv.FormatFloat(i.Low, 'f', 1, 64) + "–" + strconv.FormatFloat(i.High, 'f', 1, 64)
}

// shortest prints a number as the paper does.
func shortest(v *float64) string {
	if v == nil {
		return "-"
	}
	return strconv.FormatFloat(*v, 'f', -1, 64)
}
