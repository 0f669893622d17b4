package eval_test

import (
	"encoding/json"
	"testing"

	"airqa/eval"
	"airqa/qa"

	"github.com/google/go-cmp/cmp"
)

func TestCheck(t *testing.T) {
	tests := []struct {
		name, function, kwargs string
		want                   []string
	}{
		{"right", "eval_float_exact_match", `{"gold": 1.5, "ndigits": 2, "tolerance": 1}`, nil},
		{"null where it may be", "eval_float_exact_match", `{"gold": 1, "ndigits": null}`, nil},
		{"threshold off", "eval_element_list_included", `{"gold": ["a"], "threshold": -1, "element_type": "str", "ignore_order": true}`, nil},
		{"no JSON", "eval_int_exact_match", `{`, []string{"eval_int_exact_match: the arguments are not JSON: line 1, column 2: the text ends where a key in double quotes should stand"}},
		{"no dictionary", "eval_int_exact_match", `[1]`, []string{"eval_int_exact_match: the arguments are a list, not a dictionary"}},
		{"misspelled function", "eval_string_exact_mach", `{}`, []string{`eval_string_exact_mach: there is no function "eval_string_exact_mach": did you mean eval_string_exact_match?`}},
		{"other function", "rouge", `{}`, []string{`rouge: there is no function "rouge"`}},
		{"misspelled arguments", "eval_complex_math_formula_with_llm", `{"fomulas": "x", "question": "q"}`, []string{
			"eval_complex_math_formula_with_llm: the unknown argument fomulas is ignored: did you mean formulas?",
			"eval_complex_math_formula_with_llm: the argument formulas is missing",
		}},
		{"ndigits", "eval_float_exact_match", `{"gold": 1.5, "nidigits": 2}`, []string{"eval_float_exact_match: the unknown argument nidigits is ignored: did you mean ndigits?"}},
		{"ignore_case", "eval_string_exact_match", `{"gold": "a", "ignore_case": true}`, []string{"eval_string_exact_match: the unknown argument ignore_case is ignored: did you mean lowercase?"}},
		{"ignore_case where nothing has case", "eval_int_exact_match", `{"gold": 1, "ignore_case": true}`, []string{"eval_int_exact_match: the unknown argument ignore_case is ignored"}},
		{"scoring_point", "eval_scoring_points_with_llm", `{"scoring_point": ["a"], "question": "q"}`, []string{
			"eval_scoring_points_with_llm: the unknown argument scoring_point is ignored: did you mean scoring_points?",
			"eval_scoring_points_with_llm: the argument scoring_points is missing",
		}},
		{"closed function", "eval_paper_relevance_with_reference_answer", `{"question": "q", "reference_answer": "r", "lowercase": true}`, []string{
			"eval_paper_relevance_with_reference_answer: the unknown argument lowercase makes the function fail",
		}},
		{"wrong types", "eval_string_fuzzy_match", `{"gold": ["a"], "threshold": "95", "lowercase": "true", "ignore_blank": null}`, []string{
			"eval_string_fuzzy_match: gold is of type list, not text",
			"eval_string_fuzzy_match: threshold is of type text, not int or float",
			"eval_string_fuzzy_match: ignore_blank is of type null, not bool",
			"eval_string_fuzzy_match: lowercase is of type text, not bool",
		}},
		{"float for an int", "eval_int_exact_match", `{"gold": 1.0}`, []string{"eval_int_exact_match: gold is of type float, not int"}},
		{"dictionary for a text or list", "eval_paper_relevance_with_reference_answer", `{"question": "q", "reference_answer": {}}`, []string{
			"eval_paper_relevance_with_reference_answer: reference_answer is of type dict, not text or list",
		}},
		{"unknown option", "eval_string_fuzzy_match", `{"gold": "a", "fuzz_method": "partial"}`, []string{
			`eval_string_fuzzy_match: fuzz_method is "partial", not one of ratio, partial_ratio, token_sort_ratio, token_set_ratio, ` +
				`partial_token_sort_ratio, partial_token_set_ratio, QRatio, UQRatio, WRatio, UWRatio`,
		}},
		{"threshold of everything", "eval_string_fuzzy_match", `{"gold": "a", "threshold": 0}`, nil},
		{"threshold out of scale", "eval_string_fuzzy_match", `{"gold": "a", "threshold": 0.9}`, []string{"eval_string_fuzzy_match: threshold is 0.9, but scores go from 0 to 100"}},
		{"count of all points", "eval_partial_scoring_points_with_llm", `{"scoring_points": ["a", "b"], "question": "q", "count": 2}`, []string{
			"eval_partial_scoring_points_with_llm: count is 2, but must lie between 0 and the number of points, 2",
		}},
		{"too few points for the usual count", "eval_partial_scoring_points_with_llm", `{"scoring_points": ["a"], "question": "q"}`, []string{
			"eval_partial_scoring_points_with_llm: count is 1, but must lie between 0 and the number of points, 1",
		}},
		{"fuzz_method where nothing is fuzzy", "eval_int_exact_match", `{"gold": 1, "fuzz_method": "partial_ratio"}`, []string{
			"eval_int_exact_match: the unknown argument fuzz_method is ignored",
		}},
		{"count of some points", "eval_partial_scoring_points_with_llm", `{"scoring_points": ["a", "b", "c"], "question": "q", "count": 1}`, nil},
		{"count of no points", "eval_partial_scoring_points_with_llm", `{"scoring_points": ["a", "b"], "question": "q", "count": 0}`, []string{
			"eval_partial_scoring_points_with_llm: count is 0, but must lie between 0 and the number of points, 2",
		}},
		{"threshold of one in a hundred", "eval_string_fuzzy_match", `{"gold": "a", "threshold": 1}`, []string{"eval_string_fuzzy_match: threshold is 1, but scores go from 0 to 100"}},
		{"threshold of more than one", "eval_string_fuzzy_match", `{"gold": "a", "threshold": 1.5}`, nil},
		{"inside a negation", "eval_negation", `{"eval_func": "eval_int_exact_match", "eval_kwargs": {"god": 1}}`, []string{
			"eval_negation of eval_int_exact_match: the unknown argument god is ignored: did you mean gold?",
			"eval_negation of eval_int_exact_match: the argument gold is missing",
		}},
		{"negation without arguments", "eval_negation", `{"eval_func": "eval_int_exact_match"}`, []string{"eval_negation: the argument eval_kwargs is missing"}},
		{"inside a conjunction", "eval_conjunction", pair(textFunc, isA, `"eval_disjunction"`, pair(textFunc, isA, `"nonsense"`, `{}`)), []string{
			`eval_conjunction, part 2, eval_disjunction, part 2, nonsense: there is no function "nonsense"`,
		}},
		{"part of another type", "eval_conjunction", `{"eval_func_list": [5], "eval_kwargs_list": [{}]}`, []string{"eval_conjunction, part 1: the name of a function is of type int"}},
		{"lists of other lengths", "eval_conjunction", `{"eval_func_list": [` + textFunc + `], "eval_kwargs_list": []}`, []string{"eval_conjunction: 1 functions have 0 sets of arguments"}},
		{"list that is none", "eval_conjunction", `{"eval_func_list": "eval_negation", "eval_kwargs_list": [{}]}`, []string{"eval_conjunction: eval_func_list is of type text, not list"}},
		{"only a logical function has functions inside", "eval_int_exact_match", `{"gold": 1, "eval_func": "nonsense"}`, []string{"eval_int_exact_match: the unknown argument eval_func is ignored"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := eval.Check(qa.Evaluator{Func: tt.function, Kwargs: json.RawMessage(tt.kwargs)})
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestCheckReleased lists the faults in the authors' 553 examples, by the first letters of the uuid.
func TestCheckReleased(t *testing.T) {
	const first, second = "eval_conjunction, part 1, eval_", "eval_conjunction, part 2, eval_"
	listGold := "string_exact_match: gold is of type list, not text"
	want := map[string][]string{
		"17c12592": {first + listGold},
		"25c34c03": {first + "string_exact_match: the unknown argument ignore_case is ignored: did you mean lowercase?"},
		"2719728b": {first + listGold},
		"282710e9": {first + listGold},
		"5c49a736": {first + "string_exact_match: the unknown argument ignore_order is ignored"},
		"807fdd37": {"eval_string_exact_match: lowercase is of type text, not bool"},
		"a49ce3ea": {first + listGold},
		"bb6ffb6d": {"eval_float_exact_match: gold is of type text, not int or float"},
		"bc5c4cf7": {
			first + "structured_object_exact_match: threshold is 0.9, but scores go from 0 to 100",
			second + "structured_object_exact_match: threshold is 0.9, but scores go from 0 to 100",
		},
		"c50576c6": {"eval_" + listGold},
		"d170af87": {first + listGold},
		"d82a4438": {"eval_float_exact_match: the unknown argument nidigits is ignored: did you mean ndigits?"},
		"de8d9b7f": {
			second + "complex_math_formula_with_llm: the unknown argument fomulas is ignored: did you mean formulas?",
			second + "complex_math_formula_with_llm: the argument formulas is missing",
		},
		"f1adf502": {"eval_" + listGold},
	}
	got := make(map[string][]string)
	for uuid, e := range realExamples(t) {
		if faults := eval.Check(e); faults != nil {
			got[uuid[:8]] = faults
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestSubjective(t *testing.T) {
	tests := []struct {
		name, function, kwargs string
		want                   bool
	}{
		{"objective", "eval_string_exact_match", isA, false},
		{"subjective", "eval_scoring_points_with_llm", `{}`, true},
		{"logical over objective ones", "eval_conjunction", pair(textFunc, isA, textFunc, isA), false},
		{"logical over a subjective one", "eval_conjunction", pair(textFunc, isA, llmFunc, asksFor), true},
		{"nested", "eval_disjunction", pair(textFunc, isA, `"eval_negation"`, not(llmFunc, asksFor)), true},
		{"unknown", "nonsense", `{}`, false},
		{"no JSON", "eval_scoring_points_with_llm", `{`, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := eval.Subjective(qa.Evaluator{Func: tt.function, Kwargs: json.RawMessage(tt.kwargs)}); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

// TestSubjectiveReleased counts the released examples that need a judge: the 107 tagged subjective and one with another
// tag.
func TestSubjectiveReleased(t *testing.T) {
	examples := realExamples(t)
	subjective := 0
	for _, e := range examples {
		if eval.Subjective(e) {
			subjective++
		}
	}
	if subjective != 108 {
		t.Errorf("%d of %d examples need a judge, want 108", subjective, len(examples))
	}
}
