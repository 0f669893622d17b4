package floats

import (
	"cmp"
	"slices"

	"airqa/ingest/layout"
)

type item struct {
	Float
	table   bool
	lines   []layout.Line // of the caption
	caption layout.Box
	column  int
	reach   layout.Box // possible area of the image: the width of its column
	rows    []layout.Line
}

// captions collects the captions of a page in the order of their numbers. page may be nil.
func captions(doc *layout.Document, page *layout.Page) []item {
	if page == nil {
		return nil
	}
	byNumber := map[int]*item{}
	var numbers []int
	for _, l := range page.Lines {
		if l.Caption == 0 {
			continue
		}
		f := byNumber[l.Caption]
		if f == nil {
			f = &item{column: l.Column}
			f.Page = page.Number
			byNumber[l.Caption] = f
			numbers = append(numbers, l.Caption)
		}
		f.lines = append(f.lines, l)
		f.caption = f.caption.Union(l.Box)
	}
	out := make([]item, 0, len(numbers))
	for _, n := range numbers {
		f := byNumber[n]
		slices.SortStableFunc(f.lines, func(a, b layout.Line) int { return cmp.Compare(a.Baseline, b.Baseline) })
		f.Caption = doc.Joined(f.lines)
		f.Number, f.table, _ = layout.CaptionLabel(f.Caption)
		out = append(out, *f)
	}
	// By their arabic or roman numbers; others come first.
	slices.SortStableFunc(out, func(a, b item) int { return cmp.Compare(layout.Numeral(a.Number), layout.Numeral(b.Number)) })
	return out
}
