package python

import (
	"fmt"
	"math/big"
)

// JSON prints a value as json.dumps(v, ensure_ascii=False) does.
func JSON(v Value) string { return string(appendJSON(nil, v)) }

func appendJSON(b []byte, v Value) []byte {
	switch x := v.(type) {
	case nil:
		return append(b, "null"...)
	case bool:
		if x {
			return append(b, "true"...)
		}
		return append(b, "false"...)
	case string:
		return appendJSONText(b, x)
	case float64:
		return append(b, jsonFloat(x)...)
	case *big.Int:
		return x.Append(b, 10)
	case List:
		b = append(b, '[')
		for i, item := range x {
			b = appendJSON(separate(b, i), item)
		}
		return append(b, ']')
	case *Dict:
		b = append(b, '{')
		i := 0
		for k, item := range x.All() {
			b = appendJSON(separate(b, i), k)
			b = appendJSON(append(b, ": "...), item)
			i++
		}
		return append(b, '}')
	}
	return append(b, Repr(v)...)
}

// separate starts item i of a list or object.
func separate(b []byte, i int) []byte {
	if i > 0 {
		return append(b, ", "...)
	}
	return b
}

func jsonFloat(f float64) string {
	switch s := Repr(f); s {
	case "nan":
		return "NaN"
	case "inf":
		return "Infinity"
	case "-inf":
		return "-Infinity"
	default:
		return s
	}
}

func appendJSONText(b []byte, s string) []byte {
	b = append(b, '"')
	for i := range len(s) {
		switch c := s[i]; c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\n':
			b = append(b, `\n`...)
		case '\r':
			b = append(b, `\r`...)
		case '\t':
			b = append(b, `\t`...)
		case '\b':
			b = append(b, `\b`...)
		case '\f':
			b = append(b, `\f`...)
		default:
			if c < 0x20 {
				b = fmt.Appendf(b, `\u%04x`, c)
			} else {
				b = append(b, c)
			}
		}
	}
	return append(b, '"')
}
