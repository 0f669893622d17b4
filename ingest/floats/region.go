package floats

import (
	"math"
	"slices"

	"airqa/env/pdf"
	"airqa/ingest/layout"
	"airqa/internal/lazyregexp"
)

// pageView matches the captions of one page with its shapes and lines.
type pageView struct {
	page     *layout.Page
	aside    bool // the page is the rotated part of another page
	items    []item
	frames   []layout.Box
	bodySize float64
	body     []bool // by line: running text, a heading or a footnote, which no figure contains
	// captionsBelow reports whether most table captions of the paper are below their tables.
	captionsBelow bool
}

// near is the maximum distance between a table's frame and its caption, in points.
const near = 40

// sides counts the table captions with a frame above and below them.
func (v *pageView) sides() (above, below int) {
	for _, f := range v.items {
		up, down := false, false
		for _, b := range v.frames {
			if f.table && distance(f, b) < near {
				up, down = up || b.Y0 < f.caption.Y0, down || b.Y0 > f.caption.Y0
			}
		}
		if up {
			above++
		}
		if down {
			below++
		}
	}
	return above, below
}

// pair finds the area of each caption: tables by their rules first, then the rest by the space between a caption and
// the text around it.
func (v *pageView) pair() {
	v.body = make([]bool, len(v.page.Lines))
	for i := range v.page.Lines {
		v.body[i] = v.isBody(i)
	}
	for i := range v.items {
		v.items[i].reach = v.reachOf(i)
	}
	v.pairFrames()
	for i := range v.items {
		f := &v.items[i]
		if !f.Sure {
			v.byZone(i)
		}
		if f.table {
			v.collectRows(i)
		}
	}
}

// pairFrames gives each table caption the nearest frame with only empty space in between, closest pair first.
func (v *pageView) pairFrames() {
	free := slices.Clone(v.frames)
	for {
		bestF, bestB := v.closestPair(free)
		if bestF < 0 {
			return
		}
		f, frame := &v.items[bestF], free[bestB]
		free = slices.DeleteFunc(free, func(b layout.Box) bool {
			part := b == frame
			// Parts (a) and (b) of one table are side by side, unless one is next to the caption of another table.
			if b.OverlapX(frame) <= 0 && b.OverlapY(frame) > 0.9*min(b.Height(), frame.Height()) && b.OverlapX(f.reach) > 0.8*b.Width() {
				others := slices.Concat(v.items[:bestF], v.items[bestF+1:])
				part = part || !slices.ContainsFunc(others, func(o item) bool { return o.table && !o.Sure && distance(o, b) < near })
			}
			if part {
				f.Box = f.Box.Union(v.withRows(b))
			}
			return part
		})
		f.Sure = true
	}
}

// closestPair returns the table caption without a frame and the free frame that are least unlike, or -1 if none fit.
func (v *pageView) closestPair(free []layout.Box) (caption, frame int) {
	caption, frame = -1, -1
	least := 2.0 * near
	for i, f := range v.items {
		if !f.table || f.Sure {
			continue
		}
		for k, b := range free {
			d := distance(f, b)
			if (b.Y0 < f.caption.Y0) != v.captionsBelow { // the side where the paper does not put its tables
				d += near
			}
			if d < least && v.fits(f, b) {
				caption, frame, least = i, k, d
			}
		}
	}
	return caption, frame
}

// fits reports whether a frame can be the table of a caption. It lies within the caption's horizontal range, or crosses
// the gutter right below the caption of a column, at the same left edge.
func (v *pageView) fits(f item, b layout.Box) bool {
	const slack = 8
	crosses := b.X0 < v.page.Gutter && b.X1 > v.page.Gutter
	headed := crosses && abs(b.X0-f.caption.X0) < slack && b.Y0 > f.caption.Y0 && b.Y0-f.caption.Y1 < slack
	return headed || b.OverlapX(f.reach) > 0.8*b.Width()
}

