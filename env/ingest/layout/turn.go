package layout

import "slices"

// upright turns a page whose text runs up or down, as on a landscape page in a portrait paper, so that it can be read. The
// page remembers by how much.
func upright(in Input) Input {
	in.Turned = mainAngle(in.Glyphs)
	if in.Turned == 0 {
		return in
	}
	return in.turned(in.Turned)
}

// turned is a page whose text runs at an angle, with that text upright.
func (in Input) turned(angle int) Input {
	in.Turned = angle
	t := turn{angle, in.Width, in.Height}
	in.Width, in.Height = in.Height, in.Width
	in.Glyphs, in.Shapes = slices.Clone(in.Glyphs), slices.Clone(in.Shapes)
	for i := range in.Glyphs {
		g := &in.Glyphs[i]
		g.X, g.Baseline = t.point(g.X, g.Baseline)
		g.Box = t.box(g.Box)
		g.Angle = (g.Angle - angle + 360) % 360
	}
	for i := range in.Shapes {
		in.Shapes[i].Box = t.box(in.Shapes[i].Box)
	}
	return in
}

// aside lays out the text that runs up or down on an upright page as a page of its own; nil unless it has a caption: a table
// may be set sideways.
func (in Input) aside(number int, sideways []Glyph, bodySize float64) *Page {
	angle := mainAngle(sideways)
	if angle == 0 {
		return nil
	}
	in.Glyphs = sideways
	in = in.turned(angle)
	p := &Page{Number: number, Width: in.Width, Height: in.Height, Shapes: in.Shapes, Turned: angle}
	frags := fragments(words(in.Glyphs))
	markDrawn(frags, in.Shapes, Box{X1: in.Width, Y1: in.Height})
	p.fill(frags, bodySize)
	if !slices.ContainsFunc(p.Lines, func(l Line) bool { return l.Role == Caption }) {
		return nil
	}
	return p
}

// mainAngle is 90 or 270 when nine in ten characters run that way, else 0.
func mainAngle(glyphs []Glyph) int {
	const fewest = 40 // a stamp in the margin of a scan is no page
	count, all := map[int]int{}, 0
	for _, g := range glyphs {
		if g.Size > 0 && g.Rune != ' ' && g.Rune != '\n' {
			count[g.Angle]++
			all++
		}
	}
	for _, angle := range []int{90, 270} {
		if all >= fewest && count[angle]*10 >= all*9 {
			return angle
		}
	}
	return 0
}

// turn brings places of a page of some size, whose text runs at an angle, to the page with its text upright.
type turn struct {
	angle         int
	width, height float64
}

func (t turn) point(x, y float64) (float64, float64) {
	switch t.angle {
	case 90:
		return t.height - y, x
	case 270:
		return y, t.width - x
	}
	return x, y
}

func (t turn) box(b Box) Box {
	xa, ya := t.point(b.X0, b.Y0)
	xb, yb := t.point(b.X1, b.Y1)
	return Box{X0: min(xa, xb), Y0: min(ya, yb), X1: max(xa, xb), Y1: max(ya, yb)}
}

// Shown is the size of the page as shown.
func (p *Page) Shown() (width, height float64) {
	if p.Turned != 0 {
		return p.Height, p.Width
	}
	return p.Width, p.Height
}

// AsShown brings a box from the page with its text upright to the page as shown.
func (p *Page) AsShown(b Box) Box { return turn{(360 - p.Turned) % 360, p.Width, p.Height}.box(b) }

// Upright brings a point of the page as shown to the page with its text upright.
func (p *Page) Upright(x, y float64) (float64, float64) {
	width, height := p.Shown()
	return turn{p.Turned, width, height}.point(x, y)
}
