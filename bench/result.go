package bench

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"airqa/internal/stats"
	"airqa/internal/terminal"
	"airqa/qa"
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

// Table is a table of measures. Its rows and columns are in the order in which measures name them.
type Table struct {
	Name  string `json:"name"`
	Title string `json:"title"`
	// Label is the head of the rows.
	Label    string    `json:"-"`
	Decimals int       `json:"-"`
	Measures []Measure `json:"measures"`
}

// Add appends measures.
func (t *Table) Add(list ...Measure) { t.Measures = append(t.Measures, list...) }

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

// Value is a number of a row and a column; NaN is none.
func Value(row, column string, value float64) Measure {
	m := Measure{Row: row, Column: column}
	if !math.IsNaN(value) {
		m.Value = &value
	}
	return m
}

// Count is a count of a row in the column "number".
func Count(row string, n int) Measure { return Value(row, "number", float64(n)) }

// Over adds the number that the value counts or averages over.
func (m Measure) Over(n int) Measure {
	m.N = &n
	return m
}

// Within adds an interval.
func (m Measure) Within(i stats.Interval) Measure {
	m.Interval = &i
	return m
}

// Paper adds the number of the benchmark's paper.
func (m Measure) Paper(value float64) Measure {
	m.Printed = &value
	return m
}

// Mean is the mean of a measure, with the cluster of each value, such as a paper: values of a cluster are resampled
// together.
type Mean struct {
	Values   []float64
	Clusters []string
}

// Add adds a value that is a cluster of its own.
func (m *Mean) Add(v float64) { m.AddFrom(strconv.Itoa(len(m.Values)), v) }

// AddFrom adds a value of a cluster. NaN is no value.
func (m *Mean) AddFrom(cluster string, v float64) {
	if !math.IsNaN(v) {
		m.Values, m.Clusters = append(m.Values, v), append(m.Clusters, cluster)
	}
}

// Count adds a case to a share in %.
func (m *Mean) Count(yes bool) {
	if yes {
		m.Add(100)
	} else {
		m.Add(0)
	}
}

// Means are means by name.
type Means map[string]*Mean

// Of is the mean with a name, which is empty at first.
func (m *Means) Of(name string) *Mean {
	if *m == nil {
		*m = make(Means)
	}
	if (*m)[name] == nil {
		(*m)[name] = new(Mean)
	}
	return (*m)[name]
}

// Row is a mean as the row of its name, in the column "value".
func (m *Means) Row(name string) Measure { return m.Of(name).Measure(name, "value") }

// N is the number of values.
func (m Mean) N() int { return len(m.Values) }

// Value is the mean; NaN without values.
func (m Mean) Value() float64 {
	sum := 0.0
	for _, v := range m.Values {
		sum += v
	}
	return sum / float64(len(m.Values))
}

// Measure is the mean in a table, over its values.
func (m Mean) Measure(row, column string) Measure { return Value(row, column, m.Value()).Over(m.N()) }

// Percent is the mean of values from 0 to 1 in %.
func (m Mean) Percent(row, column string) Measure {
	return Value(row, column, 100*m.Value()).Over(m.N())
}

// Score is Percent with the interval of the bootstrap that a request asks for.
func (m Mean) Score(row, column string, r Request) Measure {
	v := m.Percent(row, column)
	if m.N() > 0 && r.Bootstrap > 0 {
		v = v.Within(m.Interval(r.Bootstrap, r.Seed).Scale(100))
	}
	return v
}

// Interval is the bootstrap interval of the mean; see [stats.ClusterBootstrap].
func (m Mean) Interval(rounds int, seed uint64) stats.Interval {
	return stats.ClusterBootstrap(m.Values, m.Clusters, rounds, seed, report.Level)
}

// NewResult returns a result without tables. Its first note counts what faults cost.
func NewResult(benchmark, title, path string, faults []*dataset.Fault) *Result {
	result := &Result{Format: 1, Benchmark: benchmark, Dataset: path, Title: title, Faults: []string{}, Notes: []string{}}
	lost := make(map[string]int)
	for _, f := range faults {
		result.Faults = append(result.Faults, f.Error())
		if f.Costs != "" {
			lost[f.Costs]++
		}
	}
	if len(lost) > 0 {
		counts := qa.Map(slices.Sorted(maps.Keys(lost)), func(what string) string { return terminal.Plural(lost[what], what) })
		result.Notes = append(result.Notes, "Left out because of faults: "+strings.Join(counts, ", ")+".")
	}
	return result
}