// distance returns the vertical distance between a caption and a box, whichever is above.
func distance(f item, b layout.Box) float64 {
	if f.caption.OverlapX(b) < 0.3*min(f.caption.Width(), b.Width()) {
		return math.Inf(1)
	}
	return max(b.Y0-f.caption.Y1, f.caption.Y0-b.Y1, 0)
}

// withRows extends a frame to the words in it.
func (v *pageView) withRows(frame layout.Box) layout.Box {
	box := frame
	for _, l := range v.page.Lines {
		if l.Role != layout.Body || frame.OverlapY(l.Box) <= 0 {
			continue
		}
		if _, y := l.Box.Center(); y >= frame.Y0 && y <= frame.Y1 {
			for _, w := range within(l, frame.Grow(6)).Words {
				box = box.Union(w.Box)
			}
		}
	}
	return box
}

// reachOf returns the horizontal range for a caption's image: its column, limited by captions or text next to it.
func (v *pageView) reachOf(i int) layout.Box {
	f, page := &v.items[i], v.page
	reach := layout.Box{X0: page.Text.X0, X1: page.Text.X1, Y1: page.Height}
	switch f.column {
	case 0:
		reach.X1 = page.Gutter
	case 1:
		reach.X0 = page.Gutter
	}
	cut := func(o layout.Box) {
		switch {
		case o.OverlapY(f.caption) <= 0.3*f.lines[0].Size:
		case o.X1 <= f.caption.X0:
			reach.X0 = max(reach.X0, (o.X1+f.caption.X0)/2)
		case o.X0 >= f.caption.X1:
			reach.X1 = min(reach.X1, (o.X0+f.caption.X1)/2)
		}
	}
	for k, o := range v.items {
		if k != i && o.column == f.column {
			cut(o.caption)
		}
	}
	for k, l := range page.Lines {
		if v.body[k] && l.Column == f.column {
			cut(l.Box)
		}
	}
	return reach
}

// isBody distinguishes running text, headings and footnotes from labels, cells and formulas. Body lines have the text's
// size and no wide gaps, are outside images and table frames, and are long or end a paragraph.
func (v *pageView) isBody(i int) bool {
	l := v.page.Lines[i]
	switch {
	case l.Role != layout.Body:
		return l.Role == layout.Footnote || l.Role == layout.AuthorNote
	case v.isLargeHead(l):
		return true
	case v.enclosed(l) || len(l.Cells()) > 1 || l.Size < 0.85*v.bodySize: // in cells, or in small text
		return false
	case l.Size > 1.08*v.bodySize && l.Bold, l.Chars() > 24 && l.Box.Width() > 0.5*v.columnWidth(l):
		return true
	case i > 0 && v.body[i-1]:
		return endsParagraph(v.page.Lines[i-1], l)
	}
	return isBoldHead(l)
}

// isBoldHead reports whether a line is a numbered title in bold type with space above.
func isBoldHead(l layout.Line) bool {
	return l.Bold && l.Break && l.Chars() > 6 && numberedHead.MatchString(l.Text())
}

// isLargeHead reports whether a line is a numbered title in large type. It may have the wide gaps of loose lines.
func (v *pageView) isLargeHead(l layout.Line) bool {
	return l.Size > 1.15*v.bodySize && numberedHead.MatchString(l.Text()) && !v.enclosed(l)
}

// endsParagraph reports whether a short line continues the one above.
func endsParagraph(above, l layout.Line) bool {
	step := l.Baseline - above.Baseline
	return above.Column == l.Column && step > 0 && step < 1.45*l.Size && abs(above.Box.X0-l.Box.X0) < 20
}

// numberedHead matches the start of a section's title: "3.1 Data", "IV. Results", "B. Features".
var numberedHead = lazyregexp.New(`^(\d{1,2}(\.\d{1,2})*\.?|[A-Z](\.\d{1,2})*\.?|[IVXLC]+\.)\s+\p{Lu}`)

func (v *pageView) enclosed(l layout.Line) bool {
	for _, s := range v.page.Shapes {
		area := s.Box.Width() * s.Box.Height()
		if s.Kind != pdf.Path && s.Box.Holds(l.Box) && area < 0.6*v.page.Width*v.page.Height {
			return true
		}
	}
	return slices.ContainsFunc(v.frames, func(b layout.Box) bool { return b.Holds(l.Box) })
}

