package enrich

import (
	"context"

	"airqa/qa"
)

// Drawer renders an area of a page (from 1) of a paper, [x0, y0, width, height] in points from the top left of the page
// as displayed. Calls may overlap.
type Drawer interface {
	View(ctx context.Context, paperID string, page int, box []float64) (qa.Image, error)
}

// draw adds the image to a job. If it cannot be rendered, the request is based on the caption, and is needless if the
// caption is its own summary or its reply is kept.
func (a *asker) draw(ctx context.Context, j *job) (r answer, err error) {
	figure := &j.request.Messages[0].Images[0]
	picture, err := a.cfg.Pictures.View(ctx, figure.PaperID, figure.Page, figure.Box)
	if err == nil {
		picture.SHA256, picture.MIME = figure.SHA256, figure.MIME
		*figure = picture
	}
	if err == nil || ctx.Err() != nil {
		return r, ctx.Err()
	}
	r.unseen, j.figure = true, nil
	_, j.request, r.needless, err = a.answer(j.task)
	return r, err
}
