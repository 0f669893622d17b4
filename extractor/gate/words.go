package gate

import (
	"strings"

	"airqa/internal/words"
)

// holds reports whether a text contains the words of a phrase in sequence.
func holds(text, phrase string) bool {
	_, _, ok := words.NewFinder(text).Find(phrase)
	return ok
}

// filler are words that say nothing about the subject of a question.
var filler = words.Set(`a an the of for in on at to by with from and or that which what who whom whose how many much does do did is are
was were be been it its as than this these those into over under between among per paper papers work study article authors author
present presents propose proposes introduce introduces show shows using uses use based new their they has have had not no can`)

// content returns the distinct words of a text that describe its subject.
func content(text string) map[string]bool {
	list := words.Set(words.Fold(text))
	for w := range list {
		if filler[w] || len(w) < 2 {
			delete(list, w)
		}
	}
	return list
}

// coverage returns the share of words that a text contains, also in another form with the same beginning.
func coverage(of map[string]bool, text string) float64 {
	stems := make(map[string]bool)
	for w := range strings.FieldsSeq(words.Fold(text)) {
		stems[stem(w)] = true
	}
	n := 0
	for w := range of {
		if stems[stem(w)] {
			n++
		}
	}
	return float64(n) / float64(max(1, len(of)))
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
