package layout

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A script is a run of glyphs that are smaller than the text beside them and above or below its baseline: an exponent, an
// index, the mark of a note. Joined to a number as it is, it would make another number: 10 with a raised 20 is no 1020.

// isScriptOf reports whether text of a size and baseline is a script of other text. The smaller it is, the less it may be shifted.
func isScriptOf(size, baseline, ofSize, ofBaseline float64) bool {
	shift := abs(baseline-ofBaseline) / ofSize
	return shift < 0.75 && (size < 0.9*ofSize && shift > 0.05 || size < 0.97*ofSize && shift > 0.15)
}

const scriptGap = 0.2 // between a script and its text at most, in multiples of the size of the text: less than a space

// script is the text of a run, raised or lowered.
type script struct {
	text         string
	raised, math bool
}

// after returns what joins the script to a text: "^" or "_" where a reader would see another number without, else "".
func (s script) after(text string) string {
	last, n := utf8.DecodeLastRuneInString(text)
	if strings.ContainsRune(".,;:", last) { // 1998.^7 is no 1998.7
		if last, _ = utf8.DecodeLastRuneInString(text[:len(text)-n]); !unicode.IsDigit(last) {
			return ""
		}
	}
	switch {
	case !s.changes(last):
		return ""
	case s.raised:
		return "^"
	}
	return "_"
}

// changes reports whether the script changes a number if it is joined to a text that ends with last. Letters keep their digits,
// as in H2O, but not negative ones, which would be subtracted, and whole numbers keep the letters of ordinals, as in 1st.
func (s script) changes(last rune) bool {
	first, n := utf8.DecodeRuneInString(s.text)
	digits := strings.ContainsFunc(s.text, unicode.IsDigit)
	signed := strings.ContainsRune("+-−±∓–", first) && (digits || s.math && len(s.text) > n)
	value := signed || digits && unicode.In(first, unicode.Nd, unicode.Ps, unicode.Po)
	switch {
	case unicode.IsDigit(last):
		return value || s.raised && s.isMark()
	case unicode.IsLetter(last):
		return signed && digits
	}
	return value && strings.ContainsRune(")]}%", last)
}

// isMark reports whether the script begins with a letter but is not the end of an ordinal number.
func (s script) isMark() bool {
	first, _ := utf8.DecodeRuneInString(s.text)
	other := strings.ContainsFunc(s.text, func(r rune) bool { return !unicode.IsLetter(r) })
	return unicode.IsLetter(first) && (other || s.math || len(s.text) == 1) && !ordinals[s.text]
}

// ordinals are the ends of ordinal numbers that some set as formulas: 21^{st}.
var ordinals = map[string]bool{"st": true, "nd": true, "rd": true, "th": true}

const operators = "+-−±/⁄×·∗="

// expression reports whether the script needs brackets: 2^(1/2) is not 2^1/2.
func (s script) expression() bool {
	_, first := utf8.DecodeRuneInString(s.text)
	return strings.ContainsAny(strings.TrimRight(s.text[first:], operators), operators) // "3−" and "1*" are none
}

// baseline is a line of text that scripts may belong to, from an x on.
type baseline struct{ y, size, from float64 }

// baseOf returns the line that glyph g is a script of: that of the last glyph of the open word, or of the word, if both are its
// scripts, one above the other.
func (b *wordBuilder) baseOf(g Glyph) (baseline, bool) {
	last, w := b.last, b.word
	switch {
	case isScriptOf(g.Size, g.Baseline, last.Size, last.Baseline):
		return baseline{last.Baseline, last.Size, last.Box.X1 - 0.6*last.Size}, true
	case b.shifted(g) && isScriptOf(g.Size, g.Baseline, w.Size, w.Baseline) && isScriptOf(last.Size, last.Baseline, w.Size, w.Baseline):
		return baseline{w.Baseline, w.Size, b.baseEnd - 0.3*w.Size}, true
	}
	return baseline{}, false
}

// shifted reports whether glyph g is clearly off the baseline of the last glyph of the open word.
func (b *wordBuilder) shifted(g Glyph) bool {
	return abs(g.Baseline-b.last.Baseline) > 0.2*max(b.word.Size, g.Size)
}

// scriptMark returns what joins glyph i to the open word if it begins a script, whether it must not be joined, and whether it is
// near: a part of the word even if a space or a line break is in the stream between the two, as before most exponents.
func (b *wordBuilder) scriptMark(i int) (mark string, apart, near bool) {
	g, last := b.glyphs[i], b.last
	base, found := b.baseOf(g)
	if !found {
		shifted := b.shifted(g) || isScriptOf(last.Size, last.Baseline, g.Size, g.Baseline)
		return "", shifted && unicode.IsDigit(last.Rune) && unicode.IsDigit(g.Rune), false
	}
	near = g.Box.X0 > base.from && g.Box.X0-last.Box.X1 < scriptGap*max(b.word.Size, g.Size)
	s, end := b.scriptAt(i, base)
	switch mark = s.after(b.text.String()); {
	case mark == "":
		return "", false, false
	case !near || b.isNumerator(end):
		return "", near || !unicode.IsLetter(last.Rune), false
	case s.expression():
		mark, b.bracket = mark+"(", end
	}
	return mark, false, true
}

