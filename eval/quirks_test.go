package eval_test

import (
	"context"
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"airqa/eval"
	"airqa/qa"
)

// quirk is an answer, as JSON, to score in both modes with a judge that accepts "yes" and rejects "no".
type quirk struct{ name, kwargs, answer, reference, fixed string }

func runQuirks(t *testing.T, function string, quirks []quirk) {
	t.Helper()
	for _, tt := range quirks {
		t.Run(tt.name, func(t *testing.T) {
			answer, err := eval.JSON(json.RawMessage(tt.answer))
			if err != nil {
				t.Fatal(err)
			}
			e := qa.Evaluator{Func: function, Kwargs: json.RawMessage(tt.kwargs)}
			agrees(t, e, answer, says)
			for mode, want := range map[eval.Mode]string{eval.Reference: tt.reference, eval.Fixed: tt.fixed} {
				r := eval.New(eval.Config{Judge: says, Mode: mode}).Score(context.Background(), e, answer)
				if got := outcomeOf(t, r); got != want {
					t.Errorf("%s: %s(%s) of %s is %s (%q), want %s", mode, function, tt.kwargs, tt.answer, got, r.Reason, want)
				}
			}
		})
	}
}

// outcomeOfPart is the result of repeating a word in reference mode.
var outcomeOfPart = map[string]string{
	"partial_ratio": wrong, "partial_token_sort_ratio": wrong, "token_set_ratio": right, "partial_token_set_ratio": right,
}

