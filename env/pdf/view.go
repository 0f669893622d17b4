package pdf

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"airqa/qa"
)

// DefaultDPI is the resolution of a [Viewer] that names none.
const DefaultDPI = 150

// Viewer draws pages of PDF files. Files stay open in its pool for the next picture, a few pages loaded, as long as their
// instances are not needed elsewhere; a file that has changed since is read again. Its method may be called from several
// goroutines.
type Viewer struct {
	Pool *Pool
	// DPI is pixels per inch; 0 means [DefaultDPI].
	DPI float64
}

// View draws page n of the PDF at path, or the box of it: [x0, y0, width, height] in points from the top left of the
// page as shown; nil is the whole page. The image's Box is what was drawn, nil for the whole page; the notes say where
// that departs from the request. The caller sets PaperID. Errors are an [*OpenError], a [*PageError], a [*BoxError] or those of the file system.
func (v Viewer) View(ctx context.Context, path string, n int, box []float64) (qa.Image, []string, error) {
	dpi := v.DPI
	if dpi == 0 {
		dpi = DefaultDPI
	}
	book, err := v.Pool.borrow(ctx, path)
	if err != nil {
		return qa.Image{}, nil, err
	}
	drawing, err := book.doc.Render(ctx, n, box, dpi)
	v.Pool.giveBack(book, err)
	if err != nil {
		return qa.Image{}, nil, err
	}
	sum := sha256.Sum256(drawing.PNG)
	picture := qa.Image{
		SHA256: hex.EncodeToString(sum[:]), MIME: "image/png", Page: n,
		Width: drawing.Width, Height: drawing.Height, Data: drawing.PNG,
	}
	if len(box) > 0 {
		picture.Box = drawing.Box[:]
	}
	return picture, drawing.Notes, nil
}
