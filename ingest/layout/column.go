package layout

import (
	"cmp"
	"slices"

	"airqa/env/pdf"
)

// slots is the number of candidate positions of a gutter.
const slots = 80

// sides counts the characters left and right of each slot, and those of fragments across it.
type sides struct {
	left, right, crossing [slots]int
}

// gutterOf returns the x between two columns, or 0. It is the middle of the widest range of slots that the least text
// crosses.
func gutterOf(frags []fragment, width float64) float64 {
	s := countSides(frags, width)
	first, last := -1, -1
	for i := range slots {
		beside := s.left[i] + s.right[i]
		if min(s.left[i], s.right[i])*7 <= beside+s.crossing[i] || s.crossing[i] >= beside {
			continue // too little text on one side, or half of it crosses
		}
		switch {
		case first < 0 || s.crossing[i] < s.crossing[first]:
			first, last = i, i
		case s.crossing[i] == s.crossing[first] && i == last+1:
			last = i
		}
	}
	if first < 0 {
		return 0
	}
	return (slotX(first, width) + slotX(last, width)) / 2
}

// countSides ignores fragments shorter than a few words, such as cells and labels.
func countSides(frags []fragment, width float64) *sides {
	s := &sides{}
	for _, f := range frags {
		if f.chars < 12 || f.drawn {
			continue
		}
		for i := range slots {
			switch x := slotX(i, width); {
			case f.box.X1 <= x:
				s.left[i] += f.chars
			case f.box.X0 >= x:
				s.right[i] += f.chars
			default:
				s.crossing[i] += f.chars
			}
		}
	}
	return s
}

// slotX distributes slots over the middle third of the page.
func slotX(i int, width float64) float64 {
	return width * (0.34 + 0.32*float64(i)/slots)
}

// gutters finds the gutter of each page. A page without one takes the paper's, if most of its text respects it: the
// last page of a paper often fills only one column.
func gutters(pages [][]fragment, inputs []Input) []float64 {
	out := make([]float64, len(pages))
	var found []float64
	for i, frags := range pages {
		if out[i] = gutterOf(frags, inputs[i].Width); out[i] > 0 {
			found = append(found, out[i])
		}
	}
	if len(found) == 0 || len(found)*3 < len(pages) {
		return make([]float64, len(pages)) // a list or a table that looks like columns
	}
	slices.Sort(found)
	common := found[len(found)/2]
	for i, frags := range pages {
		crossing, all := 0, 0
		for _, f := range frags {
			all += f.chars
			if f.crosses(common) {
				crossing += f.chars
			}
		}
		if out[i] == 0 && crossing*2 < all {
			out[i] = common
		}
	}
	return out
}

func (f *fragment) crosses(gutter float64) bool {
	const slack = 3
	return f.box.X0 < gutter-slack && f.box.X1 > gutter+slack
}

// assignColumns sets the column of each fragment: its side of the gutter, or Span if it crosses the gutter, belongs to
// a caption that does, or lies within a figure or a table that does.
func assignColumns(frags []fragment, shapes []Shape, gutter float64) {
	if gutter == 0 {
		return
	}
	zones := wideZones(shapes, gutter)
	wideCaptions := map[int]bool{}
	for i := range frags {
		f := &frags[i]
		x, y := f.box.Center()
		if f.column = 0; x > gutter {
			f.column = 1
		}
		if f.crosses(gutter) || slices.ContainsFunc(zones, func(z Box) bool { return y >= z.Y0 && y <= z.Y1 }) {
			f.column = Span
			wideCaptions[f.caption] = f.caption > 0
		}
	}
	for i := range frags {
		if wideCaptions[frags[i].caption] {
			frags[i].column = Span
		}
	}
	spreadSpans(frags)
}

// wideZones returns the vertical ranges of images and table rules that cross the gutter.
func wideZones(shapes []Shape, gutter float64) []Box {
	const margin, reach = 20, 90
	var zones, rules []Box
	for _, s := range shapes {
		if s.Box.X0 > gutter-margin || s.Box.X1 < gutter+margin {
			continue
		}
		switch {
		case s.IsRule():
			rules = append(rules, s.Box)
		case s.Kind != pdf.Path && s.Box.Height() > margin:
			zones = append(zones, s.Box)
		}
	}
	slices.SortFunc(rules, func(a, b Box) int { return cmp.Compare(a.Y0, b.Y0) })
	for i := 0; i < len(rules); {
		j := i
		for j+1 < len(rules) && rules[j+1].Y0-rules[j].Y1 < reach {
			j++
		}
		if j > i {
			zones = append(zones, rules[i].Union(rules[j]))
		}
		i = j + 1
	}
	return zones
}

// spreadSpans also assigns Span to a short last line under a spanning line: same left edge, next baseline, nothing next
// to it.
func spreadSpans(frags []fragment) {
	for i := 1; i < len(frags); i++ {
		f, above := &frags[i], &frags[i-1]
		step := f.baseline - above.baseline
		follows := above.column == Span && f.column == 0 && step > 0 && step < 1.5*f.size && abs(f.size-above.size) < 0.6
		beside := func(o fragment) bool { return o.column == 1 && abs(o.baseline-f.baseline) < 0.5*f.size }
		if follows && abs(f.box.X0-above.box.X0) < 1.5 && !slices.ContainsFunc(frags, beside) {
			f.column = Span
		}
	}
}

func abs(x float64) float64 { return max(x, -x) }
