package words

import (
	"strings"
	"unicode"
)

// Sentences splits a text after ". ", "? " and "! " before a capital or a digit.
func Sentences(s string) []string {
	var out []string
	runes := []rune(s)
	start := 0
	for i := 0; i+2 < len(runes); i++ {
		ends := strings.ContainsRune(".?!", runes[i]) && runes[i+1] == ' '
		if ends && (unicode.IsUpper(runes[i+2]) || unicode.IsDigit(runes[i+2])) {
			out = append(out, string(runes[start:i+1]))
			start = i + 2
		}
	}
	return append(out, string(runes[start:]))
}
