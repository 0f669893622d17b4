package python

import (
	"fmt"
	"math/big"
	"strings"
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
		return append(append(append(b, '"'), dumpEscapes.Replace(x)...), '"')
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

// dumpEscapes are the escapes of json.dumps.
var dumpEscapes = JSONEscapes(`"`, `\"`, `\`, `\\`, "\n", `\n`, "\r", `\r`, "\t", `\t`, "\b", `\b`, "\f", `\f`)

// JSONEscapes returns a replacer of characters by the escapes after them, and of other control characters by \u00XX.
func JSONEscapes(pairs ...string) *strings.Replacer {
	for c := range ' ' { // of several escapes of a character, the first counts
		pairs = append(pairs, string(c), fmt.Sprintf(`\u%04x`, c))
	}
	return strings.NewReplacer(pairs...)
}
