package eval

import (
	"context"

	"airqa/internal/pyliteral"
)

var intExact = Function{
	Name:   "eval_int_exact_match",
	Params: []Param{required("gold", KindInt)},
	fixed:  fixedInt,
	score: func(_ context.Context, _ *Scorer, prediction pyliteral.Value, k kwargs) (outcome, error) {
		return sameInt(prediction, k.get("gold", nil)), nil
	},
}

// sameInt compares two values as whole numbers, after cutting off what follows the point of a float.
func sameInt(prediction, gold pyliteral.Value) outcome {
	said, ok := toInt(prediction)
	if !ok {
		return unread("the answer is not a whole number")
	}
	wanted, ok := toInt(gold)
	return passed(ok && pyliteral.Equal(said, wanted))
}
