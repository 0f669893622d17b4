// Package structure finds the parts of a paper in its laid out lines: title, abstract, sections, equations and
// references. Start from [Read] and [Paper]. Figures and tables are env/ingest/floats.
//
// It takes plain structs and knows no PDF library. LaTeX leaves anchors and an outline in most papers; they are
// believed where they agree with the page, and rules on print and numbering fill in where they are missing. All
// coordinates are points from the top left of the page as shown.
package structure

import "airqa/env/ingest/layout"

// Anchor is a named place, such as "section.3" or "cite.Vaswani2017".
type Anchor struct {
	Name string
	// Page counts from 1.
	Page int
	X, Y float64
}

// Entry is an entry of the outline.
type Entry struct {
	Title string
	// Level counts from 1. Page counts from 1, 0 for none. Y is 0 when unknown.
	Level, Page int
	Y           float64
}

// Source is what the parts are found in.
type Source struct {
	Doc     *layout.Document
	Anchors []Anchor
	Outline []Entry
	// Title is what the file's metadata gives, possibly empty.
	Title string
	// Regions are what figures and tables take up, by page: no running text.
	Regions map[int][]layout.Box
}

// Paper is the parts of a paper, each list in reading order.
type Paper struct {
	Title, Abstract string
	Sections        []Section
	Equations       []Equation
	References      []Reference
}

// Section is a heading with what follows it, its subsections included.
type Section struct {
	// Number is as printed, without a final dot: "3.1", "IV", "A"; empty for an unnumbered one.
	Number, Title string
	// Heading is number and title as printed: "IV. Results".
	Heading string
	// Level is 1 for a section, 2 for a subsection and so on.
	Level int
	// Text is a paragraph a row, without captions, footnotes and what stands in figures and tables.
	Text string
	// Pages are those that it touches, ascending; the first is that of its heading.
	Pages []int
}

// Equation is a numbered formula.
type Equation struct {
	// Number is without its parentheses.
	Number string
	// Text is the glyphs as extracted: a PDF holds no LaTeX.
	Text string
	Page int
	Box  layout.Box
}

// Reference is an entry of the bibliography.
type Reference struct {
	Text string
	Page int
}

// paperReader carries what the steps share.
type paperReader struct {
	Source
	flow    []layout.Line   // the running text, in reading order
	ours    []*layout.Line  // the same lines in the document
	heads   []heading       // in the order of flow
	italics map[string]bool // fonts judged
	// complete is set when most of the outline is printed where it says: it then names all headings that look like its own.
	complete bool
}

// Read finds the parts of a paper. In the lines of the document it marks the entries of the bibliography: Break on
// their first lines, Joins on the others.
func Read(s Source) Paper {
	r := &paperReader{Source: s, italics: map[string]bool{}}
	r.findFlow()
	r.findHeadings()
	p := Paper{Title: r.title(), Abstract: r.abstract()}
	p.References = r.references()
	p.Sections = r.sections()
	p.Equations = r.equations()
	return p
}

// findFlow takes the lines of the body that stand outside figures and tables.
func (r *paperReader) findFlow() {
	for _, p := range r.Doc.Pages {
		for i, l := range p.Lines {
			if l.Role == layout.Body && !r.inRegion(l) {
				r.flow = append(r.flow, l)
				r.ours = append(r.ours, &p.Lines[i])
			}
		}
	}
}

func (r *paperReader) inRegion(l layout.Line) bool {
	for _, box := range r.Regions[l.Page] {
		if box.Holds(l.Box) && l.Box.OverlapX(box) > 0.5*l.Box.Width() {
			return true
		}
	}
	return false
}
