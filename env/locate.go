package env

import (
	"context"
	"fmt"
	"math"

	"airqa/env/pdf"
	"airqa/qa"
)

// Locate returns the box of a text on a page (from 1) of a paper: [x0, y0, width, height] in whole points from the top
// left. It is nil if the text is not found there. A paper without its PDF, and a page that cannot be read, are errors
// as in [Env.View].
func (e *Env) Locate(ctx context.Context, paperID string, page int, text string) ([]float64, error) {
	path, err := e.dir.PDFPath(paperID)
	if err != nil {
		return nil, err
	}
	glyphs, err := e.glyphs(ctx, path, page)
	if err != nil {
		return nil, e.viewFault(ctx, paperID, page, err)
	}
	b, found := pdf.Find(glyphs, text)
	if !found || b.Empty() {
		return nil, nil
	}
	const margin = 2
	b = b.Grow(margin)
	x0, y0 := math.Floor(max(b.X0, 0)), math.Floor(max(b.Y0, 0))
	return []float64{x0, y0, math.Ceil(b.X1) - x0, math.Ceil(b.Y1) - y0}, nil
}

// How much of the page around a box ViewAround draws, and the least width, in points.
const (
	around     = 48
	leastWidth = 320
)

// ViewAround draws the part of a page (from 1) around a box, with the box outlined in the colour of a kind (see
// [pdf.Mark]). A nil box draws the whole page. Errors are those of [Env.View].
func (e *Env) ViewAround(ctx context.Context, paperID string, page int, box []float64, kind string) (qa.Image, error) {
	width, height, ok, err := e.db.PageSize(ctx, paperID, page)
	if err != nil {
		return qa.Image{}, err
	}
	if len(box) != 4 || !ok {
		return e.View(ctx, paperID, page, nil)
	}
	side := max(around, (leastWidth-box[2])/2)
	left, right := max(box[0]-side, 0), min(box[0]+box[2]+side, float64(width))
	top, bottom := max(box[1]-around, 0), min(box[1]+box[3]+around, float64(height))
	img, err := e.View(ctx, paperID, page, []float64{left, top, right - left, bottom - top})
	if err != nil {
		return qa.Image{}, err
	}
	if len(img.Box) != 4 || img.Box[2] <= 0 {
		return qa.Image{}, fmt.Errorf("view page %d of paper %s: the area has no width", page, paperID)
	}
	mark := pdf.Mark{Kind: kind, Box: [4]float64{box[0] - img.Box[0], box[1] - img.Box[1], box[2], box[3]}}
	img.Data, err = pdf.Overlay(img.Data, float64(img.Width)/img.Box[2], []pdf.Mark{mark})
	return img, err
}
