package ask

import (
	"cmp"
	"strings"
	"unicode/utf8"

	"airqa/internal/evidence"
	"airqa/qa"
	"airqa/trace"
)

// row is a passage or a row of a query's result, as far as the model saw it.
type row struct {
	// Source has the step, and the paper and page if the row names them.
	Source
	// texts are long enough for a quote; line has the other cells as "column: value, column: value".
	texts []string
	cells []evidence.Cell
	line  string
}

// rowsOf returns the passages or rows of a step's observation.
func rowsOf(s qa.Step) []row {
	v := trace.ReadResult(*s.Observation)
	base := Source{Step: s.N}
	var rows []row
	for _, p := range v.Passages {
		if !p.Hidden && p.Text != "" {
			base.PaperID, base.Page = strings.ToLower(p.PaperID), max(p.Page, 0)
			rows = append(rows, row{Source: base, texts: []string{p.Text[:p.Seen]}})
		}
	}
	if v.Passages != nil {
		return rows
	}
	if s.Action != nil {
		base.SQL, _ = s.Action.Args["sql"].(string)
	}
	if t := s.Observation.Touched; t != nil {
		for _, id := range t.Papers {
			base.papers = append(base.papers, strings.ToLower(id))
		}
	}
	if len(base.papers) == 1 {
		base.PaperID = base.papers[0]
	}
	for _, r := range v.Rows {
		rows = append(rows, tableRow(base, r))
	}
	return rows
}

// tableRow is a row of a table.
func tableRow(base Source, from evidence.Row) row {
	r := row{Source: base}
	r.PaperID, r.Page = cmp.Or(from.Paper, base.PaperID), from.Page
	var pairs []string
	for _, c := range from.Values() {
		name := strings.ToLower(c.Name)
		switch {
		case strings.Contains(name, "score") || strings.Contains(name, "pdf_path"): // no answers
		case utf8.RuneCountInString(c.Text) >= 80 && !c.Number(): // a text rather than a value
			r.texts = append(r.texts, plainTable(c.Text))
		default:
			r.cells = append(r.cells, c)
			pairs = append(pairs, c.Name+": "+c.Text)
		}
	}
	r.line = strings.Join(pairs, ", ")
	return r
}
