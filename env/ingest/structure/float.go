package structure

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"airqa/env/ingest/layout"
)

// float is a caption and what belongs to it.
type float struct {
	Float
	table   bool
	lines   []layout.Line // of the caption
	caption layout.Box
	column  int
	reach   layout.Box // where its picture may stand: the width of its column
	rows    []layout.Line
}

var captionLabel = regexp.MustCompile(`^(?i:(figure|fig\.?|table|tab\.))\s*([A-Z]?\.?\d+(?:\.\d+)*|[IVXLC]+)\s*[.:|]?\s*`)

// findFloats gathers the captions of all pages and pairs them with what is drawn.
func (r *paperReader) findFloats() {
	r.regions = map[int][]layout.Box{}
	var views []*pageView
	above, below := 0, 0
	for i := range r.Doc.Pages {
		page := &r.Doc.Pages[i]
		if floats := r.captions(page); len(floats) > 0 {
			v := &pageView{page: page, floats: floats, bodySize: r.Doc.BodySize, frames: frames(page)}
			up, down := v.sides()
			above, below = above+up, below+down
			views = append(views, v)
		}
	}
	for _, v := range views {
		v.captionsBelow = above > below
		v.pair()
		for _, f := range v.floats {
			if f.Sure {
				r.regions[f.Page] = append(r.regions[f.Page], f.Box)
			}
			r.floats = append(r.floats, f)
		}
	}
}

func (r *paperReader) captions(page *layout.Page) []float {
	byNumber := map[int]*float{}
	var numbers []int
	for _, l := range page.Lines {
		if l.Caption == 0 {
			continue
		}
		f := byNumber[l.Caption]
		if f == nil {
			f = &float{column: l.Column}
			f.Page = page.Number
			byNumber[l.Caption] = f
			numbers = append(numbers, l.Caption)
		}
		f.lines = append(f.lines, l)
		f.caption = f.caption.Union(l.Box)
	}
	out := make([]float, 0, len(numbers))
	for _, n := range numbers {
		f := byNumber[n]
		slices.SortStableFunc(f.lines, func(a, b layout.Line) int { return cmp.Compare(a.Baseline, b.Baseline) })
		r.label(f)
		out = append(out, *f)
	}
	slices.SortStableFunc(out, func(a, b float) int { return cmp.Compare(a.rank(), b.rank()) })
	return out
}

// rank orders the captions of a page by their numbers; those without stay in front.
func (f *float) rank() int {
	if n, err := strconv.Atoi(f.Number); err == nil {
		return n
	}
	return roman(f.Number)
}

// label parts "Figure 3: The model" into its kind, number and text.
func (r *paperReader) label(f *float) {
	text := r.Doc.Joined(f.lines)
	m := captionLabel.FindStringSubmatch(text)
	if m == nil {
		f.Caption = text
		return
	}
	f.table = strings.HasPrefix(strings.ToLower(m[1]), "t")
	f.Number = m[2]
	f.Caption = text
}

// figuresAndTables parts the floats, in the order of pages and of their place on them.
func (r *paperReader) figuresAndTables() (figures, tables []Float) {
	for _, f := range r.floats {
		if f.table {
			f.HTML = tableHTML(f.rows)
			tables = append(tables, f.Float)
		} else {
			figures = append(figures, f.Float)
		}
	}
	return figures, tables
}
