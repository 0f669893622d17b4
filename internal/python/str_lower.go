package python

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Lower returns s as str.lower() does: İ becomes two characters, and a capital sigma at the end of a word the final
// form.
func Lower(s string) string {
	if IsASCII(s) {
		return strings.ToLower(s)
	}
	var b strings.Builder
	b.Grow(len(s))
	for i, r := range s {
		n := size(s[i:], r)
		switch {
		case r == 'Σ' && finalSigma(s[:i], s[i+n:]):
			b.WriteRune('ς')
		case r == 'İ':
			b.WriteString("i\u0307")
		case r == utf8.RuneError:
			b.WriteString(s[i : i+n])
		default:
			b.WriteRune(unicode.ToLower(r))
		}
	}
	return b.String()
}

// finalSigma reports whether a sigma between before and after ends a word (Unicode, section 3.13): a cased letter
// precedes it and none follows, ignoring the characters that casing ignores.
func finalSigma(before, after string) bool {
	cased := false
	for before != "" {
		r, n := utf8.DecodeLastRuneInString(before)
		before = before[:len(before)-n]
		if !caseIgnorable(r) {
			cased = isCased(r)
			break
		}
	}
	if !cased {
		return false
	}
	for _, r := range after {
		if !caseIgnorable(r) {
			return !isCased(r)
		}
	}
	return true
}

func isCased(r rune) bool {
	return unicode.In(r, unicode.Lu, unicode.Ll, unicode.Lt, unicode.Other_Lowercase, unicode.Other_Uppercase)
}

func caseIgnorable(r rune) bool {
	// Unicode's MidLetter, MidNumLet and Single_Quote do not break a word.
	const wordMiddles = "'.:\u00B7\u0387\u055F\u05F4\u2018\u2019\u2024\u2027\uFE13\uFE52\uFE55\uFF07\uFF0E\uFF1A"
	return unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf, unicode.Lm, unicode.Sk) || strings.ContainsRune(wordMiddles, r)
}
