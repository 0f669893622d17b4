package layout

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// wordBuilder splits a stream of glyphs into words.
type wordBuilder struct {
	words []Word
	text  strings.Builder
	fonts map[string]int
	kinds map[string][2]bool // bold and math by font: a page has about a dozen
	word  Word
	last  Glyph
	open  bool
}

// words splits glyphs of one writing direction into words, at spaces, breaks and gaps.
func words(glyphs []Glyph) []Word {
	b := &wordBuilder{fonts: map[string]int{}, kinds: map[string][2]bool{}}
	for _, g := range attachAccents(lowerInitials(glyphs)) {
		b.add(g)
	}
	b.end()
	return b.words
}

func (b *wordBuilder) add(g Glyph) {
	if unicode.IsSpace(g.Rune) || !finite(g) {
		b.end()
		return
	}
	if b.open && b.jumps(g) {
		b.end()
	}
	if !b.open || g.Size > b.word.Size+0.1 { // a superscript may come first
		b.word.Baseline, b.word.Size = g.Baseline, g.Size
	}
	b.open = true
	b.text.WriteRune(g.Rune)
	b.fonts[g.Font]++
	b.word.Box = b.word.Box.Union(g.Box)
	b.last = g
	if g.LineEnd {
		b.word.Hyphen = true
		b.end()
	}
}

func (b *wordBuilder) end() {
	if b.open {
		b.word.Text = norm.NFC.String(b.text.String())
		font := mode(b.fonts)
		kind, judged := b.kinds[font]
		if !judged {
			kind = [2]bool{IsBold(font), IsMath(font)}
			b.kinds[font] = kind
		}
		b.word.Font, b.word.Bold, b.word.Math = font, kind[0], kind[1]
		b.words = append(b.words, b.word)
	}
	b.text.Reset()
	b.word, b.open = Word{}, false
	clear(b.fonts)
}

// jumps reports whether g is apart from the preceding word without a space between them.
func (b *wordBuilder) jumps(g Glyph) bool {
	size := max(b.word.Size, g.Size)
	gap := g.Box.X0 - b.last.Box.X1
	if g.Box.Empty() || b.last.Box.Empty() {
		gap = g.X - b.last.X - size
	}
	return math.Abs(g.Baseline-b.word.Baseline) > 0.7*size || gap > 0.5*size || gap < -1.5*size
}

func finite(g Glyph) bool {
	sum := g.Box.X0 + g.Box.X1 + g.Box.Y0 + g.Box.Y1 + g.X + g.Baseline + g.Size
	return !math.IsNaN(sum) && !math.IsInf(sum, 0) && math.Abs(sum) < 1e7 && g.Size > 0.5
}

// Len returns the number of characters.
func (w Word) Len() int { return utf8.RuneCountInString(w.Text) }

// IsBold checks the name of the font, since a PDF seldom has other information. "Medi" is the bold of URW's Times,
// "CMBX" and "SFBX" that of Computer Modern.
func IsBold(font string) bool {
	name := strings.ToLower(font)
	marks := []string{"bold", "-medi", "black", "heavy", "cmbx", "sfbx", "cmb10", "lmromandemi", "demi", "bxsc", "extrab"}
	return containsAny(name, marks) || strings.HasSuffix(name, "-bd") || strings.HasSuffix(name, ".b") || strings.HasSuffix(name, "tib")
}

// IsMath checks whether the name is that of a TeX math font.
func IsMath(font string) bool {
	marks := []string{"cmmi", "cmsy", "cmex", "msam", "msbm", "cmmib", "cmbsy", "math", "eufm", "rsfs", "stix", "txsy", "txmi", "pxmi", "symbol", "lmmi", "lmsy", "ntxmi", "ntxsy", "ntxex", "rtxmi", "txex", "zplm", "fourier", "mtmi", "mtsy"}
	return containsAny(strings.ToLower(font), marks)
}

func containsAny(name string, marks []string) bool {
	return slices.ContainsFunc(marks, func(mark string) bool { return strings.Contains(name, mark) })
}
