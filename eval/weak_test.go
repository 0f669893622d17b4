package eval_test

import (
	"encoding/json"
	"strings"
	"testing"

	"airqa/eval"
	"airqa/eval/judge"
	"airqa/qa"
)

// The reasons of the cases below.
const (
	strong   = ""
	guess    = "one of two guesses passes"
	anything = "any wrong answer passes (negation)"
	safe     = "one safe element passes"
	list     = "a list of every candidate passes"
	dumped   = "a text of every candidate passes"
	halved   = "half of the gold's text passes"
	nothing  = "an empty list passes"
)

// Every function has a case whose reward needs the answer, where its options permit one, and a weak one of each kind.
func TestWeakness(t *testing.T) {
	const title = `"gold": "Deep Residual Learning for Image Recognition"`
	const models = `"gold": ["OPT", "BERT", "GPT-4", "LLaMA"]`
	judged := `{"question": "Why?", "reference_answer": "The encoder is frozen to save memory."}`
	tests := []struct{ name, function, kwargs, reference, fixed string }{
		{"text", "eval_string_exact_match", `{"gold": "LoRA"}`, strong, strong},
		{"a text that is a probe", "eval_string_exact_match", `{"gold": "None"}`, strong, strong},
		{"a text that is a truth value", "eval_string_exact_match", `{"gold": "yes"}`, guess, guess},
		{"fuzzy", "eval_string_fuzzy_match", `{` + title + `}`, strong, strong},
		{"fuzzy and part", "eval_string_fuzzy_match", `{` + title + `, "fuzz_method": "partial_ratio"}`, dumped, halved},
		{"fuzzy and part of a short text", "eval_string_fuzzy_match", `{"gold": "GPT", "fuzz_method": "partial_ratio"}`, dumped, halved},
		{"fuzzy and sorted part", "eval_string_fuzzy_match", `{` + title + `, "fuzz_method": "partial_token_sort_ratio"}`, strong, strong},
		{"fuzzy and words", "eval_string_fuzzy_match", `{` + title + `, "fuzz_method": "token_set_ratio"}`, dumped, halved},
		{"fuzzy and part of words", "eval_string_fuzzy_match", `{` + title + `, "fuzz_method": "partial_token_set_ratio"}`, dumped, halved},
		{"fuzzy and weighted", "eval_string_fuzzy_match", `{` + title + `, "fuzz_method": "WRatio", "threshold": 80}`, dumped, halved},
		{"fuzzy and weighted strictly", "eval_string_fuzzy_match", `{` + title + `, "fuzz_method": "UWRatio", "threshold": 96}`, strong, strong},
		{"fuzzy and low", "eval_string_fuzzy_match", `{` + title + `, "threshold": 60}`, halved, halved},
		{"fuzzy and sorted", "eval_string_fuzzy_match", `{` + title + `, "fuzz_method": "token_sort_ratio"}`, strong, strong},
		{"true", "eval_bool_exact_match", `{"gold": true}`, guess, guess},
		{"false", "eval_bool_exact_match", `{"gold": false}`, guess, guess},
		{"int", "eval_int_exact_match", `{"gold": 12}`, strong, strong},
		{"an int that is a probe", "eval_int_exact_match", `{"gold": 1}`, strong, strong},
		{"float", "eval_float_exact_match", `{"gold": 72.9, "ndigits": 1}`, strong, strong},
		{"float and wide", "eval_float_exact_match", `{"gold": 0.35, "tolerance": 1}`, "0 and 1 both pass (tolerance 1)", "0 and 1 both pass (tolerance 1)"},
		{"float and half", "eval_float_exact_match", `{"gold": 72.9, "tolerance": 0.5}`, "50 and 100 both pass (tolerance 0.5)", "50 and 100 both pass (tolerance 0.5)"},
		{"float and no digit", "eval_float_exact_match", `{"gold": 3, "ndigits": -1}`, "0 and 1 both pass", "0 and 1 both pass"},
		{"object", "eval_structured_object_exact_match", `{"gold": ["SQuAD", 3, {"a": true}]}`, strong, strong},
		{"object and part", "eval_structured_object_exact_match", `{"gold": {"a": "SQuAD", "b": ["HotpotQA"]}, "threshold": 90, "fuzz_method": "partial_ratio"}`, dumped, halved},
		{"object, part and number", "eval_structured_object_exact_match", `{"gold": ["SQuAD", 4], "threshold": 90, "fuzz_method": "partial_ratio"}`, strong, strong},
		{"object of numbers and wide", "eval_structured_object_exact_match", `{"gold": [0.5, 0.7], "tolerance": 2}`, "0 and 1 both pass (tolerance 2)", "0 and 1 both pass (tolerance 2)"},
		{"empty object", "eval_structured_object_exact_match", `{"gold": {}}`, "x and None both pass", strong},
		{"one of", "eval_element_included", `{` + models + `}`, strong, strong},
		{"one of, and part", "eval_element_included", `{` + models + `, "fuzz_method": "partial_ratio", "threshold": 90}`, dumped, halved},
		{"all of", "eval_element_list_included", `{` + models + `}`, nothing, safe},
		{"all of one", "eval_element_list_included", `{"gold": ["OPT"]}`, nothing, strong},
		{"all of numbers", "eval_element_list_included", `{"gold": [3, 5], "element_type": "int"}`, nothing, safe},
		{"some of", "eval_element_list_overlap", `{` + models + `, "count": 2}`, list, strong},
		{"few of many", "eval_element_list_overlap", `{` + models + `, "count": 1}`, list, list},
		{"some of numbers", "eval_element_list_overlap", `{"gold": [3, 5], "element_type": "int", "count": 2}`, list, strong},
		{"title", "eval_paper_relevance_with_reference_answer", `{"question": "q", "reference_answer": ["Deep Residual Learning", "Attention"]}`, strong, strong},
		{"reference", "eval_reference_answer_with_llm", judged, strong, strong},
		{"candidates", "eval_candidate_reference_answer_with_llm", `{"question": "q", "candidate_reference_answers": ["a", "b"]}`, strong, strong},
		{"points", "eval_scoring_points_with_llm", `{"question": "q", "scoring_points": ["a", "b"]}`, strong, strong},
		{"some points", "eval_partial_scoring_points_with_llm", `{"question": "q", "scoring_points": ["a", "b"], "count": 1}`, strong, strong},
		{"reference and points", "eval_reference_answer_and_scoring_points_with_llm", `{"question": "q", "reference_answer": "r", "scoring_points": ["a"]}`, strong, strong},
		{"formula", "eval_complex_math_formula_with_llm", `{"question": "q", "formulas": "x^2"}`, strong, strong},
		{"both", "eval_conjunction", pair(textFunc, isA, `"eval_bool_exact_match"`, `{"gold": true}`), strong, strong},
		{"both weak", "eval_conjunction", pair(`"eval_negation"`, not(textFunc, isA), `"eval_element_list_overlap"`, `{`+models+`}`), anything, anything},
		{"both, weak and a guess", "eval_conjunction", pair(`"eval_negation"`, not(textFunc, isA), `"eval_bool_exact_match"`, `{"gold": true}`), guess, guess},
		{"both, weak and judged", "eval_conjunction", pair(`"eval_negation"`, not(textFunc, isA), llmFunc, judged), strong, strong},
		{"either", "eval_disjunction", pair(textFunc, isA, llmFunc, judged), strong, strong},
		{"either, one weak", "eval_disjunction", pair(textFunc, isA, `"eval_negation"`, not(llmFunc, judged)), anything, anything},
		{"either, one a guess", "eval_disjunction", pair(textFunc, isA, `"eval_bool_exact_match"`, `{"gold": false}`), guess, guess},
		{"not", "eval_negation", not(textFunc, isA), anything, anything},
		{"not an int", "eval_negation", not(`"eval_int_exact_match"`, `{"gold": 12}`), anything, anything},
		{"not judged", "eval_negation", not(llmFunc, judged), anything, anything},
		{"not both", "eval_negation", not(`"eval_conjunction"`, pair(textFunc, isA, `"eval_int_exact_match"`, `{"gold": 3}`)), anything, anything},
		{"not true", "eval_negation", not(`"eval_bool_exact_match"`, `{"gold": true}`), anything, guess},
		{"not not", "eval_negation", not(`"eval_negation"`, not(textFunc, isA)), strong, strong},
		{"nested", "eval_conjunction", pair(`"eval_disjunction"`, pair(`"eval_negation"`, not(textFunc, isA), textFunc, isA), `"eval_element_list_included"`, `{`+models+`}`), anything, anything},
		{"unknown", "eval_nonsense", `{}`, strong, strong},
		{"no arguments", "eval_element_list_overlap", `{}`, strong, strong},
		{"unknown part", "eval_disjunction", pair(`"nonsense"`, `{}`, textFunc, `5`), strong, strong},
		{"part without arguments", "eval_conjunction", `{"eval_func_list": [` + textFunc + `, ` + textFunc + `], "eval_kwargs_list": [` + isA + `]}`, strong, strong},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := qa.Evaluator{Func: tt.function, Kwargs: json.RawMessage(tt.kwargs)}
			for mode, want := range map[eval.Mode]string{eval.Reference: tt.reference, eval.Fixed: tt.fixed} {
				w := eval.New(eval.Config{Mode: mode}).Weakness(t.Context(), e)
				if w.Reason != want || w.Guess != (want == guess) {
					t.Errorf("%s: %+v, want %q", mode, w, want)
				}
			}
		})
	}
	offline := eval.New(eval.Config{Mode: eval.Fixed, Judge: judge.Lexical{}})
	if w := offline.Weakness(t.Context(), qa.Evaluator{Func: "eval_reference_answer_with_llm", Kwargs: json.RawMessage(judged)}); w.Reason != dumped {
		t.Errorf("a judge that compares words: %+v", w)
	}
}

