package pdf

import "context"

// Anchor is a named destination of a document. hyperref writes one for each section, figure, table, equation and
// bibliography entry, such as "section.3" and "cite.Vaswani2017".
type Anchor struct {
	Name string
	// Page counts from 1.
	Page int
	// X and Y are points from the top left of the page as displayed; 0 if the file has none.
	X, Y float64
}

// Heading is an entry of the outline (bookmarks), in document order.
type Heading struct {
	Title string
	// Level counts from 1.
	Level int
	// Page counts from 1; 0 if it has no target.
	Page int
	// Y is points from the top of the page as displayed; 0 if the file has none.
	Y float64
}

// Metadata is what papers need of a PDF's document information; LaTeX papers often leave it empty.
type Metadata struct {
	Title, Author string
}

const (
	maxAnchors  = 50_000
	maxHeadings = 5_000
)

// Anchors returns the named destinations in the file's order, without those that lead to no page.
func (d *Document) Anchors(ctx context.Context) (anchors []Anchor, err error) {
	err = d.within(ctx, func() error {
		const limit = scratchSize - 8
		count := int(int32(d.g.word("FPDF_CountNamedDests", d.handle)))
		for i := range min(count, maxAnchors) {
			// The name follows its length, which takes slot 0 of the scratch memory.
			d.g.linear.WriteUint32Le(uint32(d.g.at(0)), limit)
			dest := uint64(d.g.word("FPDF_GetNamedDest", d.handle, uint64(i), d.g.at(1), d.g.at(0)))
			size := d.g.int32At(0)
			if dest == 0 || size <= 0 || size > limit {
				continue
			}
			a := Anchor{Name: d.g.utf16At(1, uint32(size))}
			if a.Page, a.X, a.Y = d.target(dest); a.Page > 0 {
				anchors = append(anchors, a)
			}
		}
		return d.g.take()
	})
	if err != nil {
		return nil, err
	}
	return anchors, nil
}

// target returns the position of a destination; page 0 means none.
func (d *Document) target(dest uint64) (page int, x, y float64) {
	page = int(int32(d.g.word("FPDFDest_GetDestPageIndex", d.handle, dest))) + 1
	f, err := d.frame(page)
	if err != nil {
		return 0, 0, 0
	}
	located := d.g.yes("FPDFDest_GetLocationInPage", dest, d.g.at(0), d.g.at(1), d.g.at(2), d.g.at(3), d.g.at(4), d.g.at(5))
	if !located || d.g.int32At(1) == 0 {
		return page, 0, 0
	}
	userX := f.left
	if d.g.int32At(0) != 0 {
		userX = d.g.float32At(3)
	}
	x, y = f.point(userX, d.g.float32At(4))
	return page, x, y
}

// Outline returns the bookmarks depth first, at most 5,000, because their links may be circular.
func (d *Document) Outline(ctx context.Context) ([]Heading, error) {
	w := &outlineWalk{d: d, seen: map[uint32]bool{}}
	err := d.within(ctx, func() error {
		w.children(0, 1)
		return d.g.take()
	})
	if err != nil {
		return nil, err
	}
	return w.headings, nil
}

type outlineWalk struct {
	d        *Document
	seen     map[uint32]bool
	headings []Heading
}

func (w *outlineWalk) children(parent uint32, level int) {
	const deepest = 16
	g := w.d.g
	mark := g.word("FPDFBookmark_GetFirstChild", w.d.handle, uint64(parent))
	for mark != 0 && level < deepest && !w.seen[mark] && len(w.headings) < maxHeadings {
		w.seen[mark] = true
		h := Heading{Level: level}
		if size := g.word("FPDFBookmark_GetTitle", uint64(mark), g.at(0), scratchSize); size <= scratchSize {
			h.Title = g.utf16At(0, size)
		}
		dest := g.word("FPDFBookmark_GetDest", w.d.handle, uint64(mark))
		if dest == 0 {
			if action := g.word("FPDFBookmark_GetAction", uint64(mark)); action != 0 {
				dest = g.word("FPDFAction_GetDest", w.d.handle, uint64(action))
			}
		}
		if dest != 0 {
			h.Page, _, h.Y = w.d.target(uint64(dest))
		}
		w.headings = append(w.headings, h)
		w.children(mark, level+1)
		mark = g.word("FPDFBookmark_GetNextSibling", w.d.handle, uint64(mark))
	}
}

// Metadata returns the document's own fields, each possibly empty.
func (d *Document) Metadata(ctx context.Context) (m Metadata, err error) {
	err = d.within(ctx, func() error {
		m = Metadata{Title: d.field("Title"), Author: d.field("Author")}
		return d.g.take()
	})
	if err != nil {
		return Metadata{}, err
	}
	return m, nil
}

// PageLabel returns the file's own number of page n, such as "117" or "xii"; "" if it has none.
func (d *Document) PageLabel(ctx context.Context, n int) (label string, err error) {
	err = d.within(ctx, func() error {
		size := d.g.word("FPDF_GetPageLabel", d.handle, uint64(n-1), d.g.at(0), scratchSize)
		if size <= scratchSize {
			label = d.g.utf16At(0, size)
		}
		return d.g.take()
	})
	return label, err
}

// field writes the name of a field after the space for its value.
func (d *Document) field(name string) string {
	const limit = scratchSize - 32
	tag := d.g.scratch + limit
	d.g.linear.Write(tag, append([]byte(name), 0))
	size := d.g.word("FPDF_GetMetaText", d.handle, uint64(tag), d.g.at(0), limit)
	if size > limit {
		return ""
	}
	return d.g.utf16At(0, size)
}
