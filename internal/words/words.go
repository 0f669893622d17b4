// Package words compares texts of papers by their words: the text of a PDF, a table in HTML, an answer of a model. Start
// from [Fold]; the other functions take folded texts.
package words

import (
	"maps"
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

var (
	brokenWord = regexp.MustCompile(`(\p{Ll})-\n(\p{Ll})`)
	thousands  = regexp.MustCompile(`(\d),(\d{3})\b`)
	tag        = regexp.MustCompile(`</?[a-zA-Z][^<>]*>`)
)

// Fold reduces a text to its words in lower case, with a space around each, so that strings.Contains compares whole
// words. Numbers keep their decimal point and lose separators of thousands. Tags of HTML are left out.
func Fold(text string) string {
	text = brokenWord.ReplaceAllString(norm.NFKC.String(text), "$1$2")
	text = thousands.ReplaceAllString(tag.ReplaceAllString(text, " "), "$1$2")
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

// stop are words that do not describe a subject.
var stop = set(`the and for with that this from are was were has have had not but which what who whom whose when where why how
does did its their than then into over under each both all any such can may will would should paper papers according`)

func set(text string) map[string]bool {
	words := make(map[string]bool)
	for w := range strings.FieldsSeq(text) {
		words[w] = true
	}
	return words
}

// Content returns the distinct words of a folded text that describe its subject: numbers, and words of three letters or
// more.
func Content(folded string) map[string]bool {
	words := set(folded)
	maps.DeleteFunc(words, func(w string, _ bool) bool {
		return stop[w] || len(w) < 3 && !unicode.IsDigit(rune(w[0]))
	})
	return words
}

// Shared counts the words of a that b has.
func Shared(a, b map[string]bool) int {
	n := 0
	for w := range a {
		if b[w] {
			n++
		}
	}
	return n
}

// Share returns the share, in 0..1, of the content words of one folded text that another has, not counting the words
// except. It is 0 if there are none.
func Share(of, in string, except map[string]bool) float64 {
	want := Content(of)
	for w := range except {
		delete(want, w)
	}
	if len(want) == 0 {
		return 0
	}
	return float64(Shared(want, Content(in))) / float64(len(want))
}

// Short reports whether a folded text is so short that it occurs in many passages: a number, or a word of few letters.
func Short(folded string) bool {
	letters := 0
	for _, r := range folded {
		if unicode.IsLetter(r) {
			letters++
		}
	}
	return letters < 6
}
