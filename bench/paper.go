package bench

import (
	"embed"
	"math"
	"slices"
	"strconv"
	"strings"

	"airqa/qa"
)

// papers are the tables of the benchmarks' papers, tab-separated: each is a line with "Table ", its number and its columns, and
// then a line for each system or other row, with "-" for none.
//
//go:embed */paper.tsv
var papers embed.FS

// Paper is the numbers that a benchmark's paper prints, by table: "11", or "2, test" for a part of one.
type Paper map[string][]Measure

// ReadPaper returns the numbers in the folder of a benchmark's package.
func ReadPaper(folder string) Paper {
	text, _ := papers.ReadFile(folder + "/paper.tsv") // a part of the program
	p := make(Paper)
	var table string
	var columns []string
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.TrimSpace(line), "\t")
		if name, head := strings.CutPrefix(cells[0], "Table "); head {
			table, columns = name, cells[1:]
			continue
		}
		for i, cell := range cells[1:] {
			value, err := strconv.ParseFloat(cell, 64)
			if err != nil {
				value = math.NaN() // "-"
			}
			p[table] = append(p[table], Value(cells[0], columns[i], value))
		}
	}
	return p
}

// Beside adds the paper's number of a system to a measure, if the table has one in the measure's column.
func (p Paper) Beside(m Measure, table, system string) Measure {
	for _, printed := range p[table] {
		if printed.Row == system && printed.Column == m.Column {
			m.Printed = printed.Value
		}
	}
	return m
}

// Rows are the means of the rows of a table of the paper, which has one column, beside its numbers.
func (p Paper) Rows(means Means, table string) []Measure {
	return qa.Map(p[table], func(printed Measure) Measure { return p.Beside(means.Row(printed.Row), table, printed.Row) })
}

// Below appends the systems of tables of the paper to t, in the columns that t has. Their rows end in "(paper)", or in "(paper,
// test)" for a part of a table.
func (p Paper) Below(t *Table, tables ...string) {
	own := t.Measures
	for _, name := range tables {
		suffix := " (paper)"
		if _, part, ok := strings.Cut(name, ", "); ok {
			suffix = " (paper, " + part + ")"
		}
		for _, m := range p[name] {
			if m.Value != nil && slices.ContainsFunc(own, func(o Measure) bool { return o.Column == m.Column }) {
				m.Row += suffix
				t.Add(m)
			}
		}
	}
}
