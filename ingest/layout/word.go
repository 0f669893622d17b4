package layout

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"airqa/internal/words"
)

type wordBuilder struct {
	glyphs []Glyph
	words  []Word
	text   strings.Builder
	fonts  map[string]int
	look   Word // of the last font
	word   Word
	last   Glyph
	open   bool
	// spaced means that a space follows the open word, broken a line break.
	spaced, broken bool
}

// splitWords splits glyphs of one writing direction into words, at spaces, breaks and gaps.
func splitWords(glyphs []Glyph) []Word {
	b := &wordBuilder{glyphs: inkScripts(attachAccents(lowerInitials(glyphs))), fonts: map[string]int{}}
	for i := range b.glyphs {
		b.add(i)
	}
	b.end()
	return joinSpaced(joinScripts(b.words, true))
}

// letterspaced reports whether a word may be a letter of one: a letter or digit, or two capitals that kerning brings together.
func letterspaced(w Word) bool {
	for _, r := range w.Text {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) || isCJK(r) || w.Len() > 1 && !unicode.IsUpper(r) {
			return false
		}
	}
	return w.Len() <= 2
}

// joinSpaced joins the letters of letterspaced words: at least three, closer to each other than words are.
func joinSpaced(words []Word) []Word {
	const fewest = 3
	spaced := func(a, b Word) bool {
		closer := 0.33 // of the size: between words in capitals, the ink is 0.4 and more apart
		if isNumber(a) || isNumber(b) {
			closer = 0.25 // numbers must not be joined
		}
		return letterspaced(a) && letterspaced(b) && a.Size == b.Size && a.Baseline == b.Baseline && math.Abs(b.Box.X0-a.Box.X1) < closer*a.Size
	}
	var out []Word
	for i := 0; i < len(words); {
		w, end := words[i], i+1
		for end < len(words) && spaced(words[end-1], words[end]) {
			end++
		}
		if end-i < fewest {
			end = i + 1
		}
		for _, next := range words[i+1 : end] {
			w.append(next)
		}
		out = append(out, w)
		i = end
	}
	return out
}

// add adds glyph i to the open word, or begins another.
func (b *wordBuilder) add(i int) {
	g := b.glyphs[i]
	switch {
	case g.Rune == '\n':
		b.broken = true
		return
	case unicode.IsSpace(g.Rune) || !finite(g):
		b.spaced = true
		return
	}
	if b.open {
		apart := b.spaced || b.isApart(g)
		if apart || b.changesLine(g) {
			b.end()
			b.word.tied = !apart
		}
	}
	if !b.open || g.Size > b.word.Size+0.1 {
		b.word.Baseline, b.word.Size = g.Baseline, g.Size
	}
	b.text.WriteRune(b.hyphenated(i))
	b.fonts[g.Font]++
	b.word.Box = b.word.Box.Union(g.Box)
	b.word.last, b.word.end = level{g.Baseline, g.Size}, g.Box.X1
	b.last, b.open, b.spaced, b.broken = g, true, false, false
	if g.LineEnd {
		b.word.Hyphen = true
		b.end()
	}
}

// changesLine reports whether g is raised or lowered from the last glyph, or the text after a script.
func (b *wordBuilder) changesLine(g Glyph) bool {
	last := b.last
	return isScriptOf(g.Size, g.Baseline, last.Size, last.Baseline) || isScriptOf(last.Size, last.Baseline, g.Size, g.Baseline) ||
		abs(g.Baseline-last.Baseline) > 0.06*max(b.word.Size, g.Size)
}

// hyphenated returns the character of glyph i: a hyphen for a minus between two letters of the same font, which is how R writes
// hyphens. Formulas have the minus in a font of symbols.
func (b *wordBuilder) hyphenated(i int) rune {
	g := b.glyphs[i]
	if g.Rune != '−' || i == 0 || i+1 == len(b.glyphs) || IsMath(g.Font) {
		return g.Rune
	}
	for _, o := range []Glyph{b.glyphs[i-1], b.glyphs[i+1]} {
		if !unicode.IsLetter(o.Rune) || o.Font != g.Font || o.Baseline != g.Baseline {
			return g.Rune
		}
	}
	return '-'
}

// softHyphen is a place where a word may be broken, and a hyphen where it was.
const softHyphen = "\u00ad"

func (b *wordBuilder) end() {
	if b.open {
		text := b.text.String()
		if whole, broken := strings.CutSuffix(text, softHyphen); broken {
			text, b.word.Hyphen = whole+"-", true
		}
		b.word.Text = words.MarkScripts(norm.NFC.String(strings.ReplaceAll(text, softHyphen, "")))
		if font := mode(b.fonts); font != b.look.Font {
			b.look = Word{Font: font, Bold: IsBold(font), Math: IsMath(font)}
		}
		b.word.Font, b.word.Bold, b.word.Math = b.look.Font, b.look.Bold, b.look.Math
		b.words = append(b.words, b.word)
	}
	b.text.Reset()
	b.word, b.open, b.spaced, b.broken = Word{}, false, false, false
	clear(b.fonts)
}

// isApart reports whether g is apart from the open word without a space between them. PDFium breaks lines of glyphs that are
// objects of their own after each: after a break, g must continue the line without a gap.
func (b *wordBuilder) isApart(g Glyph) bool {
	size := max(b.word.Size, g.Size)
	gap := g.Box.X0 - b.last.Box.X1
	sameLine := abs(g.Baseline-b.last.Baseline) < 0.05*g.Size && abs(g.Size-b.last.Size) < 0.1
	if b.broken && !(sameLine && gap < 0.22*g.Size && gap > -0.3*g.Size) {
		return true
	}
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
