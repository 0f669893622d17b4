package pdf

import (
	"context"
	"slices"
)

// ShapeKind is the kind of a [Shape].
type ShapeKind int

// The kinds of shapes.
const (
	// Path is a line, a curve or a filled area, such as a rule of a table.
	Path ShapeKind = iota
	// Picture is a bitmap or a colour gradient.
	Picture
	// Form is a form XObject, such as an included PDF figure.
	Form
)

// objectKind is PDFium's FPDF_PAGEOBJ_*.
type objectKind uint32

const (
	textObject objectKind = iota + 1
	pathObject
	imageObject
	shadingObject
	formObject
)

var shapeKinds = map[objectKind]ShapeKind{pathObject: Path, imageObject: Picture, shadingObject: Picture, formObject: Form}

// Shape is a drawn object other than text, clipped to the page.
type Shape struct {
	Kind ShapeKind
	Box  Box
	// Parts are the shapes in a form with many texts, which may be the page itself rather than a figure.
	Parts []Shape
}

// IsRule reports whether s is a thin horizontal stroke, such as a rule of a table.
func (s Shape) IsRule() bool {
	return s.Box.Height() < 2.5 && s.Box.Width() > 12 && s.Box.Width() > 6*s.Box.Height()
}

const (
	// maxShapes limits the shapes of one page: plots of raw data have millions of marks.
	maxShapes = 20000
	// manyTexts is the number of text objects from which a form may be a page: as many as a short page has lines.
	manyTexts = 15
	// maxDepth limits nested forms, which may be circular.
	maxDepth = 5
)

// matrix is a PDF transformation: x' = a·x + c·y + e, y' = b·x + d·y + f.
type matrix [6]float64

func (m matrix) point(x, y float64) (float64, float64) {
	return m[0]*x + m[2]*y + m[4], m[1]*x + m[3]*y + m[5]
}

// times applies m first, then outer.
func (m matrix) times(outer matrix) matrix {
	return matrix{
		m[0]*outer[0] + m[1]*outer[2], m[0]*outer[1] + m[1]*outer[3],
		m[2]*outer[0] + m[3]*outer[2], m[2]*outer[1] + m[3]*outer[3],
		m[4]*outer[0] + m[5]*outer[2] + outer[4], m[4]*outer[1] + m[5]*outer[3] + outer[5],
	}
}

type shapeWalk struct {
	d      *Document
	frame  frame
	shapes []Shape
	texts  int // in the forms measured so far, about
}

// Shapes returns the visible objects of page n other than text, in painting order, at most 20,000, each limited to its
// clip. A form is one shape including its text, unless it covers most of the page: then its parts are returned.
func (d *Document) Shapes(ctx context.Context, n int) (shapes []Shape, err error) {
	err = d.onPage(ctx, n, func() error {
		if err := d.turnTo(n); err != nil {
			return err
		}
		w := &shapeWalk{d: d, frame: d.frames[n]}
		count := d.g.word("FPDFPage_CountObjects", d.page)
		for i := uint32(0); i < count && len(w.shapes) < maxShapes && d.g.err == nil; i++ {
			w.object(uint64(d.g.word("FPDFPage_GetObject", d.page, uint64(i))), matrix{1, 0, 0, 1, 0, 0}, 0)
		}
		shapes = w.shapes
		return d.fault(n)
	})
	if err != nil {
		return nil, err
	}
	return shapes, nil
}

func (w *shapeWalk) object(object uint64, outer matrix, depth int) {
	kind := objectKind(w.d.g.word("FPDFPageObj_GetType", object))
	shapeKind, isShape := shapeKinds[kind]
	if object == 0 || !isShape || kind == pathObject && !w.visible(object) {
		return
	}
	before := w.texts
	box := w.extent(object, kind, outer, depth)
	if kind == formObject && depth < maxDepth && w.tooBig(box) {
		w.descend(object, outer, depth) // it wraps the whole page, such as a publisher's stamp
		return
	}
	clamped := box.Clamp(w.frame.page())
	if clamped.Empty() {
		return
	}
	shape := Shape{Kind: shapeKind, Box: clamped}
	if w.texts-before >= manyTexts && depth < maxDepth {
		at := len(w.shapes)
		w.descend(object, outer, depth)
		shape.Parts = slices.Clone(w.shapes[at:])
		w.shapes = w.shapes[:at]
	}
	w.shapes = append(w.shapes, shape)
}

func (w *shapeWalk) descend(form uint64, outer matrix, depth int) {
	w.children(form, outer, maxShapes, func(child uint64, inner matrix) bool {
		w.object(child, inner, depth+1)
		return len(w.shapes) < maxShapes
	})
}

func (w *shapeWalk) tooBig(b Box) bool {
	const slack = 2
	page := w.frame.page()
	leaves := b.X0 < -slack || b.Y0 < -slack || b.X1 > page.X1+slack || b.Y1 > page.Y1+slack
	return leaves || b.Width()*b.Height() > 0.7*page.Width()*page.Height()
}

// visible reports whether a path is filled or stroked, unlike clipping paths.
func (w *shapeWalk) visible(object uint64) bool {
	g := w.d.g
	if !g.yes("FPDFPath_GetDrawMode", object, g.at(0), g.at(1)) {
		return true
	}
	return g.int32At(0) != 0 || g.int32At(1) != 0
}
