package task

import (
	"math"

	"airqa/internal/pyliteral"
)

// Part is the shape of the element i of a list, and the shape itself of anything else.
func (s Shape) Part(i int) Shape {
	if s.Class != AsList && s.Class != AsDict {
		return s
	}
	if len(s.Parts) == 0 {
		return Shape{Decimals: s.Decimals}
	}
	return s.Parts[min(i, len(s.Parts)-1)]
}

// Value turns a JSON value into one of the shape.
func (s Shape) Value(v any) pyliteral.Value {
	switch x := v.(type) {
	case float64:
		return s.Number(x)
	case bool:
		return x
	case string:
		return x
	}
	return ""
}

// Number gives a number the form of the shape; a text gets its digits.
func (s Shape) Number(x float64) pyliteral.Value {
	whole := x == math.Trunc(x) && math.Abs(x) < 1e15
	switch {
	case s.Class == AsFloat && s.Decimals >= 0:
		scale := math.Pow10(s.Decimals)
		return math.Round(x*scale) / scale
	case s.Class == AsFloat:
		return x
	case s.Class == AsInteger && math.Abs(x) < 1e15:
		return int64(math.Round(x))
	case s.Class == AsBool:
		return x != 0
	case whole:
		return pyliteral.Str(int64(x))
	}
	return pyliteral.Str(x)
}
