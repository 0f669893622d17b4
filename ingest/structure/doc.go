// Package structure finds the parts of a paper in its lines: title, abstract, sections, equations and references. Start
// from [Read] and [Paper]. Figures and tables are in ingest/floats.
//
// It takes plain structs and opens no PDF. Most papers have LaTeX anchors and an outline. They are used where they
// agree with the page; rules on font style and numbering fill the gaps. All coordinates are points from the top left of
// the page as displayed.
package structure

import (
	"slices"

	"airqa/env/pdf"
	"airqa/ingest/layout"
)

// Source is the input of [Read].
type Source struct {
	Doc     *layout.Document
	Anchors []pdf.Anchor
	Outline []pdf.Heading
	// Title and Author are those in the file's metadata; they may be empty.
	Title, Author string
	// Regions are the areas of figures and tables by page. They contain no running text.
	Regions map[int][]layout.Box
}

// Paper has the parts of a paper, each list in reading order.
type Paper struct {
	Title, Abstract string
	Sections        []Section
	Equations       []Equation
	References      []Reference
}

// Section is a heading with its text, including subsections.
type Section struct {
	Title string
	// Heading is number and title as printed: "IV. Results".
	Heading string
	// Level is 1 for a section, 2 for a subsection and so on.
	Level int
	// Text has one paragraph per line, without captions, footnotes and the content of figures and tables.
	Text string
	// Pages are the section's pages, ascending; the first is that of its heading.
	Pages []int
}

// Equation is a numbered formula.
type Equation struct {
	// Number has no parentheses.
	Number string
	// Text is the extracted glyphs: a PDF contains no LaTeX.
	Text string
	Page int
	Box  layout.Box
}

// Reference is an entry of the bibliography.
type Reference struct {
	Text string
	Page int
}

// paperReader is the shared state of the steps.
type paperReader struct {
	Source
	flow    []layout.Line   // the running text, in reading order
	ours    []*layout.Line  // the same lines in the document
	heads   []heading       // in the order of flow
	italics map[string]bool // cache by font
	leading float64         // the usual distance between two lines, 0 if not yet known
	listAt  int             // the first line of a bibliography without a heading, at the end of flow; 0 for none
	// complete means that most of the outline is printed where it points. It then contains all headings of its kind.
	complete bool
}

// Read finds the parts of a paper. It marks the entries of the bibliography in the document's lines: Break on their
// first lines, Joins on the others.
func Read(s Source) Paper {
	r := &paperReader{Source: s, italics: map[string]bool{}}
	for _, p := range r.Doc.Pages {
		for i, l := range p.Lines {
			if l.Role == layout.Body && !r.inRegion(l) {
				r.flow = append(r.flow, l)
				r.ours = append(r.ours, &p.Lines[i])
			}
		}
	}
	r.findHeadings()
	if !slices.ContainsFunc(r.heads, isBibliography) {
		r.findBibliography()
	}
	p := Paper{Title: r.title(), Abstract: r.abstract()}
	p.References = r.references()
	p.Sections = r.sections()
	p.Equations = r.equations()
	return p
}

func (r *paperReader) inRegion(l layout.Line) bool {
	return slices.ContainsFunc(r.Regions[l.Page], func(box layout.Box) bool {
		return box.Holds(l.Box) && l.Box.OverlapX(box) > 0.5*l.Box.Width()
	})
}
