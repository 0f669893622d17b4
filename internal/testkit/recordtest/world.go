package recordtest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"image"
	"image/png"
	"strings"

	"airqa/baselines"
	"airqa/qa"
	"airqa/tools"
)

// world has one paper, "p1", with two pages.
type world struct{ text string }

// Card is the title of a paper.
func (world) Card(_ context.Context, id string) (baselines.Card, error) {
	return baselines.Card{Title: "The Title of " + id, Abstract: "An abstract."}, nil
}

// Text is the text of a paper.
func (w world) Text(context.Context, string) (string, error) {
	return "1 Introduction\n" + strings.Repeat("word ", 200) + w.text, nil
}

// Retrieve finds two passages.
func (w world) Retrieve(_ context.Context, query string, limit int, _ tools.Scope) ([]tools.Hit, error) {
	var hits []tools.Hit
	for i := range min(limit, 2) {
		hits = append(hits, tools.Hit{PDFID: "p1", PageNumber: i + 1, Text: fmt.Sprintf("passage %d on %q: ≥ 3 €\n%s", i, query, w.text), Score: 0.5})
	}
	return hits, nil
}

// Query returns one row, or the error of a broken statement.
func (w world) Query(_ context.Context, sql string) (qa.Rows, error) {
	if strings.Contains(sql, "broken") {
		return qa.Rows{}, &tools.Fault{Text: "Binder Error: no column named broken"}
	}
	return qa.Rows{Columns: []string{"x", "text"}, Values: [][]any{{int64(7), w.text + strings.Repeat(" text", 60)}}}, nil
}

// View draws a page.
func (world) View(_ context.Context, paper string, page int, box []float64) (qa.Image, error) {
	if page > 1 {
		return qa.Image{}, &tools.Fault{Text: "the paper has 1 page"}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 28, 28))); err != nil {
		return qa.Image{}, err
	}
	sum := sha256.Sum256(b.Bytes())
	return qa.Image{
		SHA256: hex.EncodeToString(sum[:]), MIME: "image/png", PaperID: paper, Page: page, Box: box, Width: 28, Height: 28, Data: b.Bytes(),
	}, nil
}
