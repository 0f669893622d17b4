package words

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

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