func TestQuirksString(t *testing.T) {
	runQuirks(t, "eval_string_exact_match", []quirk{
		{"same", `{"gold": "BERT"}`, `" BERT\n"`, right, right},
		{"other", `{"gold": "BERT"}`, `"bert"`, wrong, wrong},
		{"quotes stay", `{"gold": "BERT"}`, `"\"BERT\""`, wrong, wrong},
		{"ignore_case is lowercase", `{"gold": "BERT", "ignore_case": true}`, `"bert"`, wrong, right},
		{"ignore_case is off", `{"gold": "BERT", "ignore_case": false}`, `"bert"`, wrong, wrong},
		{"lowercase wins over ignore_case", `{"gold": "BERT", "lowercase": false, "ignore_case": true}`, `"bert"`, wrong, wrong},
		{"any text turns an option on", `{"gold": "BERT", "lowercase": "false"}`, `"bert"`, right, wrong},
		{"the text true", `{"gold": "BERT", "lowercase": "true"}`, `"bert"`, right, right},
		{"an empty list is off", `{"gold": "BERT", "lowercase": []}`, `"bert"`, wrong, unscored},
		{"a list is on", `{"gold": "BERT", "lowercase": [0]}`, `"bert"`, right, unscored},
		{"an empty dictionary is off", `{"gold": "BERT", "lowercase": {}}`, `"bert"`, wrong, unscored},
		{"a dictionary is on", `{"gold": "BERT", "lowercase": {"x": 0}}`, `"bert"`, right, unscored},
		{"zero is off", `{"gold": "BERT", "lowercase": 0.0}`, `"bert"`, wrong, wrong},
		{"a long integer is on", `{"gold": "BERT", "lowercase": 123456789012345678901}`, `"bert"`, right, unscored},
		{"an empty text is off", `{"gold": "BERT", "lowercase": ""}`, `"bert"`, wrong, wrong},
		{"option that is no truth value", `{"gold": "BERT", "lowercase": "maybe"}`, `"BERT"`, right, unscored},
		{"null is the default", `{"gold": "BERT", "lowercase": null}`, `"BERT"`, right, right},
		{"unknown option", `{"gold": "BERT", "ignore_order": true}`, `"BERT"`, right, right},
		{"list of one text, the text", `{"gold": ["BERT"]}`, `"BERT"`, wrong, right},
		{"list of one text, its repr", `{"gold": ["BERT"]}`, `"['BERT']"`, right, right},
		{"list of one text, as JSON", `{"gold": ["BERT"]}`, `"[\"BERT\"]"`, wrong, right},
		{"list of one text, itself", `{"gold": ["BERT"]}`, `["BERT"]`, right, right},
		{"list of one text, with options", `{"gold": ["BERT large"], "lowercase": true, "ignore_blank": true}`, `"bertLarge"`, wrong, right},
		{"list of one text, another", `{"gold": ["BERT"]}`, `"T5"`, wrong, wrong},
		{"list of two texts", `{"gold": ["a", "b"]}`, `"a"`, wrong, wrong},
		{"list of two texts, their repr", `{"gold": ["a", "b"]}`, `"['a', 'b']"`, right, right},
		{"constant in JSON's spelling", `{"gold": "true"}`, `true`, wrong, right},
		{"constant in Python's spelling", `{"gold": "True"}`, `true`, right, right},
		{"null", `{"gold": "null"}`, `null`, wrong, right},
		{"no gold", `{}`, `"a"`, raised, unscored},
	})
	runQuirks(t, "eval_string_fuzzy_match", []quirk{
		{"alike", `{"gold": "attention is all you need"}`, `"attention is all you ned"`, right, right},
		{"not alike", `{"gold": "attention"}`, `"retention"`, wrong, wrong},
		{"share of 100", `{"gold": "abcdefgh", "threshold": 0.9}`, `"abcdefgx"`, right, wrong},
		{"share of 100, met", `{"gold": "abcdefgh", "threshold": 0.8}`, `"abcdefgx"`, right, right},
		{"false takes all", `{"gold": "abc", "threshold": false}`, `"xyz"`, right, unscored},
		{"true is hardly anything", `{"gold": "abc", "threshold": true}`, `"xbz"`, right, unscored},
		{"1 is all of it", `{"gold": "abcdefgh", "threshold": 1}`, `"abcdefgx"`, right, wrong},
		{"0 takes all", `{"gold": "abc", "threshold": 0}`, `"xyz"`, right, right},
		{"threshold as a text", `{"gold": "abc", "threshold": "95"}`, `"abc"`, raised, right},
		{"threshold that is not a number", `{"gold": "abc", "threshold": "high"}`, `"abc"`, raised, unscored},
		{"unknown method", `{"gold": "abc", "fuzz_method": "levenshtein"}`, `"abc"`, raised, unscored},
		{"list of one text", `{"gold": ["attention is all you need"]}`, `"attention is all you need"`, wrong, right},
		{"ignore_case", `{"gold": "ABC", "ignore_case": "yes"}`, `"abc"`, wrong, right},
	})
	for _, method := range []string{"partial_ratio", "partial_token_sort_ratio", "token_set_ratio", "partial_token_set_ratio"} {
		kwargs := `{"gold": "Compassion Fade (Naming)", "fuzz_method": "` + method + `", "lowercase": true}`
		runQuirks(t, "eval_string_fuzzy_match", []quirk{
			{method + ", one word", kwargs, `"fade"`, right, wrong},
			{method + ", one word again and again", kwargs, `"fade fade fade fade"`, outcomeOfPart[method], wrong},
			{method + ", more than half", kwargs, `"Compassion Fade"`, right, right},
			{method + ", all and more", kwargs, `"Compassion Fade (Naming) or so"`, right, right},
		})
	}
	runQuirks(t, "eval_string_fuzzy_match", []quirk{
		{"one letter", `{"gold": "Compassion Fade (Naming)", "fuzz_method": "partial_ratio", "ignore_blank": true}`, `"a"`, right, wrong},
		{"half of the letters", `{"gold": "abcdefgh", "fuzz_method": "partial_ratio"}`, `"abcd"`, right, right},
		{"a letter less than half", `{"gold": "abcdefghi", "fuzz_method": "partial_ratio"}`, `"abcd"`, right, wrong},
		{"the", `{"gold": "the cat on the mat", "fuzz_method": "partial_ratio"}`, `"the"`, right, wrong},
		{"a gold of one letter", `{"gold": "a", "fuzz_method": "partial_ratio"}`, `"a"`, right, right},
		{"a gold within the answer", `{"gold": "BERT", "fuzz_method": "partial_ratio"}`, `"BERT-large"`, right, right},
		{"ratio needs no such rule", `{"gold": "abcdefgh", "threshold": 40}`, `"abc"`, right, right},
		{"WRatio", `{"gold": "a b c d e f", "fuzz_method": "WRatio", "threshold": 50}`, `"a"`, right, wrong},
	})
}

