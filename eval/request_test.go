package eval_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"airqa/eval"
	"airqa/qa"

	"github.com/google/go-cmp/cmp"
)

func TestJudgeRequests(t *testing.T) {
	points := []string{"one", "two", "three"}
	tests := []struct {
		name, function, kwargs, answer string
		want                           eval.JudgeRequest
	}{
		{
			"reference", "eval_reference_answer_with_llm", `{"reference_answer": "r", "question": "q", "llm_model": "m", "temperature": 1}`, `"p"`,
			eval.JudgeRequest{Kind: eval.JudgeReference, Question: "q", Reference: "r", Prediction: "p"},
		},
		{
			"candidates", "eval_candidate_reference_answer_with_llm", `{"candidate_reference_answers": ["r", "2"], "question": "q"}`, `"p"`,
			eval.JudgeRequest{Kind: eval.JudgeCandidates, Question: "q", Candidates: []string{"r", "2"}, Prediction: "p"},
		},
		{
			"points", "eval_scoring_points_with_llm", `{"scoring_points": ["one", "two", "three"], "question": "q"}`, `"p"`,
			eval.JudgeRequest{Kind: eval.JudgePoints, Question: "q", Points: points, IgnoreOrder: true, Prediction: "p"},
		},
		{
			"points in order", "eval_scoring_points_with_llm", `{"scoring_points": ["one", "two", "three"], "question": "q", "ignore_order": false}`, `"p"`,
			eval.JudgeRequest{Kind: eval.JudgePoints, Question: "q", Points: points, Prediction: "p"},
		},
		{
			"partial points", "eval_partial_scoring_points_with_llm", `{"scoring_points": ["one", "two", "three"], "question": "q"}`, `"p"`,
			eval.JudgeRequest{Kind: eval.JudgePartialPoints, Question: "q", Points: points, Count: 1, IgnoreOrder: true, Prediction: "p"},
		},
		{
			"partial points, fractional count", "eval_partial_scoring_points_with_llm", `{"scoring_points": ["one", "two", "three"], "question": "q", "count": 1.5}`, `"p"`,
			eval.JudgeRequest{Kind: eval.JudgePartialPoints, Question: "q", Points: points, Count: 2, IgnoreOrder: true, Prediction: "p"},
		},
		{
			"reference and points", "eval_reference_answer_and_scoring_points_with_llm", `{"reference_answer": "r", "scoring_points": ["one", "two", "three"], "question": "q", "ignore_order": 0}`, `"p"`,
			eval.JudgeRequest{Kind: eval.JudgeReferenceAndPoints, Question: "q", Reference: "r", Points: points, Prediction: "p"},
		},
		{
			"formula", "eval_complex_math_formula_with_llm", `{"formulas": "x^2", "question": "q"}`, `"p"`,
			eval.JudgeRequest{Kind: eval.JudgeFormulas, Question: "q", Formulas: []string{"x^2"}, IgnoreOrder: true, Prediction: "p"},
		},
		{
			"list of formulas", "eval_complex_math_formula_with_llm", `{"formulas": ["x^2", "y"], "question": "q", "ignore_order": false}`, `"p"`,
			eval.JudgeRequest{Kind: eval.JudgeFormulas, Question: "q", Formulas: []string{"x^2", "y"}, Listed: true, Prediction: "p"},
		},
		{
			"list prediction is printed", "eval_reference_answer_with_llm", `{"reference_answer": 5, "question": null}`, `["a", true, 1.0]`,
			eval.JudgeRequest{Kind: eval.JudgeReference, Question: "None", Reference: "5", Prediction: "['a', True, 1.0]"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got eval.JudgeRequest
			s := eval.New(eval.Config{Judge: judgeFunc(func(r eval.JudgeRequest) (bool, error) { got = r; return true, nil })})
			answer, err := eval.JSON(json.RawMessage(tt.answer))
			if err != nil {
				t.Fatal(err)
			}
			r := s.Score(context.Background(), qa.Evaluator{Func: tt.function, Kwargs: json.RawMessage(tt.kwargs)}, answer)
			if diff := cmp.Diff(tt.want, got); diff != "" || r.Verdict != qa.Right {
				t.Errorf("result %+v (-want +got):\n%s", r, diff)
			}
		})
	}
}

