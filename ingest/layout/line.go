package layout

import (
	"cmp"
	"math"
	"slices"

	"airqa/env/pdf"
)

// row collects the fragments of one line.
type row struct {
	frags    []fragment
	baseline float64
	size     float64
	kind
}

// kind is what all fragments of a row have in common.
type kind struct {
	column  int
	caption int  // from 1, 0 for none
	drawn   bool // inside an image or a form
}

// rows groups fragments by baseline, the longest first, so that superscripts and stray marks find the line they belong
// to.
func rows(frags []fragment) []row {
	order := slices.Clone(frags)
	slices.SortStableFunc(order, func(a, b fragment) int { return cmp.Compare(b.chars, a.chars) })
	var out []row
	for _, f := range order {
		at, distance := -1, math.Inf(1)
		for i := range out {
			r := &out[i]
			if d := abs(r.baseline - f.baseline); r.kind == f.kind && d < 0.5*max(r.size, f.size) && d < distance {
				at, distance = i, d
			}
		}
		if at < 0 {
			at = len(out)
			out = append(out, row{baseline: f.baseline, kind: f.kind})
		}
		out[at].frags = append(out[at].frags, f)
		out[at].size = max(out[at].size, f.size)
	}
	return out
}

// toLine converts a row to a Line, with its words in reading order.
func (r row) toLine(page int) Line {
	slices.SortStableFunc(r.frags, func(a, b fragment) int { return cmp.Compare(a.box.X0, b.box.X0) })
	l := Line{Page: page, Column: r.column, Caption: r.caption, Baseline: r.baseline}
	if r.caption > 0 {
		l.Role = Caption
	}
	for _, f := range r.frags {
		l.Box = l.Box.Union(f.box)
		l.Size = max(l.Size, f.size)
		l.Words = append(l.Words, f.words...)
	}
	l.Words = logical(joinScripts(l.Words, false))
	l.Bold = l.CharsOf(func(w Word) bool { return w.Bold })*5 >= l.Chars()*3
	return l
}

// Text joins the words of the line with single spaces.
func (l Line) Text() string { return joinWords(l.Words) }

// Chars returns the number of characters without spaces.
func (l Line) Chars() int { return l.CharsOf(func(Word) bool { return true }) }

// CharsOf returns the number of characters of some of the words.
func (l Line) CharsOf(counts func(Word) bool) int {
	n := 0
	for _, w := range l.Words {
		if counts(w) {
			n += w.Len()
		}
	}
	return n
}

// Cells splits the line at wide gaps, such as between the cells of a table row.
func (l Line) Cells() [][]Word {
	var cells [][]Word
	words := ByPlace(l.Words)
	for i, w := range words {
		if i == 0 || w.Box.X0-words[i-1].Box.X1 > wideGap*max(l.Size, w.Size) {
			cells = append(cells, nil)
		}
		cells[len(cells)-1] = append(cells[len(cells)-1], w)
	}
	return cells
}

// MathShare returns the fraction of characters in math fonts, 0 to 1.
func (l Line) MathShare() float64 {
	return float64(l.CharsOf(func(w Word) bool { return w.Math })) / float64(max(1, l.Chars()))
}

// fragment is a run of words on one baseline without a wide gap: a line of a column, a cell of a table, a label.
type fragment struct {
	words          []Word
	box            Box // with ascenders and descenders
	baseline, size float64
	chars          int
	kind
}

// wideGap is the minimum gap between phrases, in multiples of the font size.
const wideGap = 1.0

// fragments joins words that are adjacent in the stream and on the page.
func fragments(words []Word) []fragment {
	var out []fragment
	for _, w := range words {
		if n := len(out); n > 0 {
			f := &out[n-1]
			last, size := f.words[len(f.words)-1], max(f.size, w.Size)
			gap := w.Box.X0 - last.Box.X1
			if !last.Hyphen && math.Abs(w.Baseline-f.baseline) <= 0.55*size && gap <= wideGap*size && gap > -0.6*size {
				f.add(w)
				continue
			}
		}
		f := fragment{kind: kind{column: Span}}
		f.add(w)
		out = append(out, f)
	}
	return out
}

// add extends the fragment. The largest word determines baseline and size.
func (f *fragment) add(w Word) {
	if len(f.words) == 0 || w.Size > f.size+0.3 {
		f.baseline, f.size = w.Baseline, w.Size
	}
	f.words = append(f.words, w)
	f.chars += w.Len()
	ink := Box{X0: w.Box.X0, Y0: w.Baseline - 0.72*w.Size, X1: w.Box.X1, Y1: w.Baseline + 0.22*w.Size}
	if ink.X1 <= ink.X0 {
		ink.X1 = ink.X0 + 0.1
	}
	f.box = f.box.Union(ink)
}

func (f *fragment) text() string { return joinWords(f.words) }

// markDrawn finds the fragments that are part of a figure, on a page of the given area.
func markDrawn(frags []fragment, shapes []Shape, page float64) {
	for _, s := range shapes {
		if s.Kind == pdf.Path || area(s.Box) > mostOfPage*page {
			continue
		}
		for i := range frags {
			frags[i].drawn = frags[i].drawn || s.Box.Holds(frags[i].box)
		}
	}
}
