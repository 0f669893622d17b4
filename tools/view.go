package tools

import (
	"context"
	"fmt"

	"airqa/agent/action"
	"airqa/qa"
)

// View returns an image of a page, or of a box on it: View(paper_id, page_number, bounding_box=[]).
type View struct {
	From Viewer
	Texts
}

// Spec describes View.
func (t View) Spec() action.Spec {
	return action.Spec{Name: "View", Text: t.of("view"), Params: []action.Param{
		{Name: "paper_id", Kind: action.Str, Required: true},
		{Name: "page_number", Kind: action.Int, Required: true},
		{Name: "bounding_box", Kind: action.Floats, Default: []any{}},
	}}
}

// Call renders the page.
func (t View) Call(ctx context.Context, a qa.Action) (qa.Observation, error) {
	paper, _ := a.Args["paper_id"].(string)
	page, ok := a.Args["page_number"].(int64)
	box, ok2 := numbers(a.Args["bounding_box"])
	if !ok || !ok2 {
		return refuse("page_number must be an integer that fits a page, and bounding_box a list of numbers."), nil
	}
	im, err := t.From.View(ctx, paper, int(page), box)
	if err != nil {
		return failed(err)
	}
	text := fmt.Sprintf("Page %d of paper %s, %d x %d pixels.", im.Page, im.PaperID, im.Width, im.Height)
	if len(im.Box) > 0 {
		text = fmt.Sprintf("Box %s of page %d of paper %s, %d x %d pixels.", JSONValue(im.Box), im.Page, im.PaperID, im.Width, im.Height)
	}
	return qa.Observation{Status: qa.StatusOK, Text: text, Images: []qa.Image{im}, Touched: &qa.Touched{
		Papers: []string{im.PaperID}, Pages: []qa.PaperPage{{PaperID: im.PaperID, Page: im.Page, Box: im.Box}},
	}}, nil
}

func numbers(v any) ([]float64, bool) {
	list, ok := v.([]any)
	if !ok {
		return nil, v == nil
	}
	var out []float64
	for _, x := range list {
		switch n := x.(type) {
		case int64:
			out = append(out, float64(n))
		case float64:
			out = append(out, n)
		default:
			return nil, false
		}
	}
	return out, true
}