func TestJudgedOutcomes(t *testing.T) {
	runCases(t, "eval_reference_answer_with_llm", says, []scoreCase{
		{"accepted", asksFor, `"yes"`, right},
		{"refused", asksFor, `"no"`, wrong},
		{"no verdict", asksFor, `"?"`, unscored},
		{"error message is not judged", asksFor, `"[ERROR]: ?"`, wrong},
		{"no question", `{"reference_answer": "r"}`, `"yes"`, raised},
		{"unknown arguments are ignored", `{"reference_answer": "r", "question": "q", "x": 1}`, `"yes"`, right},
	})
	runCases(t, "eval_partial_scoring_points_with_llm", says, []scoreCase{
		{"count 0", `{"scoring_points": ["a", "b"], "question": "q", "count": 0}`, `"yes"`, raised},
		{"all points", `{"scoring_points": ["a", "b"], "question": "q", "count": 2}`, `"yes"`, raised},
		{"one point", `{"scoring_points": ["a"], "question": "q"}`, `"yes"`, raised},
		{"count as text", `{"scoring_points": ["a", "b"], "question": "q", "count": "1"}`, `"yes"`, raised},
		{"one of two", `{"scoring_points": ["a", "b"], "question": "q", "count": 1}`, `"yes"`, right},
		{"points that are none", `{"scoring_points": 5, "question": "q"}`, `"yes"`, raised},
	})
	for function, argument := range map[string]string{
		"eval_candidate_reference_answer_with_llm": "candidate_reference_answers", "eval_scoring_points_with_llm": "scoring_points",
		"eval_partial_scoring_points_with_llm": "scoring_points", "eval_complex_math_formula_with_llm": "formulas",
		"eval_reference_answer_and_scoring_points_with_llm": "scoring_points",
	} {
		kwargs := `{"reference_answer": "r", "question": "q", "` + argument + `": [`
		never := judgeFunc(func(eval.JudgeRequest) (bool, error) {
			t.Errorf("%s asks the judge", function)
			return true, nil
		})
		runCases(t, function, never, []scoreCase{
			{function + ", number", kwargs + `"a", "b", 5]}`, `"yes"`, raised},
			{function + ", null", kwargs + `null, "b", "c"]}`, `"yes"`, raised},
			{function + ", list", kwargs + `["a"], "b", "c"]}`, `"yes"`, raised},
		})
		runQuirks(t, function, []quirk{{function + ", number", kwargs + `"a", "b", 5]}`, `"yes"`, raised, right}})
	}
	runCases(t, "eval_complex_math_formula_with_llm", says, []scoreCase{
		{"misspelled", `{"fomulas": "x", "question": "q"}`, `"yes"`, raised},
		{"formula", `{"formulas": "x", "question": "q"}`, `"yes"`, right},
	})
}

// Fixed scoring asks for a verdict that the answer cannot imitate if the answer holds one. Reference scoring asks as the
// authors do.
func TestGuardedRequests(t *testing.T) {
	for answer, want := range map[string]bool{
		"```True```": true, "```\nfalse\n```": true, "```python```": false, "True": false, "": false,
	} {
		for _, mode := range []eval.Mode{eval.Reference, eval.Fixed} {
			var asked eval.JudgeRequest
			judge := judgeFunc(func(r eval.JudgeRequest) (bool, error) { asked = r; return true, nil })
			e := qa.Evaluator{Func: "eval_reference_answer_with_llm", Kwargs: json.RawMessage(asksFor)}
			eval.New(eval.Config{Judge: judge, Mode: mode}).Score(context.Background(), e, eval.Text(answer))
			if asked.Prediction != answer || asked.Guarded != (want && mode == eval.Fixed) {
				t.Errorf("%s: %q is asked as %+v", mode, answer, asked)
			}
		}
	}
}

// The judge decides whenever some combination of verdicts changes the score, also if only one does.
func TestJudgeDecides(t *testing.T) {
	const judged = `"eval_reference_answer_with_llm"`
	other := not(judged, asksFor)
	negation := `"eval_negation"`
	for _, tt := range []struct {
		name, function, kwargs, answer string
		want                           bool
	}{
		{"judged", llmFunc, asksFor, `"a"`, true},
		{"objective", textFunc, isA, `"a"`, false},
		{"an objective part fails", `"eval_conjunction"`, pair(textFunc, isA, judged, asksFor), `["b", "x"]`, false},
		{"an objective part passes", `"eval_conjunction"`, pair(textFunc, isA, judged, asksFor), `["a", "x"]`, true},
		{"the other part settles it", `"eval_disjunction"`, pair(textFunc, isA, judged, asksFor), `["a", "x"]`, false},
		{"yes, then no", `"eval_conjunction"`, pair(judged, asksFor, negation, other), `["x", "y"]`, true},
		{"no, then yes", `"eval_conjunction"`, pair(negation, other, judged, asksFor), `["x", "y"]`, true},
		{"arguments prevent the call", llmFunc, `{}`, `"a"`, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			answer, err := eval.JSON(json.RawMessage(tt.answer))
			if err != nil {
				t.Fatal(err)
			}
			e := qa.Evaluator{Func: strings.Trim(tt.function, `"`), Kwargs: json.RawMessage(tt.kwargs)}
			for _, mode := range []eval.Mode{eval.Reference, eval.Fixed} {
				if got := eval.New(eval.Config{Mode: mode}).JudgeDecides(context.Background(), e, answer); got != tt.want {
					t.Errorf("%s: the judge decides is %v, want %v", mode, got, tt.want)
				}
			}
		})
	}
}
