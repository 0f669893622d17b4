// Package words reads English text by rules: it cuts text into words and sentences, finds stems, content words, numbers
// and names in it, and weighs words by how rare they are. Start from [Stems], [Sentences] and [Weigh].
//
// It knows no question, no paper and no format of an answer.
package words

import (
	"regexp"
	"strings"

	"github.com/kljensen/snowball/english"
)

// filler are words of questions that say nothing about what is asked, as stems.
var filler = Stems("paper papers according answer author authors article work study find name give tell please much many " +
	"exact exactly propose proposed first second two three four figure table section called using used use respectively")

// Stems returns the stems of the words of a text, Greek letters by their names.
func Stems(text string) map[string]bool {
	set := make(map[string]bool)
	for _, w := range Of(Spelled(text)) {
		set[Stem(w)] = true
	}
	return set
}

// Stem is the stem of an English word, in lower case.
func Stem(word string) string { return english.Stem(strings.ToLower(word), false) }

var wordPattern = regexp.MustCompile(`[\p{L}\p{N}]+(?:[.,]\d+)*`)

// Of returns the runs of letters and digits; "61.4" is one, "state-of-the-art" four.
func Of(text string) []string { return wordPattern.FindAllString(text, -1) }

// Terms returns the content words of a question, each once, in their order.
func Terms(question string) []string {
	var list []string
	seen := make(map[string]bool)
	for _, w := range Of(question) {
		s := Stem(w)
		if english.IsStopWord(strings.ToLower(w)) || filler[s] || seen[s] {
			continue
		}
		seen[s] = true
		list = append(list, w)
	}
	return list
}
