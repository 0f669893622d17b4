package env

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/google/uuid"

	"airqa/env/paperdb"
	"airqa/env/pdf"
	"airqa/qa"
	"airqa/tools"
)

// Kinds of tools.Fault that View returns.
const (
	faultPaper = "unknown_paper"
	faultPage  = "page"
	faultBox   = "box"
	faultPDF   = "pdf"
)

// View renders a page (from 1) of a paper, or the part of it inside box. A box that extends beyond the page is clipped;
// the image's Box is the area that was rendered.
func (e *Env) View(ctx context.Context, paperID string, page int, box []float64) (qa.Image, error) {
	paper, err := e.db.Paper(ctx, paperID)
	if errors.Is(err, paperdb.ErrNoPaper) {
		text := fmt.Sprintf("There is no paper with the id %q.", paperID)
		if uuid.Validate(paperID) != nil {
			text = fmt.Sprintf("%.60q is not a paper id: ids are uuids of 36 characters, written in full.", paperID)
		}
		return qa.Image{}, &tools.Fault{Kind: faultPaper, Text: text + " Take a paper_id from table metadata or a pdf_id from a retrieval."}
	}
	if err != nil {
		return qa.Image{}, err
	}
	path, err := e.dir.PDFPath(paper.PaperID)
	if err != nil {
		return qa.Image{}, err
	}
	img, _, err := e.draw(ctx, path, page, box)
	if err != nil {
		return qa.Image{}, e.viewFault(ctx, paper.PaperID, page, err)
	}
	img.PaperID = paper.PaperID
	return img, nil
}

// viewFault converts errors that the model can correct into a tools.Fault.
func (e *Env) viewFault(ctx context.Context, paperID string, page int, err error) error {
	var badPage *pdf.PageError
	var badBox *pdf.BoxError
	var badFile *pdf.OpenError
	switch {
	case errors.As(err, &badPage):
		return &tools.Fault{Kind: faultPage, Text: sentence(badPage.Error())}
	case errors.As(err, &badBox):
		return &tools.Fault{Kind: faultBox, Text: sentence(badBox.Error())}
	case errors.As(err, &badFile):
		return &tools.Fault{Kind: faultPDF, Text: "The PDF of this paper cannot be drawn: " + sentence(badFile.Error())}
	case errors.Is(err, fs.ErrNotExist):
		return &tools.Fault{Kind: faultPDF, Text: "The PDF of this paper is not stored here; its text is in the database."}
	}
	return fmt.Errorf("view page %d of paper %s: %w", page, paperID, err)
}

// sentence capitalises s and ends it with a full stop.
func sentence(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + strings.TrimRight(s[1:], ".") + "."
}

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
		words := strings.Fields(b.Caption) // the label of "Figure 3: An overview" is "Figure 3"
		marks[i] = pdf.Mark{Kind: b.Kind, Label: strings.TrimRight(strings.Join(words[:min(2, len(words))], " "), ":.|")}
		for k, x := range b.Box {
			marks[i].Box[k] = float64(x)
		}
	}
	img.Data, err = pdf.Overlay(img.Data, float64(img.Width)/float64(width), marks)
	return img, err
}
