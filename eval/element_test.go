package eval_test

import "testing"

func TestElementIncluded(t *testing.T) {
	runCases(t, "eval_element_included", nil, []scoreCase{
		{"one of them", `{"gold": ["a", "b"]}`, `"b"`, right},
		{"none of them", `{"gold": ["a", "b"]}`, `"c"`, wrong},
		{"a list is not read", `{"gold": ["a", "b"]}`, `"['a']"`, wrong},
		{"no golds", `{"gold": []}`, `"a"`, wrong},
		{"lowercase", `{"gold": ["A"], "lowercase": true}`, `"a"`, right},
		{"ignore_blank", `{"gold": ["a b"], "ignore_blank": true}`, `"ab"`, right},
		{"threshold", `{"gold": ["x", "abcdefghij"], "threshold": 90}`, `"abcdefghix"`, right},
		{"threshold -1 is none", `{"gold": ["abcdefghij"], "threshold": -1}`, `"abcdefghix"`, wrong},
		{"int", `{"gold": [1, 2], "element_type": "int"}`, `"2"`, right},
		{"int that is none", `{"gold": [1, 2], "element_type": "int"}`, `"two"`, unread},
		{"float is rounded to two digits", `{"gold": [3.14], "element_type": "float"}`, `"3.144"`, right},
		{"float with ndigits null", `{"gold": [3.14], "element_type": "float", "ndigits": null}`, `"3.144"`, wrong},
		{"float with tolerance", `{"gold": [100], "element_type": "float", "tolerance": 0.1}`, `"95"`, right},
		{"structured is rounded too", `{"gold": [[3.14]], "element_type": "structured"}`, `[3.144]`, right},
		{"structured with ignore_order", `{"gold": [["a", "b"]], "element_type": "structured", "ignore_order": true}`, `["b", "a"]`, right},
		{"structured, read by one gold only", `{"gold": [1, "x"], "element_type": "structured"}`, `"y"`, wrong},
		{"structured, read by the first gold only", `{"gold": ["x", 1], "element_type": "structured"}`, `"y"`, wrong},
		{"any other type is structured", `{"gold": [["a"]], "element_type": ["odd"]}`, `["a"]`, right},
		{"text gold is its characters", `{"gold": "abc"}`, `"b"`, right},
		{"text gold is not itself", `{"gold": "abc"}`, `"abc"`, wrong},
		{"foreign characters", `{"gold": "aé"}`, `"é"`, right},
		{"dict gold is its keys", `{"gold": {"a": 1}}`, `"a"`, right},
		{"number gold", `{"gold": 5}`, `"5"`, raised},
		{"null gold", `{"gold": null}`, `"5"`, raised},
		{"no gold", `{}`, `"a"`, raised},
		{"threshold as text", `{"gold": ["a"], "threshold": "95"}`, `"a"`, raised},
	})
}

func TestElementListIncluded(t *testing.T) {
	runCases(t, "eval_element_list_included", nil, []scoreCase{
		{"all", `{"gold": ["a", "b", "c"]}`, `"['c', 'a']"`, right},
		{"not all", `{"gold": ["a", "b"]}`, `"['a', 'd']"`, wrong},
		{"twice the same", `{"gold": ["a", "b"]}`, `["a", "a", "a"]`, right},
		{"text is one element", `{"gold": ["a b"]}`, `"a b"`, right},
		{"empty list", `{"gold": ["a"]}`, `"[]"`, right},
		{"empty list, gold that is none", `{"gold": 5}`, `[]`, right},
		{"empty list, no gold", `{}`, `[]`, raised},
		{"empty text", `{"gold": ["a"]}`, `""`, wrong},
		{"gold that is none", `{"gold": 5}`, `["a"]`, raised},
		{"int", `{"gold": [1, 2], "element_type": "int"}`, `"1, 2, 2"`, right},
		{"structured", `{"gold": [[1, 2], [3]], "element_type": "structured"}`, `"[[3], [1, 2]]"`, right},
		{"order is ignored anyway", `{"gold": ["a", "b"], "ignore_order": false}`, `["b", "a"]`, right},
	})
}

func TestElementListOverlap(t *testing.T) {
	runCases(t, "eval_element_list_overlap", nil, []scoreCase{
		{"one", `{"gold": ["a", "b"]}`, `["x", "b"]`, right},
		{"none", `{"gold": ["a", "b"]}`, `["x", "y"]`, wrong},
		{"two of two", `{"gold": ["a", "b"], "count": 2}`, `["a", "b"]`, right},
		{"two of the same", `{"gold": ["a", "b"], "count": 2}`, `["a", "a"]`, wrong},
		{"two spellings of the same", `{"gold": ["a", "b"], "count": 2, "lowercase": true}`, `["a", "A"]`, right},
		{"number and text of the same spelling", `{"gold": [1], "count": 2, "element_type": "int"}`, `["1", 1]`, wrong},
		{"fractional count", `{"gold": ["a", "b"], "count": 1.5}`, `["a", "b"]`, right},
		{"count 0 needs a match", `{"gold": ["a"], "count": 0}`, `["x"]`, wrong},
		{"count 0, empty list", `{"gold": ["a"], "count": 0}`, `[]`, wrong},
		{"count as text", `{"gold": ["a"], "count": "1"}`, `["a"]`, raised},
		{"count as text, no match", `{"gold": ["a"], "count": "1"}`, `["x"]`, wrong},
		{"text is one element", `{"gold": ["a b"]}`, `"a b"`, right},
		{"no numbers", `{"gold": [1], "element_type": "int"}`, `["x"]`, unread},
		{"gold that is none", `{"gold": 5}`, `["a"]`, raised},
		{"threshold as text", `{"gold": ["a"], "threshold": "x"}`, `["a"]`, raised},
	})
}