func TestQuirksAtoms(t *testing.T) {
	runQuirks(t, "eval_bool_exact_match", []quirk{
		{"same", `{"gold": true}`, `"Yes"`, right, right},
		{"other", `{"gold": true}`, `"f"`, wrong, wrong},
		{"number", `{"gold": true}`, `1`, right, right},
		{"surrounding whitespace", `{"gold": true}`, `" true\n"`, unread, right},
		{"gold as a text", `{"gold": "False"}`, `"false"`, wrong, right},
		{"gold as a text that is true", `{"gold": "True"}`, `"true"`, right, right},
		{"gold as a number", `{"gold": 0}`, `"no"`, right, right},
		{"null gold", `{"gold": null}`, `"false"`, right, unscored},
		{"neither", `{"gold": false}`, `"perhaps"`, unread, unread},
	})
	runQuirks(t, "eval_int_exact_match", []quirk{
		{"same", `{"gold": 3}`, `" 3 "`, right, right},
		{"other", `{"gold": 3}`, `"4"`, wrong, wrong},
		{"fraction is cut off", `{"gold": 3}`, `3.7`, right, wrong},
		{"fraction in a text", `{"gold": 3}`, `"3.7"`, unread, wrong},
		{"no fraction", `{"gold": 3}`, `3.0`, right, right},
		{"no fraction in a text", `{"gold": 3}`, `"3.0"`, unread, right},
		{"exponent", `{"gold": 1000}`, `"1e3"`, unread, right},
		{"truth value", `{"gold": 1}`, `true`, right, unread},
		{"comma", `{"gold": 1000}`, `"1,000"`, unread, unread},
		{"infinity", `{"gold": 3}`, `"inf"`, unread, wrong},
		{"gold as a text", `{"gold": "3"}`, `"3"`, right, right},
		{"gold as a float", `{"gold": 3.0}`, `"3"`, right, right},
		{"gold with a fraction", `{"gold": 3.7}`, `"3"`, right, unscored},
		{"gold as a truth value", `{"gold": true}`, `"1"`, right, unscored},
		{"long", `{"gold": 123456789012345678901234567890}`, `"123456789012345678901234567890"`, right, right},
	})
	runQuirks(t, "eval_float_exact_match", []quirk{
		{"same", `{"gold": 2.5}`, `"2.5"`, right, right},
		{"other", `{"gold": 2.5}`, `"2.6"`, wrong, wrong},
		{"whole number", `{"gold": 2.0}`, `2`, right, right},
		{"next to 0", `{"gold": 0.0}`, `"1e-10"`, wrong, right},
		{"next to 0, as an int", `{"gold": 0}`, `-1e-10`, wrong, right},
		{"not next to 0", `{"gold": 0}`, `"0.001"`, wrong, wrong},
		{"gold as a text", `{"gold": "2463.5"}`, `"2463.5"`, wrong, right},
		{"gold as a text, with ndigits", `{"gold": "2463.5", "ndigits": 1}`, `"2463.52"`, wrong, right},
		{"gold that is not a number", `{"gold": "many"}`, `"1"`, wrong, unscored},
		{"ndigits as a text", `{"gold": 2.52, "ndigits": "1"}`, `"2.5"`, wrong, right},
		{"ndigits as a float", `{"gold": 2.52, "ndigits": 1.0}`, `"2.5"`, wrong, right},
		{"nidigits", `{"gold": 2.52, "nidigits": 1}`, `"2.5"`, wrong, right},
		{"negative ndigits", `{"gold": 123.0, "ndigits": -1}`, `"119"`, right, right},
		{"negative tolerance", `{"gold": 1.0, "tolerance": -1}`, `"1"`, wrong, unscored},
		{"truth value", `{"gold": 1.0}`, `true`, right, unread},
		{"percent sign", `{"gold": 85.3}`, `"85.3%"`, unread, unread},
		{"nan", `{"gold": 1.0}`, `"nan"`, wrong, wrong},
	})
}