// scriptAt returns the script of a line that begins with glyph i, and the index of the glyph after it.
func (b *wordBuilder) scriptAt(i int, base baseline) (script, int) {
	s, end := script{raised: b.glyphs[i].Baseline < base.y, math: IsMath(b.glyphs[i].Font)}, i
	var text strings.Builder
	for k := i; k < len(b.glyphs); k++ {
		g := b.glyphs[k]
		if unicode.IsSpace(g.Rune) && k+1 < len(b.glyphs) &&
			strings.ContainsAny(operators, string([]rune{b.glyphs[k-1].Rune, b.glyphs[k+1].Rune})) {
			continue // a space within an expression
		}
		if unicode.IsSpace(g.Rune) || !isScriptOf(g.Size, g.Baseline, base.size, base.y) || g.Baseline < base.y != s.raised {
			break
		}
		text.WriteRune(g.Rune)
		end = k + 1
	}
	s.text = text.String()
	return s, end
}

// isNumerator reports whether a slash and a small digit follow at glyph i, as in 3 1/2.
func (b *wordBuilder) isNumerator(i int) bool {
	var next []Glyph
	for ; i < len(b.glyphs) && len(next) < 2; i++ {
		if !unicode.IsSpace(b.glyphs[i].Rune) {
			next = append(next, b.glyphs[i])
		}
	}
	return len(next) == 2 && strings.ContainsRune("/⁄∕", next[0].Rune) && unicode.IsDigit(next[1].Rune) && next[1].Size < 0.97*b.word.Size
}

// inkScripts gives the raised and lowered characters that a font has beside its plain ones, such as those of OpenType's
// "sups", the size and the baseline of their ink. The file says nothing else of them.
func inkScripts(glyphs []Glyph) []Glyph {
	out := slices.Clone(glyphs)
	for i := 1; i < len(glyphs); i++ {
		last := glyphs[i-1]
		if !unicode.IsDigit(last.Rune) && !strings.ContainsRune(".,;:)]%", last.Rune) || inkShift(last) != 0 {
			continue
		}
		end, shift := inkRun(glyphs, i)
		for ; i < end; i++ {
			out[i].Size, out[i].Baseline = 0.6*last.Size, last.Baseline-shift
		}
	}
	return out
}

// inkRun returns the end of a run of raised or of lowered characters from glyph i on, and how far they are raised.
func inkRun(glyphs []Glyph, i int) (end int, shift float64) {
	last := glyphs[i-1]
	for end = i; end < len(glyphs); end++ {
		g := glyphs[end]
		next := inkShift(g)
		if g.Size != last.Size || g.Baseline != last.Baseline || next == 0 || next*shift < 0 || shift == 0 && unicode.IsPunct(g.Rune) && !strings.ContainsRune("-–", g.Rune) {
			break
		}
		if shift == 0 || unicode.IsDigit(g.Rune) {
			shift = next
		}
	}
	return end, shift
}

// inkShift returns how far the ink of a character of a number is above where it would be on the baseline, negative if below, 0
// if it is there. The plain digits and letters stand on the baseline or reach below it from well above.
func inkShift(g Glyph) float64 {
	if g.Box.Empty() || !finite(g) {
		return 0
	}
	above, top, height := (g.Baseline-g.Box.Y1)/g.Size, (g.Baseline-g.Box.Y0)/g.Size, g.Box.Height()/g.Size
	switch {
	case strings.ContainsRune("+-−–", g.Rune) && above > 0.35 && top > 0.5:
		return 0.3 * g.Size
	case height > 0.48:
	case above > 0.2 && unicode.In(g.Rune, unicode.Nd, unicode.L, unicode.Po), top < 0.4 && above < -0.07 && unicode.IsDigit(g.Rune):
		return above * g.Size
	}
	return 0
}

// joinScripts joins the words of a line that are scripts of others, which were elsewhere in the stream.
func joinScripts(list []Word) []Word {
	const reach = 100 // words: some programs write the scripts of a line after it
	out := list[:0:0]
	for k, w := range list {
		taken, numerator := false, k+1 < len(list) && strings.IndexAny(list[k+1].Text, "/⁄∕") == 0
		for i := len(out) - 1; i >= max(0, len(out)-reach) && !taken && !numerator; i-- {
			taken = out[i].takes(w)
		}
		if !taken {
			out = append(out, w)
		}
	}
	return out
}

// takes appends the word next to w if it is a script of it.
func (w *Word) takes(next Word) bool {
	gap := next.Box.X0 - w.Box.X1
	if !isScriptOf(next.Size, next.Baseline, w.Size, w.Baseline) || gap > scriptGap*w.Size || gap < -0.6*w.Size {
		return false
	}
	s := script{text: next.Text, raised: next.Baseline < w.Baseline, math: next.Math}
	mark := s.after(w.Text)
	if last, _ := utf8.DecodeLastRuneInString(w.Text); mark == "" || unicode.IsLetter(last) { // the limits of a sum
		return false
	}
	if s.expression() {
		s.text = "(" + s.text + ")"
	}
	w.Text, w.Hyphen, w.Box = w.Text+mark+s.text, next.Hyphen, w.Box.Union(next.Box)
	return true
}
