package mineru

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Box is [x0, y0, x1, y1] in points from the top left of a page with MinerU's page size.
type Box [4]float64

// Page is MinerU's size of a page in points; zero if unknown.
type Page struct{ Width, Height float64 }

// Float is a figure or a table.
type Float struct {
	Page int // from 1
	// Caption includes the footnotes of a table.
	Caption string
	// HTML has the cells of a table, and is empty if MinerU found none, and for figures.
	HTML string
	Box  Box
}

// Equation is a displayed equation in LaTeX between $$.
type Equation struct {
	Page  int // from 1
	LaTeX string
}

// Paper is the content of an output, in reading order.
type Paper struct {
	Pages           map[int]Page // by number from 1
	Tables, Figures []Float
	// Floats and Formulas report whether tables and figures, and equations could be read at all. If not, an empty list
	// says nothing about the paper.
	Floats, Formulas bool
	Equations        []Equation
	// Problems lists missing, broken or odd data, one line each.
	Problems []string
}

// Parse reads tables and figures from middle.json and equations from content_list.json. If one file is missing, it
// reads everything from the other. It never fails; see Problems.
func (o Output) Parse() Paper {
	p := Paper{Pages: map[int]Page{}}
	var pages document
	p.Floats = o.decode(middleName, o.middle, &pages) && o.shaped(pages)
	if p.Floats {
		for _, page := range pages.Info {
			p.add(page)
		}
		for _, page := range pages.Pages {
			p.add4(page)
		}
	}
	var items []item
	whole := o.decode(contentName, o.content, &items)
	if !p.Floats {
		if p.Floats = whole && slices.ContainsFunc(items, func(it item) bool { return len(it.Box) == 4 }); p.Floats {
			p.addItems(items)
		} else {
			o.problem("%s is missing: figures and tables come from the PDF instead", middleName)
		}
	}
	switch {
	case whole:
		p.Formulas, p.Equations = true, equations(items)
	case p.Floats:
		p.Formulas = true
		if pages.Info == nil {
			break // MinerU 4 writes one file
		}
		o.problem("%s is missing: equations come from %s instead", contentName, middleName)
	}
	p.Problems = append(o.problems, p.Problems...)
	return p
}

// decode reports whether a file exists and is valid.
func (o *Output) decode(name string, data []byte, into any) bool {
	if data == nil {
		return false
	}
	if err := json.Unmarshal(data, into); err != nil {
		o.problem("%s is invalid: %v", name, err)
		return false
	}
	return true
}

// shaped reports whether middle.json has pages at all.
func (o *Output) shaped(d document) bool {
	known := d.Info != nil || d.Pages != nil && d.Whole != nil
	if !known {
		o.problem("%s has no pages", middleName)
	}
	return known
}

// item is an entry of content_list.json. MinerU 2 added boxes, in thousandths of the page.
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

// thousandths is the size of a page in units of boxes that are relative to it.
const thousandths = 1000

func (p *Paper) addItems(items []item) {
	for _, it := range items {
		captions := slices.Concat(it.TableCaption, it.TableFootnote, it.ImageCaption, it.ChartCaption)
		f := Float{Page: it.Page + 1, Caption: strings.Join(captions, " "), HTML: it.TableBody, Box: join(Box{}, it.Box)}
		if p.addFloat(it.Type, it.Type, f) {
			p.Pages[f.Page] = Page{thousandths, thousandths}
		}
	}
}

// addFloat adds a table or a figure by the type of its block, called name in a problem. It reports whether it is one.
func (p *Paper) addFloat(kind, name string, f Float) bool {
	switch kind {
	case "table":
		f.HTML = bareTable(f.HTML)
		p.Tables = append(p.Tables, f)
	case "image", "chart":
		f.HTML = ""
		p.Figures = append(p.Figures, f)
	default:
		return false
	}
	if f.Box == (Box{}) {
		p.Problems = append(p.Problems, fmt.Sprintf("MinerU: a %s on page %d has no box", name, f.Page))
	}
	return true
}

func equations(items []item) []Equation {
	var found Paper
	for _, it := range items {
		if it.Type == "equation" {
			found.addEquation(it.Page+1, it.Text)
		}
	}
	return found.Equations
}

// addEquation adds a displayed equation, unless it is empty. Its LaTeX may be between $$.
func (p *Paper) addEquation(page int, latex string) {
	latex = strings.TrimSpace(latex)
	if latex == "" {
		return
	}
	if !strings.HasPrefix(latex, "$$") {
		latex = fmt.Sprintf("$$\n%s\n$$", latex)
	}
	p.Equations = append(p.Equations, Equation{Page: page, LaTeX: latex})
}

// bareTable extracts a table from an HTML page.
func bareTable(html string) string {
	from, to := strings.Index(html, "<table"), strings.LastIndex(html, "</table>")
	if from < 0 || to < from {
		return strings.TrimSpace(html)
	}
	return html[from : to+len("</table>")]
}
