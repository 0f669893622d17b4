package gate

import (
	"slices"
	"strings"

	"airqa/internal/lazyregexp"
)

// word is a word or number of a text with its byte range.
type word struct {
	text       string
	start, end int
}

var (
	// hyphenation at the end of a line, and tags of HTML, are no part of words.
	wordPattern = lazyregexp.New(`[\p{L}\p{N}]+(?:-\s*\n\s*\p{Ll}+|[.,]\p{N}+)*`)
	tagPattern  = lazyregexp.New(`<[^<>]*>`)
	brokenWord  = lazyregexp.New(`-\s*\n\s*`)
)

// wordsOf splits a text into words in lower case. Tags are left out.
func wordsOf(text string) []word {
	plain := tagPattern.ReplaceAllStringFunc(text, func(tag string) string { return strings.Repeat(" ", len(tag)) })
	var words []word
	for _, m := range wordPattern.FindAllStringIndex(plain, -1) {
		w := strings.ToLower(brokenWord.ReplaceAllString(plain[m[0]:m[1]], ""))
		words = append(words, word{strings.ReplaceAll(w, ",", ""), m[0], m[1]})
	}
	return words
}

// find returns the byte range in a text of the first occurrence of the words of a quote; false if there is none.
func find(text []word, quote string) (span []int, ok bool) {
	wanted := wordsOf(quote)
	for i, w := range text {
		if startsWith(text[i:], wanted) {
			return []int{w.start, text[i+len(wanted)-1].end}, true
		}
	}
	return nil, false
}

// startsWith reports whether a text begins with some words, at least one.
func startsWith(text, wanted []word) bool {
	return len(wanted) > 0 && len(wanted) <= len(text) &&
		slices.EqualFunc(text[:len(wanted)], wanted, func(a, b word) bool { return a.text == b.text })
}

// holds reports whether a text contains the words of a phrase in sequence.
func holds(text, phrase string) bool {
	_, ok := find(wordsOf(text), phrase)
	return ok
}

// filler are words that say nothing about the subject of a question.
var filler = strings.Fields("a an the of for in on at to by with from and or that which what who whose how many much does do did is are " +
	"was were be been it its as than this these those into over under between among per paper papers work study article authors author " +
	"present presents propose proposes introduce introduces show shows using uses use based new their they has have had not no can")

// content returns the distinct words of a text that describe its subject.
func content(text string) []string {
	var list []string
	for _, w := range wordsOf(text) {
		if !slices.Contains(filler, w.text) && len(w.text) > 1 && !slices.Contains(list, w.text) {
			list = append(list, w.text)
		}
	}
	return list
}

// coverage returns the share of words that a text contains, also in another form with the same beginning.
func coverage(words []string, text string) float64 {
	if len(words) == 0 {
		return 0
	}
	have := make(map[string]bool)
	for _, w := range wordsOf(text) {
		have[stem(w.text)] = true
	}
	n := 0
	for _, w := range words {
		if have[stem(w)] {
			n++
		}
	}
	return float64(n) / float64(len(words))
}

// stem cuts the usual endings of plurals and verbs.
func stem(w string) string {
	for _, ending := range []string{"ing", "ed", "es", "s"} {
		if cut, found := strings.CutSuffix(w, ending); found && len(cut) > 3 {
			return cut
		}
	}
	return w
}