// In [eval.Fixed], surplus elements, long texts, empty texts and messages of the environment never pass.
func TestBounds(t *testing.T) {
	const partly = `{"gold": "BERT", "fuzz_method": "partial_ratio", "lowercase": true}`
	const overlap, three = "eval_element_list_overlap", `{"gold": ["a", "b", "c"], "count": 2}`
	long := strings.Repeat("the model that they use is BERT ", 9)
	tests := []struct{ name, function, kwargs, answer, reference, fixed string }{
		{"as many elements as golds", overlap, three, `['x', 'a', 'c']`, right, right},
		{"more", overlap, three, `['x', 'a', 'c', 'y']`, right, wrong},
		{"more, but as many as asked for", overlap, `{"gold": [1, 1], "element_type": "int", "count": 1}`, `[1, 2]`, right, right},
		{"more than one gold", overlap, `{"gold": ["a"]}`, `['a', 'b']`, right, wrong},
		{"more in a set", overlap, three, `{'x', 'a', 'c', 'y'}`, right, wrong},
		{"repeated", "eval_element_list_included", `{"gold": ["a", "b"]}`, `['a', 'b', 'a']`, right, wrong},
		{"inside", "eval_conjunction", pair(`"`+overlap+`"`, three, textFunc, isA), `[['a', 'b', 'c', 'd'], 'a']`, right, wrong},
		{"a longer name", "eval_string_fuzzy_match", partly, `BERT-Large`, right, right},
		{"a list of names", "eval_string_fuzzy_match", partly, `GPT or BERT or OPT`, right, wrong},
		{"long", "eval_string_fuzzy_match", partly, long, right, wrong},
		{"long, of words", "eval_string_fuzzy_match", `{"gold": "the BERT model", "fuzz_method": "token_set_ratio"}`, long, right, wrong},
		{"long element", "eval_element_included", `{"gold": ["BERT"], "fuzz_method": "partial_ratio", "threshold": 90}`, long, right, wrong},
		{"long value", "eval_structured_object_exact_match", `{"gold": {"a": "BERT"}, "fuzz_method": "partial_ratio", "threshold": 90}`, `{"a": "` + long + `"}`, right, wrong},
		{"not long, by ratio", "eval_string_fuzzy_match", `{"gold": "abc", "threshold": 40}`, `abc, abcdef`, right, right},
		{"empty", "eval_negation", not(textFunc, isA), ``, right, wrong},
		{"space", "eval_negation", not(textFunc, isA), " \n\u00a0\u200b", right, wrong},
		{"quotes", "eval_negation", not(textFunc, isA), `""`, right, wrong},
		{"an error", "eval_negation", not(textFunc, isA), ` "[Error]: no such column: x"`, right, wrong},
		{"a warning", "eval_negation", not(textFunc, isA), `[Warning]: the result is empty.`, right, wrong},
		{"an error in a part", "eval_conjunction", pair(`"eval_negation"`, not(textFunc, isA), textFunc, isA), `['[Error]: x', 'a']`, right, wrong},
		{"an empty part", "eval_conjunction", pair(`"eval_negation"`, not(textFunc, isA), textFunc, isA), `['', 'a']`, right, wrong},
		{"an empty part that is right", "eval_conjunction", pair(textFunc, `{"gold": ""}`, textFunc, isA), `['', 'a']`, right, right},
		{"a mark as an answer", "eval_negation", not(textFunc, isA), `-`, right, right},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := qa.Evaluator{Func: tt.function, Kwargs: json.RawMessage(tt.kwargs)}
			for mode, want := range map[eval.Mode]string{eval.Reference: tt.reference, eval.Fixed: tt.fixed} {
				if got := inMode(t, mode, e, eval.Text(tt.answer)); got != want {
					t.Errorf("%s: %s, want %s", mode, got, want)
				}
				r := eval.New(eval.Config{Judge: approves}).Explain(t.Context(), e, eval.Text(tt.answer))
				if explained := map[eval.Mode]eval.Reading{eval.Reference: r.Reference, eval.Fixed: r.Fixed}[mode]; string(explained.Verdict) != want {
					t.Errorf("%s, explained: %s, want %s", mode, explained.Verdict, want)
				}
			}
		})
	}
}
