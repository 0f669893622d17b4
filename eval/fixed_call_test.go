package eval

import (
	"context"
	"encoding/json"
	"testing"

	"airqa/internal/python"
	"airqa/qa"
)

// TestAssignStops checks that pairing stops once enough golds are paired.
func TestAssignStops(t *testing.T) {
	compared := 0
	a, err := assign(3, 3, 2, func(said, gold int) (bool, error) {
		compared++
		return said == gold, nil
	})
	if err != nil || a.size != 2 || compared != 2 {
		t.Errorf("%d paired after %d comparisons (%v), want 2 after 2", a.size, compared, err)
	}
}

// TestFunctionWithoutFixedRule scores with a function whose rule is the same in both modes, alone and nested.
func TestFunctionWithoutFixedRule(t *testing.T) {
	same := Function{
		Name: "eval_same", Params: []Param{required("gold", KindText)},
		score: func(_ context.Context, _ *Scorer, _ *Comparison, prediction python.Value, k kwargs) (outcome, error) {
			return passed(prediction == k.get("gold", nil)), nil
		},
	}
	for _, mode := range []Mode{Reference, Fixed} {
		s := New(Config{Mode: mode})
		s.functions = append([]Function{same}, functions...)
		for answer, want := range map[string]qa.Verdict{"x": qa.Right, "y": qa.Wrong} {
			alone := qa.Evaluator{Func: "eval_same", Kwargs: json.RawMessage(`{"gold": "x"}`)}
			if r := s.Score(context.Background(), alone, Text(answer)); r.Verdict != want {
				t.Errorf("%s: %q is %s (%s), want %s", mode, answer, r.Verdict, r.Reason, want)
			}
			inside := qa.Evaluator{Func: "eval_conjunction", Kwargs: json.RawMessage(`{"eval_func_list": ["eval_same"], "eval_kwargs_list": [{"gold": "x"}]}`)}
			if r := s.Score(context.Background(), inside, Literal(python.List{answer})); r.Verdict != want {
				t.Errorf("%s: %q in a list is %s (%s), want %s", mode, answer, r.Verdict, r.Reason, want)
			}
		}
	}
}
