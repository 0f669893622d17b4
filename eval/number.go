package eval

import (
	"fmt"
	"math"
	"math/big"

	"airqa/internal/python"
)

// truth compares an answer with the truth value of the gold.
func (m matching) truth(t *Comparison, prediction, gold python.Value) (outcome, error) {
	if m.mode == Fixed {
		prediction = trimmed(prediction)
	}
	said, ok := toBool(prediction)
	if !ok {
		return unread("the answer is neither true nor false"), nil
	}
	return equalTruth(t, said, python.Truth(gold)), nil
}

func equalTruth(t *Comparison, said, gold bool) outcome {
	t.rulef("truth value %s %s %s", repr{said}, relation(said == gold), repr{gold})
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

// sameTruth compares an answer with a truth value; a number never matches.
func sameTruth(t *Comparison, prediction python.Value, gold bool) outcome {
	switch x := prediction.(type) {
	case bool:
		return equalTruth(t, x, gold)
	case string:
		_, isNumber := python.SmallInt(x)
		if said, ok := toBool(python.Strip(x)); ok && !isNumber {
			return equalTruth(t, said, gold)
		}
	}
	return unread("the answer is neither true nor false")
}

// whole compares an answer with a whole number. [Reference] truncates floats on both sides.
func (m matching) whole(t *Comparison, prediction, gold python.Value) (outcome, error) {
	if m.mode == Fixed {
		return sameWhole(t, prediction, gold), nil
	}
	said, ok := toInt(prediction)
	if !ok {
		return unread("the answer is not a whole number"), nil
	}
	wanted, ok := toInt(gold)
	equal := ok && python.Equal(said, wanted)
	if ok {
		t.rulef("int() makes %s of %s, %[1]s %[3]s %[4]s", repr{said}, repr{prediction}, relation(equal), repr{wanted})
	} else {
		t.rulef("int() cannot read the gold %s", repr{gold})
	}
	return passed(equal), nil
}

// sameWhole compares an answer with a whole number. "3.0" is 3; a number with a fraction does not match.
func sameWhole(t *Comparison, prediction, gold python.Value) outcome {
	said, ok := prediction, true
	switch x := prediction.(type) {
	case int64, *big.Int, float64:
	case string, python.Bytes:
		if said, ok = toInt(x); !ok {
			said, ok = toFloat(x)
		}
	default:
		ok = false
	}
	if !ok {
		return unread("the answer is not a number")
	}
	equal := python.Equal(said, gold)
	t.rulef("number %s %s %s", repr{prediction}, relation(equal), repr{gold})
	return passed(equal)
}

// zeroTolerance is the absolute tolerance of [Fixed] for a gold of 0, where a relative tolerance allows nothing.
const zeroTolerance = 1e-9

// float compares an answer with a number, rounded if ndigits is set. In [Fixed], truth values do not match.
func (m matching) float(t *Comparison, prediction, gold python.Value) (outcome, error) {
	said, ok := toFloat(prediction)
	if _, isBool := prediction.(bool); !ok || isBool && m.mode == Fixed {
		return unread("the answer is not a number"), nil
	}
	if t != nil {
		t.Rule = m.floatRule(said, gold)
	}
	if m.isClose(said, gold) {
		return passed(true), nil
	}
	if wanted, ok := number(gold); m.mode != Fixed || !ok || wanted != 0 {
		return outcome{}, nil
	}
	if t != nil {
		t.Rule += ", absolute tolerance " + python.Repr(zeroTolerance)
	}
	return passed(math.Abs(said) <= zeroTolerance), nil
}

// isClose reports whether said is close to gold. It is not if the gold or an option is not a number.
func (m matching) isClose(said float64, gold python.Value) bool {
	if m.ndigits != nil {
		digits, ok := digitCount(m.ndigits)
		if !ok {
			return false
		}
		if said, ok = python.Round(said, digits); !ok {
			return false
		}
		if gold, ok = rounded(gold, digits); !ok {
			return false
		}
	}
	wanted, isNumber := number(gold)
	tolerance, isTolerance := number(m.tolerance)
	return isNumber && isTolerance && tolerance >= 0 && isClose(said, wanted, tolerance)
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
