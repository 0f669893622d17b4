package python

import (
	"strings"
	"unicode"
)

// IsSpace reports whether r is whitespace for str.strip(), str.split() and \s: Unicode's, and U+001C to U+001F.
func IsSpace(r rune) bool {
	return unicode.IsSpace(r) || 0x1C <= r && r <= 0x1F
}

// Strip removes surrounding whitespace.
func Strip(s string) string { return strings.TrimFunc(s, IsSpace) }

// Fields splits s at whitespace, like str.split().
func Fields(s string) []string { return strings.FieldsFunc(s, IsSpace) }

// RemoveSpace removes all whitespace.
func RemoveSpace(s string) string {
	if strings.IndexFunc(s, IsSpace) < 0 {
		return s
	}
	return CollapseSpace(s, "")
}

// RemovePunctuation removes the characters of string.punctuation, which is all punctuation of ASCII.
func RemovePunctuation(s string) string {
	return strings.Map(func(r rune) rune {
		if r < unicode.MaxASCII && (unicode.IsPunct(r) || unicode.IsSymbol(r)) {
			return -1
		}
		return r
	}, s)
}

// CollapseSpace replaces every run of whitespace by sep, also at the ends.
func CollapseSpace(s, sep string) string {
	var b strings.Builder
	b.Grow(len(s))
	blank := false
	for i, r := range s {
		if IsSpace(r) {
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

// size returns the length of the character r at the start of s in bytes; an invalid byte has length one.
func size(s string, r rune) int {
	if r == unicode.ReplacementChar && !strings.HasPrefix(s, "\uFFFD") {
		return 1
	}
	return len(string(r))
}