func TestQuirksStructured(t *testing.T) {
	runQuirks(t, "eval_structured_object_exact_match", []quirk{
		{"a gold that one element could be, in any order", `{"gold": [1, 2], "ignore_order": true}`, `["x", 2]`, wrong, wrong},
		{"a gold that only the first could be, in any order", `{"gold": [1, 2], "ignore_order": true}`, `[2, "x"]`, wrong, wrong},
		{"a gold that no element could be, in any order", `{"gold": [1, 2], "ignore_order": true}`, `["x", "y"]`, unread, unread},
		{
			"unknown method, in any order", `{"gold": ["a", "b"], "ignore_order": true, "threshold": 90, "fuzz_method": "levenshtein"}`, `["b", "a"]`,
			raised, unscored,
		},
		{"same", `{"gold": ["a", 1, 2.5]}`, `"['a', 1, 2.5]"`, right, right},
		{"order", `{"gold": ["a", "b"]}`, `"['b', 'a']"`, wrong, wrong},
		{"sorted before lower case", `{"gold": ["zebra", "apple"], "ignore_order": true, "lowercase": true}`, `"['apple', 'Zebra']"`, wrong, right},
		{"sorted before rounding", `{"gold": [10.0, 9.0], "ignore_order": true, "ndigits": 0}`, `[9.9, 9.1]`, wrong, right},
		{"sorted before alike", `{"gold": ["axxxxxxxxx", "byyyyyyyyy"], "ignore_order": true, "threshold": 90}`, `["cxxxxxxxxx", "byyyyyyyyy"]`, wrong, right},
		{"greedy pairs do not do", `{"gold": [1.0, 1.2], "ignore_order": true, "tolerance": 0.15}`, `[1.1, 0.9]`, right, right},
		{"inside", `{"gold": [["a", "z"], ["b"]], "ignore_order": true}`, `[["z", "a"], ["b"]]`, wrong, right},
		{"inside a dictionary", `{"gold": {"k": [["a", "z"], ["b"]]}, "ignore_order": true}`, `{"k": [["b"], ["z", "a"]]}`, wrong, right},
		{"repeats count", `{"gold": ["a", "a", "b"], "ignore_order": true}`, `["a", "b", "b"]`, wrong, wrong},
		{"numbers among texts", `{"gold": [1, "x"], "ignore_order": true}`, `["x", "y"]`, unread, unread},
		{"no number for a number", `{"gold": [1, 2], "ignore_order": true}`, `["x", "y"]`, unread, unread},
		{"fraction is cut off", `{"gold": [3]}`, `"[3.7]"`, right, wrong},
		{"no fraction", `{"gold": [3]}`, `"['3.0']"`, unread, right},
		{"truth value for a number", `{"gold": [1]}`, `"[True]"`, right, unread},
		{"number for a truth value", `{"gold": [true]}`, `"[1]"`, right, unread},
		{"digit for a truth value", `{"gold": [true]}`, `"['1']"`, right, unread},
		{"truth value as a text", `{"gold": [true]}`, `"['True']"`, unread, right},
		{"truth value", `{"gold": [true, false]}`, `"[True, False]"`, right, right},
		{"other truth value", `{"gold": [true]}`, `"[False]"`, wrong, wrong},
		{"truth value for a float", `{"gold": [1.0]}`, `"[True]"`, right, unread},
		{"JSON's constants in a list", `{"gold": [true, "x"]}`, `"[true, 'x']"`, unread, right},
		{"JSON's null in a list", `{"gold": [null, "x"]}`, `"['null', 'x']"`, wrong, right},
		{"JSON's constants in a dictionary of Python's", `{"gold": {"a": true, "b": null}}`, `"{'a': true, 'b': null}"`, unread, right},
		{"Python's constants in JSON", `{"gold": {"a": true, "b": null}}`, `"{\"a\": True, \"b\": None}"`, right, right},
		{"JSON's escapes in a list", `{"gold": ["a/b", "x"]}`, `"[\"a\\/b\", \"x\"]"`, wrong, right},
		{"LaTeX in a list", `{"gold": ["a", "\\frac{a}{b}"]}`, `"['a', '\\frac{a}{b}']"`, wrong, right},
		{"LaTeX in a list of JSON", `{"gold": ["a", "\\frac{a}{b}"]}`, `"[\"a\", \"\\frac{a}{b}\"]"`, wrong, right},
		{"LaTeX of escapes that Python refuses", `{"gold": ["\\alpha", "\\xi", "\\nu", "\\times"]}`, `"['\\alpha', '\\xi', '\\nu', '\\times']"`, unread, right},
		{"LaTeX in a dictionary", `{"gold": {"loss": "\\beta"}}`, `"{\"loss\": \"\\beta\"}"`, wrong, right},
		{"doubled backslashes", `{"gold": ["\\frac"]}`, `"['\\\\frac']"`, right, right},
		{"line break", `{"gold": ["a\nb"]}`, `"['a\\nb']"`, right, right},
		{"int key", `{"gold": {"1": "x"}}`, `"{1: 'x'}"`, wrong, right},
		{"int key with lowercase", `{"gold": {"1": "x"}, "lowercase": true}`, `"{1: 'X'}"`, raised, right},
		{"int key beside its text", `{"gold": {"1": "x", "2": "y"}}`, `"{1: 'x', '1': 'y'}"`, wrong, wrong},
		{"keys that merge", `{"gold": {"a": 1, "A": 2}, "lowercase": true}`, `{"a": 2, "x": 3}`, right, wrong},
		{"keys that merge on both sides", `{"gold": {"a": 1, "A": 2}, "lowercase": true}`, `{"A": 1, "a": 2}`, right, right},
		{"next to 0", `{"gold": [0.0, "x"]}`, `"[1e-12, 'x']"`, wrong, right},
		{"share of 100", `{"gold": ["abcdefgh"], "threshold": 0.9}`, `["abcdefgx"]`, right, wrong},
		{"one letter of each", `{"gold": ["github.com/a", "x.org/b"], "threshold": 90, "fuzz_method": "partial_ratio"}`, `["g", "o"]`, right, wrong},
		{"nidigits", `{"gold": [2.52], "nidigits": 1}`, `[2.5]`, wrong, right},
		{"empty dictionary, any text", `{"gold": {}}`, `"no idea"`, right, unread},
		{"empty dictionary", `{"gold": {}}`, `"{}"`, right, right},
		{"empty list", `{"gold": []}`, `"[]"`, right, right},
		{"other JSON than a dictionary", `{"gold": {"a": 1}}`, `"[1]"`, wrong, unread},
		{"null", `{"gold": null}`, `"null"`, wrong, right},
		{"text", `{"gold": "a"}`, `"a"`, right, right},
	})
}

