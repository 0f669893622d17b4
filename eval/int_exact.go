package eval

import (
	"fmt"

	"airqa/internal/python"
)

var intExact = objective(Function{Name: "eval_int_exact_match", Params: []Param{required("gold", KindInt)}},
	func(t *Comparison, prediction python.Value, k kwargs) (outcome, error) {
		return sameInt(t, prediction, k.get("gold", nil)), nil
	},
	func(t *Comparison, prediction python.Value, k kwargs) (outcome, error) {
		return sameWhole(t, prediction, k.get("gold", nil)), nil
	})

// sameInt compares two values as whole numbers, truncating floats.
func sameInt(t *Comparison, prediction, gold python.Value) outcome {
	said, ok := toInt(prediction)
	if !ok {
		return unread("the answer is not a whole number")
	}
	wanted, ok := toInt(gold)
	equal := ok && python.Equal(said, wanted)
	switch {
	case t == nil:
	case ok:
		t.Rule = fmt.Sprintf("int() makes %s of %s, %[1]s %[3]s %[4]s", python.Repr(said), python.Repr(prediction), relation(equal), python.Repr(wanted))
	default:
		t.Rule = "int() cannot read the gold " + python.Repr(gold)
	}
	return passed(equal)
}
