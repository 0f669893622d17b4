package ask

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"

	"airqa/internal/terminal"
	"airqa/qa"
)

//go:embed page.html
var pageText string

var page = template.Must(template.New("page").Funcs(template.FuncMap{
	"line": terminal.Line, "quoted": quoted, "caveat": caveat, "none": noAnswer,
	"place": func(s Source) string { return placeOf(s, 0) },
	"trace": traceCommand, "cost": costOf, "nosources": func() string { return noSources },
}).Parse(pageText))

// illustrated is a result with the images of its sources, by answer and source; an image that cannot be drawn is empty.
type illustrated struct {
	*Result
	Title  string
	Images [][]template.URL
}

// Image returns the image of a source.
func (p illustrated) Image(answer, source int) template.URL { return p.Images[answer][source] }

// Drawer draws the part of a page around a box. It is implemented by [airqa/env.Env].
type Drawer interface {
	ViewAround(ctx context.Context, paperID string, page int, box []float64, kind string) (qa.Image, error)
}

// Page returns the answers as a self-contained HTML page: with the images of pages in it, without scripts and without
// requests.
func (r *Result) Page(ctx context.Context, pages Drawer) ([]byte, error) {
	p := illustrated{Result: r, Title: "Answers"}
	if len(r.Answers) == 1 {
		p.Title = r.Answers[0].Question
	}
	for _, a := range r.Answers {
		var list []template.URL
		for _, s := range a.Sources {
			image, err := imageOf(ctx, pages, s.Source)
			if err != nil && ctx.Err() != nil {
				return nil, fmt.Errorf("draw the pages of the sources: %w", ctx.Err())
			}
			list = append(list, image) // a PDF that is not there, or cannot be read, has no image
		}
		p.Images = append(p.Images, list)
	}
	var b bytes.Buffer
	err := page.Execute(&b, p)
	return b.Bytes(), err
}

// imageOf draws the place of a source with its box, as a data URI.
func imageOf(ctx context.Context, pages Drawer, s Source) (template.URL, error) {
	if s.Page < 1 || s.PaperID == "" || s.Box == nil && s.Kind != Page {
		return "", nil
	}
	kind := cmp.Or(map[Kind]string{Table: "table", Figure: "figure"}[s.Kind], "chunk")
	image, err := pages.ViewAround(ctx, s.PaperID, s.Page, s.Box, kind)
	if err != nil {
		return "", err
	}
	return template.URL("data:image/png;base64," + base64.StdEncoding.EncodeToString(image.Data)), nil //nolint:gosec // made here
}

func costOf(a Answered) string {
	text := terminal.Compact(float64(a.Usage.Prompt+a.Usage.Completion)) + " tokens"
	if a.USD != nil {
		text += ", " + terminal.USD(*a.USD)
	}
	return text
}
