package pystr

import (
	"strings"
	"unicode"
)

// IsBlank tells whether r is white space for str.strip(), str.split() and \s: Unicode's, and U+001C to U+001F.
func IsBlank(r rune) bool {
	return unicode.IsSpace(r) || 0x1C <= r && r <= 0x1F
}

// Strip removes blanks at both ends.
func Strip(s string) string { return strings.TrimFunc(s, IsBlank) }

// Fields splits s at runs of blanks, as str.split() does.
func Fields(s string) []string { return strings.FieldsFunc(s, IsBlank) }

// WithoutBlanks deletes every blank.
func WithoutBlanks(s string) string {
	if strings.IndexFunc(s, IsBlank) < 0 {
		return s
	}
	return Join(s, "")
}

// Join replaces every run of blanks by sep, also at the ends.
func Join(s, sep string) string {
	var b strings.Builder
	b.Grow(len(s))
	blank := false
	for i, r := range s {
		if IsBlank(r) {
			if !blank {
				b.WriteString(sep)
			}
			blank = true
			continue
		}
		blank = false
		b.WriteString(s[i : i+size(s[i:], r)])
	}
	return b.String()
}

// size returns how many bytes the character r takes at the start of s; a byte that is no UTF-8 takes one.
func size(s string, r rune) int {
	if r == unicode.ReplacementChar && !strings.HasPrefix(s, "\uFFFD") {
		return 1
	}
	return len(string(r))
}
