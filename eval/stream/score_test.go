package stream_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"airqa/eval"
	"airqa/eval/judge"
	"airqa/eval/stream"
	"airqa/qa"
)

// judgeFunc is a judge.
type judgeFunc func(ctx context.Context, r eval.JudgeRequest) (bool, error)

func (f judgeFunc) Judge(ctx context.Context, r eval.JudgeRequest) (bool, error) { return f(ctx, r) }

var (
	counted = qa.Evaluator{Func: "eval_int_exact_match", Kwargs: []byte(`{"gold":1}`)}
	asked   = qa.Evaluator{Func: "eval_reference_answer_with_llm", Kwargs: []byte(`{"reference_answer":"x","question":"q"}`)}
	nested  = qa.Evaluator{Func: "eval_negation", Kwargs: []byte(`{"eval_func":"eval_reference_answer_with_llm","eval_kwargs":{"reference_answer":"x","question":"q"}}`)}
)

// items yields n answers "1" to the evaluators in turn, then an error if there is one.
func items(s *eval.Scorer, n int, last error, evaluators ...qa.Evaluator) iter.Seq2[stream.Item, error] {
	return func(yield func(stream.Item, error) bool) {
		for i := range n {
			g := stream.NewGold(s, fmt.Sprint(i), evaluators[i%len(evaluators)])
			if !yield(stream.Item{Gold: g, Repeat: i, Answer: eval.Text("1")}, nil) {
				return
			}
		}
		if last != nil {
			yield(stream.Item{}, last)
		}
	}
}

// TestScoreKeepsOrder checks that scores are in order with slow judges, and that many judges work at once.
func TestScoreKeepsOrder(t *testing.T) {
	var now, most atomic.Int32
	slow := judgeFunc(func(ctx context.Context, _ eval.JudgeRequest) (bool, error) {
		at := now.Add(1)
		for old := most.Load(); at > old && !most.CompareAndSwap(old, at); old = most.Load() {
		}
		time.Sleep(time.Duration(at) * time.Millisecond)
		now.Add(-1)
		return true, nil
	})
	s := eval.New(eval.Config{Judge: slow})
	const n, judges = 300, 5
	i := 0
	for score, err := range stream.Score(context.Background(), stream.Config{Scorer: s, Judges: judges}, items(s, n, nil, counted, asked, nested)) {
		if err != nil {
			t.Fatal(err)
		}
		want := qa.Score{
			UUID: fmt.Sprint(i), Repeat: i, Verdict: qa.Right, Value: 1,
			Func: []qa.Evaluator{counted, asked, nested}[i%3].Func,
		}
		if i%3 == 2 {
			want.Verdict, want.Value = qa.Wrong, 0
		}
		if diff := cmp.Diff(want, score); diff != "" {
			t.Fatalf("score %d (-want +got):\n%s", i, diff)
		}
		i++
	}
	if i != n {
		t.Errorf("%d scores, want %d", i, n)
	}
	if m := most.Load(); m < 2 || m > judges {
		t.Errorf("%d judges at once, want 2 to %d", m, judges)
	}
}