func TestQuirksSets(t *testing.T) {
	runQuirks(t, "eval_element_included", []quirk{
		{"in", `{"gold": ["a", "b"]}`, `"b"`, right, right},
		{"not in", `{"gold": ["a", "b"]}`, `"c"`, wrong, wrong},
		{"a text gold is its characters", `{"gold": "abc"}`, `"b"`, right, wrong},
		{"a text gold is one gold", `{"gold": "abc"}`, `"abc"`, wrong, right},
		{"floats are rounded to 2 digits", `{"gold": [3.14], "element_type": "float"}`, `"3.144"`, right, right},
		{"structured ones too", `{"gold": [[3.14]], "element_type": "structured"}`, `[3.144]`, right, right},
		{"int", `{"gold": [3], "element_type": "int"}`, `3.7`, right, wrong},
		{"int in a text", `{"gold": [3], "element_type": "int"}`, `"3.0"`, unread, right},
		{"no golds", `{"gold": []}`, `"a"`, wrong, wrong},
	})
	runQuirks(t, "eval_element_list_included", []quirk{
		{"all in", `{"gold": ["a", "b"]}`, `"['b']"`, right, right},
		{"one not in", `{"gold": ["a", "b"]}`, `"['b', 'c']"`, wrong, wrong},
		{"empty list", `{"gold": ["a"]}`, `"[]"`, right, wrong},
		{"empty list, odd gold", `{"gold": 5}`, `"[]"`, right, wrong},
		{"constants", `{"gold": [true, false], "element_type": "structured"}`, `"[true]"`, unread, right},
		{"share of 100", `{"gold": ["abcdefgh"], "threshold": 0.9}`, `["abcdefgx"]`, right, wrong},
		{"one letter", `{"gold": ["abcdefgh"], "threshold": 90, "fuzz_method": "partial_ratio"}`, `["a"]`, right, wrong},
	})
	runQuirks(t, "eval_element_list_overlap", []quirk{
		{"enough", `{"gold": ["a", "b", "c"], "count": 2}`, `["c", "x", "a"]`, right, right},
		{"too few", `{"gold": ["a", "b", "c"], "count": 2}`, `["a", "x"]`, wrong, wrong},
		{"spellings of one gold", `{"gold": ["a", "b"], "count": 2, "lowercase": true}`, `["a", "A"]`, right, wrong},
		{"golds that read alike need one each", `{"gold": ["a", "A"], "count": 2, "lowercase": true}`, `["a"]`, wrong, wrong},
		{"another pairing", `{"gold": ["abcdefgh", "abcdefgx"], "count": 2, "threshold": 80}`, `["abcdefgh", "abcdefgz"]`, right, right},
		{"count as a text", `{"gold": ["a"], "count": "1"}`, `["a"]`, raised, right},
		{"count 0 asks for one", `{"gold": ["a"], "count": 0}`, `["x"]`, wrong, unscored},
		{"empty list", `{"gold": ["a"]}`, `"[]"`, wrong, wrong},
	})
}

