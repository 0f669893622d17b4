package eval

import (
	"context"

	"airqa/internal/pyliteral"
	"airqa/internal/pystr"
)

var stringExact = Function{
	Name:   "eval_string_exact_match",
	Params: []Param{required("gold", KindText), lowercaseParam, ignoreBlankParam},
	fixed:  fixedText,
	score: func(_ context.Context, _ *Scorer, prediction pyliteral.Value, k kwargs) (outcome, error) {
		m := matching{lowercase: k.truth("lowercase"), ignoreBlank: k.truth("ignore_blank")}
		return m.same(prediction, k.get("gold", nil)), nil
	},
}

// same tells whether two values print alike, apart from blanks at the ends, and from blanks and case as the
// options say.
func (m matching) same(prediction, gold pyliteral.Value) outcome {
	return passed(m.exactForm(prediction) == m.exactForm(gold))
}

func (m matching) exactForm(v pyliteral.Value) string {
	s := pystr.Strip(pyliteral.Str(v))
	if m.ignoreBlank {
		s = pystr.WithoutBlanks(s)
	}
	if m.lowercase {
		s = pystr.Lower(s)
	}
	return s
}
