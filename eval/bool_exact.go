package eval

import (
	"context"
	"math/big"

	"airqa/internal/pyliteral"
	"airqa/internal/pystr"
)

var boolExact = Function{
	Name:   "eval_bool_exact_match",
	Params: []Param{required("gold", KindBool)},
	fixed:  fixedBool,
	score: func(_ context.Context, _ *Scorer, prediction pyliteral.Value, k kwargs) (outcome, error) {
		said, ok := toBool(prediction)
		if !ok {
			return unread("the answer is neither true nor false"), nil
		}
		return passed(said == truth(k.get("gold", nil))), nil
	},
}

// toBool reads an answer as a truth value: a bool, 0 or 1, or one of ten words in any case but without blanks.
func toBool(v pyliteral.Value) (value, ok bool) {
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
	switch pystr.Lower(pyliteral.Str(v)) {
	case "true", "1", "yes", "y", "t":
		return true, true
	case "false", "0", "no", "n", "f":
		return false, true
	}
	return false, false
}
