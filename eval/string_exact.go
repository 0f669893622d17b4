package eval

import (
	"context"
	"fmt"

	"airqa/internal/pyliteral"
	"airqa/internal/pystr"
)

var stringExact = Function{
	Name:   "eval_string_exact_match",
	Params: []Param{required("gold", KindText), lowercaseParam, ignoreBlankParam},
	fixed:  fixedText,
	score: func(_ context.Context, _ *Scorer, t *Comparison, prediction pyliteral.Value, k kwargs) (outcome, error) {
		m := matching{lowercase: k.truth("lowercase"), ignoreBlank: k.truth("ignore_blank")}
		return m.same(t, prediction, k.get("gold", nil)), nil
	},
}

// same tells whether two values print alike, apart from blanks at the ends, and from blanks and case as the
// options say.
func (m matching) same(t *Comparison, prediction, gold pyliteral.Value) outcome {
	said, wanted := m.exactForm(prediction), m.exactForm(gold)
	if t != nil {
		t.Rule = fmt.Sprintf("text %s %s %s", pyliteral.Repr(said), relation(said == wanted), pyliteral.Repr(wanted))
		if m.ignoreBlank {
			t.Rule += ", without whitespace"
		}
		if m.lowercase {
			t.Rule += ", in lower case"
		}
	}
	return passed(said == wanted)
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
