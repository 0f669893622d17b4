package floats

import (
	"cmp"
	"slices"

	"airqa/ingest/layout"
)

// collectRows sets the lines of a table. If its area has at most one, such as that between two rules above a table
// without a third, it looks for rows near the caption.
func (v *pageView) collectRows(i int) {
	f := &v.items[i]
	f.rows = v.linesIn(f.Box)
	if f.Sure && len(f.rows) > 1 && f.Box.Height() > 1.8*f.rows[0].Size {
		return
	}
	sides := []bool{false, true}
	if v.captionsBelow {
		sides = []bool{true, false}
	}
	for _, above := range sides {
		if near := v.rowsNear(i, above); len(near) > 1 {
			if !f.Sure || f.Box == f.caption {
				f.Box = layout.Box{}
			}
			for _, l := range near {
				f.Box = f.Box.Union(l.Box)
			}
			f.Sure, f.rows = true, v.linesIn(f.Box)
			return
		}
	}
	if !f.Sure {
		f.rows = slices.DeleteFunc(f.rows, func(l layout.Line) bool { return len(l.Cells()) < 2 })
	}
}

// linesIn returns the parts of lines within a box: tables side by side share lines. A rule under the head of some columns
// makes footnotes of the rows below.
func (v *pageView) linesIn(box layout.Box) []layout.Line {
	var out []layout.Line
	for _, l := range v.page.Lines {
		if l.Role != layout.Body && l.Role != layout.Footnote || box.OverlapY(l.Box) <= 0 || box.OverlapX(l.Box) <= 0 {
			continue
		}
		if l = within(l, box.Grow(1)); len(l.Words) > 0 {
			out = append(out, l)
		}
	}
	return out
}

// within returns a line with the words in a box.
func within(l layout.Line, box layout.Box) layout.Line {
	if box.X0 <= l.Box.X0 && box.X1 >= l.Box.X1 && box.Holds(l.Box) {
		return l
	}
	words := slices.DeleteFunc(slices.Clone(l.Words), func(w layout.Word) bool {
		x, _ := w.Box.Center()
		y := w.Baseline - 0.3*w.Size // the ink of a dash or a quote is off the middle
		return x < box.X0 || x > box.X1 || y < box.Y0 || y > box.Y1
	})
	if len(words) == len(l.Words) || len(words) == 0 {
		l.Words = words
		return l
	}
	l.Words = words
	l.Box.X0, l.Box.X1 = words[0].Box.X0, words[len(words)-1].Box.X1
	return l
}

// rowsNear returns the rows of cells above or below a caption, up to text, another float or a large gap. A note of a few
// lines may be in between.
func (v *pageView) rowsNear(i int, above bool) []layout.Line {
	const note, gap = 4, 3.5 // lines, and multiples of the font size
	f, others := &v.items[i], slices.Concat(v.items[:i], v.items[i+1:])
	var out []layout.Line
	skipped, edge := 0, farEdge(f.caption, above)
	for _, k := range v.outwards(f, above) {
		l := v.page.Lines[k]
		step := l.Box.Y0 - edge
		if above {
			step = edge - l.Box.Y1
		}
		isRow := !v.body[k] && l.Role == layout.Body && (len(l.Cells()) > 1 || len(out) > 0)
		switch {
		case l.Role == layout.Caption, step > gap*l.Size, len(out) > 0 && !isRow, slices.ContainsFunc(others, func(o item) bool { return o.Sure && o.Box.Holds(l.Box) }):
			return trimRows(out)
		case !isRow:
			if skipped++; skipped > note {
				return nil
			}
		default:
			out = append(out, l)
		}
		edge = farEdge(l.Box, above)
	}
	return trimRows(out)
}

// farEdge returns the edge of a box from which a search above or below it starts.
func farEdge(b layout.Box, above bool) float64 {
	if above {
		return b.Y0
	}
	return b.Y1
}

// trimRows drops lines without cells at the far end: they are text.
func trimRows(rows []layout.Line) []layout.Line {
	for len(rows) > 0 && len(rows[len(rows)-1].Cells()) < 2 {
		rows = rows[:len(rows)-1]
	}
	return rows
}

// outwards returns the lines within reach of a caption, nearest first.
func (v *pageView) outwards(f *item, above bool) []int {
	var out []int
	for k, l := range v.page.Lines {
		_, y := l.Box.Center()
		side := y > f.caption.Y1
		if above {
			side = y < f.caption.Y0
		}
		if side && l.Role != layout.Sideways && l.Box.OverlapX(f.reach) > 0.5*l.Box.Width() {
			out = append(out, k)
		}
	}
	slices.SortFunc(out, func(a, b int) int {
		if above {
			a, b = b, a
		}
		return cmp.Compare(v.page.Lines[a].Baseline, v.page.Lines[b].Baseline)
	})
	return out
}
