package eval_test

import "testing"

func TestStringExact(t *testing.T) {
	runCases(t, "eval_string_exact_match", nil, []scoreCase{
		{"same", `{"gold": "Italian"}`, `"Italian"`, right},
		{"other case", `{"gold": "Italian"}`, `"italian"`, wrong},
		{"lowercase, as in the paper's Listing 1", `{"gold": "Italian", "lowercase": true}`, `"ItAliAn"`, right},
		{"surrounding whitespace", `{"gold": " Italian "}`, `"\n\u00a0Italian\t\u001c"`, right},
		{"inner whitespace", `{"gold": "a b"}`, `"a  b"`, wrong},
		{"ignore_blank", `{"gold": "a b", "ignore_blank": true}`, `"a\u2003\n b"`, right},
		{"full stop", `{"gold": "yes"}`, `"yes."`, wrong},
		{"quotes", `{"gold": "yes"}`, `"'yes'"`, wrong},
		{"Markdown", `{"gold": "yes"}`, `"**yes**"`, wrong},
		{"lowercase as a text is true", `{"gold": "A", "lowercase": "false"}`, `"a"`, right},
		{"lowercase of nothing is false", `{"gold": "A", "lowercase": ""}`, `"a"`, wrong},
		{"lowercase 0.0 is false", `{"gold": "A", "lowercase": 0.0}`, `"a"`, wrong},
		{"lowercase null is false", `{"gold": "A", "lowercase": null}`, `"a"`, wrong},
		{"lowercase [] is false", `{"gold": "A", "lowercase": []}`, `"a"`, wrong},
		{"lowercase {} is false", `{"gold": "A", "lowercase": {}}`, `"a"`, wrong},
		{"lowercase 2 is true", `{"gold": "A", "lowercase": 2}`, `"a"`, right},
		{"lowercase of a long integer is true", `{"gold": "A", "lowercase": 123456789012345678901}`, `"a"`, right},
		{"final sigma", `{"gold": "ΑΣ", "lowercase": true}`, `"ας"`, right},
		{"medial sigma is another letter", `{"gold": "ΑΣ", "lowercase": true}`, `"ασ"`, wrong},
		{"dotted I is two characters", `{"gold": "İ", "lowercase": true}`, `"i\u0307"`, right},
		{"Kelvin sign", `{"gold": "3 K", "lowercase": true}`, `"3 \u212a"`, right},
		{"list gold, bare text", `{"gold": ["a"]}`, `"a"`, wrong},
		{"list gold, its repr", `{"gold": ["a"]}`, `"['a']"`, right},
		{"list gold, JSON spelling", `{"gold": ["a"]}`, `"[\"a\"]"`, wrong},
		{"list gold, list", `{"gold": ["a"]}`, `["a"]`, right},
		{"number as text", `{"gold": "1.0"}`, `1.0`, right},
		{"number gold", `{"gold": 1e-7}`, `"1e-07"`, right},
		{"true is spelled True", `{"gold": "True"}`, `true`, right},
		{"null is spelled None", `{"gold": "None"}`, `null`, right},
		{"null gold", `{"gold": null}`, `"None"`, right},
		{"unknown arguments are ignored", `{"gold": "A", "ignore_case": true}`, `"a"`, wrong},
		{"long number gold", `{"gold": 123456789012345678901}`, `"123456789012345678901"`, right},
		{"no gold", `{"lowercase": true}`, `"a"`, raised},
	})
}
