package env

import (
	"context"
	"fmt"
	"strings"

	"airqa/env/pdf"
	"airqa/qa"
)

// ViewBoxes draws a whole page (from 1) with the bounding boxes of its figures and tables from the database, each
// labelled with the beginning of its caption. It is meant for checking the ingested layout by eye. Errors are those of
// [Env.View].
func (e *Env) ViewBoxes(ctx context.Context, paperID string, page int) (qa.Image, error) {
	img, err := e.View(ctx, paperID, page, nil)
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
	img.Data, err = pdf.Overlay(img.Data, float64(img.Width)/float64(width), marks)
	return img, err
}

// label shortens a caption: "Figure 3: An overview" becomes "Figure 3".
func label(caption string) string {
	words := strings.Fields(caption)
	return strings.TrimRight(strings.Join(words[:min(2, len(words))], " "), ":.|")
}
