package layout

import (
	"slices"

	"airqa/env/pdf"
)

// turned rotates a page by angle, which makes its text upright.
func (in Input) turned(angle int) Input {
	in.Turned = angle
	t := turn{angle, in.Width, in.Height}
	in.Width, in.Height = t.size()
	in.Glyphs, in.Shapes = slices.Clone(in.Glyphs), t.shapes(in.Shapes)
	for i := range in.Glyphs {
		g := &in.Glyphs[i]
		g.X, g.Baseline = t.point(g.X, g.Baseline)
		g.Box = t.box(g.Box)
		g.Angle = (g.Angle - angle + 360) % 360
	}
	return in
}

func (t turn) shapes(shapes []Shape) []Shape {
	out := slices.Clone(shapes)
	for i := range out {
		out[i].Box, out[i].Parts = t.box(out[i].Box), t.shapes(out[i].Parts)
	}
	return out
}

// aside lays out the vertical text of an upright page, such as a rotated table, as a separate page. It returns nil
// unless the text has a caption.
func (in Input) aside(number int, sideways []Glyph, bodySize float64) *Page {
	angle := mainAngle(sideways)
	if angle == 0 {
		return nil
	}
	in.Glyphs = sideways
	in = in.turned(angle)
	p := &Page{Number: number, Sheet: in.Sheet}
	frags := fragments(splitWords(in.Glyphs))
	markDrawn(frags, in.Shapes, in.Width*in.Height)
	p.fill(frags, bodySize)
	if !slices.ContainsFunc(p.Lines, func(l Line) bool { return l.Role == Caption }) {
		return nil
	}
	return p
}

// mainAngle returns 90, 180 or 270 if 90% of the characters have that angle, else 0.
func mainAngle(glyphs []Glyph) int {
	const fewest = 40 // excludes a stamp in the margin of a scan
	return pdf.MainAngle(glyphs, fewest, 0.9)
}

// turn converts coordinates from a page of the given size and text angle to the page with upright text.
type turn struct {
	angle         int
	width, height float64
}

func (t turn) point(x, y float64) (float64, float64) {
	switch t.angle {
	case 90:
		return t.height - y, x
	case 180:
		return t.width - x, t.height - y
	case 270:
		return y, t.width - x
	}
	return x, y
}

// size returns the size of the page with upright text.
func (t turn) size() (width, height float64) {
	if t.angle%180 != 0 {
		return t.height, t.width
	}
	return t.width, t.height
}

func (t turn) box(b Box) Box {
	xa, ya := t.point(b.X0, b.Y0)
	xb, yb := t.point(b.X1, b.Y1)
	return Box{X0: min(xa, xb), Y0: min(ya, yb), X1: max(xa, xb), Y1: max(ya, yb)}
}

// Shown returns the size of the page as displayed.
func (p *Page) Shown() (width, height float64) {
	return turn{p.Turned, p.Width, p.Height}.size()
}

// AsShown converts a box from the page with upright text to the page as displayed.
func (p *Page) AsShown(b Box) Box { return turn{(360 - p.Turned) % 360, p.Width, p.Height}.box(b) }

// Upright converts a point of the page as displayed to the page with upright text.
func (p *Page) Upright(x, y float64) (float64, float64) {
	width, height := p.Shown()
	return turn{p.Turned, width, height}.point(x, y)
}
