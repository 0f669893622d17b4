// Package floats finds the figures and tables of a paper: their captions, their areas, and the cells of tables. Start
// from [Find].
//
// It takes laid-out pages and uses no PDF library. All coordinates are points from the top left of the page as
// displayed.
package floats

import (
	"slices"

	"airqa/ingest/layout"
)

// Float is a figure or a table.
type Float struct {
	// Number is that of its caption: "3", "IV".
	Number, Caption string
	// Page counts from 1.
	Page int
	Box  layout.Box
	// Sure is false if neither shapes nor rows were found near the caption. Box is then the space between the caption
	// and the text around it, or the caption itself.
	Sure bool
	// HTML is the table's content: rows and columns, or one paragraph per row; empty for figures and for tables without
	// text.
	HTML string
}

// Floats are the figures and tables of a paper, ordered by page and number.
type Floats struct {
	Figures, Tables []Float
}

// Find matches the captions of a paper with the shapes near them.
func Find(doc *layout.Document) Floats {
	var views []*pageView
	above, below := 0, 0
	for i := range doc.Pages {
		for _, page := range []*layout.Page{&doc.Pages[i], doc.Pages[i].Aside} {
			items := captions(doc, page)
			if len(items) == 0 {
				continue
			}
			v := &pageView{page: page, aside: page != &doc.Pages[i], items: items, bodySize: doc.BodySize, frames: frames(page)}
			up, down := v.sides()
			above, below = above+up, below+down
			views = append(views, v)
		}
	}
	var out Floats
	for _, v := range views {
		v.captionsBelow = above > below
		v.pair()
		for _, f := range v.items {
			if f.table {
				if f.HTML = tableHTML(f.rows); f.HTML == "" {
					f.HTML = proseHTML(doc, f.rows, f.Box)
				}
			}
			f.Box = clip(f.Box, layout.Box{X1: v.page.Width, Y1: v.page.Height})
			if v.aside {
				f.Box = v.page.AsShown(f.Box)
			}
			if f.table {
				out.Tables = append(out.Tables, f.Float)
			} else {
				out.Figures = append(out.Figures, f.Float)
			}
		}
	}
	return out
}

// MarkRows makes each line in a figure or a table, and the line after it, begin a row, since cells and labels are not
// sentences. Call it after reading the structure of the paper.
func (f Floats) MarkRows(doc *layout.Document) {
	regions := f.Regions()
	for _, p := range doc.Pages {
		after := false
		for i := range p.Lines {
			l := &p.Lines[i]
			inside := slices.ContainsFunc(regions[p.Number], func(b layout.Box) bool { return b.Holds(l.Box) })
			if l.Role != layout.Body && l.Role != layout.Sideways {
				inside = false
			}
			l.Break = l.Break || inside || after
			after = inside
		}
	}
}

// Regions returns the areas of figures and tables by page.
func (f Floats) Regions() map[int][]layout.Box {
	out := map[int][]layout.Box{}
	for _, list := range [][]Float{f.Figures, f.Tables} {
		for _, one := range list {
			if one.Sure {
				out[one.Page] = append(out[one.Page], one.Box)
			}
		}
	}
	return out
}
