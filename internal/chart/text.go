package chart

import (
	"html/template"
	"math"
	"strconv"
	"strings"
	"unicode"
)

// fontSize is that of all text, in units of the view box.
const fontSize = 13.0

// clean takes out what must not stand in a page: control characters and marks that reorder text.
func clean(s string) string {
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "\uFFFD")), " ")
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\uFFFE' || r == '\uFFFF' {
			return '\uFFFD'
		}
		return r
	}, s)
}

// escaped is text as it may stand in an element or an attribute.
func escaped(s string) string { return template.HTMLEscapeString(clean(s)) }

// textWidth is how wide a text gets at [fontSize] in a wide sans-serif: an estimate on the safe side, as the reader's
// font is not known.
func textWidth(s string) float64 {
	w := 0.0
	for _, r := range s {
		w += runeWidth(r)
	}
	return w * fontSize
}

func runeWidth(r rune) float64 {
	switch {
	case strings.ContainsRune("iljI.,:;'|!()[] ", r):
		return 0.38
	case strings.ContainsRune("mwMW@%", r):
		return 0.95
	case unicode.IsUpper(r):
		return 0.7
	case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) || r >= 0x1F000:
		return 1.05
	}
	return 0.6
}

// fit cuts a text to a width, with "…" at the end of what was cut.
func fit(s string, width float64) string {
	if textWidth(s) <= width {
		return s
	}
	w := runeWidth('…') * fontSize
	for i, r := range s {
		w += runeWidth(r) * fontSize
		if w > width {
			return strings.TrimRight(s[:i], " ") + "…"
		}
	}
	return s
}

// wrap breaks a text into at most lines lines of a width. It breaks at blanks and after "_", "/" and "-", and inside a
// word that is wider than a line.
func wrap(s string, width float64, lines int) []string {
	var out []string
	for len(out) < lines-1 && textWidth(s) > width {
		i := breakAt(s, width)
		out = append(out, strings.TrimRight(s[:i], " "))
		s = strings.TrimLeft(s[i:], " ")
	}
	return append(out, fit(s, width))
}

// breakAt is where the first line of s ends: after the last place to break that fits, or else where it is full.
func breakAt(s string, width float64) int {
	w, best, full := 0.0, 0, 0
	for i, r := range s {
		w += runeWidth(r) * fontSize
		if w > width {
			break
		}
		full = i + len(string(r))
		if strings.ContainsRune(" _/-", r) {
			best = full
		}
	}
	if best > 0 {
		return best
	}
	return max(full, len(string([]rune(s)[0])))
}

// num prints a coordinate with one decimal.
func num(x float64) string {
	if !finite(x) {
		return "0"
	}
	s := strings.TrimSuffix(strconv.FormatFloat(x, 'f', 1, 64), ".0")
	if s == "-0" {
		return "0"
	}
	return s
}

// decimal prints a value; -0.00 is 0.00.
func decimal(v float64, decimals int) string {
	s := strconv.FormatFloat(v, 'f', decimals, 64)
	if strings.Trim(s, "-0.") == "" {
		s = strings.TrimPrefix(s, "-")
	}
	return s
}

// whole prints a whole number without decimals.
func whole(v float64, decimals int) string {
	if v == math.Trunc(v) {
		decimals = 0
	}
	return decimal(v, decimals)
}

// largest is what can be drawn: beyond it neighbours of a number are too far off for an axis.
const largest = 1e15

// finite reports whether x can be drawn.
func finite(x float64) bool { return math.Abs(x) <= largest }
