package web

import (
	"airqa/internal/terminal"
	"airqa/qa"
	"airqa/trace"
)

// Limits of a result that is shown as a table or as passages. Its text is there as well.
const (
	mostRows  = 200
	mostCells = 4000
	mostCell  = 4000
)

// resultView is a result as a table or as passages.
type resultView struct {
	Passages []trace.Passage
	Columns  []string
	Rows     []rowView
	// More is the number of rows that are only in the text.
	More int
}

// rowView is a row, which the model may not have seen.
type rowView struct {
	Cells  []trace.Cell
	Hidden bool
}

// resultOf reads the structure of a result; nil if it has none.
func (m *marker) resultOf(o qa.Observation) *resultView {
	o.Text, o.Full = m.redacted(o.Text), m.redacted(o.Full)
	if len(o.Text) > wholeText {
		return nil
	}
	v := trace.ReadResult(o)
	switch {
	case len(v.Passages) > 0:
		r := &resultView{Passages: v.Passages[:min(len(v.Passages), mostRows)]}
		r.More = len(v.Passages) - len(r.Passages)
		return r
	case v.Table == nil:
		return nil
	}
	r := &resultView{Columns: v.Table.Columns}
	for _, row := range v.Table.Rows {
		r.add(row, false)
	}
	if v.Cut != nil {
		for _, row := range v.Cut.Rows {
			r.add(row, true)
		}
	}
	return r
}

func (r *resultView) add(row trace.TableRow, hidden bool) {
	if len(r.Rows) >= mostRows || len(r.Rows)*len(row) > mostCells {
		r.More++
		return
	}
	v := rowView{Hidden: hidden}
	for _, c := range row {
		c.Text = terminal.Clip(c.Text, mostCell)
		v.Cells = append(v.Cells, c)
	}
	r.Rows = append(r.Rows, v)
}
