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
	// Drop names the columns that a narrow terminal does without, in the order in which they are dropped.
	Drop []string
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

// Text formats the table for a terminal width, without a final newline. Columns are dropped until every other one is
// readable; then cells are clipped as in [Clip], the widest columns first, until a line fits. A width of 0 is for files and
// pipes: nothing is dropped or clipped.
func (t Table) Text(width int) string {
	for width > 0 && len(t.Drop) > 0 && t.readable() > width {
		t = t.without(t.Drop[0])
	}
	w := table.NewWriter()
	w.SetStyle(plainTable)
	if t.Boxed {
		w.SetStyle(table.StyleLight)
		w.Style().Format.Header = 0
	}
	w.SuppressTrailingSpaces()
	widths := make([]int, len(t.Head))
	if width > 0 {
		var content []int
		widths, content = t.widths()
		used := t.between()
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

// readable is the width of a line in which no cell is clipped below wideCell.
func (t Table) readable() int {
	widths, content := t.widths()
	used := t.between()
	for i, w := range widths {
		used += min(w, max(Width(Line(t.Head[i])), min(content[i], wideCell)))
	}
	return used
}

// without returns the table without a column.
func (t Table) without(name string) Table {
	t.Drop = t.Drop[1:]
	column := slices.Index(t.Head, name)
	if column < 0 {
		return t
	}
	cut := func(cells []string) []string { return slices.Concat(cells[:column], cells[column+1:]) }
	t.Head = cut(t.Head)
	rows := make([][]string, len(t.Rows))
	for i, cells := range t.Rows {
		rows[i] = cut(cells)
	}
	t.Rows = rows
	if paint := t.Paint; paint != nil {
		t.Paint = func(row, at int, cell string) string {
			if at >= column {
				at++
			}
			return paint(row, at, cell)
		}
	}
	return t
}

// widths returns the widths of the columns, and those of their cells alone, up to mostCell.
func (t Table) widths() (widths, content []int) {
	widths, content = make([]int, len(t.Head)), make([]int, len(t.Head))
	for _, cells := range t.Rows {
		for i, c := range cells {
			content[i] = max(content[i], min(Width(Line(c)), mostCell))
		}
	}
	for i, name := range t.Head {
		widths[i] = max(Width(Line(name)), content[i])
	}
	return widths, content
}

// between is the width of what separates the columns.
func (t Table) between() int {
	if t.Boxed {
		return 3*len(t.Head) + 1
	}
	return 2*len(t.Head) - 2
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
