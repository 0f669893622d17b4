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

// slash negates a relation.
const slash = 0x338

// overprinted maps a sign and the relation or letter that old TeX fonts print it over or above to one character.
var overprinted = map[rune]map[rune]rune{
	0x335: {'L': 'Ł', 'l': 'ł'}, '∼': {'=': '≅'}, '↦': {'→': '↦'}, '˙': {'=': '≐'}, '△': {'=': '≜'}, '−': {'∪': '⊌'},
	'/': {'∈': '∉', '=': '≠'},
}

// lowMarks maps marks that are printed under letters.
var lowMarks = map[rune]rune{',': 0x326, '.': 0x323}

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
// the accent may come before its letter, after it, or anywhere else on the page. The same holds for signs printed over
// relations.
func attachAccents(glyphs []Glyph) []Glyph {
	marks, moved := map[int][]rune{}, map[int]bool{}
	for i, g := range glyphs {
		if !finite(g) || combining(g.Rune) == 0 && overprinted[g.Rune] == nil && lowMarks[g.Rune] == 0 {
			continue
		}
		if mark, at := baseOf(glyphs, i); at >= 0 {
			marks[at], moved[i] = append(marks[at], mark), true
		}
	}
	if len(moved) == 0 {
		return glyphs
	}
	return composed(glyphs, marks, moved)
}

// baseOf returns what glyph i is a mark of: the index of a letter or relation, or -1.
func baseOf(glyphs []Glyph, i int) (mark rune, at int) {
	r := glyphs[i].Rune
	if mark = combining(r); mark != 0 {
		if at = under(glyphs, i, func(base rune) bool { return unicode.IsLetter(base) && combining(base) == 0 }); at >= 0 {
			return mark, at
		}
	}
	if r == slash || overprinted[r] != nil {
		return r, under(glyphs, i, func(base rune) bool { return r == slash && unicode.Is(unicode.Sm, base) || overprinted[r][base] != 0 })
	}
	if lowMarks[r] != 0 {
		return lowMarks[r], over(glyphs, i)
	}
	return mark, -1
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
		base := len(out)
		out = append(out, g)
		for _, mark := range marks[i] {
			if one := overprinted[mark][g.Rune]; one != 0 {
				out[base].Rune = one
				continue
			}
			g.Rune = mark
			out = append(out, g)
		}
	}
	return out
}

// under returns the index of the letter or relation below an accent or a sign, or -1, as for a quotation mark.
func under(glyphs []Glyph, accent int, isBase func(rune) bool) int {
	a := glyphs[accent]
	best, most := -1, 0.0
	for i, g := range glyphs {
		if !isBase(g.Rune) || i == accent || abs(g.Baseline-a.Baseline) > 0.35*a.Size || abs(g.Size-a.Size) > 0.1*a.Size {
			continue
		}
		overlap := g.Box.OverlapX(a.Box)
		if overlap > 0.5*min(g.Box.Width(), a.Box.Width()) && overlap > most {
			best, most = i, overlap
		}
	}
	return best
}

// over returns the index of the letter right above a mark, which is near it in the file, or -1.
func over(glyphs []Glyph, mark int) int {
	m := glyphs[mark]
	for i := max(0, mark-3); i < min(len(glyphs), mark+4); i++ {
		g := glyphs[i]
		middle, drop := (m.Box.X0+m.Box.X1)/2, m.Box.Y0-max(g.Baseline, g.Box.Y1)
		if unicode.IsLetter(g.Rune) && g.Box.X0 < middle && middle < g.Box.X1 && drop > 0 && drop < 0.3*g.Size && m.Size < 1.1*g.Size {
			return i
		}
	}
	return -1
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
