// Package words compares texts by their words.
//
// For texts of papers (the text of a PDF, a table in HTML, an answer of a model), start from [Fold]; [Content], [Share],
// [Shared], [Short] and [Formula] take folded texts, and [Finder] finds one in another.
//
// The lexical baselines of the companion benchmarks are [FitTFIDF], which is scikit-learn's TfidfVectorizer with cosine, and
// [NewBM25], the BM25Okapi of rank_bm25, with the tokenizers [Tokens] and [Treebank]. Both models fit a handful of
// documents in memory; the index of a data directory is env/vectors/bm25.
//
// QASPER and ArgSciChat score answers as the SQuAD evaluation scripts do: [SQuADF1] is the token F1 of version 1.1,
// [SQuADF1v2] that of version 2.0; both compare [SQuADTokens].
package words

import (
	"cmp"
	"maps"
	"strings"
	"unicode"

	"airqa/internal/lazyregexp"

	"golang.org/x/text/unicode/norm"
)

var (
	brokenWord = lazyregexp.New(`(\p{Ll})-\n(\p{Ll})`)
	thousands  = lazyregexp.New(`(\d),(\d{3})\b`)
	tag        = lazyregexp.New(`</?[a-zA-Z][^<>]*>`)
)

// rewriting is a step of [Fold] before words are separated.
type rewriting struct {
	pattern *lazyregexp.Regexp
	with    string
}

var rewritings = []rewriting{{brokenWord, "$1$2"}, {tag, " "}, {thousands, "$1$2"}}

// Fold reduces a text to its words in lower case, with a space around each, so that strings.Contains compares whole
// words. Numbers keep their decimal point and lose separators of thousands; number words from two to twelve become
// digits. A Greek letter on its own becomes its name. Tags of HTML are left out. [Finder] returns where the words were.
func Fold(text string) string {
	text = norm.NFKC.String(text)
	for _, r := range rewritings {
		text = r.pattern.ReplaceAllString(text, r.with)
	}
	var b strings.Builder
	b.WriteByte(' ')
	each([]rune(text), func(word string, _, _ int) {
		b.WriteString(word)
		b.WriteByte(' ')
	})
	return b.String()
}

// each calls yield with each folded word of a text and the range of its characters.
func each(runes []rune, yield func(word string, first, end int)) {
	var word []rune
	first, last := 0, 0
	flush := func() {
		if len(word) > 0 {
			yield(cmp.Or(synonyms[string(word)], string(word)), first, last+1)
			word = word[:0]
		}
	}
	for i, r := range runes {
		name := letterName(runes, i)
		switch {
		case name != "":
			flush()
			yield(name, i, i+1)
		case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '.' && isPoint(runes, i):
			if len(word) == 0 {
				first = i
			}
			word, last = append(word, unicode.ToLower(r)), i
		case r == '\u00ad' || unicode.IsMark(r): // a soft hyphen or an accent is inside a word
		default:
			flush()
		}
	}
	flush()
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

// Content returns the distinct words of a folded text that describe its subject: numbers, names of Greek letters, and
// words of three letters or more.
func Content(folded string) map[string]bool {
	words := set(folded)
	maps.DeleteFunc(words, func(w string, _ bool) bool {
		return stop[w] || len(w) < 3 && !unicode.IsDigit(rune(w[0])) && !letterNames[w]
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
// The name of a Greek letter counts as one letter.
func Short(folded string) bool {
	letters := 0
	for w := range strings.FieldsSeq(folded) {
		if letterNames[w] {
			letters++
			continue
		}
		for _, r := range w {
			if unicode.IsLetter(r) {
				letters++
			}
		}
	}
	return letters < 6
}
