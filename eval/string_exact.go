package eval

import (
	"fmt"

	"airqa/internal/python"
)

var stringExact = objective(
	Function{Name: "eval_string_exact_match", Params: []Param{required("gold", KindText), lowercaseParam, ignoreBlankParam}},
	func(t *Comparison, prediction python.Value, k kwargs) (outcome, error) {
		return k.exactly().same(t, prediction, k.get("gold", nil)), nil
	},
	func(t *Comparison, prediction python.Value, k kwargs) (outcome, error) {
		return typed{k.exactly()}.text(t, prediction, k.get("gold", nil))
	})

// exactly returns the options of a text comparison without a threshold.
func (k kwargs) exactly() matching {
	return matching{lowercase: k.truth("lowercase"), ignoreBlank: k.truth("ignore_blank"), threshold: noThreshold}
}

// same reports whether two values print the same, ignoring surrounding whitespace, and all whitespace and case as the
// options specify.
func (m matching) same(t *Comparison, prediction, gold python.Value) outcome {
	said, wanted := m.exactForm(prediction), m.exactForm(gold)
	if t != nil {
		t.Rule = fmt.Sprintf("text %s %s %s", python.Repr(said), relation(said == wanted), python.Repr(wanted))
		if m.ignoreBlank {
			t.Rule += ", without whitespace"
		}
		if m.lowercase {
			t.Rule += ", in lower case"
		}
	}
	return passed(said == wanted)
}

func (m matching) exactForm(v python.Value) string {
	s := python.Strip(python.Str(v))
	if m.ignoreBlank {
		s = python.RemoveSpace(s)
	}
	if m.lowercase {
		s = python.Lower(s)
	}
	return s
}
