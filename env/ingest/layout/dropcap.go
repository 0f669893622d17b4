package layout

import (
	"slices"
	"unicode"
)

// lowerInitials gives a drop cap, the large first letter of a paragraph that extends over several lines, the size and
// the baseline of the first of them. It removes the line break after it.
func lowerInitials(glyphs []Glyph) []Glyph {
	cloned := false
	for i := 0; i+1 < len(glyphs); i++ {
		next := i + 1
		for next+1 < len(glyphs) && unicode.IsSpace(glyphs[next].Rune) {
			next++
		}
		if !isInitial(glyphs[i], glyphs[next]) || i > 0 && follows(glyphs[i-1], glyphs[i]) {
			continue
		}
		if !cloned {
			glyphs, cloned = slices.Clone(glyphs), true
		}
		first := glyphs[next]
		g := &glyphs[i]
		g.Baseline, g.Size, g.Box.Y0, g.Box.Y1 = first.Baseline, first.Size, first.Box.Y0, first.Box.Y1
		if glyphs[i+1].Rune == '\n' {
			glyphs = slices.Delete(glyphs, i+1, i+2)
		}
	}
	return glyphs
}

// isInitial reports whether a capital is much larger than the next letter, starts its line and extends below it.
func isInitial(g, next Glyph) bool {
	const larger, widest = 1.7, 0.8 // in multiples of the text size
	drop, gap := g.Baseline-next.Baseline, next.Box.X0-g.Box.X1
	return unicode.IsUpper(g.Rune) && unicode.IsLetter(next.Rune) && finite(g) && finite(next) && g.Size > larger*next.Size &&
		drop > 0.7*next.Size && next.Baseline > g.Box.Y0 && gap > -0.3*next.Size && gap < widest*next.Size
}

// follows reports whether a letter directly follows another in a word.
func follows(before, g Glyph) bool {
	return unicode.IsLetter(before.Rune) && abs(before.Baseline-g.Baseline) < 0.3*g.Size && g.Box.X0-before.Box.X1 < 0.5*g.Size
}
