package layout

import (
	"cmp"
	"slices"
)

// row collects the fragments of one line.
type row struct {
	frags    []fragment
	baseline float64
	size     float64
	column   int
	caption  int
	drawn    bool
}

// rows groups fragments by baseline, the longest first, so that superscripts and stray marks find the line they belong
// to.
func rows(frags []fragment) []row {
	order := slices.Clone(frags)
	slices.SortStableFunc(order, func(a, b fragment) int { return cmp.Compare(b.chars, a.chars) })
	var out []row
	byPlace := map[int][]int{} // rows by baseline, in cells of placeSize points
	for _, f := range order {
		if at := nearestRow(out, byPlace, f); at >= 0 {
			out[at].frags = append(out[at].frags, f)
			out[at].size = max(out[at].size, f.size)
			continue
		}
		byPlace[place(f.baseline)] = append(byPlace[place(f.baseline)], len(out))
		out = append(out, row{
			frags: []fragment{f}, baseline: f.baseline, size: f.size, column: f.column, caption: f.caption, drawn: f.drawn,
		})
	}
	return out
}

const placeSize = 16

func place(baseline float64) int { return int(baseline / placeSize) }

func nearestRow(all []row, byPlace map[int][]int, f fragment) int {
	best, distance := -1, 0.0
	for cell := place(f.baseline) - 1; cell <= place(f.baseline)+1; cell++ {
		for _, i := range byPlace[cell] {
			r := &all[i]
			d := abs(r.baseline - f.baseline)
			sameKind := r.column == f.column && r.caption == f.caption && r.drawn == f.drawn
			if sameKind && d < 0.5*max(r.size, f.size) && (best < 0 || d < distance) {
				best, distance = i, d
			}
		}
	}
	return best
}

// toLine converts a row to a Line, with its words from left to right.
func (r row) toLine(page int) Line {
	slices.SortStableFunc(r.frags, func(a, b fragment) int { return cmp.Compare(a.box.X0, b.box.X0) })
	l := Line{Page: page, Column: r.column, Caption: r.caption, Baseline: r.baseline}
	if r.caption > 0 {
		l.Role = Caption
	}
	bold, all := 0, 0
	for _, f := range r.frags {
		l.Box = l.Box.Union(f.box)
		l.Size = max(l.Size, f.size)
		for _, w := range f.words {
			l.Words = append(l.Words, w)
			all += w.Len()
			if w.Bold {
				bold += w.Len()
			}
		}
	}
	l.Bold = bold*5 >= all*3
	return l
}

// sortLines sorts the lines of a page in reading order: lines that span the page separate bands; within a band, the left
// column comes first.
func sortLines(lines []Line) {
	var spans []float64
	for _, l := range lines {
		if l.Column == Span {
			spans = append(spans, l.Baseline)
		}
	}
	slices.Sort(spans)
	band := func(l Line) int {
		at, _ := slices.BinarySearch(spans, l.Baseline)
		if l.Column == Span {
			return 2*at + 1
		}
		return 2 * at
	}
	slices.SortStableFunc(lines, func(a, b Line) int {
		return cmp.Or(cmp.Compare(band(a), band(b)), cmp.Compare(a.Column, b.Column), cmp.Compare(a.Baseline, b.Baseline),
			cmp.Compare(a.Box.X0, b.Box.X0))
	})
}

// Text joins the words of the line with single spaces.
func (l Line) Text() string { return joinWords(l.Words) }

// Chars returns the number of characters without spaces.
func (l Line) Chars() int {
	n := 0
	for _, w := range l.Words {
		n += w.Len()
	}
	return n
}

// Cells splits the line at wide gaps, such as between the cells of a table row.
func (l Line) Cells() [][]Word {
	var cells [][]Word
	for i, w := range l.Words {
		if i == 0 || w.Box.X0-l.Words[i-1].Box.X1 > wideGap*max(l.Size, w.Size) {
			cells = append(cells, nil)
		}
		cells[len(cells)-1] = append(cells[len(cells)-1], w)
	}
	return cells
}

// MathShare returns the fraction of characters in math fonts, 0 to 1.
func (l Line) MathShare() float64 {
	n, all := 0, 0
	for _, w := range l.Words {
		all += w.Len()
		if w.Math {
			n += w.Len()
		}
	}
	if all == 0 {
		return 0
	}
	return float64(n) / float64(all)
}
