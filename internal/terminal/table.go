package terminal

import (
	"slices"

	"github.com/jedib0t/go-pretty/v6/table"
)

// Table is a table of short texts.
type Table struct {
	Head []string
	Rows [][]string
	// Boxed draws lines around the cells; without it columns are two spaces apart.
	Boxed bool
}

// Widths of cells on a terminal: the maximum, that of a wide cell, and that below which no column is clipped.
const (
	mostCell  = 60
	wideCell  = 20
	leastCell = 4
)

// plainTable has no lines and no padding but between columns.
var plainTable = table.Style{Box: table.BoxStyle{PaddingRight: "  "}}

// Text returns the table for a terminal of some columns, without a newline at its end: cells as by [Clip], the widest columns
// clipped until a line fits. A width of 0 is for files and pipes: nothing is clipped.
func (t Table) Text(width int) string {
	w := table.NewWriter()
	w.SetStyle(plainTable)
	if t.Boxed {
		w.SetStyle(table.StyleLight)
		w.Style().Format.Header = 0
	}
	w.SuppressTrailingSpaces()
	widths := make([]int, len(t.Head))
	if width > 0 {
		widths = t.fit(width)
	}
	row := func(cells []string) table.Row {
		r := make(table.Row, len(cells))
		for i, c := range cells {
			r[i] = Clip(c, widths[i])
		}
		return r
	}
	w.AppendHeader(row(t.Head))
	for _, cells := range t.Rows {
		w.AppendRow(row(cells))
	}
	return w.Render()
}

// fit returns widths of the columns with which a line fits, if there are any.
func (t Table) fit(width int) []int {
	widths, content := make([]int, len(t.Head)), make([]int, len(t.Head))
	for _, cells := range t.Rows {
		for i, c := range cells {
			content[i] = max(content[i], min(Width(Line(c)), mostCell))
		}
	}
	for i, name := range t.Head {
		widths[i] = max(Width(Line(name)), content[i])
	}
	lines := 2*len(widths) - 2
	if t.Boxed {
		lines = 3*len(widths) + 1
	}
	for sum(widths)+lines > width {
		i := narrowed(widths, content)
		if widths[i] <= leastCell {
			break
		}
		widths[i]--
	}
	return widths
}

// narrowed is the column to make narrower: a wide one, else one that only its name makes wide, else the widest.
func narrowed(widths, content []int) int {
	widest := slices.Index(widths, slices.Max(widths))
	if widths[widest] > wideCell {
		return widest
	}
	for i, w := range widths {
		if w > max(content[i], leastCell) {
			return i
		}
	}
	return widest
}

func sum(list []int) (total int) {
	for _, n := range list {
		total += n
	}
	return total
}
