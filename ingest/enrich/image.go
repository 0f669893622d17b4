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

// place is the location of a figure.
type place struct {
	paper, file string // the paper's id and the SHA-256 of its PDF
	page        int
	box         [4]int
}

// draw adds the image to a job. If it cannot be rendered, the question is based on the caption, and is needless if the
// caption is its own summary or the journal already has the reply.
func (a *asker) draw(ctx context.Context, j *job) (r answer, err error) {
	var box []float64
	for _, x := range j.place.box {
		box = append(box, float64(x))
	}
	picture, err := a.cfg.Pictures.View(ctx, j.place.paper, j.place.page, box)
	switch {
	case err == nil:
		j.messages[0].Images = []qa.Image{picture}
		return r, nil
	case ctx.Err() != nil:
		return r, ctx.Err()
	}
	j.place = nil
	j.question, err = j.task.question(a.cfg.ModelName)
	return answer{unseen: true, needless: j.isOwnSummary() || a.cfg.Journal.Has(j.key)}, err
}
