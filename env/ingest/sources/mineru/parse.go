package mineru

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Box is [x0, y0, x1, y1] in points from the top left of a page of the size that MinerU saw.
type Box [4]float64

// Page is the size that MinerU saw a page in, in points; zero when it did not say.
type Page struct{ Width, Height float64 }

// Table is a table with the text of its caption and footnotes, and its cells in HTML, which is empty when MinerU read none.
type Table struct {
	Page          int // from 1
	Caption, HTML string
	Box           Box
}

// Figure is a figure with its caption.
type Figure struct {
	Page    int // from 1
	Caption string
	Box     Box
}

// Equation is a displayed equation in LaTeX between $$.
type Equation struct {
	Page  int // from 1
	LaTeX string
}

// Paper is what an output says of a paper, in reading order.
type Paper struct {
	Pages   map[int]Page // by number from 1
	Tables  []Table
	Figures []Figure
	// Floats and Formulas tell whether tables and figures, and equations could be read at all: without, none in the list says
	// nothing about the paper.
	Floats, Formulas bool
	Equations        []Equation
	// Problems are what was missing, broken or odd, one line each.
	Problems []string
}

// Parse reads the files: tables and figures from middle.json, equations from content_list.json, and either kind from the other
// file without the one. It never fails; see Problems.
func (o Output) Parse() Paper {
	p := Paper{Pages: map[int]Page{}}
	var pages document
	p.Floats = o.decode(middleName, o.middle, &pages) && o.shaped(pages)
	if p.Floats {
		for _, page := range pages.Info {
			p.add(page)
		}
	}
	var items []item
	whole := o.decode(contentName, o.content, &items)
	if !p.Floats {
		if p.Floats = whole && boxed(items); p.Floats {
			p.addItems(items)
		} else {
			o.problem("without %s, figures and tables are those found without MinerU", middleName)
		}
	}
	switch {
	case whole:
		p.Formulas, p.Equations = true, equations(items)
	case p.Floats:
		p.Formulas = true
		o.problem("without %s, equations are those of %s", contentName, middleName)
	}
	p.Problems = append(o.problems, p.Problems...)
	return p
}

// decode tells whether a file is there and whole.
func (o *Output) decode(name string, data []byte, into any) bool {
	if data == nil {
		return false
	}
	if err := json.Unmarshal(data, into); err != nil {
		o.problem("%s is broken: %v", name, err)
		return false
	}
	return true
}

// shaped tells whether middle.json has pages at all.
func (o *Output) shaped(d document) bool {
	if d.Info == nil {
		o.problem("%s has no pdf_info", middleName)
	}
	return d.Info != nil
}

// item is an entry of content_list.json. Boxes came with MinerU 2, in thousandths of the page.
type item struct {
	Type          string    `json:"type"`
	Text          string    `json:"text"`
	Page          int       `json:"page_idx"` // from 0
	Box           []float64 `json:"bbox"`
	TableBody     string    `json:"table_body"`
	TableCaption  []string  `json:"table_caption"`
	TableFootnote []string  `json:"table_footnote"`
	ImageCaption  []string  `json:"image_caption"`
	ChartCaption  []string  `json:"chart_caption"`
}

func boxed(items []item) bool {
	return slices.ContainsFunc(items, func(it item) bool { return len(it.Box) == 4 })
}

// addItems takes the tables and figures of content_list.json.
func (p *Paper) addItems(items []item) {
	const thousandths = 1000
	for _, it := range items {
		number, at := it.Page+1, join(Box{}, it.Box)
		switch it.Type {
		case "table":
			caption := strings.Join(slices.Concat(it.TableCaption, it.TableFootnote), " ")
			p.Tables = append(p.Tables, Table{Page: number, Caption: caption, HTML: bareTable(it.TableBody), Box: at})
		case "image", "chart":
			caption := strings.Join(slices.Concat(it.ImageCaption, it.ChartCaption), " ")
			p.Figures = append(p.Figures, Figure{Page: number, Caption: caption, Box: at})
		default:
			continue
		}
		p.Pages[number] = Page{thousandths, thousandths}
		if at == (Box{}) {
			p.Problems = append(p.Problems, fmt.Sprintf("MinerU: a %s on page %d has no box", it.Type, number))
		}
	}
}

// bareTable cuts the rest of an HTML page off a table.
func bareTable(html string) string {
	from, to := strings.Index(html, "<table"), strings.LastIndex(html, "</table>")
	if from < 0 || to < from {
		return strings.TrimSpace(html)
	}
	return html[from : to+len("</table>")]
}

func equations(items []item) []Equation {
	var found []Equation
	for _, it := range items {
		if latex := displayed(it.Text); it.Type == "equation" && latex != "" {
			found = append(found, Equation{Page: it.Page + 1, LaTeX: latex})
		}
	}
	return found
}

// displayed puts LaTeX between $$, unless it is.
func displayed(latex string) string {
	latex = strings.TrimSpace(latex)
	if latex == "" || strings.HasPrefix(latex, "$$") {
		return latex
	}
	return fmt.Sprintf("$$\n%s\n$$", latex)
}
