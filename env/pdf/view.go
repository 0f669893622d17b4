package pdf

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"

	"airqa/qa"
)

// DefaultDPI is the resolution of a [Viewer] that names none.
const DefaultDPI = 150

// Viewer draws pages of PDF files.
type Viewer struct {
	Pool *Pool
	// DPI is pixels per inch; 0 means [DefaultDPI].
	DPI float64
}

// View draws page n of the PDF at path, or the box of it: [x0, y0, width, height] in points from the top left of the
// page as shown; nil is the whole page. The image's Box is what was drawn, nil for the whole page; the notes say where
// that departs from the request. The caller sets PaperID. Errors are an [*OpenError], a [*PageError], a [*BoxError] or those of the file system.
func (v Viewer) View(ctx context.Context, path string, n int, box []float64) (qa.Image, []string, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return qa.Image{}, nil, fmt.Errorf("view page %d: %w", n, err)
	}
	doc, err := v.Pool.Open(ctx, data)
	if err != nil {
		return qa.Image{}, nil, err
	}
	defer func() { _ = doc.Close() }()
	dpi := v.DPI
	if dpi == 0 {
		dpi = DefaultDPI
	}
	drawing, err := doc.Render(ctx, n, box, dpi)
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
