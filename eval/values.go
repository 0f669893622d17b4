package eval

import (
	"math"
	"math/big"
	"unicode/utf8"

	"airqa/internal/python"
)

// toInt is Python's int() of v, truncating fractions; false if it fails.
func toInt(v python.Value) (python.Value, bool) {
	switch x := v.(type) {
	case bool:
		n, _ := number(x)
		return int64(n), true
	case int64, *big.Int:
		return x, true
	case float64:
		return cut(x)
	case string:
		return intFromText(x)
	case python.Bytes:
		return intFromText(numeral(x))
	}
	return nil, false
}

// numeral returns bytes as the text of a number. Non-ASCII bytes contain no digits or whitespace and become the empty
// text, which is not a number.
func numeral(b python.Bytes) string {
	if s := string(b); python.IsASCII(s) {
		return s
	}
	return ""
}

func intFromText(s string) (python.Value, bool) {
	if i, ok := python.SmallInt(s); ok {
		return i, true
	}
	i, ok := python.Int(s)
	if !ok {
		return nil, false
	}
	if i.IsInt64() {
		return i.Int64(), true
	}
	return i, true
}

// cut truncates f; false for an infinity or NaN.
func cut(f float64) (python.Value, bool) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return nil, false
	}
	if math.Abs(f) < 1<<62 {
		return int64(f), true
	}
	i, _ := big.NewFloat(f).Int(nil)
	if i.IsInt64() {
		return i.Int64(), true
	}
	return i, true
}

// toFloat is Python's float() of v; false if it fails.
func toFloat(v python.Value) (float64, bool) {
	switch x := v.(type) {
	case string:
		return python.Float(x)
	case python.Bytes:
		return python.Float(numeral(x))
	}
	return number(v)
}

// number returns a bool, an int or a float as float64; false for other types and for an int beyond float64.
func number(v python.Value) (float64, bool) {
	switch x := v.(type) {
	case bool:
		if x {
			return 1, true
		}
		return 0, true
	case int64:
		return float64(x), true
	case float64:
		return x, true
	case *big.Int:
		f, _ := new(big.Float).SetInt(x).Float64()
		return f, !math.IsInf(f, 0)
	}
	return 0, false
}

// compare returns the sign of x - v for a number v of any size; ordered is false for NaN. The error is Python's
// TypeError for anything but a number.
func compare(x float64, v python.Value) (sign int, ordered bool, err error) {
	if i, ok := v.(*big.Int); ok {
		return -i.Sign(), true, nil
	}
	y, ok := number(v)
	if !ok {
		return 0, false, raise("a number cannot be compared with a %s", python.Type(v))
	}
	switch {
	case x < y:
		return -1, true, nil
	case x > y:
		return 1, true, nil
	}
	return 0, x == y, nil
}

// atLeast is Python's x >= v.
func atLeast(x int, v python.Value) (bool, error) {
	sign, ordered, err := compare(float64(x), v)
	return ordered && sign >= 0, err
}

// iterate returns the elements that a Python for loop over v visits: list elements, characters, dictionary keys.
func iterate(v python.Value) ([]python.Value, error) {
	switch x := v.(type) {
	case python.List:
		return x, nil
	case string:
		items := make([]python.Value, 0, utf8.RuneCountInString(x))
		for i := 0; i < len(x); {
			_, n := python.DecodeRune(x[i:])
			items = append(items, x[i:i+n])
			i += n
		}
		return items, nil
	case *python.Dict:
		items := make([]python.Value, 0, x.Len())
		for k := range x.All() {
			items = append(items, k)
		}
		return items, nil
	}
	return nil, raise("a %s is not a list", python.Type(v))
}
