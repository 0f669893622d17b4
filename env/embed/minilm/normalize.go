package minilm

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// words splits text as BERT does: it drops unprintable characters, isolates ideographs, strips accents, converts to
// lower case, and splits at whitespace and around punctuation.
func words(text string) []string {
	var out []string
	var b strings.Builder
	flush := func() {
		if b.Len() > 0 {
			out = append(out, b.String())
			b.Reset()
		}
	}
	for _, r := range norm.NFD.String(clean(text)) {
		switch {
		case r == ' ':
			flush()
		case r >= utf8.RuneSelf && unicode.Is(unicode.Mn, r): // includes the marker that NFD adds to a long sequence of accents
		case isPunctuation(unicode.ToLower(r)):
			flush()
			out = append(out, string(unicode.ToLower(r)))
		default:
			b.WriteRune(unicode.ToLower(r))
		}
	}
	flush()
	return out
}

// clean drops non-text characters, normalises whitespace to spaces and puts spaces around ideographs. Dropping comes
// first, so a form feed or a soft hyphen joins its neighbours.
func clean(text string) string {
	var b strings.Builder
	b.Grow(len(text))
	for _, r := range text {
		switch {
		case r == '\t' || r == '\n' || r == '\r':
			b.WriteByte(' ')
		case r == utf8.RuneError || isDropped(r): // invalid UTF-8 decodes to U+FFFD
		case unicode.Is(unicode.White_Space, r):
			b.WriteByte(' ')
		case isIdeograph(r):
			b.WriteByte(' ')
			b.WriteRune(r)
			b.WriteByte(' ')
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func isDropped(r rune) bool {
	if r < utf8.RuneSelf {
		return r < ' ' || r == 0x7f
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co) // unicode.C would include unassigned code points
}

func isPunctuation(r rune) bool {
	if r < utf8.RuneSelf {
		return r >= '!' && r <= '/' || r >= ':' && r <= '@' || r >= '[' && r <= '`' || r >= '{' && r <= '~'
	}
	return unicode.Is(unicode.P, r)
}

// isIdeograph uses the ranges of the original, including its gap from U+2B820 to U+2B91F.
func isIdeograph(r rune) bool {
	if r < 0x3400 {
		return false
	}
	for _, span := range [...][2]rune{
		{0x4E00, 0x9FFF},
		{0x3400, 0x4DBF},
		{0x20000, 0x2A6DF},
		{0x2A700, 0x2B73F},
		{0x2B740, 0x2B81F},
		{0x2B920, 0x2CEAF},
		{0xF900, 0xFAFF},
		{0x2F800, 0x2FA1F},
	} {
		if r >= span[0] && r <= span[1] {
			return true
		}
	}
	return false
}
