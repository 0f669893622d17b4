package python

import (
	"math/big"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// ToGo turns v into plain Go values: nil, bool, int64, float64, string, []any, map[string]any. An integer
// beyond int64 becomes a float64 when that is exact, otherwise its decimal digits as a string; tuples and sets
// become []any; bytes, complex numbers and the ellipsis become their [Str]; so do keys that are no strings
// (of two keys with the same Str the last wins). Strings come out as valid UTF-8.
func ToGo(v Value) any {
	switch x := v.(type) {
	case nil, bool, int64, float64:
		return x
	case string:
		return validText(x)
	case *big.Int:
		if f, accuracy := new(big.Float).SetInt(x).Float64(); accuracy == big.Exact {
			return f
		}
		return x.String()
	case List:
		return plainItems(x)
	case Tuple:
		return plainItems(x)
	case Set:
		return plainItems(x)
	case *Dict:
		m := make(map[string]any, x.Len())
		for k, w := range x.All() {
			m[validText(Str(k))] = ToGo(w)
		}
		return m
	}
	return Str(v)
}

func plainItems(items []Value) []any {
	out := make([]any, len(items))
	for i, v := range items {
		out[i] = ToGo(v)
	}
	return out
}

// validText joins surrogates that belong together and replaces lone ones.
func validText(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := DecodeRune(s[i:])
		i += n
		if next, m := DecodeRune(s[i:]); utf16.IsSurrogate(r) && utf16.DecodeRune(r, next) != utf8.RuneError {
			r = utf16.DecodeRune(r, next)
			i += m
		}
		b.WriteRune(r)
	}
	return b.String()
}
