// Package layouttest lays out text on pages for tests. It produces the glyphs and shapes that a PDF would provide.
// Start from [NewPage].
package layouttest

import (
	"airqa/env/pdf"
	"airqa/ingest/layout"
)

// Fonts for tests, with TeX's names.
const (
	Roman  = "NimbusRomNo9L-Regu"
	Bold   = "NimbusRomNo9L-Medi"
	Italic = "NimbusRomNo9L-ReguItal"
	Math   = "CMMI10"
)

// Advance is the width of every character as a fraction of the size.
const Advance = 0.5

// Page is a US letter page, 612 by 792 points.
type Page struct {
	layout.Input
}

// NewPage returns an empty page.
func NewPage() *Page { return &Page{layout.Input{Sheet: layout.Sheet{Width: 612, Height: 792}}} }

// Set adds a line of text with its origin at x and baseline. A trailing hyphen breaks a word.
func (p *Page) Set(x, baseline, size float64, font, text string) *Page {
	runes := []rune(text)
	for i, r := range runes {
		g := layout.Glyph{Rune: r, X: x, Baseline: baseline, Size: size, Font: font}
		if r != ' ' {
			g.Box = layout.Box{X0: x, Y0: baseline - 0.7*size, X1: x + Advance*size, Y1: baseline}
		}
		g.LineEnd = r == '-' && i == len(runes)-1
		p.Glyphs = append(p.Glyphs, g)
		x += Advance * size
	}
	p.Glyphs = append(p.Glyphs, layout.Glyph{Rune: '\n'})
	return p
}

// Lines adds lines of 10-point text, 12 points apart, starting at baseline. It returns the baseline after the last.
func (p *Page) Lines(x, baseline float64, lines ...string) float64 {
	for _, l := range lines {
		p.Set(x, baseline, 10, Roman, l)
		baseline += 12
	}
	return baseline
}

// Rule draws a thin horizontal line.
func (p *Page) Rule(x0, x1, y float64) *Page {
	return p.Shape(pdf.Path, layout.Box{X0: x0, Y0: y, X1: x1, Y1: y + 0.4})
}

// Shape adds a shape.
func (p *Page) Shape(kind pdf.ShapeKind, box layout.Box) *Page {
	p.Shapes = append(p.Shapes, layout.Shape{Kind: kind, Box: box})
	return p
}

// Analyze lays out pages.
func Analyze(pages ...*Page) *layout.Document {
	inputs := make([]layout.Input, len(pages))
	for i, p := range pages {
		inputs[i] = p.Input
	}
	return layout.Analyze(inputs)
}
