package eval_test

import "testing"

func TestBoolExact(t *testing.T) {
	runCases(t, "eval_bool_exact_match", nil, []scoreCase{
		{"true", `{"gold": true}`, `true`, right},
		{"false", `{"gold": true}`, `false`, wrong},
		{"one", `{"gold": true}`, `1`, right},
		{"zero", `{"gold": false}`, `0.0`, right},
		{"two", `{"gold": true}`, `2`, unread},
		{"a half", `{"gold": true}`, `0.5`, unread},
		{"long integer", `{"gold": true}`, `123456789012345678901`, unread},
		{"True", `{"gold": true}`, `"True"`, right},
		{"yes", `{"gold": true}`, `"YES"`, right},
		{"y", `{"gold": true}`, `"y"`, right},
		{"t", `{"gold": true}`, `"T"`, right},
		{"1", `{"gold": true}`, `"1"`, right},
		{"no", `{"gold": false}`, `"No"`, right},
		{"f", `{"gold": false}`, `"f"`, right},
		{"n", `{"gold": true}`, `"n"`, wrong},
		{"0", `{"gold": true}`, `"0"`, wrong},
		{"whitespace is kept", `{"gold": true}`, `" true"`, unread},
		{"sentence", `{"gold": true}`, `"Yes."`, unread},
		{"null", `{"gold": false}`, `null`, unread},
		{"list", `{"gold": true}`, `[true]`, unread},
		{"text gold is true", `{"gold": "False"}`, `"yes"`, right},
		{"null gold is false", `{"gold": null}`, `"no"`, right},
		{"no gold", `{}`, `"no"`, raised},
	})
}
