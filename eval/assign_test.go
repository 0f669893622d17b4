package eval_test

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"testing"

	"airqa/eval"
	"airqa/internal/python"
	"airqa/qa"
)

// TestAssignment compares the matching with a brute-force search over all orders of the answer. The numbers lie close
// to several golds, so that most pairs are revised.
func TestAssignment(t *testing.T) {
	s := eval.New(eval.Config{Mode: eval.Fixed})
	r := rand.New(rand.NewPCG(1, 2))
	found := 0
	for range 500 {
		gold, said := numbers(r, 5), numbers(r, 5)
		anyOrder := scoresRight(t, s, gold, said, true)
		inSomeOrder := false
		permute(said, len(said), func(order python.List) {
			inSomeOrder = inSomeOrder || scoresRight(t, s, gold, order, false)
		})
		if anyOrder != inSomeOrder {
			t.Fatalf("gold %v, said %v: in any order %v, in some order %v", gold, said, anyOrder, inSomeOrder)
		}
		if anyOrder {
			found++
		}
	}
	if found < 50 || found > 450 {
		t.Errorf("%d of 500 match, which tests little", found)
	}
}

// numbers returns n floats between 1 and 2.
func numbers(r *rand.Rand, n int) python.List {
	out := make(python.List, n)
	for i := range out {
		out[i] = 1 + float64(r.IntN(100))/100
	}
	return out
}

func scoresRight(t *testing.T, s *eval.Scorer, gold, said python.List, anyOrder bool) bool {
	t.Helper()
	kwargs, err := json.Marshal(map[string]any{"gold": python.ToGo(gold), "tolerance": 0.18, "ignore_order": anyOrder})
	if err != nil {
		t.Fatal(err)
	}
	e := qa.Evaluator{Func: "eval_structured_object_exact_match", Kwargs: kwargs}
	return s.Score(context.Background(), e, eval.Literal(said)).Verdict == qa.Right
}

// permute calls f with every order of the first n items (Heap's algorithm).
func permute(items python.List, n int, f func(python.List)) {
	if n <= 1 {
		f(items)
		return
	}
	for i := range n {
		permute(items, n-1, f)
		j := 0
		if n%2 == 0 {
			j = i
		}
		items[j], items[n-1] = items[n-1], items[j]
	}
}
