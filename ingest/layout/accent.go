package layout

import (
	"slices"
	"unicode"
)

// spacing maps the accents that old TeX fonts print over a letter to combining marks. Unicode classifies some of them
// as letters, so this table alone defines accents.
var spacing = map[rune]rune{
	'\u00b4': 0x301, '`': 0x300, '\u00a8': 0x308, '\u02c6': 0x302, '\u02dc': 0x303, '\u02c7': 0x30C, '\u00b8': 0x327,
	'\u02da': 0x30A, '\u02d8': 0x306, '\u02d9': 0x307, '\u02dd': 0x30B, '\u00af': 0x304, '\u02db': 0x328,
	'^': 0x302, '~': 0x303, '\u02c9': 0x304, '\u02ca': 0x301, '\u02cb': 0x300,
}

// dotted maps dotless letters to the base letters of accents.
var dotted = map[rune]rune{'ı': 'i', 'ȷ': 'j'}

// combining returns the combining mark of an accent, or 0 for other runes.
func combining(r rune) rune {
	if r >= 0x300 && r <= 0x36f {
		return r
	}
	return spacing[r]
}

// attachAccents moves every accent that is printed over a letter after that letter, as a combining mark. In the file,
// the accent may come before its letter, after it, or anywhere else on the page.
func attachAccents(glyphs []Glyph) []Glyph {
	marks, moved := map[int][]rune{}, map[int]bool{}
	for i, g := range glyphs {
		if combining(g.Rune) == 0 || !finite(g) {
			continue
		}
		if at := letterUnder(glyphs, i); at >= 0 {
			marks[at], moved[i] = append(marks[at], combining(g.Rune)), true
		}
	}
	if len(moved) == 0 {
		return glyphs
	}
	return composed(glyphs, marks, moved)
}

// composed returns the glyphs with the marks after their letters, and without the moved glyphs and the spaces next to
// them.
func composed(glyphs []Glyph, marks map[int][]rune, moved map[int]bool) []Glyph {
	out := make([]Glyph, 0, len(glyphs))
	for i, g := range glyphs {
		beside := g.Rune == ' ' && (moved[i-1] || moved[i+1])
		if moved[i] || beside && !apartAround(glyphs, moved, i) {
			continue
		}
		if base := dotted[g.Rune]; base != 0 && len(marks[i]) > 0 {
			g.Rune = base
		}
		out = append(out, g)
		for _, mark := range marks[i] {
			g.Rune = mark
			out = append(out, g)
		}
	}
	return out
}

// letterUnder returns the index of the letter below an accent, or -1, as for a quotation mark.
func letterUnder(glyphs []Glyph, accent int) int {
	a := glyphs[accent]
	best, most := -1, 0.0
	for i, g := range glyphs {
		if !unicode.IsLetter(g.Rune) || combining(g.Rune) != 0 || abs(g.Baseline-a.Baseline) > 0.35*a.Size || abs(g.Size-a.Size) > 0.1*a.Size {
			continue
		}
		overlap := g.Box.OverlapX(a.Box)
		if overlap > 0.5*min(g.Box.Width(), a.Box.Width()) && overlap > most {
			best, most = i, overlap
		}
	}
	return best
}

// apartAround reports whether the letters on both sides of a space next to a moved accent are apart. Otherwise the
// space exists only because of the accent.
func apartAround(glyphs []Glyph, moved map[int]bool, space int) bool {
	before, after := space-1, space+1
	for before >= 0 && (moved[before] || glyphs[before].Rune == ' ') {
		before--
	}
	for after < len(glyphs) && (moved[after] || glyphs[after].Rune == ' ') {
		after++
	}
	if before < 0 || after >= len(glyphs) {
		return true
	}
	a, b := glyphs[before], glyphs[after]
	gap := b.Box.X0 - a.Box.X1
	return slices.Contains([]rune{a.Rune, b.Rune}, '\n') || gap > 0.15*a.Size || gap < -a.Size || abs(a.Baseline-b.Baseline) > 0.5*a.Size
}
