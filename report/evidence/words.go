package evidence

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

var (
	brokenWord = regexp.MustCompile(`(\p{Ll})-\n(\p{Ll})`)
	thousands  = regexp.MustCompile(`(\d),(\d{3})\b`)
)

// fold reduces a text to its words in lower case, with a space around each, so that Contains compares whole words.
// Numbers keep their decimal point and lose separators of thousands.
func fold(text string) string {
	text = brokenWord.ReplaceAllString(norm.NFKC.String(text), "$1$2")
	text = thousands.ReplaceAllString(text, "$1$2")
	runes := []rune(text)
	var b strings.Builder
	b.WriteByte(' ')
	open := false
	for i, r := range runes {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '.' && isPoint(runes, i):
			b.WriteRune(unicode.ToLower(r))
			open = true
		case r == '\u00ad' || unicode.IsMark(r): // a soft hyphen or an accent is inside a word
		case open:
			b.WriteByte(' ')
			open = false
		}
	}
	if open {
		b.WriteByte(' ')
	}
	return b.String()
}

// isPoint reports whether the full stop at i begins the decimals of a number.
func isPoint(text []rune, i int) bool {
	begins := i == 0 || unicode.IsDigit(text[i-1]) || unicode.IsSpace(text[i-1])
	return begins && i+1 < len(text) && unicode.IsDigit(text[i+1])
}

// stop are words that say nothing about what a passage is about.
var stop = setOf(`the and for with that this from are was were has have had not but which what who whom whose when where why how
does did its their than then into over under each both all any such can may will would should paper papers according`)

func setOf(text string) map[string]bool {
	set := make(map[string]bool)
	for w := range strings.FieldsSeq(text) {
		set[w] = true
	}
	return set
}

// content returns the distinct words of a folded text that carry meaning: numbers, and words of three letters or more.
func content(folded string) map[string]bool {
	set := setOf(folded)
	maps.DeleteFunc(set, func(w string, _ bool) bool {
		return stop[w] || len(w) < 3 && !unicode.IsDigit(rune(w[0]))
	})
	return set
}

// shared counts the words of a that b has.
func shared(a, b map[string]bool) int {
	n := 0
	for w := range a {
		if b[w] {
			n++
		}
	}
	return n
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
