package python

import (
	"fmt"
	"math/big"
)

// JSON prints a value as json.dumps(v, ensure_ascii=False) does.
func JSON(v Value) string { return string(appendJSON(nil, v, "")) }

// JSONIndent prints a value as json.dumps(v, indent=4, ensure_ascii=False) does.
func JSONIndent(v Value) string { return string(appendJSON(nil, v, "\n")) }

// appendJSON prints a value. A nonempty newline, a line break and the current indent, precedes items and keys.
func appendJSON(b []byte, v Value, newline string) []byte {
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
		return appendJSONItems(b, x, newline)
	case *Dict:
		return appendJSONMembers(b, x, newline)
	}
	return append(b, Repr(v)...)
}

// separate starts item i of a list or object.
func separate(b []byte, i int, inner string) []byte {
	switch {
	case i > 0 && inner == "":
		return append(b, ", "...)
	case i > 0:
		b = append(b, ',')
	}
	return append(b, inner...)
}

func deeper(newline string) string {
	if newline == "" {
		return ""
	}
	return newline + "    "
}

func appendJSONItems(b []byte, list List, newline string) []byte {
	if len(list) == 0 {
		return append(b, "[]"...)
	}
	b = append(b, '[')
	for i, item := range list {
		b = appendJSON(separate(b, i, deeper(newline)), item, deeper(newline))
	}
	return append(append(b, newline...), ']')
}

func appendJSONMembers(b []byte, d *Dict, newline string) []byte {
	if d.Len() == 0 {
		return append(b, "{}"...)
	}
	b = append(b, '{')
	i := 0
	for k, item := range d.All() {
		b = appendJSON(separate(b, i, deeper(newline)), k, "")
		b = appendJSON(append(b, ": "...), item, deeper(newline))
		i++
	}
	return append(append(b, newline...), '}')
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
