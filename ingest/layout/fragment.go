package layout

import (
	"math"

	"airqa/env/pdf"
)

// fragment is a run of words on one baseline without a wide gap: a line of a column, a cell of a table, a label.
type fragment struct {
	words          []Word
	box            Box // with ascenders and descenders
	baseline, size float64
	chars          int
	caption        int  // from 1, 0 for none
	drawn          bool // inside an image or a form
	column         int
}

// wideGap is the minimum gap between phrases, in multiples of the font size.
const wideGap = 1.0

// fragments joins words that are adjacent in the stream and on the page.
func fragments(words []Word) []fragment {
	var out []fragment
	for _, w := range words {
		if n := len(out); n > 0 && out[n-1].continues(w) {
			out[n-1].add(w)
			continue
		}
		f := fragment{column: Span}
		f.add(w)
		out = append(out, f)
	}
	return out
}

func (f *fragment) continues(w Word) bool {
	last := f.words[len(f.words)-1]
	size := max(f.size, w.Size)
	gap := w.Box.X0 - last.Box.X1
	return !last.Hyphen && math.Abs(w.Baseline-f.baseline) <= 0.55*size && gap <= wideGap*size && gap > -0.6*size
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
