package layout

import (
	"math"
	"slices"

	"airqa/env/pdf"
)

// fewLabels is the number of characters of which a figure as large as a page may have fewer, with its caption.
const fewLabels = 300

// Fractions of a page's area, or of a shape's.
const (
	mostOfPage = 0.6  // a shape of this size is suspected to be the page itself
	watermark  = 0.05 // the least area of a shape that repeats from page to page
	filled     = 0.3  // a shape covered by this much running text is no figure
)

// shapePlace is the box of a shape in cells of a few points.
type shapePlace [4]int

func placeOf(b Box) shapePlace {
	const cell = 6
	var out shapePlace
	for i, v := range [4]float64{b.X0, b.Y0, b.X1, b.Y1} {
		out[i] = int(math.Round(v / cell))
	}
	return out
}

// repeatedShapes returns the places of shapes on at least half of the pages, and on three.
func repeatedShapes(inputs []Input) map[shapePlace]bool {
	count := map[shapePlace]int{}
	for _, in := range inputs {
		here := map[shapePlace]bool{}
		for _, s := range in.Shapes {
			if s.Kind != pdf.Path && area(s.Box) > watermark*in.Width*in.Height {
				here[placeOf(s.Box)] = true
			}
		}
		for at := range here {
			count[at]++
		}
	}
	out := map[shapePlace]bool{}
	for at, n := range count {
		out[at] = n >= 3 && n*2 >= len(inputs)
	}
	return out
}

// backdrops finds the background of a page: images and forms that are not figures but lie behind or over the text, such
// as the image of a scanned page, a watermark, a publisher's overlay, or a form that wraps the page.
type backdrops struct {
	frags    []fragment
	area     float64 // of the page
	bodySize float64
	bodyFont string
	repeated map[shapePlace]bool
}

// foreground returns shapes without those of the background. The parts of a form stay.
func (p *backdrops) foreground(shapes []Shape) []Shape {
	tiled := p.tiled(shapes)
	background := func(s Shape) bool { return tiled && s.Kind == pdf.Picture || p.is(s) }
	if !slices.ContainsFunc(shapes, background) {
		return shapes
	}
	var out []Shape
	for _, s := range shapes {
		if background(s) {
			out = append(out, p.foreground(s.Parts)...)
		} else {
			out = append(out, s)
		}
	}
	return out
}

// tiled reports whether the images of a page are the strips or tiles of a scan: together they cover most of the page,
// and most of its text is on them.
func (p *backdrops) tiled(shapes []Shape) bool {
	covered, on, all := 0.0, 0, 0
	for _, s := range shapes {
		if s.Kind == pdf.Picture {
			covered += area(s.Box)
		}
	}
	if covered <= mostOfPage*p.area {
		return false
	}
	for i := range p.frags {
		f := &p.frags[i]
		all += f.chars
		if slices.ContainsFunc(shapes, func(s Shape) bool { return s.Kind == pdf.Picture && s.Box.Holds(f.box) }) {
			on += f.chars
		}
	}
	return on > fewLabels && on*2 > all
}

// is reports whether a shape is background: it repeats, it is as large as the page and holds more running text than
// labels, or running text of the paper's style fills it.
func (p *backdrops) is(s Shape) bool {
	switch {
	case s.Kind == pdf.Path:
		return false
	case p.repeated[placeOf(s.Box)]:
		return true
	}
	prose, all, covered := 0, 0, 0.0
	for i := range p.frags {
		f := &p.frags[i]
		common := f.box.Clamp(s.Box)
		if area(common) <= 0 {
			continue
		}
		all += f.chars
		if f.chars < 20 {
			continue
		}
		prose += f.chars
		if p.runs(f) || s.Kind == pdf.Picture {
			covered += area(common)
		}
	}
	if area(s.Box) > mostOfPage*p.area {
		return all > fewLabels && (s.Kind == pdf.Picture || prose*2 > all)
	}
	return covered > filled*area(s.Box) && prose*2 > all
}

// runs reports whether a line may be running text of the paper: an abstract is smaller, a lead larger than the rest.
func (p *backdrops) runs(f *fragment) bool {
	return f.size > 0.75*p.bodySize && f.size < 1.3*p.bodySize &&
		slices.ContainsFunc(f.words, func(w Word) bool { return w.Font == p.bodyFont })
}

func area(b Box) float64 { return b.Width() * b.Height() }
