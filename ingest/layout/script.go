package layout

import (
	"slices"
	"strings"
	"unicode"
)

// A script is a run of glyphs that are smaller than the text beside them and above or below its baseline: an exponent, an
// index, the mark of a note. Joined to a number as it is, it would make another number: 10 with a raised 20 is no 1020.

// isScriptOf reports whether text of a size and baseline is a script of other text. The smaller it is, the less it may be shifted.
func isScriptOf(size, baseline, ofSize, ofBaseline float64) bool {
	shift := abs(baseline-ofBaseline) / ofSize
	return shift < 0.75 && (size < 0.9*ofSize && shift > 0.05 || size < 0.97*ofSize && shift > 0.15)
}

// script is the text of a run, raised or lowered.
type script struct {
	text         string
	raised, math bool
}

// after returns what joins the script to a text: "^" or "_" where a reader would see another number without, else "".
func (s script) after(text string) string {
	last := lastRune(text)
	if strings.ContainsRune(".,;:", last) { // 1998.^7 is no 1998.7
		if last = lastRune(text[:len(text)-1]); !unicode.IsDigit(last) {
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
	first := firstRune(s.text)
	digits := strings.ContainsFunc(s.text, unicode.IsDigit)
	signed := strings.ContainsRune("+-−±∓–", first) && (digits || s.math && s.text != string(first))
	value := signed || digits && unicode.In(first, unicode.Nd, unicode.Ps, unicode.Po)
	switch {
	case unicode.IsDigit(last):
		return value || s.raised && s.isMark()
	case unicode.IsLetter(last):
		return signed && digits
	}
	return value && strings.ContainsRune(")]}%", last)
}

// isMark reports whether the script begins with a letter but is not the end of an ordinal number, such as 21^{st}.
func (s script) isMark() bool {
	other := strings.ContainsFunc(s.text, func(r rune) bool { return !unicode.IsLetter(r) })
	return unicode.IsLetter(firstRune(s.text)) && (other || s.math || len(s.text) == 1) && !slices.Contains([]string{"st", "nd", "rd", "th"}, s.text)
}

const operators = "+-−±/⁄×·∗="

// expression reports whether the script needs brackets: 2^(1/2) is not 2^1/2.
func (s script) expression() bool {
	rest := strings.TrimPrefix(s.text, string(firstRune(s.text)))
	return strings.ContainsAny(strings.TrimRight(rest, operators), operators) // "3−" and "1*" are none
}

// joinScripts joins words with the scripts after them, and with other words that are tied to them. The words are in the order
// of the stream, or those of a line: some programs write the scripts of a line after it.
func joinScripts(list []Word, inStream bool) []Word {
	reach := 100 // words back
	if inStream {
		reach = 1
	}
	out := make([]Word, 0, len(list))
	for k := 0; k < len(list); {
		end, apart := 0, !inStream || !list[k].tied
		for i := len(out) - 1; i >= max(0, len(out)-reach) && end == 0; i-- {
			var never bool
			end, never = out[i].takeScript(list, k, inStream)
			apart = apart || never
		}
		w, last := list[k], len(out)-1
		switch {
		case end > 0:
			k = end
			continue
		case apart || last < 0 || areDigits(out[last], w):
			w.tied = false
			out = append(out, w)
		default:
			out[last].append(w)
		}
		k++
	}
	return out
}

// areDigits reports whether a digit, maybe with a sign, would follow another one, or a point after it, if two words were joined.
func areDigits(a, b Word) bool {
	return unicode.IsDigit(lastRune(strings.TrimRight(a.Text, ".,"))) && unicode.IsDigit(firstRune(strings.TrimLeft(b.Text, "+-−")))
}

// takeScript appends the script that begins with word k of a list if it would make another number of w without a mark, and
// returns the index of the word after it, else 0, and whether the two must be apart.
func (w *Word) takeScript(list []Word, k int, inStream bool) (end int, apart bool) {
	next := list[k]
	near := w.isNear(next)
	if !next.isScript(*w) || !near && !inStream {
		return 0, false
	}
	s, end := scriptAt(list, k, *w)
	mark, letter := s.after(w.Text), unicode.IsLetter(lastRune(w.Text))
	if mark == "" || letter && !inStream { // the limits of a sum
		return 0, false
	}
	if !near || isNumerator(list[end:], w.Size) {
		return 0, near || !letter
	}
	next.Text = ""
	for _, part := range joinScripts(list[k:end], true) { // with scripts of their own
		next.Text, next.Box, next.Hyphen = next.Text+part.Text, next.Box.Union(part.Box), part.Hyphen
	}
	if s.expression() {
		next.Text = "(" + next.Text + ")"
	}
	next.Text = mark + next.Text
	w.append(next)
	return end, false
}

// isScript reports whether w is a script of another word, at another height than the script that ends that word.
func (w Word) isScript(of Word) bool {
	another := !isScriptOf(of.last.size, of.last.y, of.Size, of.Baseline) || abs(w.Baseline-of.last.y) > 0.2*of.Size
	return another && isScriptOf(w.Size, w.Baseline, of.Size, of.Baseline)
}

// isNear reports whether a script is less than a space from w, or above or below the last one.
func (w Word) isNear(script Word) bool {
	x := script.Box.X0
	return x < w.Box.X1+0.2*w.Size && x > min(w.Box.X1-0.6*w.Size, w.end-0.3*w.Size)
}

// append adds a word that has no space before it.
func (w *Word) append(next Word) {
	if next.Len() > w.Len() {
		w.Font, w.Bold, w.Math = next.Font, next.Bold, next.Math
	}
	if next.Size > w.Size+0.1 { // a script may come first
		w.Size, w.Baseline = next.Size, next.Baseline
	}
	if !isScriptOf(next.Size, next.Baseline, w.Size, w.Baseline) {
		w.end = next.end
	}
	w.Text, w.Hyphen, w.Box, w.last = w.Text+next.Text, next.Hyphen, w.Box.Union(next.Box), next.last
}

// scriptAt returns the script of a word that begins with word k, which may have spaces around its operators and scripts of its
// own, and the index of the word after it.
func scriptAt(list []Word, k int, of Word) (s script, end int) {
	raised := list[k].Baseline < of.Baseline
	for end = k + 1; end < len(list); end++ {
		w, before := list[end], list[end-1]
		between := string([]rune{lastRune(before.Text), firstRune(w.Text)})
		if !isScriptOf(w.Size, w.Baseline, of.Size, of.Baseline) || w.Baseline < of.Baseline != raised ||
			!w.tied && !strings.ContainsAny(operators, between) {
			break
		}
	}
	s = script{raised: raised, math: list[k].Math}
	for _, w := range list[k:end] {
		s.text += w.Text
	}
	return s, end
}

// isNumerator reports whether a slash and a small digit follow, as in 3 1/2.
func isNumerator(rest []Word, size float64) bool {
	if len(rest) == 0 || !strings.ContainsRune("/⁄∕", firstRune(rest[0].Text)) {
		return false
	}
	denominator, small := strings.TrimLeft(rest[0].Text, "/⁄∕"), rest[0].last.size
	if denominator == "" && len(rest) > 1 {
		denominator, small = rest[1].Text, rest[1].Size
	}
	return unicode.IsDigit(firstRune(denominator)) && small < 0.97*size
}

// inkScripts gives the raised and lowered characters after a number that a font has beside its plain ones, such as those of
// OpenType's "sups", a size and a baseline of their own. The file says nothing about them but their ink.
func inkScripts(glyphs []Glyph) []Glyph {
	var last Glyph // as it was
	small := false
	for i, g := range glyphs {
		rise, before := inkRise(g), inkRise(last)
		begins := before == 0 && (unicode.IsDigit(last.Rune) || strings.ContainsRune(".,;:)]%", last.Rune)) &&
			(!unicode.IsPunct(g.Rune) || strings.ContainsRune("-–", g.Rune))
		small = rise != 0 && g.Size == last.Size && g.Baseline == last.Baseline && (begins || small && before == rise)
		if small {
			glyphs[i].Size, glyphs[i].Baseline = 0.6*g.Size, g.Baseline-rise*g.Size
		}
		last = g
	}
	return glyphs
}

// inkRise returns about how far the ink of a character of a number is above where it would be on the baseline, in multiples of
// its size: negative if below, 0 if it is there. The plain digits and letters stand on the baseline or reach below it from well
// above.
func inkRise(g Glyph) float64 {
	const raised, lowered = 0.35, -0.15
	if g.Box.Empty() || !finite(g) {
		return 0
	}
	above, top := (g.Baseline-g.Box.Y1)/g.Size, (g.Baseline-g.Box.Y0)/g.Size
	switch {
	case strings.ContainsRune("+-−–", g.Rune) && above > 0.35 && top > 0.5:
		return raised
	case top-above > 0.48:
	case above > 0.2 && unicode.In(g.Rune, unicode.Nd, unicode.L, unicode.Po):
		return raised
	case top < 0.4 && above < -0.07 && unicode.IsDigit(g.Rune):
		return lowered
	}
	return 0
}
