package literal

import (
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Pattern is a text to find. It is safe for concurrent use.
//
// The case of letters is ignored, by Unicode's simple folding, unless the text has an upper-case letter. Simple folding
// maps single characters: K matches k and the Kelvin sign, ß matches ẞ but not ss, and İ matches only itself. A text
// that is not valid UTF-8 is compared byte by byte.
type Pattern struct {
	text  string
	exact bool
	keys  []rune // folded characters of text, unless exact
	plain window // of text
}

// Compile returns the pattern of a text, which must not be empty.
func Compile(text string) *Pattern {
	p := &Pattern{text: text, exact: !utf8.ValidString(text) || strings.ContainsFunc(text, isUpper)}
	var plain windowBuilder
	if p.exact {
		plain.bytes(text)
	} else {
		for _, r := range text {
			p.keys = append(p.keys, foldKey(r))
			plain.variants(r)
		}
	}
	p.plain = plain.window()
	return p
}

func isUpper(r rune) bool { return unicode.IsUpper(r) || unicode.IsTitle(r) }

// foldKey is the least of the characters that equal r under simple folding.
func foldKey(r rune) rune {
	if r < utf8.RuneSelf {
		if 'a' <= r && r <= 'z' {
			r -= 'a' - 'A'
		}
		return r
	}
	least := r
	for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
		least = min(least, next)
	}
	return least
}

// All yields the byte ranges of the occurrences in s, in order and without overlaps.
func (p *Pattern) All(s string) iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		next := p.next
		if slices.ContainsFunc(p.plain.odd, func(odd string) bool { return strings.Contains(s, odd) }) { // no window covers these
			next = p.nextOdd
		}
		for from := 0; ; {
			start, end := next(s, from)
			if start < 0 || !yield(start, end) {
				return
			}
			from = end
		}
	}
}

// next returns the first occurrence from a position on, or -1. The text has no odd variants.
func (p *Pattern) next(s string, from int) (start, end int) {
	for {
		start = p.plain.index(s, from)
		if start < 0 {
			return -1, -1
		}
		if end = p.end(s, start); end >= 0 {
			return start, end
		}
		from = start + 1
	}
}

// nextOdd is next for any text.
func (p *Pattern) nextOdd(s string, from int) (start, end int) {
	for start = from; start < len(s); {
		if end = p.end(s, start); end >= 0 {
			return start, end
		}
		_, n := utf8.DecodeRuneInString(s[start:])
		start += n
	}
	return -1, -1
}

// end returns where an occurrence that begins at start ends, or -1 if none does.
func (p *Pattern) end(s string, start int) int {
	if p.exact {
		if strings.HasPrefix(s[start:], p.text) {
			return start + len(p.text)
		}
		return -1
	}
	for _, key := range p.keys {
		r, n := utf8.DecodeRuneInString(s[start:])
		if n == 0 || r == utf8.RuneError && n == 1 || foldKey(r) != key {
			return -1
		}
		start += n
	}
	return start
}
