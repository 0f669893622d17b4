package words

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// MarkScripts writes raised and lowered characters after a number as plain ones after "^" and "_", and separates numbers from
// fractions and from raised digits before them: 10² is 10^2, and 3½ is 3 ½. In Unicode's forms NFKC and NFKD they would be 102
// and 31/2. Others, as in m², stay.
func MarkScripts(text string) string {
	if !strings.ContainsFunc(text, func(r rune) bool { return script(r) != "" }) {
		return text
	}
	var b strings.Builder
	marked := false
	for i, r := range text {
		mark := ScriptMark(text, i)
		if marked = mark == "^" || mark == "_" || marked && mark == "" && script(r) != ""; marked {
			r, _ = utf8.DecodeRuneInString(norm.NFKC.String(string(r)))
		}
		b.WriteString(mark)
		b.WriteRune(r)
	}
	return b.String()
}

// ScriptMark returns what [MarkScripts] writes before the character at a byte of a text.
func ScriptMark(text string, at int) string {
	before, _ := utf8.DecodeLastRuneInString(text[:at])
	r, _ := utf8.DecodeRuneInString(text[at:])
	was, is := script(before), script(r)
	number := was != "" || unicode.IsDigit(before)
	switch {
	case is == was, is == "" && !unicode.IsDigit(r):
		return ""
	case number && (is == "" || is == "½" || was == "½"):
		return " "
	case is != "½" && (number || strings.ContainsRune(")]}%", before)):
		return is
	}
	return ""
}

// script returns "^" for raised characters of numbers, "_" for lowered ones, "½" for fractions, and "" for others.
func script(r rune) string {
	switch {
	case r < '²':
	case strings.ContainsRune("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾", r):
		return "^"
	case strings.ContainsRune("₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎", r):
		return "_"
	case strings.ContainsRune("¼½¾⅐⅑⅒⅓⅔⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞⅟↉", r):
		return "½"
	}
	return ""
}
