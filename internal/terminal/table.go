package terminal

import (
	"slices"

	"github.com/jedib0t/go-pretty/v6/table"
)

// Table is a table of short texts.
type Table struct {
	Head []string
	Rows [][]string
	// Paint colours a cell once it is clipped; nil leaves all as they are.
	Paint func(row, column int, cell string) string
	// Boxed draws lines around the cells; otherwise columns are separated by two spaces.
	Boxed bool
}

// Cell widths on a terminal: the maximum, that of a wide cell, and the width up to which no column is clipped.
const (
	mostCell  = 60
	wideCell  = 20
	leastCell = 4
)

// plainTable has no lines, and padding only between columns.
var plainTable = table.Style{Box: table.BoxStyle{PaddingRight: "  "}}

// Text formats the table for a terminal width, without a final newline. Cells are clipped as in [Clip], the widest
// columns first, until a line fits. A width of 0 is for files and pipes: nothing is clipped.
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
	row := func(cells []string, paint func(column int, cell string) string) table.Row {
		r := make(table.Row, len(cells))
		for i, c := range cells {
			r[i] = paint(i, Clip(c, widths[i]))
		}
		return r
	}
	w.AppendHeader(row(t.Head, func(_ int, cell string) string { return cell }))
	for n, cells := range t.Rows {
		w.AppendRow(row(cells, func(i int, cell string) string {
			if t.Paint == nil {
				return cell
			}
			return t.Paint(n, i, cell)
		}))
	}
	return w.Render()
}

// fit returns column widths with which a line fits, if possible.
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
	used := 2*len(widths) - 2
	if t.Boxed {
		used = 3*len(widths) + 1
	}
	for _, w := range widths {
		used += w
	}
	for ; used > width; used-- {
		i := narrowed(widths, content)
		if widths[i] <= leastCell {
			break
		}
		widths[i]--
	}
	return widths
}

// narrowed is the next column to clip: a wide one, else one that is wide only because of its name, else the widest.
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
