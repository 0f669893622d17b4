package eval

import (
	"slices"
	"unicode/utf8"

	"airqa/internal/python"
)

// partMethods score a text by a part of the other one. By themselves they take one letter for any gold that has it.
var partMethods = []string{
	"partial_ratio", "partial_token_sort_ratio", "token_set_ratio", "partial_token_set_ratio", "WRatio", "UWRatio",
}

// alike is that of [Reference], except that an answer which leaves out more of the gold than it gives is not alike.
func (m typed) alike(t *Comparison, prediction, gold python.Value) (outcome, error) {
	o, err := m.matching.alike(t, prediction, gold)
	if !o.pass || !m.tooShort(prediction, gold) {
		return o, err
	}
	if t != nil {
		t.Rule += ", but the answer has less than half of the gold's letters"
	}
	return outcome{}, err
}

// tooShort reports whether an answer has less than half of the letters of a gold, where a part of the gold is enough.
func (m matching) tooShort(prediction, gold python.Value) bool {
	name, _ := m.method.(string)
	return slices.Contains(partMethods, name) && 2*wordLetters(m.fuzzyForm(prediction, name)) < wordLetters(m.fuzzyForm(gold, name))
}

// wordLetters is the length of the different words of a text: none counts twice, since comparing sets of words does not either.
func wordLetters(s string) int {
	words := python.Fields(python.Lower(s))
	slices.Sort(words)
	sum := 0
	for _, w := range slices.Compact(words) {
		sum += utf8.RuneCountInString(w)
	}
	return sum
}
