package eval

import (
	"fmt"
	"math"
	"math/big"

	"airqa/internal/python"
)

var floatExact = objective(
	Function{
		Name:   "eval_float_exact_match",
		Params: []Param{required("gold", KindNumber), optional("ndigits", KindInt|KindNull, nil), toleranceParam},
	},
	func(t *Comparison, prediction python.Value, k kwargs) (outcome, error) {
		return k.matching(nil, nil).sameFloat(t, prediction, k.get("gold", nil)), nil
	},
	func(t *Comparison, prediction python.Value, k kwargs) (outcome, error) {
		return typed{k.matching(nil, nil)}.float(t, prediction, k.get("gold", nil)), nil
	})

// sameFloat compares two values as numbers, rounded if ndigits is set. Non-numeric options and golds fail without an
// exception.
func (m matching) sameFloat(t *Comparison, prediction, gold python.Value) outcome {
	said, ok := toFloat(prediction)
	if !ok {
		return unread("the answer is not a number")
	}
	if t != nil {
		t.Rule = m.floatRule(said, gold)
	}
	if m.ndigits != nil {
		digits, isInt := digitCount(m.ndigits)
		if !isInt {
			return outcome{}
		}
		if said, ok = python.Round(said, digits); !ok {
			return outcome{}
		}
		if gold, ok = rounded(gold, digits); !ok {
			return outcome{}
		}
	}
	wanted, isNumber := number(gold)
	tolerance, isTolerance := number(m.tolerance)
	if !isNumber || !isTolerance || tolerance < 0 {
		return outcome{}
	}
	return passed(isClose(said, wanted, tolerance))
}

func (m matching) floatRule(said float64, gold python.Value) string {
	rule := fmt.Sprintf("float %s vs %s", python.Repr(said), python.Repr(gold))
	if n, ok := number(m.ndigits); ok && n == 1 {
		rule += " rounded to 1 digit"
	} else if m.ndigits != nil {
		rule += fmt.Sprintf(" rounded to %s digits", python.Repr(m.ndigits))
	}
	rule += ", relative tolerance " + python.Repr(m.tolerance)
	if _, ok := number(gold); !ok {
		rule += ": the gold is not a number"
	}
	return rule
}

// isClose is Python's math.isclose with only a relative tolerance: nothing but 0 is close to 0.
func isClose(a, b, tolerance float64) bool {
	if a == b {
		return true
	}
	if math.IsInf(a, 0) || math.IsInf(b, 0) {
		return false
	}
	d := math.Abs(b - a)
	return d <= math.Abs(tolerance*b) || d <= math.Abs(tolerance*a)
}

// digitCount returns ndigits as a clipped int; false if round() would not accept it.
func digitCount(v python.Value) (int, bool) {
	switch x := v.(type) {
	case bool:
		n, _ := number(x)
		return int(n), true
	case int64:
		return int(max(-1<<31, min(1<<31, x))), true
	case *big.Int:
		return x.Sign() << 31, true
	}
	return 0, false
}

// rounded is Python's round(v, digits).
func rounded(v python.Value, digits int) (python.Value, bool) {
	switch x := v.(type) {
	case float64:
		f, ok := python.Round(x, digits)
		return f, ok
	case bool, int64:
		i, _ := toInt(x)
		return python.RoundInt(big.NewInt(i.(int64)), digits), true
	case *big.Int:
		return python.RoundInt(x, digits), true
	}
	return nil, false
}
