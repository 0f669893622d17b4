package eval_test

import "testing"

func TestStringFuzzy(t *testing.T) {
	runCases(t, "eval_string_fuzzy_match", nil, []scoreCase{
		{"same", `{"gold": "Layout-Anchored Retrieval"}`, `"Layout-Anchored Retrieval"`, right},
		{"one letter of twenty", `{"gold": "abcdefghijklmnopqrst"}`, `"abcdefghijklmnopqrs"`, right},
		{"one letter of ten", `{"gold": "abcdefghij"}`, `"abcdefghi"`, right},
		{"one letter of eight", `{"gold": "abcdefgh"}`, `"abcdefg"`, wrong},
		{"case counts", `{"gold": "LAYOUT"}`, `"layout"`, wrong},
		{"lowercase", `{"gold": "LAYOUT", "lowercase": true}`, `"layout"`, right},
		{"threshold", `{"gold": "abcdefgh", "threshold": 93}`, `"abcdefg"`, right},
		{"fractional threshold", `{"gold": "abcdefgh", "threshold": 93.5}`, `"abcdefg"`, wrong},
		{"threshold below 1", `{"gold": "abcdefgh", "threshold": 0.9}`, `"axyz"`, right},
		{"threshold below 1, nothing in common", `{"gold": "abcdefgh", "threshold": 0.9}`, `"xyz"`, wrong},
		{"threshold below 1, no answer", `{"gold": "abcdefgh", "threshold": 0.9}`, `""`, wrong},
		{"part", `{"gold": "graph", "fuzz_method": "partial_ratio"}`, `"a graph network"`, right},
		{"words in another order", `{"gold": "deep graph", "fuzz_method": "token_sort_ratio"}`, `"Graph, deep"`, right},
		{"words more", `{"gold": "deep graph", "fuzz_method": "token_set_ratio"}`, `"a deep graph net"`, right},
		{"ignore_blank", `{"gold": "deep graph", "ignore_blank": true, "threshold": 100}`, `"d e e p graph"`, right},
		{"ignore_blank keeps words apart for word methods", `{"gold": "deep graph", "ignore_blank": true, "fuzz_method": "token_sort_ratio", "threshold": 100}`, `"graph\n\ndeep"`, right},
		{"ignore_blank and lowercase for word methods", `{"gold": "deep graph", "ignore_blank": true, "lowercase": true, "fuzz_method": "token_set_ratio"}`, `"GRAPH deep"`, right},
		{"ignore_blank joins words for other methods", `{"gold": "deep graph", "ignore_blank": true, "fuzz_method": "partial_token_sort_ratio", "threshold": 100}`, `"graph deep"`, wrong},
		{"any fuzzywuzzy method", `{"gold": "deep graph", "fuzz_method": "WRatio"}`, `"GRAPH deep"`, right},
		{"unknown method", `{"gold": "a", "fuzz_method": "Ratio"}`, `"a"`, raised},
		{"method of another type", `{"gold": "a", "fuzz_method": 1}`, `"a"`, raised},
		{"threshold as text", `{"gold": "a", "threshold": "95"}`, `"a"`, raised},
		{"endless threshold", `{"gold": "a", "threshold": 1e999}`, `"a"`, wrong},
		{"threshold of a long integer", `{"gold": "a", "threshold": 123456789012345678901}`, `"a"`, wrong},
		{"negative long threshold", `{"gold": "a", "threshold": -123456789012345678901}`, `"b"`, right},
		{"threshold that is not a number", `{"gold": "a", "threshold": NaN}`, `"a"`, wrong},
		{"number", `{"gold": "12345"}`, `12345`, right},
		{"no gold", `{}`, `"a"`, raised},
	})
}
