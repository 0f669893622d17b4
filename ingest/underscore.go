package ingest

import (
	"cmp"
	"math"
	"slices"
	"unicode"

	"airqa/env/pdf"
	"airqa/ingest/layout"
)

// Old TeX fonts have no underscore: it is a rule on the baseline, 0.3 em wide, which touches the letters beside it or
// other such rules.

// underscores adds an underscore to the glyphs for every such rule, and removes the spaces that PDFium infers around it.
func underscores(glyphs []layout.Glyph, shapes []layout.Shape) []layout.Glyph {
	const most = 1000 // rules of this size: more are those of a plot
	var rules []layout.Box
	for _, s := range shapes {
		if b := s.Box; s.Kind == pdf.Path && b.Height() < 0.9 && b.Width() > 1 && b.Width() < 9 && b.Width() > 3*b.Height() {
			rules = append(rules, b)
		}
	}
	if len(rules) > most {
		return glyphs
	}
	slices.SortFunc(rules, func(a, b layout.Box) int { return cmp.Compare(a.X0, b.X0) })
	for _, rule := range rules {
		place, beside := placeOf(glyphs, rule)
		if place < 0 {
			continue
		}
		g := glyphs[beside]
		g.Rune, g.Box, g.X, g.LineEnd, g.Unmapped = '_', rule, rule.X0, false, false
		glyphs = slices.Insert(glyphs, place, g)
		glyphs = withoutSpace(withoutSpace(glyphs, place+1), place-1)
	}
	return glyphs
}

// withoutSpace removes the space at an index if there is no room for one.
func withoutSpace(glyphs []layout.Glyph, at int) []layout.Glyph {
	if at < 1 || at+1 >= len(glyphs) || glyphs[at].Rune != ' ' {
		return glyphs
	}
	before, after := glyphs[at-1], glyphs[at+1]
	if gap := after.Box.X0 - before.Box.X1; gap > 0.2*before.Size || gap < -before.Size {
		return glyphs
	}
	return slices.Delete(glyphs, at, at+1)
}

// placeOf returns the index of the glyph that a rule is before, and that of a glyph on the same baseline that ends at its left,
// or else begins at its right; -1 if there is none.
func placeOf(glyphs []layout.Glyph, rule layout.Box) (place, beside int) {
	place, beside = -1, -1
	for i, g := range glyphs {
		onBaseline := math.Abs(rule.Y1-g.Baseline) < 0.06*g.Size && g.Angle == 0
		if !onBaseline || rule.Width() < 0.25*g.Size || rule.Width() > 0.45*g.Size {
			continue
		}
		touching := func(gap float64) bool { return gap > -0.1*g.Size && gap < 0.16*g.Size }
		switch {
		case !unicode.In(g.Rune, unicode.L, unicode.Nd, unicode.P):
		case touching(rule.X0 - g.Box.X1):
			place, beside = i+1, i
		case touching(g.Box.X0-rule.X1) && beside < 0:
			place, beside = i, i
		}
	}
	return place, beside
}
