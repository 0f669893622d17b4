package eval_test

import (
	"strings"
	"testing"
)

func TestIntExact(t *testing.T) {
	digits := strings.Repeat("7", 400)
	runCases(t, "eval_int_exact_match", nil, []scoreCase{
		{"same", `{"gold": 3}`, `"3"`, right},
		{"other", `{"gold": 3}`, `"4"`, wrong},
		{"sign and whitespace", `{"gold": 3}`, `" +3\n"`, right},
		{"zeros before", `{"gold": 3}`, `"003"`, right},
		{"underscores", `{"gold": 1000}`, `"1_000"`, right},
		{"underscore at the end", `{"gold": 1}`, `"1_"`, unread},
		{"comma", `{"gold": 1000}`, `"1,000"`, unread},
		{"point", `{"gold": 3}`, `"3.0"`, unread},
		{"unit", `{"gold": 3}`, `"3 layers"`, unread},
		{"nothing", `{"gold": 3}`, `""`, unread},
		{"Arabic digits", `{"gold": 42}`, `"٤٢"`, right},
		{"no-break spaces", `{"gold": 42}`, `"\u00a042\u2003"`, right},
		{"separator is no blank of a number", `{"gold": 42}`, `"42\u001c"`, unread},
		{"float is cut", `{"gold": 3}`, `3.7`, right},
		{"negative float is cut", `{"gold": -3}`, `-3.7`, right},
		{"large float", `{"gold": 10000000000000000000000}`, `1e22`, right},
		{"float between the int64 limits", `{"gold": 4611686018427387904}`, `4611686018427387904.0`, right},
		{"float beyond int64", `{"gold": 10000000000000000000}`, `1e19`, right},
		{"float below int64", `{"gold": -10000000000000000000}`, `-1e19`, right},
		{"float within int64", `{"gold": 5000000000000000000}`, `5e18`, right},
		{"infinity", `{"gold": 3}`, `1e999`, unread},
		{"true is 1", `{"gold": 1}`, `true`, right},
		{"false is 0", `{"gold": 0}`, `false`, right},
		{"null", `{"gold": 0}`, `null`, unread},
		{"list", `{"gold": 3}`, `[3]`, unread},
		{"text gold", `{"gold": "3"}`, `3`, right},
		{"float gold is cut", `{"gold": 3.7}`, `"3"`, right},
		{"gold that is not a number", `{"gold": "three"}`, `"3"`, wrong},
		{"long numbers", `{"gold": ` + digits + `}`, `"` + digits + `"`, right},
		{"long numbers that differ", `{"gold": ` + digits + `}`, `"` + digits + `7"`, wrong},
		{"too many digits", `{"gold": 3}`, `"` + strings.Repeat("7", 4301) + `"`, unread},
		{"no gold", `{}`, `"3"`, raised},
	})
}
