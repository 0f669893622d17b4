package python

import "math/big"

// Value is a Python value. It is one of: nil (None), bool, int64, *[big.Int] (only integers that do not fit
// int64), float64, complex128, string, [Bytes], [List], [Tuple], [Set], *[Dict], [Ellipsis].
//
// A string is UTF-8, except that a lone surrogate such as '\ud800' is held as its three bytes in the same
// scheme, so that it differs from every character; [ToGo] replaces it.
type Value any

// List is a Python list.
type List []Value

// Tuple is a Python tuple.
type Tuple []Value

// Set is a Python set: no two elements are equal as Python sees it. The order is the one in which CPython walks
// over a set of numbers; a set with other elements, for which Python knows no order, keeps that of appearance.
type Set []Value

// Bytes is a Python bytes value, one Go byte each.
type Bytes string

// Ellipsis is the value of the literal "...".
type Ellipsis struct{}

// Options changes what [Parse] and [ParseCall] accept. The zero value is plain Python.
type Options struct {
	// JSONConstants takes true, false and null for True, False and None.
	JSONConstants bool
	// LaTeX keeps LaTeX commands in strings as written where Python reads an escape; see [LaTeXCommand].
	LaTeX bool
	// Loose takes line breaks and unknown escapes in strings of JSON as they are written; for [ParseJSON] only.
	Loose bool
}

// reduce turns an integer of any size into a Value: int64 where it fits.
func reduce(i *big.Int) Value {
	if i.IsInt64() {
		return i.Int64()
	}
	return i
}

// Type returns the name that Python gives to the type of v, such as "int" or "NoneType".
func Type(v Value) string {
	switch v.(type) {
	case nil:
		return "NoneType"
	case bool:
		return "bool"
	case int64, *big.Int:
		return "int"
	case float64:
		return "float"
	case complex128:
		return "complex"
	case string:
		return "str"
	case Bytes:
		return "bytes"
	case Ellipsis:
		return "ellipsis"
	}
	return containerType(v)
}

func containerType(v Value) string {
	switch v.(type) {
	case List:
		return "list"
	case Tuple:
		return "tuple"
	case Set:
		return "set"
	case *Dict:
		return "dict"
	}
	return "object"
}
