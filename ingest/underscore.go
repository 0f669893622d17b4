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
	if len(rules) == 0 || len(rules) > most {
		return glyphs
	}
	slices.SortFunc(rules, func(a, b layout.Box) int { return cmp.Compare(a.X0, b.X0) })
	at := map[int][]layout.Glyph{} // underscores by the index of the glyph that they are before
	for _, r := range rules {
		if place, beside := placeOf(glyphs, r, at); place >= 0 {
			g := glyphs[beside]
			g.Rune, g.Box, g.X, g.LineEnd, g.Unmapped = '_', r, r.X0, false, false
			at[place] = append(at[place], g)
		}
	}
	if len(at) == 0 {
		return glyphs
	}
	return inserted(glyphs, at)
}

// placeOf returns the index of the glyph that a rule is before, and that of a glyph on the same baseline that ends at its left,
// maybe with other rules, or else begins at its right; -1 if there is none.
func placeOf(glyphs []layout.Glyph, rule layout.Box, at map[int][]layout.Glyph) (place, beside int) {
	place, beside = -1, -1
	for i, g := range glyphs {
		onBaseline := math.Abs(rule.Y1-g.Baseline) < 0.06*g.Size && g.Angle == 0
		if !onBaseline || rule.Width() < 0.25*g.Size || rule.Width() > 0.45*g.Size || !touches(g.Rune) {
			continue
		}
		end := g.Box.X1
		if before := at[i+1]; len(before) > 0 {
			end = before[len(before)-1].Box.X1
		}
		touching := func(gap float64) bool { return gap > -0.1*g.Size && gap < 0.16*g.Size }
		switch {
		case touching(rule.X0 - end):
			place, beside = i+1, i
		case touching(g.Box.X0-rule.X1) && beside < 0:
			place, beside = i, i
		}
	}
	return place, beside
}

// touches reports whether a character may stand beside an underscore.
func touches(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsPunct(r) }

// inserted returns the glyphs with underscores before some of them, and without spaces that these leave no room for.
func inserted(glyphs []layout.Glyph, at map[int][]layout.Glyph) []layout.Glyph {
	out := make([]layout.Glyph, 0, len(glyphs)+len(at))
	for i, g := range glyphs {
		out = append(out, at[i]...)
		if g.Rune == ' ' && len(out) > 0 && i+1 < len(glyphs) {
			a, b := out[len(out)-1], glyphs[i+1]
			if len(at[i+1]) > 0 {
				b = at[i+1][0]
			}
			if (a.Rune == '_' || b.Rune == '_') && b.Box.X0-a.Box.X1 < 0.2*a.Size && b.Box.X0-a.Box.X1 > -a.Size {
				continue
			}
		}
		out = append(out, g)
	}
	return append(out, at[len(glyphs)]...)
}
