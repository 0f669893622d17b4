package eval_test

import (
	"encoding/json"
	"strings"
	"testing"

	"airqa/eval"
	"airqa/internal/python"
	"airqa/qa"
)

// The functions used in the cases below.
const (
	isA      = `{"gold": "a"}`
	asksFor  = `{"reference_answer": "r", "question": "q"}`
	textFunc = `"eval_string_exact_match"`
	llmFunc  = `"eval_reference_answer_with_llm"`
)

// pair is the arguments of a logical function over two functions.
func pair(f1, k1, f2, k2 string) string {
	return `{"eval_func_list": [` + f1 + `, ` + f2 + `], "eval_kwargs_list": [` + k1 + `, ` + k2 + `]}`
}

func TestConjunction(t *testing.T) {
	both := pair(textFunc, isA, `"eval_int_exact_match"`, `{"gold": 1}`)
	runCases(t, "eval_conjunction", nil, []scoreCase{
		{"both", both, `"['a', 1]"`, right},
		{"list itself", both, `["a", 1]`, right},
		{"tuple", both, `"'a', 1"`, right},
		{"first fails", both, `["b", 1]`, wrong},
		{"second fails", both, `["a", 2]`, wrong},
		{"second cannot be read", both, `["a", "one"]`, unread},
		{"too few", both, `["a"]`, wrong},
		{"too many", both, `["a", 1, 2]`, wrong},
		{"no list", both, `"a and 1"`, unread},
		{"JSON constants", both, `"['a', true]"`, unread},
		{"one function takes a text", `{"eval_func_list": [` + textFunc + `], "eval_kwargs_list": [` + isA + `]}`, `"a"`, right},
		{"fewer arguments skip the rest", `{"eval_func_list": [` + textFunc + `, "nonsense"], "eval_kwargs_list": [` + isA + `]}`, `["a", "x"]`, right},
		{"more arguments than functions", `{"eval_func_list": [` + textFunc + `], "eval_kwargs_list": [` + isA + `, {}]}`, `["a"]`, right},
		{"no arguments", `{"eval_func_list": ["nonsense"], "eval_kwargs_list": []}`, `["x"]`, right},
		{"nothing at all", `{"eval_func_list": [], "eval_kwargs_list": []}`, `[]`, right},
		{"unknown function", pair(textFunc, isA, `"nonsense"`, `{}`), `["a", "b"]`, raised},
		{"unknown function after a failure", pair(textFunc, isA, `"nonsense"`, `{}`), `["b", "b"]`, wrong},
		{"function of another type", pair(textFunc, isA, `5`, `{}`), `["a", "b"]`, raised},
		{"missing gold", pair(textFunc, `{}`, textFunc, isA), `["a", "a"]`, raised},
		{"arguments that are not a dictionary", pair(textFunc, `[]`, textFunc, isA), `["a", "a"]`, raised},
		{"list is not a list", `{"eval_func_list": 5, "eval_kwargs_list": []}`, `["a"]`, raised},
		{"arguments are not a list", `{"eval_func_list": [` + textFunc + `], "eval_kwargs_list": 5}`, `["a"]`, raised},
		{"argument too many", `{"eval_func_list": [], "eval_kwargs_list": [], "ignore_order": true}`, `[]`, raised},
		{"argument missing", `{"eval_func_list": []}`, `[]`, raised},
		{"nested", pair(`"eval_disjunction"`, pair(textFunc, isA, textFunc, isA), textFunc, isA), `[["b", "a"], "a"]`, right},
	})
}

func TestDisjunction(t *testing.T) {
	either := pair(textFunc, isA, textFunc, `{"gold": "b"}`)
	runCases(t, "eval_disjunction", nil, []scoreCase{
		{"first", either, `["a", "x"]`, right},
		{"second", either, `["x", "b"]`, right},
		{"neither", either, `["b", "a"]`, wrong},
		{"one text is not offered to both", either, `"a"`, unread},
		{"too few", either, `["a"]`, wrong},
		{"nothing at all", `{"eval_func_list": [], "eval_kwargs_list": []}`, `[]`, wrong},
		{"fewer arguments skip the rest", `{"eval_func_list": [` + textFunc + `, ` + textFunc + `], "eval_kwargs_list": [` + isA + `]}`, `["b", "a"]`, wrong},
		{"unknown function after a success", pair(textFunc, isA, `"nonsense"`, `{}`), `["a", "b"]`, right},
		{"unknown function before a success", pair(`"nonsense"`, `{}`, textFunc, isA), `["b", "a"]`, raised},
		{"both unread", pair(`"eval_int_exact_match"`, `{"gold": 1}`, `"eval_int_exact_match"`, `{"gold": 1}`), `["x", "y"]`, unread},
	})
}

// not is the arguments of a negation.
func not(function, kwargs string) string {
	return `{"eval_func": ` + function + `, "eval_kwargs": ` + kwargs + `}`
}