// Notes are remarks about predictions.
type Notes []string

// Count adds a remark with its number of cases, if there are any.
func (n *Notes) Count(cases int, text string) {
	if cases > 0 {
		*n = append(*n, fmt.Sprintf("%s: %d", text, cases))
	}
}

// Note appends notes.
func (r *Result) Note(notes ...string) { r.Notes = append(r.Notes, notes...) }

// AboutBootstrap describes the intervals of a bootstrap by paper, if there is one.
func (r Request) AboutBootstrap() []string {
	if r.Bootstrap == 0 {
		return nil
	}
	return []string{fmt.Sprintf("95 %% intervals: bootstrap clustered by paper, %d rounds, seed %d; too narrow with fewer than about 20 papers.",
		r.Bootstrap, r.Seed)}
}

// maxFaults is the number of faults that a text lists; JSON has all.
const maxFaults = 5

// Write prints the result.
func (r *Result) Write(w io.Writer, o render.Options) error {
	d := render.Document{Title: r.Title, Notes: r.Notes, Data: []any{r}}
	for _, t := range r.Tables {
		rows := Distinct(qa.Map(t.Measures, func(m Measure) string { return m.Row }))
		columns := Distinct(qa.Map(t.Measures, func(m Measure) string { return m.Column }))
		lines := qa.Map(rows, func(row string) report.Line { return report.Line{Label: row} })
		table := &report.Table{Name: t.Name, Title: t.Title, Label: t.Label, Lines: lines}
		for _, column := range columns {
			t.addColumn(table, rows, column)
		}
		d.Parts = append(d.Parts, render.Part{Title: t.Title, Table: table})
	}
	if n := len(r.Faults); n > 0 {
		p := render.Part{Title: terminal.Plural(n, "problem")}
		p.Items = qa.Map(r.Faults[:min(n, maxFaults)], func(f string) render.Item { return render.Item{Text: f} })
		if n > maxFaults {
			p.Items = append(p.Items, render.Item{Text: "and " + strconv.Itoa(n-maxFaults) + " more; --json has all"})
		}
		d.Parts = append(d.Parts, p)
	}
	return d.Write(w, o)
}

// addColumn adds what is shown of a column: the value, and what else any of its measures has.
func (t Table) addColumn(table *report.Table, rows []string, column string) {
	list := make([]Measure, len(rows)) // the zero value where there is none
	for _, m := range slices.Backward(t.Measures) {
		if m.Column == column {
			list[slices.Index(rows, m.Row)] = m
		}
	}
	counted := func(m Measure) bool { return m.N != nil }
	table.Heads = append(table.Heads, report.Head{Name: column, Scored: slices.ContainsFunc(list, counted)})
	for i, m := range list {
		table.Lines[i].Values = append(table.Lines[i].Values, report.Value{Text: number(m.Value, t.Decimals), Cell: m.cell()})
	}
	add := func(head report.Head, has func(Measure) bool, text func(Measure) string) {
		if !slices.ContainsFunc(list, has) {
			return
		}
		table.Heads = append(table.Heads, head)
		for i, m := range list {
			v := report.Value{Text: "-"}
			if has(m) {
				v.Text = text(m)
			}
			table.Lines[i].Values = append(table.Lines[i].Values, v)
		}
	}
	add(report.Head{Name: "n", Repeats: true}, counted, func(m Measure) string { return strconv.Itoa(*m.N) })
	add(report.Head{Name: "95 %", Repeats: true}, func(m Measure) bool { return m.Interval != nil }, func(m Measure) string {
		return number(&m.Interval.Low, 1) + "–" + number(&m.Interval.High, 1)
	})
	head := "paper"
	if slices.ContainsFunc(t.Measures, func(m Measure) bool { return m.Column != column && m.Printed != nil }) {
		head = column + " (paper)"
	}
	asPrinted := func(m Measure) string { return number(m.Printed, -1) }
	add(report.Head{Name: head}, func(m Measure) bool { return m.Printed != nil }, asPrinted)
}

func number(v *float64, decimals int) string {
	if v == nil {
		return "-"
	}
	return strconv.FormatFloat(*v, 'f', decimals, 64)
}

// cell has the count and the interval for formats that show them themselves.
func (m Measure) cell() *report.Cell {
	if m.Value == nil || m.N == nil {
		return nil
	}
	return &report.Cell{Score: *m.Value, N: *m.N, Interval: m.Interval}
}
