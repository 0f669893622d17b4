package ask

import (
	"slices"
	"strings"
	"unicode/utf8"

	"airqa/qa"
	"airqa/trace"
)

// row is a passage or a row of a query's result, as far as the model saw it.
type row struct {
	step int
	// paper is "" and page 0 if the row does not name them; papers are those that its statement read.
	paper  string
	page   int
	papers []string
	// texts are long enough to have a quote, cells are the others.
	texts []string
	cells []cell
	// sql is the statement of a query.
	sql string
}

// cell is a short value of a result.
type cell struct{ column, text string }

// rowsOf returns the passages or rows of a step's observation.
func rowsOf(s qa.Step) []row {
	v := trace.ReadResult(*s.Observation)
	var rows []row
	for _, p := range v.Passages {
		if !p.Hidden && p.Text != "" {
			rows = append(rows, row{step: s.N, paper: strings.ToLower(p.Paper), page: max(p.Page, 0), texts: []string{p.Text[:p.Seen]}})
		}
	}
	if v.Passages != nil || v.Table == nil {
		return rows
	}
	base := row{step: s.N}
	if s.Action != nil {
		base.sql, _ = s.Action.Args["sql"].(string)
	}
	if t := s.Observation.Touched; t != nil {
		for _, id := range t.Papers {
			base.papers = append(base.papers, strings.ToLower(id))
		}
	}
	for _, cells := range v.Table.Rows {
		rows = append(rows, base.with(v.Table.Columns, cells))
	}
	return rows
}

// with returns the row of a result with the cells.
func (r row) with(columns []string, cells trace.TableRow) row {
	positions := []string{"page_number", "ordinal", "bounding_box", "score", "pdf_path"} // no answers
	for i, c := range cells {
		column := strings.ToLower(columns[i])
		switch {
		case c.Null():
		case qa.IsUUID(c.Text):
			r = r.of(column, c.Text)
		case c.Number() && strings.Contains(column, "page_number"):
			r.page = pageOf(c.Text)
		case slices.ContainsFunc(positions, func(name string) bool { return strings.Contains(column, name) }):
		case utf8.RuneCountInString(c.Text) >= 80 && !c.Number(): // a text rather than a value
			r.texts = append(r.texts, plainTable(c.Text))
		default:
			r.cells = append(r.cells, cell{columns[i], c.Text})
		}
	}
	if r.paper == "" && len(r.papers) == 1 {
		r.paper = strings.ToLower(r.papers[0])
	}
	return r
}

// of returns the row with the id of a column, if it is that of a paper.
func (r row) of(column, id string) row {
	if strings.Contains(column, "paper") || strings.Contains(column, "pdf") {
		r.paper = strings.ToLower(id)
	}
	return r
}

// pageOf is the number of a page, 0 if it is none.
func pageOf(text string) int {
	n := 0
	for _, r := range text {
		if r < '0' || r > '9' || n > 1e6 {
			return 0
		}
		n = 10*n + int(r-'0')
	}
	return n
}

func boxOf(box []float64) []float64 {
	if len(box) != 4 {
		return nil
	}
	return box
}

// line is the row as "column: value, column: value".
func (r row) line() string {
	var parts []string
	for _, c := range r.cells {
		parts = append(parts, c.column+": "+c.text)
	}
	return strings.Join(parts, ", ")
}
