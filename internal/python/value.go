package python

import (
	"cmp"
	"iter"
	"math/big"
	"reflect"
	"slices"
)

// Value is a Python value. It is one of: nil (None), bool, int64, *[big.Int] (only integers that do not fit
// int64), float64, complex128, string, [Bytes], [List], [Tuple], [Set], *[Dict], [Ellipsis].
//
// A string is UTF-8, except that a lone surrogate such as '\ud800' is encoded as three bytes in the same scheme, so
// that it differs from every character; [ToGo] replaces it.
type Value any

// List is a Python list.
type List []Value

// Tuple is a Python tuple.
type Tuple []Value

// Set is a Python set without equal elements, in order of appearance.
type Set []Value

// Elements returns the elements of a list, a tuple or a set; false for another value.
func Elements(v Value) ([]Value, bool) {
	switch x := v.(type) {
	case List:
		return x, true
	case Tuple:
		return x, true
	case Set:
		return x, true
	}
	return nil, false
}

// Leaves iterates over the values in v that are no containers, and the keys of mappings.
func Leaves(v Value) iter.Seq[Value] {
	return func(yield func(Value) bool) { leaves(v, yield) }
}

func leaves(v Value, yield func(Value) bool) bool {
	items, isList := Elements(v)
	if d, isDict := v.(*Dict); isDict {
		for k, item := range d.All() {
			items = append(items, k, item)
		}
	} else if !isList {
		return yield(v)
	}
	return !slices.ContainsFunc(items, func(item Value) bool { return !leaves(item, yield) })
}

// Bytes is a Python bytes value, one Go byte each.
type Bytes string

// Ellipsis is the value of the literal "...".
type Ellipsis struct{}

// Options configures [Parse] and [ParseCall]. The zero value is plain Python.
type Options struct {
	// JSONConstants accepts true, false and null for True, False and None.
	JSONConstants bool
	// LaTeX keeps LaTeX commands in strings where Python would read an escape; see [LaTeXCommand].
	LaTeX bool
	// KeepControls keeps escapes of control characters as written, but for tabs and line breaks: in SQL, '\b' and '\1' are parts
	// of a regular expression.
	KeepControls bool
	// Apart refuses strings that touch, which Python joins: 'It''s' is how SQL writes a quotation mark.
	Apart bool
	// Lines accepts line breaks in strings with single quotation marks on either side.
	Lines bool
	// Loose accepts line breaks, unknown escapes, single quotes and Python's constants in JSON; for [ParseJSON] only.
	Loose bool
	// UniqueKeys rejects JSON objects with a repeated key; for [ParseJSON] only.
	UniqueKeys bool
}

// reduce converts an integer to a Value: int64 if it fits.
func reduce(i *big.Int) Value {
	if i.IsInt64() {
		return i.Int64()
	}
	return i
}

var typeNames = map[reflect.Type]string{
	nil:                           "NoneType",
	reflect.TypeFor[bool]():       "bool",
	reflect.TypeFor[int64]():      "int",
	reflect.TypeFor[*big.Int]():   "int",
	reflect.TypeFor[float64]():    "float",
	reflect.TypeFor[complex128](): "complex",
	reflect.TypeFor[string]():     "str",
	reflect.TypeFor[Bytes]():      "bytes",
	reflect.TypeFor[Ellipsis]():   "ellipsis",
	reflect.TypeFor[List]():       "list",
	reflect.TypeFor[Tuple]():      "tuple",
	reflect.TypeFor[Set]():        "set",
	reflect.TypeFor[*Dict]():      "dict",
}

// Type returns Python's name for the type of v, such as "int" or "NoneType".
func Type(v Value) string { return cmp.Or(typeNames[reflect.TypeOf(v)], "object") }

// Truth is Python's bool() of a value.
func Truth(v Value) bool {
	switch x := v.(type) {
	case nil:
		return false
	case bool:
		return x
	case int64:
		return x != 0
	case float64:
		return x != 0
	case string:
		return x != ""
	case List:
		return len(x) > 0
	case *Dict:
		return x.Len() > 0
	}
	return true // the rest (a long integer) is never zero in JSON
}
