package bm25

import (
	"iter"
	"strings"
	"unicode"

	"github.com/kljensen/snowball/english"
)

// stem is the Snowball algorithm.
func stem(word string) string { return english.Stem(word, false) }

// terms yields the terms of a text in order: runs of letters and digits in lower case, without English stop words,
// each reduced by stem. A full stop or comma between two digits does not end a run ("0.5" is one term). A hyphen does,
// so "state of the art" matches "state-of-the-art".
func terms(text string, stem func(string) string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for word := range runs(strings.ToLower(text)) {
			if !english.IsStopWord(word) && !yield(stem(word)) {
				return
			}
		}
	}
}

// runs yields the runs of letters and digits in text.
func runs(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		runes := []rune(text)
		start := -1
		for i := range len(runes) + 1 {
			if i < len(runes) && inWord(runes, i) {
				if start < 0 {
					start = i
				}
				continue
			}
			if start >= 0 && !yield(string(runes[start:i])) {
				return
			}
			start = -1
		}
	}
}

// inWord reports whether the rune at i belongs to a word.
func inWord(runes []rune, i int) bool {
	r := runes[i]
	if unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) {
		return true
	}
	between := i > 0 && i+1 < len(runes) && unicode.IsDigit(runes[i-1]) && unicode.IsDigit(runes[i+1])
	return between && (r == '.' || r == ',')
}