func TestScoreOne(t *testing.T) {
	broken := errors.New("no endpoint")
	s := eval.New(eval.Config{Judge: judgeFunc(func(context.Context, eval.JudgeRequest) (bool, error) { return false, broken })})
	panel, err := judge.NewPanel(judge.All, judge.Member{Name: "j", Judge: judgeFunc(func(context.Context, eval.JudgeRequest) (bool, error) { return true, nil })})
	if err != nil {
		t.Fatal(err)
	}
	voted := eval.New(eval.Config{Judge: panel})
	c := stream.Config{Scorer: s}
	tests := []struct {
		name string
		item stream.Item
		want qa.Score
	}{
		{
			"a verdict that stands",
			stream.Item{Gold: stream.NewGold(s, "u", asked), Verdict: qa.Unscored, Reason: "failed"},
			qa.Score{UUID: "u", Func: asked.Func, Verdict: qa.Unscored, Reason: "failed"},
		},
		{
			"a judge that fails",
			stream.Item{Gold: stream.NewGold(s, "u", asked), Answer: eval.Text("x")},
			qa.Score{UUID: "u", Func: asked.Func, Verdict: qa.Unscored, Reason: "no endpoint"},
		},
		{
			"a panel that votes",
			stream.Item{Gold: stream.NewGold(voted, "u", nested), Answer: eval.Text("x")},
			qa.Score{UUID: "u", Func: nested.Func, Verdict: qa.Wrong, Votes: []qa.Vote{{Judge: "j", Right: true}}},
		},
		{
			"no such function",
			stream.Item{Gold: stream.NewGold(s, "u", qa.Evaluator{Func: "eval_x", Kwargs: []byte(`{}`)})},
			qa.Score{UUID: "u", Func: "eval_x", Verdict: qa.Unscored, Reason: `there is no evaluation function "eval_x"`},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			one := func(yield func(stream.Item, error) bool) { yield(tt.item, nil) }
			for got, err := range stream.Score(context.Background(), c, one) {
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			}
		})
	}
}

// TestScoreEnds checks that an error comes after the scores before it, and that a consumer can stop early.
func TestScoreEnds(t *testing.T) {
	s := eval.New(eval.Config{})
	broken := errors.New("broken")
	n := 0
	var last error
	for _, err := range stream.Score(context.Background(), stream.Config{Scorer: s}, items(s, 1000, broken, counted)) {
		if last = err; err == nil {
			n++
		}
	}
	if n != 1000 || !errors.Is(last, broken) {
		t.Errorf("%d scores and %v, want 1000 and %v", n, last, broken)
	}
	for range stream.Score(context.Background(), stream.Config{Scorer: s}, items(s, 1000, broken, counted)) {
		break
	}
}

// TestScoreCancelled checks that cancellation stops judges at once and drops their results.
func TestScoreCancelled(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	stopped := errors.New("interrupted")
	slow := judgeFunc(func(ctx context.Context, r eval.JudgeRequest) (bool, error) {
		cancel(stopped)
		<-ctx.Done()
		return false, ctx.Err()
	})
	s := eval.New(eval.Config{Judge: slow})
	var errs []error
	for score, err := range stream.Score(ctx, stream.Config{Scorer: s}, items(s, 100, nil, asked)) {
		if err == nil {
			t.Errorf("a score: %+v", score)
		}
		errs = append(errs, err)
	}
	if len(errs) != 1 || !errors.Is(errs[0], stopped) {
		t.Errorf("errors %v, want one: %v", errs, stopped)
	}
}

// TestDrain checks that a drained stream ends with an error after the answers in flight.
func TestDrain(t *testing.T) {
	drain, asked := make(chan struct{}), 0
	j := judgeFunc(func(context.Context, eval.JudgeRequest) (bool, error) {
		if asked++; asked == 3 {
			close(drain)
		}
		return true, nil
	})
	s := eval.New(eval.Config{Judge: j})
	gold := stream.NewGold(s, "q", qa.Evaluator{
		Func: "eval_reference_answer_with_llm", Kwargs: []byte(`{"reference_answer": "r", "question": "q"}`),
	})
	items := func(yield func(stream.Item, error) bool) {
		for range 10 {
			if !yield(stream.Item{Gold: gold, Answer: eval.Text("x")}, nil) {
				return
			}
		}
	}
	n := 0
	for _, err := range stream.Score(context.Background(), stream.Config{Scorer: s, Judges: 1, Drain: drain}, items) {
		if err != nil {
			if !errors.Is(err, stream.ErrDrained) || n > 2 {
				t.Errorf("%v after %d scores", err, n)
			}
			return
		}
		n++
	}
	t.Errorf("%d scores and no error", n)
}
