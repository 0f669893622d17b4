package eval_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"airqa/eval"
	"airqa/eval/judge"
	"airqa/internal/python"
	"airqa/qa"

	"github.com/google/go-cmp/cmp"
)

func TestErrorTexts(t *testing.T) {
	runCases(t, "eval_string_exact_match", nil, []scoreCase{
		{"error", `{"gold": "[ERROR]: none"}`, `"[ERROR]: none"`, wrong},
		{"error in other letters", `{"gold": "[Error]: none"}`, `"[Error]: none"`, wrong},
		{"error later", `{"gold": "no [ERROR]: none"}`, `"no [ERROR]: none"`, right},
		{"no colon", `{"gold": "[ERROR]"}`, `"[ERROR]"`, right},
		{"blank before", `{"gold": "[ERROR]:"}`, `" [ERROR]:"`, right},
		{"in a list", `{"gold": "['[ERROR]:']"}`, `["[ERROR]:"]`, right},
	})
}

func TestScoreFaults(t *testing.T) {
	tests := []struct {
		name, function, kwargs string
		want                   qa.Score
	}{
		{"unknown function", "eval_nonsense", `{}`, qa.Score{Verdict: qa.Unscored, Reason: `there is no evaluation function "eval_nonsense"`}},
		{"no JSON", "eval_int_exact_match", `{"gold"}`, qa.Score{
			Verdict: qa.Unscored, Reason: "read the arguments of eval_int_exact_match: line 1, column 8: unexpected '}' where a colon should stand",
		}},
		{"no arguments", "eval_int_exact_match", ``, qa.Score{
			Verdict: qa.Unscored, Reason: "read the arguments of eval_int_exact_match: line 1, column 1: the text ends where a JSON value should stand",
		}},
		{"arguments that are a list", "eval_int_exact_match", `[3]`, qa.Score{
			Verdict: qa.Wrong, Reason: "the authors' evaluator fails: the arguments of eval_int_exact_match are a list",
		}},
		{"missing argument", "eval_int_exact_match", `{}`, qa.Score{
			Verdict: qa.Wrong, Reason: "the authors' evaluator fails: eval_int_exact_match lacks the argument gold",
		}},
		{"no judge", "eval_reference_answer_with_llm", `{"reference_answer": "3", "question": "?"}`, qa.Score{
			Verdict: qa.Unscored, Reason: "the function needs a judge and none is configured",
		}},
		{"unread", "eval_int_exact_match", `{"gold": 4}`, qa.Score{Verdict: qa.Unparseable, Reason: "the answer is not a whole number"}},
	}
	s := eval.New(eval.Config{})
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := qa.Evaluator{Func: tt.function, Kwargs: json.RawMessage(tt.kwargs)}
			if diff := cmp.Diff(tt.want, s.Score(context.Background(), e, eval.Text("three"))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestPredictions(t *testing.T) {
	listed := qa.Evaluator{Func: "eval_structured_object_exact_match", Kwargs: json.RawMessage(`{"gold": ["1", 2]}`)}
	fromJSON, err := eval.JSON(json.RawMessage(`["1", 2]`))
	if err != nil {
		t.Fatal(err)
	}
	s := eval.New(eval.Config{})
	for name, p := range map[string]eval.Prediction{
		"text":    eval.Text("['1', 2]"),
		"literal": eval.Literal(python.Tuple{"1", int64(2)}),
		"JSON":    fromJSON,
	} {
		if r := s.Score(context.Background(), listed, p); r.Verdict != qa.Right {
			t.Errorf("%s: %+v", name, r)
		}
	}
	none := qa.Evaluator{Func: "eval_string_exact_match", Kwargs: json.RawMessage(`{"gold": "None"}`)}
	if r := s.Score(context.Background(), none, eval.Prediction{}); r.Verdict != qa.Right {
		t.Errorf("the zero prediction: %+v, want it to print as None", r)
	}
	_, err = eval.JSON(json.RawMessage(`{`))
	if err == nil || !strings.HasPrefix(err.Error(), "read the answer: line 1, column 2: ") {
		t.Errorf("an answer that is not JSON gives %v", err)
	}
}

// TestPrepared scores many answers concurrently with one evaluator.
func TestPrepared(t *testing.T) {
	e := qa.Evaluator{Func: "eval_structured_object_exact_match", Kwargs: json.RawMessage(`{"gold": {"A": ["x", "y"]}, "lowercase": true, "ignore_order": true}`)}
	var wait sync.WaitGroup
	prepared := []eval.Prepared{eval.New(eval.Config{}).Prepare(e), eval.New(eval.Config{Mode: eval.Fixed}).Prepare(e)}
	for i := range 4 {
		p := prepared[i%2]
		wait.Go(func() {
			for range 50 {
				if r := p.Score(context.Background(), eval.Text("{'a': ['y', 'x']}")); r.Verdict != qa.Right {
					t.Errorf("a right answer: %+v", r)
				}
				if r := p.Score(context.Background(), eval.Text("{'a': ['y', 'z']}")); r.Verdict != qa.Wrong {
					t.Errorf("a wrong answer: %+v", r)
				}
			}
		})
	}
	wait.Wait()
}

func TestFunctions(t *testing.T) {
	var names []string
	for _, f := range eval.Functions() {
		names = append(names, f.Name)
	}
	want := []string{
		"eval_string_exact_match", "eval_string_fuzzy_match", "eval_bool_exact_match", "eval_int_exact_match", "eval_float_exact_match",
		"eval_structured_object_exact_match", "eval_element_included", "eval_element_list_included", "eval_element_list_overlap",
		"eval_paper_relevance_with_reference_answer", "eval_reference_answer_with_llm", "eval_candidate_reference_answer_with_llm",
		"eval_scoring_points_with_llm", "eval_partial_scoring_points_with_llm", "eval_reference_answer_and_scoring_points_with_llm",
		"eval_complex_math_formula_with_llm", "eval_conjunction", "eval_disjunction", "eval_negation",
	}
	if diff := cmp.Diff(want, names[:min(len(want), len(names))]); diff != "" { // the paper's come first
		t.Errorf("(-want +got):\n%s", diff)
	}
	eval.Functions()[0].Name = "changed"
	if eval.Functions()[0].Name != want[0] {
		t.Error("a caller can change the list")
	}
}

// FuzzScore checks that no answer and no arguments cause an objective function to panic.
func FuzzScore(f *testing.F) {
	f.Add(uint8(5), `{"gold": [["a", 1.5], {"b": null}], "ignore_order": true, "lowercase": true, "threshold": 90}`, `[{'b': None}, ("A", 1.5)]`)
	f.Add(uint8(8), `{"gold": "abc", "count": 2, "element_type": "structured"}`, "{1, 2.5, 'x'}")
	f.Add(uint8(4), `{"gold": 1e308, "ndigits": -308, "tolerance": 0.1}`, "1_0e3")
	f.Add(uint8(16), `{"eval_func_list": ["eval_int_exact_match"], "eval_kwargs_list": [{"gold": 1}]}`, "1,")
	functions := eval.Functions()
	s := eval.New(eval.Config{Judge: judge.Lexical{}})
	f.Fuzz(func(t *testing.T, index uint8, kwargs, answer string) {
		e := qa.Evaluator{Func: functions[int(index)%len(functions)].Name, Kwargs: json.RawMessage(kwargs)}
		once := s.Score(context.Background(), e, eval.Text(answer))
		outcomeOf(t, once)
		if again := s.Score(context.Background(), e, eval.Text(answer)); !cmp.Equal(again, once) {
			t.Errorf("%v and then %v", once, again)
		}
		eval.Check(e)
	})
}