func (v *pageView) columnWidth(l layout.Line) float64 {
	switch {
	case v.page.Gutter == 0 || l.Column == layout.Span:
		return v.page.Text.Width()
	case l.Column == 0:
		return v.page.Gutter - v.page.Text.X0
	}
	return v.page.Text.X1 - v.page.Gutter
}

// byZone uses the shapes between a caption and the nearest text, above for figures, below for tables. If there are
// none, it uses the other side.
func (v *pageView) byZone(i int) {
	f := &v.items[i]
	zones := []layout.Box{v.zone(i, true), v.zone(i, false)}
	if f.table && !v.captionsBelow {
		slices.Reverse(zones)
	}
	for _, zone := range zones {
		if box := v.contents(zone, f.table); box.Height() > 12 && box.Width() > 20 {
			f.Box, f.Sure = box, true
			return
		}
	}
	const least = 30
	f.Box = f.caption
	for _, zone := range zones { // the larger space between the caption and the text around it
		area := clip(zone, layout.Box{X0: f.reach.X0, Y0: v.page.Text.Y0, X1: f.reach.X1, Y1: v.page.Text.Y1})
		if area.Height() > least && (f.Box == f.caption || area.Height() > 2*f.Box.Height()) {
			f.Box = area
		}
	}
}

// zone returns the space next to a caption up to the nearest obstacle.
func (v *pageView) zone(i int, above bool) layout.Box {
	f := &v.items[i]
	zone := layout.Box{X0: f.reach.X0 - 4, X1: f.reach.X1 + 4, Y0: 0, Y1: f.caption.Y0}
	if !above {
		zone.Y0, zone.Y1 = f.caption.Y1, v.page.Height
	}
	cut := func(b layout.Box) {
		if b.OverlapX(f.reach) < 0.1*b.Width() {
			return
		}
		_, y := b.Center()
		_, at := f.caption.Center()
		if above && y < at {
			zone.Y0 = max(zone.Y0, b.Y1)
		} else if !above && y > at {
			zone.Y1 = min(zone.Y1, b.Y0)
		}
	}
	for k, l := range v.page.Lines {
		if v.body[k] {
			cut(l.Box)
		}
	}
	for k, o := range v.items {
		if k != i {
			cut(o.caption)
			if o.Sure {
				cut(o.Box)
			}
		}
	}
	return zone
}

// contents returns the bounding box of the shapes in a zone and the words among them. A table without shapes may still
// consist of rows.
func (v *pageView) contents(zone layout.Box, table bool) layout.Box {
	box := v.shapesIn(zone)
	if box.Empty() && !table {
		return box
	}
	for k, l := range v.page.Lines {
		if v.body[k] || l.Role == layout.Caption || !zone.Holds(l.Box) {
			continue
		}
		if box.Empty() && len(l.Cells()) > 1 || !box.Empty() && box.Grow(14).Holds(l.Box) {
			box = box.Union(clip(l.Box, zone))
		}
	}
	return box
}

// shapesIn returns the bounding box of the shapes in a zone, ignoring a background.
func (v *pageView) shapesIn(zone layout.Box) layout.Box {
	var box layout.Box
	n := 0
	for _, s := range v.page.Shapes {
		whole := s.Box.Width()*s.Box.Height() > 0.9*v.page.Width*v.page.Height
		if !whole && zone.Holds(s.Box) && s.Box.OverlapX(zone) > 0.6*s.Box.Width() {
			box, n = box.Union(clip(s.Box, zone)), n+1
		}
	}
	if n == 1 && box.Height() < 3 {
		return layout.Box{} // the rule of a running head
	}
	return box
}

func abs(x float64) float64 { return max(x, -x) }

func clip(b, to layout.Box) layout.Box {
	return layout.Box{X0: max(b.X0, to.X0), Y0: max(b.Y0, to.Y0), X1: max(min(b.X1, to.X1), to.X0), Y1: max(min(b.Y1, to.Y1), to.Y0)}
}
