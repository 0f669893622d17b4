package eval

import (
	"fmt"
	"math/big"

	"airqa/internal/python"
)

var boolExact = objective(Function{Name: "eval_bool_exact_match", Params: []Param{required("gold", KindBool)}}, sameBool,
	func(t *Comparison, prediction python.Value, k kwargs) (outcome, error) {
		return sameBool(t, trimmed(prediction), k)
	})

func sameBool(t *Comparison, prediction python.Value, k kwargs) (outcome, error) {
	said, ok := toBool(prediction)
	if !ok {
		return unread("the answer is neither true nor false"), nil
	}
	return equalTruth(t, said, k.truth("gold")), nil
}

func equalTruth(t *Comparison, said, gold bool) outcome {
	if t != nil {
		t.Rule = fmt.Sprintf("truth value %s %s %s", python.Repr(said), relation(said == gold), python.Repr(gold))
	}
	return passed(said == gold)
}

// toBool reads an answer as a truth value: a bool, 0 or 1, or one of ten words in any case and without whitespace.
func toBool(v python.Value) (value, ok bool) {
	switch x := v.(type) {
	case bool:
		return x, true
	case int64:
		return x == 1, x == 0 || x == 1
	case *big.Int:
		return false, false
	case float64:
		return x == 1, x == 0 || x == 1
	}
	switch python.Lower(python.Str(v)) {
	case "true", "1", "yes", "y", "t":
		return true, true
	case "false", "0", "no", "n", "f":
		return false, true
	}
	return false, false
}
