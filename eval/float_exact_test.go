package eval_test

import (
	"strings"
	"testing"
)

func TestFloatExact(t *testing.T) {
	long := strings.Repeat("7", 401)
	runCases(t, "eval_float_exact_match", nil, []scoreCase{
		{"same", `{"gold": 85.3}`, `"85.3"`, right},
		{"exponent and whitespace", `{"gold": 85.3}`, `" 8.53e1\n"`, right},
		{"int gold", `{"gold": 85}`, `85.0`, right},
		{"within the tolerance", `{"gold": 1000.0}`, `"1000.0009"`, right},
		{"beyond the tolerance", `{"gold": 1000.0}`, `"1000.002"`, wrong},
		{"tolerance", `{"gold": 100, "tolerance": 0.01}`, `"101"`, right},
		{"tolerance is relative to the larger", `{"gold": 100, "tolerance": 0.01}`, `"101.01"`, right},
		{"near 0 nothing is close", `{"gold": 0}`, `"1e-300"`, wrong},
		{"0 itself", `{"gold": 0}`, `"-0.0"`, right},
		{"percent sign", `{"gold": 85.3}`, `"85.3%"`, unread},
		{"comma", `{"gold": 1000}`, `"1,000"`, unread},
		{"underscore", `{"gold": 1000}`, `"1_000.0"`, right},
		{"hexadecimal", `{"gold": 16}`, `"0x10"`, unread},
		{"null", `{"gold": 0}`, `null`, unread},
		{"list", `{"gold": 1}`, `[1]`, unread},
		{"true", `{"gold": 1}`, `true`, right},
		{"infinity", `{"gold": Infinity}`, `"inf"`, right},
		{"signed infinity", `{"gold": Infinity}`, `"-Infinity"`, wrong},
		{"infinity is not close", `{"gold": 1e308, "tolerance": 1}`, `"inf"`, wrong},
		{"nan", `{"gold": NaN}`, `"nan"`, wrong},
		{"signed nan is a number too", `{"gold": 1}`, `"-nan"`, wrong},
		{"rounding", `{"gold": 85.3, "ndigits": 1}`, `"85.33"`, right},
		{"rounding of the gold", `{"gold": 85.33, "ndigits": 1}`, `"85.3"`, right},
		{"binary value decides", `{"gold": 2.67, "ndigits": 2}`, `"2.675"`, right},
		{"tie to even", `{"gold": 0.12, "ndigits": 2}`, `"0.125"`, right},
		{"tie to even, upwards", `{"gold": 0.38, "ndigits": 2}`, `"0.375"`, right},
		{"negative ndigits", `{"gold": 1200, "ndigits": -2}`, `"1249"`, right},
		{"negative ndigits, float gold, tie", `{"gold": 1250.0, "ndigits": -2}`, `"1200"`, right},
		{"ndigits 0", `{"gold": 2, "ndigits": 0}`, `"2.5"`, right},
		{"ndigits null", `{"gold": 2, "ndigits": null}`, `"2.1"`, wrong},
		{"ndigits true is 1", `{"gold": 2.1, "ndigits": true}`, `"2.14"`, right},
		{"ndigits false is 0", `{"gold": 2, "ndigits": false}`, `"2.1"`, right},
		{"ndigits 1.0", `{"gold": 2.1, "ndigits": 1.0}`, `"2.1"`, wrong},
		{"ndigits as text", `{"gold": 2.1, "ndigits": "1"}`, `"2.1"`, wrong},
		{"endless ndigits", `{"gold": 2.1, "ndigits": 123456789012345678901}`, `"2.1"`, right},
		{"endless ndigits change nothing", `{"gold": 2.1, "ndigits": 123456789012345678901, "tolerance": 0}`, `"2.1000000000000005"`, wrong},
		{"endless negative ndigits leave nothing", `{"gold": 2.1, "ndigits": -123456789012345678901}`, `"9e30"`, right},
		{"endless negative ndigits", `{"gold": 2.1, "ndigits": -123456789012345678901}`, `"99"`, right},
		{"too large after rounding", `{"gold": 1.7e308, "ndigits": -308}`, `"1.7e308"`, wrong},
		{"gold too large after rounding", `{"gold": 1.7e308, "ndigits": -308}`, `"1"`, wrong},
		{"typo of ndigits", `{"gold": 85.3, "nidigits": 1}`, `"85.33"`, wrong},
		{"text gold", `{"gold": "2463.5"}`, `"2463.5"`, wrong},
		{"text gold with ndigits", `{"gold": "2463.5", "ndigits": 1}`, `"2463.5"`, wrong},
		{"bool gold with ndigits", `{"gold": true, "ndigits": 1}`, `1`, right},
		{"long integer", `{"gold": 123456789012345678901}`, `"123456789012345678901"`, right},
		{"long integer with ndigits", `{"gold": 123456789012345678901, "ndigits": -3}`, `123456789012345678999`, right},
		{"gold beyond floats", `{"gold": ` + long + `}`, `"` + long + `"`, wrong},
		{"answer beyond floats", `{"gold": 1}`, long, unread},
		{"negative tolerance", `{"gold": 1, "tolerance": -1}`, `1`, wrong},
		{"tolerance as text", `{"gold": 1, "tolerance": "0"}`, `1`, wrong},
		{"no gold", `{}`, `1`, raised},
	})
}
