package eval_test

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"airqa/eval"
	"airqa/qa"

	"github.com/google/go-cmp/cmp"
)

// TestGoldAnswers scores the gold answer of every function in both modes.
func TestGoldAnswers(t *testing.T) {
	tests := []struct{ name, function, kwargs, reference, fixed string }{
		{"text", "eval_string_exact_match", isA, right, right},
		{"list of one text", "eval_string_exact_match", `{"gold": ["it's"]}`, right, right},
		{"fuzzy", "eval_string_fuzzy_match", `{"gold": "a b", "fuzz_method": "token_set_ratio"}`, right, right},
		{"bool", "eval_bool_exact_match", `{"gold": false}`, right, right},
		{"int", "eval_int_exact_match", `{"gold": -3}`, right, right},
		{"float", "eval_float_exact_match", `{"gold": 2.675, "ndigits": 2}`, right, right},
		{"float gold as a text", "eval_float_exact_match", `{"gold": "2463.5", "ndigits": 1}`, wrong, right},
		{"structured list", "eval_structured_object_exact_match", `{"gold": ["Zebra", "apple", 1.5, null, true], "ignore_order": true, "lowercase": true}`, right, right},
		{"structured dictionary", "eval_structured_object_exact_match", `{"gold": {"a": [1, {"b": "x"}], "c": 2.5}}`, right, right},
		{"element", "eval_element_included", `{"gold": ["a", "b"]}`, right, right},
		{"elements", "eval_element_list_included", `{"gold": [1, 2], "element_type": "int"}`, right, right},
		{"no elements", "eval_element_list_included", `{"gold": []}`, right, wrong},
		{"overlap", "eval_element_list_overlap", `{"gold": ["a", "b", "c"], "count": 2}`, right, right},
		{"overlap of too many", "eval_element_list_overlap", `{"gold": ["a"], "count": 2}`, wrong, wrong},
		{"title", "eval_paper_relevance_with_reference_answer", `{"question": "q", "reference_answer": ["A", "B"]}`, right, right},
		{"title without question", "eval_paper_relevance_with_reference_answer", `{"reference_answer": "A"}`, raised, right},
		{"conjunction", "eval_conjunction", pair(textFunc, isA, `"eval_int_exact_match"`, `{"gold": 3}`), right, right},
		{"disjunction", "eval_disjunction", pair(textFunc, isA, llmFunc, asksFor), right, right},
		{"negation of text", "eval_negation", not(textFunc, isA), right, right},
		{"negation of bool", "eval_negation", not(`"eval_bool_exact_match"`, `{"gold": true}`), right, right},
		{"negation of bool given as a number", "eval_negation", not(`"eval_bool_exact_match"`, `{"gold": 0}`), right, right},
		{"negation of int", "eval_negation", not(`"eval_int_exact_match"`, `{"gold": 3}`), right, right},
		{"negation of float", "eval_negation", not(`"eval_float_exact_match"`, `{"gold": -0.5, "ndigits": -2}`), right, right},
		{"negation of a list", "eval_negation", not(`"eval_structured_object_exact_match"`, `{"gold": ["a", {"b": 1}], "threshold": 90, "fuzz_method": "partial_ratio"}`), right, right},
		{"negation of an empty list", "eval_negation", not(`"eval_structured_object_exact_match"`, `{"gold": []}`), right, right},
		{"negation of an empty dictionary", "eval_negation", not(`"eval_structured_object_exact_match"`, `{"gold": {}}`), right, right},
		{"negation of elements", "eval_negation", not(`"eval_element_list_included"`, `{"gold": ["a"]}`), right, right},
		{"negation of a conjunction", "eval_negation", not(`"eval_conjunction"`, pair(textFunc, isA, textFunc, isA)), right, right},
		{"negation of a negation", "eval_negation", not(`"eval_negation"`, not(textFunc, isA)), right, right},
		{"formulas", "eval_complex_math_formula_with_llm", `{"fomulas": ["x"], "question": "q"}`, raised, right},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := qa.Evaluator{Func: tt.function, Kwargs: json.RawMessage(tt.kwargs)}
			gold, ok := eval.GoldAnswer(e)
			if !ok {
				t.Fatal("no gold answer")
			}
			if got := inMode(t, eval.Reference, e, eval.Text(gold)); got != tt.reference {
				t.Errorf("reference: %s, want %s", got, tt.reference)
			}
			if got := inMode(t, eval.Fixed, e, eval.Text(gold)); got != tt.fixed {
				t.Errorf("fixed: %s, want %s", got, tt.fixed)
			}
		})
	}
}

// inMode scores with a judge that accepts everything.
func inMode(t *testing.T, m eval.Mode, e qa.Evaluator, p eval.Prediction) string {
	t.Helper()
	return outcomeOf(t, eval.New(eval.Config{Judge: approves, Mode: m}).Score(context.Background(), e, p))
}

