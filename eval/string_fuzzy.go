package eval

import (
	"fmt"

	"airqa/internal/fuzzy"
	"airqa/internal/python"
)

var stringFuzzy = objective(
	Function{Name: "eval_string_fuzzy_match", Params: []Param{
		required("gold", KindText), methodParam, optional("threshold", KindNumber, defaultThreshold), ignoreBlankParam, lowercaseParam,
	}},
	func(t *Comparison, prediction python.Value, k kwargs) (outcome, error) {
		return k.matching(nil, defaultThreshold).alike(t, prediction, k.get("gold", nil))
	},
	func(t *Comparison, prediction python.Value, k kwargs) (outcome, error) {
		return anyReading(t, prediction, k.get("gold", nil), typed{k.matching(nil, defaultThreshold)}.alike)
	})

// alike reports whether the similarity of two printed values reaches the threshold.
func (m matching) alike(t *Comparison, prediction, gold python.Value) (outcome, error) {
	name, ok := m.method.(string)
	if !ok {
		return outcome{}, raise("the fuzz_method is a %s", python.Type(m.method))
	}
	a, b := m.fuzzyForm(prediction, name), m.fuzzyForm(gold, name)
	score := fuzzy.ByName(name)
	if score == nil {
		return outcome{}, raise("there is no fuzz_method %q", name)
	}
	return m.reaches(t, score(a, b))
}

// reaches compares a score with the threshold.
func (m matching) reaches(t *Comparison, score int) (outcome, error) {
	enough, err := atLeast(score, m.threshold)
	if t != nil {
		sign := "<"
		if enough {
			sign = "≥"
		}
		t.Rule = fmt.Sprintf("fuzzy %s %d %s %s", python.Str(m.method), score, sign, python.Repr(m.threshold))
	}
	return passed(enough), err
}

// fuzzyForm is exactForm, but keeps the spaces between words for the two word-based methods.
func (m matching) fuzzyForm(v python.Value, method string) string {
	if !m.ignoreBlank || method != "token_sort_ratio" && method != "token_set_ratio" {
		return m.exactForm(v)
	}
	s := python.CollapseSpace(python.Strip(python.Str(v)), " ")
	if m.lowercase {
		s = python.Lower(s)
	}
	return s
}
