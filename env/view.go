package env

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"airqa/env/paperdb"
	"airqa/env/pdf"
	"airqa/qa"
	"airqa/tools"
)

// Kinds of fault that View returns.
const (
	faultPaper = "unknown_paper"
	faultPage  = "page"
	faultBox   = "box"
	faultPDF   = "pdf"
)

// View implements tools.Viewer: page (from 1) of a paper or the box of it. A box that reaches over the page's
// edge is cut there; the picture's Box says what was drawn.
func (e *Env) View(ctx context.Context, paperID string, page int, box []float64) (qa.Image, error) {
	paper, err := e.db.Paper(ctx, paperID)
	if errors.Is(err, paperdb.ErrNoPaper) {
		text := "There is no paper with the id %.60q. Take a paper_id from table metadata or a pdf_id from a retrieval."
		return qa.Image{}, &tools.Fault{Kind: faultPaper, Text: fmt.Sprintf(text, paperID)}
	}
	if err != nil {
		return qa.Image{}, err
	}
	path, err := e.dir.PDFPath(paper.PaperID)
	if err != nil {
		return qa.Image{}, err
	}
	picture, _, err := e.draw(ctx, path, page, box)
	if err != nil {
		return qa.Image{}, e.viewFault(ctx, paper.PaperID, page, err)
	}
	picture.PaperID = paper.PaperID
	return picture, nil
}

// viewFault turns what the caller can mend into a tools.Fault.
func (e *Env) viewFault(ctx context.Context, paperID string, page int, err error) error {
	var badPage *pdf.PageError
	var badBox *pdf.BoxError
	var badFile *pdf.OpenError
	switch {
	case errors.As(err, &badPage):
		return &tools.Fault{Kind: faultPage, Text: sentence(badPage.Error())}
	case errors.As(err, &badBox):
		return &tools.Fault{Kind: faultBox, Text: sentence(badBox.Error()) + e.pageSize(ctx, paperID, page)}
	case errors.As(err, &badFile):
		return &tools.Fault{Kind: faultPDF, Text: "The PDF of this paper cannot be drawn: " + sentence(badFile.Error())}
	case errors.Is(err, fs.ErrNotExist):
		return &tools.Fault{Kind: faultPDF, Text: "The PDF of this paper is not stored here; its text is in the database."}
	}
	return fmt.Errorf("view page %d of paper %s: %w", page, paperID, err)
}

// pageSize tells how large the page is, as far as the database knows.
func (e *Env) pageSize(ctx context.Context, paperID string, page int) string {
	width, height, ok, err := e.db.PageSize(ctx, paperID, page)
	if err != nil || !ok {
		return ""
	}
	return fmt.Sprintf(" The page is %d x %d points.", width, height)
}

// sentence starts a reason with a capital letter and ends it with a full stop.
func sentence(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + strings.TrimRight(s[1:], ".") + "."
}
