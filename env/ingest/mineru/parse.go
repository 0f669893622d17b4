package mineru

import (
	"encoding/json"
	"fmt"
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

// Parse reads the files: tables and figures from middle.json, equations from content_list.json, or from middle.json without
// one. It never fails; see Problems.
func (o Output) Parse() Paper {
	p := Paper{Pages: map[int]Page{}}
	var pages document
	p.Floats = o.decode(middleName, o.middle, &pages) && o.shaped(pages)
	if p.Floats {
		for _, page := range pages.Info {
			p.add(page)
		}
	} else {
		o.problem("without %s, figures and tables are those found without MinerU", middleName)
	}
	var items []item
	switch {
	case o.decode(contentName, o.content, &items):
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

// item is an entry of content_list.json.
type item struct {
	Type string `json:"type"`
	Text string `json:"text"`
	Page int    `json:"page_idx"` // from 0
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