func TestQuirksRetrieval(t *testing.T) {
	runQuirks(t, "eval_paper_relevance_with_reference_answer", []quirk{
		{"title", `{"question": "q", "reference_answer": "Deep Nets"}`, `"deep nets"`, right, right},
		{"other title", `{"question": "q", "reference_answer": "Deep Nets"}`, `"deep cuts"`, wrong, wrong},
		{"no question", `{"reference_answer": "Deep Nets"}`, `"deep nets"`, raised, right},
		{"quotes", `{"question": "q", "reference_answer": "Deep Nets"}`, `"\"Deep Nets\""`, wrong, right},
		{"typographic quotes", `{"question": "q", "reference_answer": "Deep Nets"}`, `"“Deep Nets”"`, wrong, right},
		{"surrounding whitespace", `{"question": "q", "reference_answer": "Deep Nets"}`, `"\n  Deep Nets \n"`, wrong, right},
		{"unknown argument", `{"question": "q", "reference_answer": "Deep Nets", "lowercase": true}`, `"Deep Nets"`, raised, right},
		{"list of one title", `{"question": "q", "reference_answer": "Deep Nets"}`, `["Deep Nets"]`, raised, right},
		{"number", `{"question": "q", "reference_answer": "5"}`, `5`, raised, unread},
		{"odd reference", `{"question": "q", "reference_answer": 5}`, `"5"`, wrong, unscored},
		{"share of 100", `{"question": "q", "reference_answer": "abcdefgh", "threshold": 0.9}`, `"abcdefgx"`, right, wrong},
	})
}

func TestQuirksJudged(t *testing.T) {
	for function, arguments := range map[string]string{
		"eval_reference_answer_with_llm":                    `"reference_answer": "r"`,
		"eval_candidate_reference_answer_with_llm":          `"candidate_reference_answers": ["r", "s"]`,
		"eval_scoring_points_with_llm":                      `"scoring_points": ["p", "q"]`,
		"eval_partial_scoring_points_with_llm":              `"scoring_points": ["p", "q"]`,
		"eval_reference_answer_and_scoring_points_with_llm": `"reference_answer": "r", "scoring_points": ["p"]`,
		"eval_complex_math_formula_with_llm":                `"formulas": "x^2"`,
	} {
		asked := `{"question": "q", ` + arguments + `}`
		runQuirks(t, function, []quirk{
			{function + " accepts", asked, `"yes"`, right, right},
			{function + " refuses", asked, `"no"`, wrong, wrong},
			{function + " fails", asked, `"?"`, unscored, unscored},
			{function + " lacks an argument", `{"question": "q"}`, `"yes"`, raised, unscored},
		})
	}
	runQuirks(t, "eval_complex_math_formula_with_llm", []quirk{{"fomulas", `{"question": "q", "fomulas": "x"}`, `"yes"`, raised, right}})
	runQuirks(t, "eval_scoring_points_with_llm", []quirk{{"scoring_point", `{"question": "q", "scoring_point": ["x"]}`, `"yes"`, raised, right}})
	runQuirks(t, "eval_partial_scoring_points_with_llm", []quirk{
		{"count of all points", `{"question": "q", "scoring_points": ["x", "y"], "count": 2}`, `"yes"`, raised, unscored},
		{"count as a text", `{"question": "q", "scoring_points": ["x", "y"], "count": "1"}`, `"yes"`, raised, right},
	})
}

