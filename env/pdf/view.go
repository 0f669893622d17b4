package pdf

import (
	"cmp"
	"context"

	"airqa/internal/files"
	"airqa/qa"
)

// DefaultDPI is the default resolution of a [Viewer].
const DefaultDPI = 150

// Viewer renders pages of PDF files. Files remain open in its pool, with a few pages loaded, as long as nothing else
// needs their instances. A file that has changed is read again. It is safe for concurrent use.
type Viewer struct {
	Pool *Pool
	// DPI is pixels per inch; 0 means [DefaultDPI].
	DPI float64
}

// View renders page n of the PDF at path, or the part inside box: [x0, y0, width, height] in points from the top left
// of the page as displayed; nil means the whole page. The image's Box is the rendered area, nil for the whole page. The
// notes describe deviations from the request. The caller sets PaperID. Errors are an [*OpenError], a [*PageError], a
// [*BoxError] or a file system error.
func (v Viewer) View(ctx context.Context, path string, n int, box []float64) (qa.Image, []string, error) {
	book, err := v.Pool.borrow(ctx, path)
	if err != nil {
		return qa.Image{}, nil, err
	}
	drawing, err := book.doc.Render(ctx, n, box, cmp.Or(v.DPI, DefaultDPI))
	v.Pool.giveBack(book, err)
	if err != nil {
		return qa.Image{}, nil, err
	}
	picture := qa.Image{
		SHA256: files.Hash(drawing.PNG), MIME: "image/png", Page: n,
		Width: drawing.Width, Height: drawing.Height, Data: drawing.PNG,
	}
	if len(box) > 0 {
		picture.Box = drawing.Box[:]
	}
	return picture, drawing.Notes, nil
}
