package python

import (
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// Equal reports whether a == b in Python: 1, True and 1.0 are equal, 1 and '1' are not, a list and a tuple never are.
// Sets and dictionaries are compared regardless of order.
func Equal(a, b Value) bool {
	switch x := a.(type) {
	case string:
		y, ok := b.(string)
		return ok && x == y
	case List:
		y, ok := b.(List)
		return ok && slices.EqualFunc(x, y, Equal)
	case Tuple:
		y, ok := b.(Tuple)
		return ok && slices.EqualFunc(x, y, Equal)
	case Set:
		y, ok := b.(Set)
		return ok && len(x) == len(y) && allIn(x, y)
	case *Dict:
		y, ok := b.(*Dict)
		return ok && equalDicts(x, y)
	}
	return equalAtoms(a, b)
}

func allIn(a, b Set) bool {
	var d Dict
	for _, v := range b {
		d.Set(v, nil)
	}
	return !slices.ContainsFunc(a, func(v Value) bool { return d.find(v) < 0 })
}

func equalDicts(a, b *Dict) bool {
	if a.Len() != b.Len() {
		return false
	}
	for k, v := range a.All() {
		w, ok := b.Get(k)
		if !ok || !Equal(v, w) {
			return false
		}
	}
	return true
}

// equalAtoms compares values that contain no others; NaN differs from itself.
func equalAtoms(a, b Value) bool {
	if f, ok := a.(float64); ok && math.IsNaN(f) {
		return false
	}
	ka, oka := key(a)
	kb, okb := key(b)
	return oka && okb && ka == kb
}

// key returns a text that is equal for two hashable values exactly if Python treats them as the same key; false if v is
// not hashable.
func key(v Value) (string, bool) {
	switch x := v.(type) {
	case nil:
		return "N", true
	case bool:
		if x {
			return "i1", true
		}
		return "i0", true
	case int64:
		return "i" + strconv.FormatInt(x, 10), true
	case *big.Int:
		return "i" + x.String(), true
	case float64:
		return floatKey(x), true
	case complex128:
		return complexKey(x), true
	case string:
		return "s" + x, true
	case Bytes:
		return "b" + string(x), true
	case Ellipsis:
		return "E", true
	case Tuple:
		return tupleKey(x)
	}
	return "", false
}

func floatKey(f float64) string {
	if f != math.Trunc(f) || math.IsInf(f, 0) {
		return "f" + strconv.FormatFloat(f, 'g', -1, 64)
	}
	return "i" + strconv.FormatFloat(f+0, 'f', 0, 64)
}

func complexKey(c complex128) string {
	if imag(c) == 0 {
		return floatKey(real(c))
	}
	return "c" + floatKey(real(c)) + "," + floatKey(imag(c))
}

func tupleKey(t Tuple) (string, bool) {
	var b strings.Builder
	b.WriteString("t")
	for _, v := range t {
		k, ok := key(v)
		if !ok {
			return "", false
		}
		b.WriteString(strconv.Itoa(len(k)))
		b.WriteByte(':')
		b.WriteString(k)
	}
	return b.String(), true
}
