package env

import (
	"context"
	"fmt"
	"strings"

	"airqa/env/pdf"
	"airqa/qa"
)

// ViewBoxes draws a whole page (from 1) with the boxes of its figures and tables as the database has them, each labelled
// with the beginning of its caption: for the eye of whoever checks what was read. It refuses what [Env.View] refuses.
func (e *Env) ViewBoxes(ctx context.Context, paperID string, page int) (qa.Image, error) {
	picture, err := e.View(ctx, paperID, page, nil)
	if err != nil {
		return qa.Image{}, err
	}
	boxes, err := e.db.Boxes(ctx, paperID, page)
	if err != nil {
		return qa.Image{}, err
	}
	width, _, ok, err := e.db.PageSize(ctx, paperID, page)
	if err != nil || !ok || width == 0 {
		return qa.Image{}, fmt.Errorf("page %d has no size in the database: %w", page, err)
	}
	marks := make([]pdf.Mark, len(boxes))
	for i, b := range boxes {
		marks[i] = pdf.Mark{Kind: b.Kind, Label: label(b.Caption)}
		for k, x := range b.Box {
			marks[i].Box[k] = float64(x)
		}
	}
	picture.Data, err = pdf.Overlay(picture.Data, float64(picture.Width)/float64(width), marks)
	return picture, err
}

// label is the beginning of a caption: "Figure 3" of "Figure 3: An overview".
func label(caption string) string {
	words := strings.Fields(caption)
	return strings.TrimRight(strings.Join(words[:min(2, len(words))], " "), ":.|")
}