func TestNoGoldAnswer(t *testing.T) {
	for name, e := range map[string]qa.Evaluator{
		"no JSON":            {Func: "eval_int_exact_match", Kwargs: json.RawMessage(`{`)},
		"no dictionary":      {Func: "eval_int_exact_match", Kwargs: json.RawMessage(`[]`)},
		"no function":        {Func: "nonsense", Kwargs: json.RawMessage(`{}`)},
		"no gold":            {Func: "eval_int_exact_match", Kwargs: json.RawMessage(`{}`)},
		"no golds":           {Func: "eval_element_included", Kwargs: json.RawMessage(`{"gold": []}`)},
		"judge must refuse":  {Func: "eval_negation", Kwargs: json.RawMessage(not(llmFunc, asksFor))},
		"lists do not match": {Func: "eval_conjunction", Kwargs: json.RawMessage(`{"eval_func_list": [` + textFunc + `], "eval_kwargs_list": []}`)},
		"part without gold":  {Func: "eval_conjunction", Kwargs: json.RawMessage(pair(textFunc, isA, textFunc, `{}`))},
	} {
		if p, ok := eval.GoldAnswer(e); ok {
			t.Errorf("%s: %v", name, p)
		}
	}
}

func TestLint(t *testing.T) {
	got := eval.Lint(context.Background(), qa.Example{UUID: "u", Evaluator: qa.Evaluator{
		Func: "eval_float_exact_match", Kwargs: json.RawMessage(`{"gold": "0.5", "nidigits": 1}`),
	}})
	want := []eval.Finding{
		{Severity: eval.Warning, Text: "eval_float_exact_match: the unknown argument nidigits is ignored: did you mean ndigits?"},
		{Severity: eval.Warning, Text: "eval_float_exact_match: gold is of type text, not int or float"},
		{Severity: eval.Error, Mode: eval.Reference, Text: "the gold, given as the answer '0.5', is wrong"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The gold answer of a judged question has all points, but one of several candidates.
func TestJudgedGold(t *testing.T) {
	for kwargs, want := range map[string]string{
		`{"question": "q", "candidate_reference_answers": ["a", "b"]}`: "a",
		`{"question": "q", "scoring_points": ["a", "b"]}`:              "a\nb",
		`{"question": "q", "reference_answer": "a"}`:                   "a",
		`{"question": "q", "candidate_reference_answers": "a"}`:        "a",
	} {
		function := "eval_scoring_points_with_llm"
		switch {
		case strings.Contains(kwargs, "candidate"):
			function = "eval_candidate_reference_answer_with_llm"
		case strings.Contains(kwargs, `"reference_answer"`):
			function = "eval_reference_answer_with_llm"
		}
		if got, ok := eval.GoldAnswer(qa.Evaluator{Func: function, Kwargs: json.RawMessage(kwargs)}); !ok || got != want {
			t.Errorf("%s: %v, want %q", kwargs, got, want)
		}
	}
}

func TestSeverity(t *testing.T) {
	tests := []struct {
		name, function, kwargs string
		want                   eval.Severity
	}{
		{"no function", "eval_nothing", `{}`, eval.Error},
		{"no JSON", "eval_int_exact_match", `{`, eval.Error},
		{"no dictionary", "eval_int_exact_match", `[]`, eval.Error},
		{"an argument is missing", "eval_int_exact_match", `{}`, eval.Error},
		{"an argument of another function", "eval_paper_relevance_with_reference_answer", `{"question": "q", "reference_answer": "a", "x": 1}`, eval.Error},
		{"an argument that is ignored", "eval_int_exact_match", `{"gold": 1, "x": 1}`, eval.Warning},
		{"a judge of its own", "eval_reference_answer_with_llm", `{"reference_answer": "r", "question": "q", "llm_model": "gpt-4o"}`, eval.Warning},
		{"a temperature of its own", "eval_reference_answer_with_llm", `{"reference_answer": "r", "question": "q", "temperature": 1}`, eval.Warning},
		{"a number among the points", "eval_scoring_points_with_llm", `{"scoring_points": ["a", 5], "question": "q"}`, eval.Error},
		{"an odd type", "eval_int_exact_match", `{"gold": "1"}`, eval.Warning},
		{"a text of a fatal fault in a gold", "eval_string_exact_match", `{"gold": "x", "a is missing": 1}`, eval.Warning},
		{"a disjunction of one", "eval_disjunction", `{"eval_func_list": ["eval_int_exact_match"], "eval_kwargs_list": [{"gold": "1"}]}`, eval.Warning},
		{"a disjunction", "eval_disjunction", pair(textFunc, isA, llmFunc, asksFor), eval.Warning},
		{"a function without a name", "eval_conjunction", `{"eval_func_list": [1], "eval_kwargs_list": [{}]}`, eval.Error},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := eval.Lint(context.Background(), qa.Example{Evaluator: qa.Evaluator{Func: tt.function, Kwargs: json.RawMessage(tt.kwargs)}})
			if len(got) == 0 || got[0].Severity != tt.want {
				t.Errorf("got %+v, want the severity %s first", got, tt.want)
			}
		})
	}
}

// Disjunctions are named wherever they are, unless they have one function, and are no faults of the evaluator.
func TestLintReadings(t *testing.T) {
	either := pair(textFunc, isA, llmFunc, asksFor)
	for _, tt := range []struct {
		name, function, kwargs string
		want                   []string
	}{
		{"two functions", "eval_disjunction", either, []string{"eval_disjunction: two readings: a list of 2 answers"}},
		{"one function", "eval_disjunction", `{"eval_func_list": [` + textFunc + `], "eval_kwargs_list": [` + isA + `]}`, nil},
		{"conjunction", "eval_conjunction", either, nil},
		{"inside a conjunction", "eval_conjunction", pair(textFunc, isA, `"eval_disjunction"`, either), []string{"eval_conjunction, part 2, eval_disjunction: two readings"}},
		{"inside a negation", "eval_negation", not(`"eval_disjunction"`, either), []string{"eval_negation of eval_disjunction: two readings"}},
		{"inside another", "eval_disjunction", pair(`"eval_disjunction"`, either, textFunc, isA), []string{
			"eval_disjunction: two readings", "eval_disjunction, part 1, eval_disjunction: two readings",
		}},
	} {
		e := qa.Evaluator{Func: tt.function, Kwargs: json.RawMessage(tt.kwargs)}
		found := eval.Lint(t.Context(), qa.Example{Evaluator: e})
		if len(found) != len(tt.want) || len(eval.Check(e)) > 0 {
			t.Errorf("%s: %+v, faults %v, want %d findings", tt.name, found, eval.Check(e), len(tt.want))
			continue
		}
		for i, f := range found {
			if f.Severity != eval.Warning || !strings.HasPrefix(f.Text, tt.want[i]) {
				t.Errorf("%s: %+v, want %s", tt.name, f, tt.want[i])
			}
		}
	}
}

// TestLintReleased lists the golds that fail: two examples that the authors' code cannot score, none in fixed mode.
func TestLintReleased(t *testing.T) {
	got := map[eval.Mode][]string{}
	examples := realExamples(t)
	for _, uuid := range slices.Sorted(maps.Keys(examples)) {
		if _, ok := eval.GoldAnswer(examples[uuid]); !ok {
			t.Errorf("%s has no gold answer", uuid)
		}
		for _, f := range eval.Lint(context.Background(), qa.Example{UUID: uuid, Evaluator: examples[uuid]}) {
			if f.Mode != "" && f.Severity == eval.Error {
				got[f.Mode] = append(got[f.Mode], uuid[:8])
			}
		}
	}
	want := map[eval.Mode][]string{eval.Reference: {"bb6ffb6d", "de8d9b7f"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestAddQuestion adds a question only to functions that take one and have none.
func TestAddQuestion(t *testing.T) {
	tests := []struct{ name, function, kwargs, want string }{
		{"judged", "eval_scoring_points_with_llm", `{"scoring_points": ["a"]}`, `{"question":"Why?","scoring_points":["a"]}`},
		{"title", "eval_paper_relevance_with_reference_answer", `{"reference_answer": "A"}`, `{"question":"Why?","reference_answer":"A"}`},
		{"given", "eval_complex_math_formula_with_llm", `{"question": "How?"}`, `{"question": "How?"}`},
		{"exact", "eval_int_exact_match", `{"gold": 3}`, `{"gold": 3}`},
		{"logical", "eval_conjunction", `{}`, `{}`},
		{"unknown function", "eval_nothing", `{}`, `{}`},
		{"null", "eval_scoring_points_with_llm", `null`, "error"},
		{"list", "eval_scoring_points_with_llm", `[]`, "error"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := qa.Evaluator{Func: tt.function, Kwargs: json.RawMessage(tt.kwargs)}
			err := eval.AddQuestion(&e, "Why?")
			if got := string(e.Kwargs); got != tt.want && err == nil || (err != nil) != (tt.want == "error") {
				t.Errorf("%s, %v, want %s", got, err, tt.want)
			}
		})
	}
}

// TestAnyGold lists the functions that accept one gold of several, or a part of them.
func TestAnyGold(t *testing.T) {
	var got []string
	for _, f := range eval.Functions() {
		if eval.AnyGold(f.Name) {
			got = append(got, strings.TrimPrefix(f.Name, "eval_"))
		}
	}
	want := []string{
		"element_included", "element_list_included", "element_list_overlap", "paper_relevance_with_reference_answer",
		"candidate_reference_answer_with_llm", "partial_scoring_points_with_llm", "disjunction",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if eval.AnyGold("eval_nothing") {
		t.Error("an unknown function has golds")
	}
}