func TestNegation(t *testing.T) {
	runCases(t, "eval_negation", nil, []scoreCase{
		{"right", not(textFunc, isA), `"a"`, wrong},
		{"wrong", not(textFunc, isA), `"b"`, right},
		{"unread counts as wrong inside", not(`"eval_structured_object_exact_match"`, `{"gold": ["a", "b"]}`), `"nothing"`, right},
		{"bool function swallows its error", not(`"eval_bool_exact_match"`, `{"gold": true}`), `"perhaps"`, right},
		{"int function swallows its error", not(`"eval_int_exact_match"`, `{"gold": 1}`), `"one"`, right},
		{"float function swallows its error", not(`"eval_float_exact_match"`, `{"gold": "2463.5"}`), `"2463.5"`, right},
		{"missing gold raises", not(`"eval_int_exact_match"`, `{}`), `"1"`, raised},
		{"fuzzy function raises", not(`"eval_string_fuzzy_match"`, `{"gold": "a", "threshold": "95"}`), `"b"`, raised},
		{"relevance with an odd reference", not(`"eval_paper_relevance_with_reference_answer"`, `{"question": "", "reference_answer": 5}`), `"b"`, right},
		{"relevance of no text", not(`"eval_paper_relevance_with_reference_answer"`, `{"question": "", "reference_answer": "b"}`), `5`, raised},
		{"unknown function", not(`"nonsense"`, `{}`), `"a"`, raised},
		{"error message is wrong before anything", not(textFunc, isA), `"[ERROR]: no answer"`, wrong},
		{"argument too many", `{"eval_func": "eval_string_exact_match", "eval_kwargs": {"gold": "a"}, "x": 1}`, `"b"`, raised},
		{"conjunction of another length", not(`"eval_conjunction"`, pair(textFunc, isA, textFunc, isA)), `["a"]`, right},
		{"twice", not(`"eval_negation"`, not(textFunc, isA)), `"a"`, right},
	})
}

// TestUnscoredPart checks that the reason of an unscored answer names the part whose judge failed.
func TestUnscoredPart(t *testing.T) {
	s := eval.New(eval.Config{Mode: eval.Fixed, Judge: says})
	e := qa.Evaluator{Func: "eval_conjunction", Kwargs: json.RawMessage(pair(textFunc, isA, llmFunc, asksFor))}
	if r := s.Score(t.Context(), e, eval.Literal(python.List{"a", "?"})); r.Verdict != qa.Unscored || !strings.Contains(r.Reason, "part 2, ") {
		t.Errorf("%s (%s)", r.Verdict, r.Reason)
	}
}

// TestLogicWithJudge checks that a failed judge leaves an answer unscored, and that no judge is asked if an earlier
// part settles the result.
func TestLogicWithJudge(t *testing.T) {
	textThenJudge, judgeThenText := pair(textFunc, isA, llmFunc, asksFor), pair(llmFunc, asksFor, textFunc, isA)
	tests := []struct {
		name, function, kwargs, answer, want string
		asked                                string // the predictions that reached the judge
	}{
		{"conjunction, judge fails", "eval_conjunction", textThenJudge, `["a", "?"]`, unscored, "?"},
		{"conjunction, judge fails first", "eval_conjunction", judgeThenText, `["?", "b"]`, unscored, "?"},
		{"conjunction, settled before", "eval_conjunction", textThenJudge, `["b", "?"]`, wrong, ""},
		{"conjunction, judge refuses", "eval_conjunction", judgeThenText, `["no", "a"]`, wrong, "no"},
		{"conjunction, judge accepts", "eval_conjunction", judgeThenText, `["yes", "a"]`, right, "yes"},
		{"disjunction, judge fails", "eval_disjunction", textThenJudge, `["b", "?"]`, unscored, "?"},
		{"disjunction, judge fails first", "eval_disjunction", judgeThenText, `["?", "a"]`, unscored, "?"},
		{"disjunction, settled before", "eval_disjunction", textThenJudge, `["a", "?"]`, right, ""},
		{"disjunction, judge refuses", "eval_disjunction", judgeThenText, `["no", "a"]`, right, "no"},
		{"negation, judge fails", "eval_negation", not(llmFunc, asksFor), `"?"`, unscored, "?"},
		{"negation, judge refuses", "eval_negation", not(llmFunc, asksFor), `"no"`, right, "no"},
		{"negation, judge accepts", "eval_negation", not(llmFunc, asksFor), `"yes"`, wrong, "yes"},
		{"negation of a conjunction", "eval_negation", not(`"eval_conjunction"`, textThenJudge), `["a", "?"]`, unscored, "?"},
		{"disjunction of negations", "eval_disjunction", pair(`"eval_negation"`, not(llmFunc, asksFor), textFunc, isA), `["?", "a"]`, unscored, "?"},
		{"exception before the judge", "eval_conjunction", pair(textFunc, `{}`, llmFunc, asksFor), `["a", "?"]`, raised, ""},
	}
	for _, tt := range tests {
		var asked []string
		judge := judgeFunc(func(r eval.JudgeRequest) (bool, error) {
			asked = append(asked, r.Prediction)
			return says(r)
		})
		runCases(t, tt.function, judge, []scoreCase{{tt.name, tt.kwargs, tt.answer, tt.want}})
		if got := strings.Join(asked, " "); got != tt.asked {
			t.Errorf("%s: the judge was asked about %q, want %q", tt.name, got, tt.asked)
		}
	}
}
