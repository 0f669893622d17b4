package eval

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
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

// TestAssignFails checks that an error of any comparison ends the pairing, and that no pair is compared twice. Every
// second gold fits the first elements only, so that pairs are moved.
func TestAssignFails(t *testing.T) {
	const n = 6
	broken := errors.New("broken")
	run := func(failing int) (compared int, err error) {
		seen := map[[2]int]bool{}
		_, err = assign(n, n, n, func(said, gold int) (bool, error) {
			if compared++; compared == failing {
				return true, broken
			}
			if pair := [2]int{said, gold}; seen[pair] {
				t.Errorf("element %d and gold %d are compared twice", said, gold)
			} else {
				seen[pair] = true
			}
			return said+gold < n, nil
		})
		return compared, err
	}
	all, err := run(0)
	if err != nil || all < 2*n {
		t.Fatalf("%d comparisons, %v", all, err)
	}
	for failing := 1; failing <= all; failing++ {
		if compared, err := run(failing); !errors.Is(err, broken) || compared != failing {
			t.Errorf("comparison %d of %d fails: %v after %d", failing, all, err, compared)
		}
	}
}

// TestLeadWords checks a lead-in with each of the words that may start one.
func TestLeadWords(t *testing.T) {
	leadIns := []string{
		"So the answer is", "Therefore, the answer is", "Thus it is", "Hence the answer is", "Sure! The answer is", "OK, the answer is", "Okay. It is",
		"The answer is", "My answer:", "Your final answer is", "Final answer:", "Correct answer =", "Right answer:", "Short answer:", "Answer:", "Answers:",
		"It is", "This is", "That was", "These are", "Those were", "They are", "There are", "Here is the result:",
	}
	words := map[string]bool{}
	for _, lead := range leadIns {
		words[strings.ToLower(strings.TrimRight(strings.Fields(lead)[0], ",.!:"))] = true
		if got := withoutLead(lead + " 42"); got != "42" {
			t.Errorf("%s 42 becomes %q", lead, got)
		}
	}
	if len(words) != len(leadWords) {
		t.Errorf("%d of %d words are tested", len(words), len(leadWords))
	}
	for _, whole := range []string{"42", "Soap is 42", "Perhaps it is 42", "It is not 42", "Thesis: 42"} {
		if got := withoutLead(whole); got != whole {
			t.Errorf("%s becomes %q", whole, got)
		}
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
