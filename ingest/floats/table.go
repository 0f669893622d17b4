package floats

import (
	"cmp"
	"html"
	"slices"
	"strconv"
	"strings"

	"airqa/ingest/layout"
)

// cell is a group of words in one row.
type cell struct {
	text   string
	x0, x1 float64
	// first and last are its columns, rows the number of its rows, 0 meaning 1.
	first, last, rows int
}

// tableRow is the cells on one baseline, from left to right.
type tableRow struct {
	cells          []cell
	baseline, size float64
}

// tableHTML renders rows and columns as HTML. A cell over several columns gets a colspan, one between two rows a
// rowspan. It returns "" unless there are at least two rows and two columns.
func tableHTML(lines []layout.Line) string {
	rows := cellRows(lines)
	// Columns begin with the rows with the most cells; a cell that would bridge two columns is a spanning cell.
	order := slices.Clone(rows)
	slices.SortStableFunc(order, func(a, b tableRow) int { return cmp.Compare(len(b.cells), len(a.cells)) })
	var columns []cell
	for _, row := range order {
		for _, c := range row.cells {
			columns = place(columns, c)
		}
	}
	slices.SortFunc(columns, func(a, b cell) int { return cmp.Compare(a.x0, b.x0) })
	if len(rows) < 2 || len(columns) < 2 {
		return ""
	}
	for _, row := range rows {
		next := 0 // the first free column
		for i := range row.cells {
			first, last := reach(row.cells[i], columns, next)
			if i+1 < len(row.cells) {
				following, _ := reach(row.cells[i+1], columns, first+1)
				last = max(first, min(last, following-1))
			}
			row.cells[i].first, row.cells[i].last = first, last
			next = last + 1
		}
	}
	rows = foldBetween(rows)
	var b strings.Builder
	b.WriteString("<table>")
	filled := make([]int, len(columns)) // the number of rows, from here on, that a cell above still fills, by column
	for _, row := range rows {
		b.WriteString("<tr>")
		writeRow(&b, row.cells, filled)
		b.WriteString("</tr>")
	}
	b.WriteString("</table>")
	return b.String()
}

// proseHTML renders a box without columns: prompts, examples and algorithms are also set as tables. Each paragraph, or
// each line of a list of short ones, is a row with one cell.
func proseHTML(doc *layout.Document, lines []layout.Line, box layout.Box) string {
	if len(lines) == 0 {
		return ""
	}
	rows := strings.Split(doc.Flow(lines), "\n")
	short := 0 // almost all lines of a list end well before the width of their box, unlike paragraphs
	for _, l := range lines {
		if l.Box.Width() < 0.85*box.Width() {
			short++
		}
	}
	if short*10 >= 9*len(lines) {
		rows = rows[:0]
		for _, l := range lines {
			rows = append(rows, l.Text())
		}
	}
	var b strings.Builder
	b.WriteString("<table>")
	for _, text := range rows {
		b.WriteString("<tr><td>" + html.EscapeString(text) + "</td></tr>")
	}
	b.WriteString("</table>")
	return b.String()
}

// cellRows reassembles rows from the lines of both columns of a page. Lines are split into cells at gaps wider than any
// space within a cell.
func cellRows(lines []layout.Line) []tableRow {
	sorted := slices.Clone(lines)
	slices.SortStableFunc(sorted, func(a, b layout.Line) int { return cmp.Compare(a.Baseline, b.Baseline) })
	var rows []tableRow
	for _, l := range sorted {
		var cells []cell
		words := layout.ByPlace(l.Words)
		for i, w := range words {
			if i == 0 || w.Box.X0-words[i-1].Box.X1 > 0.62*l.Size {
				cells = append(cells, cell{text: w.Text, x0: w.Box.X0, x1: w.Box.X1})
				continue
			}
			last := &cells[len(cells)-1]
			if w.RightToLeft() && words[i-1].RightToLeft() {
				last.text = w.Text + " " + last.text
			} else {
				last.text += " " + w.Text
			}
			last.x1 = max(last.x1, w.Box.X1)
		}
		if n := len(rows); n > 0 && l.Baseline-rows[n-1].baseline < 0.45*l.Size {
			rows[n-1].cells = append(rows[n-1].cells, cells...)
			continue
		}
		rows = append(rows, tableRow{cells: cells, baseline: l.Baseline, size: l.Size})
	}
	for _, row := range rows {
		slices.SortStableFunc(row.cells, func(a, b cell) int { return cmp.Compare(a.x0, b.x0) })
	}
	return rows
}

// foldBetween moves cells that are vertically between two rows into the upper one, spanning both: a column head next to
// heads of two lines, or the name of a group of rows.
func foldBetween(rows []tableRow) []tableRow {
	const closest, widest = 0.3, 0.85 // in multiples of a line's size: rows are at least 0.9 apart
	var out []tableRow
	for i, row := range rows {
		if i > 0 && i+1 < len(rows) && len(out) > 0 {
			above, below := &out[len(out)-1], rows[i+1]
			up, down := row.baseline-above.baseline, below.baseline-row.baseline
			half := min(up, down) > closest*row.size && max(up, down) < widest*row.size
			if half && apart(row.cells, above.cells) && apart(row.cells, below.cells) {
				for _, c := range row.cells {
					c.rows = 2
					above.cells = append(above.cells, c)
				}
				slices.SortStableFunc(above.cells, func(a, b cell) int { return cmp.Compare(a.first, b.first) })
				continue
			}
		}
		out = append(out, row)
	}
	return out
}

// apart reports whether no column has cells of both.
func apart(a, b []cell) bool {
	return !slices.ContainsFunc(a, func(x cell) bool {
		return slices.ContainsFunc(b, func(y cell) bool { return x.first <= y.last && y.first <= x.last })
	})
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

// writeRow writes the cells of a row with empty ones in between, except where cells from above extend down.
func writeRow(b *strings.Builder, row []cell, filled []int) {
	next := 0
	fill := func(to int) {
		for ; next < to && next < len(filled); next++ {
			if filled[next] > 0 {
				filled[next]--
				continue
			}
			b.WriteString("<td></td>")
		}
	}
	for _, c := range row {
		fill(c.first)
		b.WriteString("<td")
		if c.last > c.first {
			b.WriteString(` colspan="` + strconv.Itoa(c.last-c.first+1) + `"`)
		}
		if c.rows > 1 {
			b.WriteString(` rowspan="` + strconv.Itoa(c.rows) + `"`)
		}
		b.WriteString(">" + html.EscapeString(c.text) + "</td>")
		for next = c.first; next <= c.last && next < len(filled); next++ {
			filled[next] = max(0, c.rows-1)
		}
		next = c.last + 1
	}
	fill(len(filled))
}

// reach returns the first and the last column that a cell touches, starting at a column.
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
