package python

import (
	"math/big"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// ToGo converts v to plain Go values: nil, bool, int64, float64, string, []any, map[string]any. An integer beyond int64
// becomes a float64 if that is exact, otherwise a string of decimal digits. Tuples and sets become []any; bytes,
// complex numbers and the ellipsis become their [Str], as do keys other than strings (the last of two equal ones wins).
// Strings become valid UTF-8.
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

// validText joins surrogate pairs and replaces lone surrogates.
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