func TestQuirksLogic(t *testing.T) {
	const intFunc = `"eval_int_exact_match"`
	missing := `{"eval_func_list": [` + textFunc + `, ` + textFunc + `], "eval_kwargs_list": [` + isA + `]}`
	runQuirks(t, "eval_conjunction", []quirk{
		{"both", pair(textFunc, isA, intFunc, `{"gold": 1}`), `"['a', 1]"`, right, right},
		{"one", pair(textFunc, isA, intFunc, `{"gold": 1}`), `"['a', 2]"`, wrong, wrong},
		{"JSON's constants", pair(textFunc, isA, `"eval_bool_exact_match"`, `{"gold": true}`), `"['a', true]"`, unread, right},
		{"arguments that are missing", missing, `["a", "x"]`, right, unscored},
		{"no functions", `{"eval_func_list": [], "eval_kwargs_list": []}`, `"[]"`, right, unscored},
		{"fault in a part", pair(textFunc, isA, textFunc, `{}`), `["a", "a"]`, raised, unscored},
		{"fault in a part, another fails", pair(textFunc, `{}`, textFunc, isA), `["a", "x"]`, raised, wrong},
		{"unknown function in a part", pair(textFunc, isA, `"nonsense"`, `{}`), `["a", "a"]`, raised, unscored},
		{"judge fails, another part fails", pair(llmFunc, asksFor, textFunc, isA), `["?", "x"]`, unscored, wrong},
		{"misspelled inside", pair(textFunc, `{"gold": "A", "ignore_case": true}`, textFunc, isA), `["a", "a"]`, wrong, right},
		{"list gold inside", pair(textFunc, `{"gold": ["a"]}`, textFunc, isA), `["a", "a"]`, wrong, right},
		{"argument too many", `{"eval_func_list": [` + textFunc + `], "eval_kwargs_list": [` + isA + `], "x": 1}`, `["a"]`, raised, right},
		{"a text for two functions", pair(textFunc, isA, textFunc, isA), `"a"`, unread, unread},
		{"a text for a disjunction inside", pair(`"eval_disjunction"`, pair(intFunc, `{"gold": 1}`, textFunc, isA), textFunc, isA), `["a", "a"]`, unread, right},
		{"a text for no function inside", pair(`"eval_disjunction"`, pair(intFunc, `{"gold": 1}`, textFunc, isA), textFunc, isA), `["b", "a"]`, unread, wrong},
	})
	runQuirks(t, "eval_disjunction", []quirk{
		{"second", pair(textFunc, isA, intFunc, `{"gold": 1}`), `"['b', 1]"`, right, right},
		{"none", pair(textFunc, isA, intFunc, `{"gold": 1}`), `"['b', 2]"`, wrong, wrong},
		{"a text for two functions", pair(textFunc, isA, textFunc, isA), `"a"`, unread, right},
		{"a text for the second", pair(intFunc, `{"gold": 1}`, textFunc, isA), `"a"`, unread, right},
		{"a text for a judge", pair(textFunc, isA, llmFunc, asksFor), `"yes"`, unread, right},
		{"a text that a judge rejects", pair(textFunc, isA, llmFunc, asksFor), `"no"`, unread, wrong},
		{"a text, judge fails", pair(textFunc, isA, llmFunc, asksFor), `"?"`, unread, unscored},
		{"a text, judge fails, another part passes", pair(llmFunc, asksFor, textFunc, `{"gold": "?"}`), `"?"`, unread, right},
		{"a number for two functions", pair(textFunc, isA, intFunc, `{"gold": 1}`), `1`, unread, right},
		{"a text that one function cannot read", pair(textFunc, isA, intFunc, `{"gold": 1}`), `"x"`, unread, wrong},
		{"the same in another order", pair(intFunc, `{"gold": 1}`, textFunc, isA), `"x"`, unread, wrong},
		{"a text that no function can read", pair(intFunc, `{"gold": 1}`, intFunc, `{"gold": 2}`), `"x"`, unread, unread},
		{"a text and a fault in a part", pair(textFunc, `{}`, textFunc, isA), `"a"`, unread, right},
		{"a longer list that is one answer", pair(textFunc, isA, `"eval_structured_object_exact_match"`, `{"gold": ["a", "b", "c"]}`), `["a", "b", "c"]`, wrong, right},
		{"a shorter list is no text", pair(textFunc, isA, textFunc, isA), `["a"]`, wrong, wrong},
		{"a list of this length has an element for each", pair(textFunc, isA, `"eval_structured_object_exact_match"`, `{"gold": ["x", "y"]}`), `["x", "y"]`, unread, unread},
		{"a text for a disjunction inside", pair(`"eval_disjunction"`, pair(intFunc, `{"gold": 1}`, textFunc, isA), textFunc, `{"gold": "b"}`), `"a"`, unread, right},
		{"a list for conjunctions inside", `{"eval_func_list": ["eval_conjunction", "eval_int_exact_match", "eval_int_exact_match"], "eval_kwargs_list": [` + pair(textFunc, isA, textFunc, isA) + `, {"gold": 1}, {"gold": 2}]}`, `["a", "a"]`, wrong, right},
		{"fault in a part, another passes", pair(textFunc, `{}`, textFunc, isA), `["a", "a"]`, raised, right},
		{"fault in a part, the other fails", pair(textFunc, `{}`, textFunc, isA), `["a", "x"]`, raised, unscored},
		{"judge fails, another part passes", pair(llmFunc, asksFor, textFunc, isA), `["?", "a"]`, unscored, right},
		{"arguments that are missing", missing, `["x", "x"]`, wrong, unscored},
	})
	runQuirks(t, "eval_negation", []quirk{
		{"wrong inside", not(textFunc, isA), `"b"`, right, right},
		{"right inside", not(textFunc, isA), `"a"`, wrong, wrong},
		{"no list", not(`"eval_structured_object_exact_match"`, `{"gold": ["a", "b"]}`), `"nothing"`, right, unread},
		{"no number", not(intFunc, `{"gold": 1}`), `"one"`, right, unread},
		{"no truth value", not(`"eval_bool_exact_match"`, `{"gold": true}`), `"perhaps"`, right, unread},
		{"fraction", not(intFunc, `{"gold": 3}`), `3.7`, wrong, right},
		{"gold that is not a number", not(`"eval_float_exact_match"`, `{"gold": "many"}`), `"2"`, right, unscored},
		{"exception inside", not(`"eval_string_fuzzy_match"`, `{"gold": "a", "threshold": "high"}`), `"b"`, raised, unscored},
		{"twice, no number", not(`"eval_negation"`, not(intFunc, `{"gold": 1}`)), `"one"`, wrong, unread},
		{"judge fails", not(llmFunc, asksFor), `"?"`, unscored, unscored},
		{"a text that a disjunction inside accepts", not(`"eval_disjunction"`, pair(textFunc, isA, intFunc, `{"gold": 1}`)), `"a"`, right, wrong},
		{"a text that it rejects", not(`"eval_disjunction"`, pair(textFunc, isA, intFunc, `{"gold": 1}`)), `"b"`, right, right},
		{"a text that it cannot read", not(`"eval_disjunction"`, pair(intFunc, `{"gold": 1}`, intFunc, `{"gold": 2}`)), `"b"`, right, unread},
		{"an empty text for it", not(`"eval_disjunction"`, pair(textFunc, isA, textFunc, isA)), `""`, right, wrong},
	})
}

