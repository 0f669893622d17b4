package review

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io"
	"strings"

	"airqa/extractor/candidate"
	"airqa/internal/lazyregexp"
	"airqa/internal/terminal"
	"airqa/qa"
	"airqa/tools"
)

// Viewer renders pages of papers.
type Viewer interface {
	View(ctx context.Context, paperID string, page int, box []float64) (qa.Image, error)
}

// PageConfig configures [Page].
type PageConfig struct {
	Title string
	// Viewer renders the places of the evidence; nil leaves out the images.
	Viewer Viewer
	// Titles are the titles of papers by id.
	Titles map[string]string
	// File is the name that the page proposes for the review file.
	File string
}

//go:embed page.html
var pageText string

//go:embed page.js
var pageScript string

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
	"line": terminal.Line, "safe": terminal.Safe,
	"words": func(name string) string { return strings.ReplaceAll(terminal.Line(name), "_", " ") },
	"deref": func(n *float64) float64 { return *n },
}).Parse(pageText))

// cells matches the HTML between the cells of a table.
var cells = lazyregexp.New(`\s*(<[^>]*>\s*)+`)

// margin is the space around a box in an image, in points.
const margin = 6

// pageData is the data of page.html.
type pageData struct {
	Title, File string
	Policy      string
	Script      template.JS
	Cards       []card
	Rows        []scriptRow
}

// scriptRow is what the script gets of a row. The evaluator is text so that its numbers keep their form.
type scriptRow struct {
	Entry     Entry  `json:"entry"`
	Evaluator string `json:"evaluator"`
}

// card is a row on the page.
type card struct {
	Entry
	Number    int
	Tags      []string
	Function  string
	Arguments string
	Gates     []candidate.Gate
	Places    []placeData
	Reviews   []candidate.Reviewed
}

// placeData is an evidence on the page: Before, Quote and After are the text around a quote.
type placeData struct {
	candidate.Evidence
	PaperTitle string
	Image      template.URL
	Width      int
	Height     int
	// Missing is the reason why there is no image.
	Missing string
}

// Page writes a page with a card per row. Everything is in the file: it loads nothing. Its script may not be changed
// without [pageData.Policy], which allows only this one.
func Page(ctx context.Context, w io.Writer, rows []Row, c PageConfig) error {
	sum := sha256.Sum256([]byte(pageScript))
	data := pageData{
		Title: c.Title, File: c.File, Script: template.JS(pageScript), //nolint:gosec // the program's own script
		Policy: "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-" +
			base64.StdEncoding.EncodeToString(sum[:]) + "'",
	}
	for i, r := range rows {
		made, err := c.card(ctx, r)
		if err != nil {
			return err
		}
		made.Number = i + 1
		data.Cards = append(data.Cards, made)
		evaluator, err := json.Marshal(made.Evaluator)
		if err != nil {
			return fmt.Errorf("question %s: %w", r.Example.UUID, err)
		}
		data.Rows = append(data.Rows, scriptRow{made.Entry, string(evaluator)})
	}
	var out bytes.Buffer
	if err := pageTemplate.Execute(&out, data); err != nil {
		return fmt.Errorf("make the review page: %w", err)
	}
	_, err := w.Write(out.Bytes())
	return err
}

func (c PageConfig) card(ctx context.Context, r Row) (card, error) {
	made := card{
		Entry: r.entry(), Tags: r.Example.Tags, Function: r.Example.Evaluator.Func, Gates: r.Synth.Gates, Reviews: r.Reviews,
	}
	var arguments bytes.Buffer
	if json.Indent(&arguments, r.Example.Evaluator.Kwargs, "", "  ") == nil {
		made.Arguments = arguments.String()
	}
	for _, e := range r.Synth.Evidence {
		p, err := c.place(ctx, e)
		if err != nil {
			return made, err
		}
		made.Places = append(made.Places, p)
	}
	return made, nil
}

// place renders the place of an evidence. A page that cannot be rendered is a note on the page.
func (c PageConfig) place(ctx context.Context, e candidate.Evidence) (placeData, error) {
	p := placeData{Evidence: e, PaperTitle: cmp.Or(c.Titles[e.Paper], e.Paper)}
	if e.Kind == candidate.Table {
		p.Quote = strings.TrimSpace(cells.ReplaceAllString(e.Quote, " | "))
	}
	if c.Viewer == nil || e.Page == 0 {
		return p, nil
	}
	var box []float64
	if len(e.Box) == 4 {
		box = []float64{
			max(float64(e.Box[0])-margin, 0), max(float64(e.Box[1])-margin, 0), float64(e.Box[2]) + 2*margin, float64(e.Box[3]) + 2*margin,
		}
	}
	im, err := c.Viewer.View(ctx, e.Paper, e.Page, box)
	var fault *tools.Fault
	switch {
	case errors.As(err, &fault):
		p.Missing = fault.Text
		return p, nil
	case err != nil:
		return p, fmt.Errorf("render page %d of paper %s: %w", e.Page, e.Paper, err)
	}
	url := "data:" + cmp.Or(im.MIME, "image/png") + ";base64," + base64.StdEncoding.EncodeToString(im.Data)
	p.Image = template.URL(url) //nolint:gosec // an image of ours
	p.Width, p.Height = im.Width, im.Height
	return p, nil
}
