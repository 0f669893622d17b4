// Package lexical compares texts by their words, as the lexical baselines of the companion benchmarks do: [FitTFIDF] is
// scikit-learn's TfidfVectorizer with cosine, [NewBM25] is BM25Okapi of rank_bm25. [Words] and [Treebank] are their
// tokenizers. Both models fit a handful of documents in memory; the index of a data directory is env/vectors/bm25.
package lexical

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"airqa/internal/python"
)

// IsWord reports whether r matches \w in Python: a letter, a number or the underscore. Combining marks do not.
func IsWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsNumber(r) }

// Words returns the lower-case tokens of two or more word characters, scikit-learn's default.
func Words(text string) []string { return tokens(python.Lower(text)) }

func tokens(text string) []string {
	runs := strings.FieldsFunc(text, func(r rune) bool { return !IsWord(r) })
	return slices.DeleteFunc(runs, func(w string) bool { return utf8.RuneCountInString(w) < 2 })
}

// withoutAccents decomposes a text (NFKD) and removes its combining characters.
func withoutAccents(text string) string {
	if python.IsASCII(text) {
		return text
	}
	text = norm.NFKD.String(text)
	return strings.Map(func(r rune) rune {
		if norm.NFKD.PropertiesString(string(r)).CCC() != 0 {
			return -1
		}
		return r
	}, text)
}
