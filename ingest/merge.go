package ingest

import (
	"fmt"

	"airqa/ingest/floats"
	"airqa/ingest/layout"
	"airqa/ingest/mineru"
)

// merger maps the output of MinerU to the pages of the PDF.
type merger struct {
	pages    []layout.Page
	their    mineru.Paper
	problems []string
}

// floats places figures or tables on the pages. One without cells gets those of our own at the same position.
func (m *merger) floats(their []mineru.Float, kind string, own []floats.Float) []floats.Float {
	var out []floats.Float
	for _, t := range their {
		if !m.has(t.Page, kind) {
			continue
		}
		merged := floats.Float{Page: t.Page, Caption: t.Caption, HTML: t.HTML, Box: m.box(t.Page, t.Box)}
		for _, o := range own {
			if merged.HTML == "" && o.Page == t.Page && alike(o.Box, merged.Box) {
				merged.HTML = o.HTML
			}
		}
		out = append(out, merged)
	}
	return out
}

// has reports whether the PDF has a page. Items on missing pages are omitted.
func (m *merger) has(page int, what string) bool {
	ok := page >= 1 && page <= len(m.pages)
	if !ok {
		m.problems = append(m.problems, fmt.Sprintf("MinerU: a %s on page %d, but the PDF has %d pages", what, page, len(m.pages)))
	}
	return ok
}

// box scales a box to the page size of the PDF and clips it to the page.
func (m *merger) box(page int, b mineru.Box) layout.Box {
	here, there := m.pages[page-1], m.their.Pages[page]
	width, height := here.Shown()
	x, y := 1.0, 1.0
	if there.Width > 0 && there.Height > 0 {
		x, y = width/there.Width, height/there.Height
	}
	cut := func(v, most float64) float64 { return min(max(v, 0), most) }
	x0, y0 := here.Upright(cut(b[0]*x, width), cut(b[1]*y, height))
	x1, y1 := here.Upright(cut(b[2]*x, width), cut(b[3]*y, height))
	return layout.Box{X0: min(x0, x1), Y0: min(y0, y1), X1: max(x0, x1), Y1: max(y0, y1)}
}

// alike reports whether the intersection of two boxes is more than half of their union.
func alike(a, b layout.Box) bool {
	w, h := a.OverlapX(b), a.OverlapY(b)
	if w <= 0 || h <= 0 {
		return false
	}
	both := a.Width()*a.Height() + b.Width()*b.Height() - w*h
	return w*h > both/2
}
