package terminal

import (
	"cmp"
	"strings"
	"unicode/utf8"
)

// ProseWidth is the length of lines of sentences: the width of the terminal, or 100 columns where there is none (0).
func ProseWidth(width int) int { return cmp.Or(max(width, 0), 100) }

// Wrap breaks a line at blanks, so that each part has no more than n characters. A word that is longer, such as a path
// that one copies, stays whole; n below 1 knows no bound.
func Wrap(line string, n int) []string {
	if n < 1 {
		return []string{line}
	}
	var parts []string
	room := 0
	for word := range strings.FieldsSeq(line) {
		size := utf8.RuneCountInString(word)
		if len(parts) > 0 && size < room {
			parts[len(parts)-1] += " " + word
			room -= size + 1
			continue
		}
		parts = append(parts, word)
		room = n - size
	}
	return parts
}
