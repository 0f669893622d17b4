package eval

import (
	"slices"
	"strings"
	"unicode/utf8"

	"airqa/internal/python"
)

// partMethods score a text by a part of the other. On their own they accept one letter for any gold that contains it.
var partMethods = []string{
	"partial_ratio", "partial_token_sort_ratio", "token_set_ratio", "partial_token_set_ratio", "WRatio", "UWRatio",
}

// alike works as in [Reference], but rejects an answer that leaves out more of the gold than it gives.
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

// tooShort reports whether an answer has less than half of a gold's letters under a method that matches parts.
func (m matching) tooShort(prediction, gold python.Value) bool {
	name, _ := m.method.(string)
	return slices.Contains(partMethods, name) && 2*wordLetters(m.fuzzyForm(prediction, name)) < wordLetters(m.fuzzyForm(gold, name))
}

// wordLetters is the total length of the distinct words of a text. Set comparisons ignore repeated words as well.
func wordLetters(s string) int {
	words := python.Fields(python.Lower(s))
	slices.Sort(words)
	return utf8.RuneCountInString(strings.Join(slices.Compact(words), ""))
}
