package pdf

// frame converts PDF user space (y up, whole media box) to points of the page as displayed.
type frame struct {
	left, bottom, right, top float64 // the visible box in user space
	turns                    int     // quarter turns clockwise, 0 to 3
}

func (f frame) size() (width, height float64) {
	width, height = f.right-f.left, f.top-f.bottom
	if f.turns%2 == 1 {
		return height, width
	}
	return width, height
}

// point maps user space to the page as displayed.
func (f frame) point(x, y float64) (float64, float64) {
	switch f.turns {
	case 1:
		return y - f.bottom, x - f.left
	case 2:
		return f.right - x, y - f.bottom
	case 3:
		return f.top - y, f.right - x
	default:
		return x - f.left, f.top - y
	}
}

// box maps a rectangle given by two opposite corners.
func (f frame) box(xa, ya, xb, yb float64) Box {
	x0, y0 := f.point(xa, ya)
	x1, y1 := f.point(xb, yb)
	return Box{X0: min(x0, x1), Y0: min(y0, y1), X1: max(x0, x1), Y1: max(y0, y1)}
}

func (f frame) page() Box {
	w, h := f.size()
	return Box{X1: w, Y1: h}
}

// angle converts a direction in user space (degrees counter-clockwise) to one on the page as displayed, 0 to 359.
func (f frame) angle(degrees float64) int {
	whole := int(degrees+360.5) - 90*f.turns
	return ((whole % 360) + 360) % 360
}
