package floats

import (
	"cmp"
	"html"
	"slices"
	"strconv"
	"strings"

	"airqa/env/ingest/layout"
)

// cell is words of one row that stand together.
type cell struct {
	text   string
	x0, x1 float64
}

// tableHTML writes rows and columns as HTML; a cell over several columns gets a colspan. What does not read as at least two
// rows and two columns gives "".
func tableHTML(lines []layout.Line) string {
	rows := cellRows(lines)
	columns := columnsOf(rows)
	if len(rows) < 2 || len(columns) < 2 {
		return ""
	}
	var b strings.Builder
	b.WriteString("<table>")
	for _, row := range rows {
		b.WriteString("<tr>")
		writeRow(&b, row, columns)
		b.WriteString("</tr>")
	}
	b.WriteString("</table>")
	return b.String()
}

// cellRows sorts the lines of both columns of a page into rows again.
func cellRows(lines []layout.Line) [][]cell {
	sorted := slices.Clone(lines)
	slices.SortStableFunc(sorted, func(a, b layout.Line) int { return cmp.Compare(a.Baseline, b.Baseline) })
	var rows [][]cell
	baseline := 0.0
	for i, l := range sorted {
		cells := cellsOf(l)
		if i > 0 && l.Baseline-baseline < 0.45*l.Size {
			rows[len(rows)-1] = append(rows[len(rows)-1], cells...)
			continue
		}
		rows, baseline = append(rows, cells), l.Baseline
	}
	for _, row := range rows {
		slices.SortStableFunc(row, func(a, b cell) int { return cmp.Compare(a.x0, b.x0) })
	}
	return rows
}

// cellsOf splits a line at gaps wider than a space can be in a cell.
func cellsOf(l layout.Line) []cell {
	var out []cell
	for i, w := range l.Words {
		if i == 0 || w.Box.X0-l.Words[i-1].Box.X1 > 0.62*l.Size {
			out = append(out, cell{text: w.Text, x0: w.Box.X0, x1: w.Box.X1})
			continue
		}
		last := &out[len(out)-1]
		last.text += " " + w.Text
		last.x1 = max(last.x1, w.Box.X1)
	}
	return out
}

// columnsOf are the intervals of x that cells fill, from the rows with the most cells down: what would bridge two columns is
// a spanning cell.
func columnsOf(rows [][]cell) []cell {
	order := slices.Clone(rows)
	slices.SortStableFunc(order, func(a, b []cell) int { return cmp.Compare(len(b), len(a)) })
	var columns []cell
	for _, row := range order {
		for _, c := range row {
			columns = place(columns, c)
		}
	}
	slices.SortFunc(columns, func(a, b cell) int { return cmp.Compare(a.x0, b.x0) })
	return columns
}

func place(columns []cell, c cell) []cell {
	hits := -1
	for i, col := range columns {
		if min(col.x1, c.x1)-max(col.x0, c.x0) <= 0 {
			continue
		}
		if hits >= 0 {
			return columns // spans
		}
		hits = i
	}
	if hits < 0 {
		return append(columns, c)
	}
	columns[hits].x0, columns[hits].x1 = min(columns[hits].x0, c.x0), max(columns[hits].x1, c.x1)
	return columns
}

func writeRow(b *strings.Builder, row []cell, columns []cell) {
	next := 0
	for i, c := range row {
		first, last := reach(c, columns, next)
		for ; next < first; next++ {
			b.WriteString("<td></td>")
		}
		if i+1 < len(row) {
			following, _ := reach(row[i+1], columns, first+1)
			last = max(first, min(last, following-1))
		}
		b.WriteString("<td")
		if last > first {
			b.WriteString(` colspan="` + strconv.Itoa(last-first+1) + `"`)
		}
		b.WriteString(">" + html.EscapeString(c.text) + "</td>")
		next = last + 1
	}
	for ; next < len(columns); next++ {
		b.WriteString("<td></td>")
	}
}

// reach finds the first and the last column that a cell touches, from a column on.
func reach(c cell, columns []cell, from int) (first, last int) {
	first, last = -1, -1
	for i := from; i < len(columns); i++ {
		if min(columns[i].x1, c.x1)-max(columns[i].x0, c.x0) > 0 {
			if first < 0 {
				first = i
			}
			last = i
		}
	}
	if first < 0 {
		return from, from
	}
	return first, last
}
