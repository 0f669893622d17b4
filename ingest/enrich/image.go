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

// draw adds the image to a job. Without one, the question is based on the caption. ask is false if the journal already
// has the reply.
func (a *asker) draw(ctx context.Context, j *job) (ask bool, err error) {
	if j.place == nil {
		return true, nil
	}
	var box []float64
	for _, x := range j.place.box {
		box = append(box, float64(x))
	}
	picture, err := a.cfg.Pictures.View(ctx, j.place.paper, j.place.page, box)
	switch {
	case err == nil:
		j.messages[0].Images = []qa.Image{picture}
		return true, nil
	case ctx.Err() != nil:
		return false, ctx.Err()
	}
	a.update(func(sum *Asked) { sum.Unseen++ })
	j.place = nil
	if j.question, err = j.task.question(a.cfg.ModelName); err != nil {
		return false, err
	}
	return !j.isOwnSummary() && !a.cfg.Journal.Has(j.key), nil
}
