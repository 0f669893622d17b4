package pdf

// Box is an area of a page as displayed: corners in points from its top left, X0 ≤ X1 and Y0 ≤ Y1.
type Box struct {
	X0, Y0, X1, Y1 float64
}

// Width is in points.
func (b Box) Width() float64 { return b.X1 - b.X0 }

// Height is in points.
func (b Box) Height() float64 { return b.Y1 - b.Y0 }

// Empty reports whether b has no area.
func (b Box) Empty() bool { return b.X1 <= b.X0 && b.Y1 <= b.Y0 }

// Union is the smallest box around both; empty boxes are ignored.
func (b Box) Union(o Box) Box {
	switch {
	case b.Empty():
		return o
	case o.Empty():
		return b
	}
	return Box{X0: min(b.X0, o.X0), Y0: min(b.Y0, o.Y0), X1: max(b.X1, o.X1), Y1: max(b.Y1, o.Y1)}
}

// OverlapX is the length of the horizontal overlap; negative for a gap.
func (b Box) OverlapX(o Box) float64 { return min(b.X1, o.X1) - max(b.X0, o.X0) }

// OverlapY is the length of the vertical overlap; negative for a gap.
func (b Box) OverlapY(o Box) float64 { return min(b.Y1, o.Y1) - max(b.Y0, o.Y0) }

// Center is the center of b.
func (b Box) Center() (x, y float64) { return (b.X0 + b.X1) / 2, (b.Y0 + b.Y1) / 2 }

// Holds reports whether b contains the center of o.
func (b Box) Holds(o Box) bool {
	x, y := o.Center()
	return x >= b.X0 && x <= b.X1 && y >= b.Y0 && y <= b.Y1
}

// Grow moves all edges outwards by d points.
func (b Box) Grow(d float64) Box {
	return Box{X0: b.X0 - d, Y0: b.Y0 - d, X1: b.X1 + d, Y1: b.Y1 + d}
}

// Clamp intersects b with outer; the result is empty if they do not overlap.
func (b Box) Clamp(outer Box) Box {
	b.X0, b.X1 = max(b.X0, outer.X0), min(b.X1, outer.X1)
	b.Y0, b.Y1 = max(b.Y0, outer.Y0), min(b.Y1, outer.Y1)
	if b.X1 < b.X0 || b.Y1 < b.Y0 {
		return Box{}
	}
	return b
}
