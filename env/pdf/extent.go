package pdf

// maxParts limits the parts of a form whose extent is computed; of more, an evenly spaced sample is used.
const maxParts = 400

// extent returns the visible area of an object: its bounds within its clip. PDFium's bounds of a form ignore the form's
// own clip, so some figures claim to be 38,000 points below the page or to cover their caption. PDFium stores that clip
// with each part, so a form's extent is computed from its parts.
func (w *shapeWalk) extent(object uint64, kind objectKind, outer matrix, depth int) Box {
	box := w.bounds(object, outer)
	if kind == pathObject && (box.Width() < 20 || box.Height() < 20) {
		return box // too small for its clip to matter
	}
	if clip, ok := w.clip(object, outer); ok {
		box = box.Clamp(clip)
	}
	if kind != formObject || depth >= maxDepth {
		return box
	}
	var parts Box
	w.children(object, outer, maxParts, func(child uint64, inner matrix) bool {
		parts = parts.Union(w.part(child, inner, depth+1))
		return true
	})
	if parts.Empty() {
		return box
	}
	return parts.Clamp(box)
}

// part returns the extent of a part of a form, including text, which it counts.
func (w *shapeWalk) part(object uint64, outer matrix, depth int) Box {
	kind := objectKind(w.d.g.word("FPDFPageObj_GetType", object))
	if object == 0 || kind == pathObject && !w.visible(object) {
		return Box{}
	}
	switch kind {
	case formObject:
		return w.extent(object, kind, outer, depth)
	case textObject:
		w.texts++
	}
	box := w.bounds(object, outer)
	if clip, ok := w.clip(object, outer); ok {
		box = box.Clamp(clip)
	}
	return box
}

// children calls visit for at most limit parts of a form, until it returns false.
func (w *shapeWalk) children(form uint64, outer matrix, limit int, visit func(child uint64, inner matrix) bool) {
	g := w.d.g
	count := g.word("FPDFFormObj_CountObjects", form)
	if count == ^uint32(0) || !g.yes("FPDFPageObj_GetMatrix", form, g.at(0)) {
		return
	}
	inner := matrix(g.floats(6)).times(outer)
	step := max(1, (count+uint32(limit)-1)/uint32(limit))
	for i := uint32(0); i < count && g.err == nil; i += step {
		if !visit(uint64(g.word("FPDFFormObj_GetObject", form, uint64(i))), inner) {
			return
		}
	}
}

func (w *shapeWalk) bounds(object uint64, outer matrix) Box {
	g := w.d.g
	if !g.yes("FPDFPageObj_GetBounds", object, g.at(0), g.at(1), g.at(2), g.at(3)) {
		return Box{}
	}
	x0, y0, x1, y1 := g.float32At(0), g.float32At(1), g.float32At(2), g.float32At(3)
	var box Box
	for _, corner := range [4][2]float64{{x0, y0}, {x1, y1}, {x0, y1}, {x1, y0}} {
		x, y := w.shown(corner[0], corner[1], outer)
		box = include(box, x, y)
	}
	return box
}

// clip returns the area left by an object's clipping paths; false if it has none.
func (w *shapeWalk) clip(object uint64, outer matrix) (Box, bool) {
	g := w.d.g
	path := uint64(g.word("FPDFPageObj_GetClipPath", object))
	if path == 0 {
		return Box{}, false
	}
	count := int(int32(g.word("FPDFClipPath_CountPaths", path)))
	area, any := w.frame.page(), false
	for i := range min(max(0, count), maxDepth) {
		if box := w.clipPath(path, i, outer); !box.Empty() {
			area, any = area.Clamp(box), true
		}
	}
	return area, any
}

// clipPath returns the bounding box of a clipping path's corners.
func (w *shapeWalk) clipPath(path uint64, i int, outer matrix) Box {
	const maxCorners = 64 // corners; a rectangle has five
	g := w.d.g
	var box Box
	count := int(int32(g.word("FPDFClipPath_CountPathSegments", path, uint64(i))))
	if count > maxCorners {
		return Box{}
	}
	for k := range max(0, count) {
		segment := uint64(g.word("FPDFClipPath_GetPathSegment", path, uint64(i), uint64(k)))
		if segment != 0 && g.yes("FPDFPathSegment_GetPoint", segment, g.at(0), g.at(1)) {
			x, y := w.shown(g.float32At(0), g.float32At(1), outer)
			box = include(box, x, y)
		}
	}
	return box
}

// shown converts a point of an object to the page as displayed.
func (w *shapeWalk) shown(x, y float64, outer matrix) (float64, float64) {
	return w.frame.point(outer.point(x, y))
}

// include extends b to a point. The first point of an empty box gets a minimum width, so that the box is not empty.
func include(b Box, x, y float64) Box {
	const least = 1e-3
	return b.Union(Box{X0: x, Y0: y, X1: x + least, Y1: y + least})
}