// TestQuirksOfAnyFunction covers faults found before a function is called.
func TestQuirksOfAnyFunction(t *testing.T) {
	runQuirks(t, "eval_string_exact_match", []quirk{
		{"error message", `{"gold": "[ERROR]: x"}`, `"[error]: x"`, wrong, wrong},
		{"arguments that are a list", `["a"]`, `"a"`, raised, unscored},
		{"no JSON", `{`, `"a"`, unscored, unscored},
	})
	runQuirks(t, "eval_nonsense", []quirk{{"unknown function", `{}`, `"a"`, unscored, unscored}})
}

// documented is an example in the table of docs/scoring.md.
var documented = regexp.MustCompile("`(eval_\\w+)` `(.*?)` ← `(.*?)`: (\\w+), (\\w+)")

// TestScoringDocument scores the examples of docs/scoring.md.
func TestScoringDocument(t *testing.T) {
	raw, err := os.ReadFile("../docs/scoring.md")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(string(raw)) {
		for _, m := range documented.FindAllStringSubmatch(line, -1) {
			n++
			e := qa.Evaluator{Func: m[1], Kwargs: json.RawMessage(m[2])}
			for mode, want := range map[eval.Mode]string{eval.Reference: m[4], eval.Fixed: m[5]} {
				r := eval.New(eval.Config{Judge: approves, Mode: mode}).Score(context.Background(), e, eval.Text(m[3]))
				if string(r.Verdict) != want {
					t.Errorf("%s: %s is %s (%s)", mode, m[0], r.Verdict, r.Reason)
				}
			}
		}
		if strings.HasPrefix(line, "| ") && strings.Count(line, " | ") == 3 && !strings.HasPrefix(line, "| quirk") && !strings.HasPrefix(line, "| ---") && !documented.MatchString(line) {
			t.Errorf("a quirk without an example: %s", line)
		}
	}
	if n < 30 {
		t.Errorf("%d examples, want 30 or more", n)
	}
}
