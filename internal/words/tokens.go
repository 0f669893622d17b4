package words

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"airqa/internal/python"
)

// IsWord reports whether r matches \w in Python: a letter, a number or the underscore. Combining marks do not.
func IsWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsNumber(r) }

// Tokens returns the lower-case tokens of two or more word characters, scikit-learn's default.
func Tokens(text string) []string { return tokens(python.Lower(text)) }

func tokens(text string) []string {
	runs := strings.FieldsFunc(text, func(r rune) bool { return !IsWord(r) })
	return slices.DeleteFunc(runs, func(w string) bool { return utf8.RuneCountInString(w) < 2 })
}

// withoutAccents decomposes a text (NFKD) and removes its combining characters.
func withoutAccents(text string) string {
	if python.IsASCII(text) {
		return text
	}
	text = norm.NFKD.String(text)
	return strings.Map(func(r rune) rune {
		if norm.NFKD.PropertiesString(string(r)).CCC() != 0 {
			return -1
		}
		return r
	}, text)
}
