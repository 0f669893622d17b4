package judge_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"airqa/eval"
	"airqa/eval/judge"
)

type sourceFunc func(context.Context, eval.JudgeRequest) (judge.Verdict, error)

func (f sourceFunc) Decide(ctx context.Context, r eval.JudgeRequest) (judge.Verdict, error) {
	return f(ctx, r)
}

// errQuiet is a failure that is not the judge's.
var errQuiet = errors.New("the caller gave up")

func kindOf(err error) string {
	if errors.Is(err, errQuiet) {
		return ""
	}
	return err.Error()[:1]
}

func TestCircuit(t *testing.T) {
	tests := []struct {
		name string
		// ends are the results of the requests: "" for success, otherwise an error whose first letter is its kind.
		ends []string
		want int // number of requests that reach the judge
	}{
		{"all well", []string{"", "", "", ""}, 4},
		{"equal failures", []string{"a1", "a2", "a3", "a4", "a5"}, 3},
		{"a success between", []string{"a1", "a2", "", "a3", "a4", "", "a5"}, 7},
		{"another kind between", []string{"a1", "a2", "b1", "a3", "a4", "b2"}, 6},
		{"another kind, then equal", []string{"a1", "b1", "b2", "b3", "b4"}, 4},
		{"without verdicts", []string{"no", "no", "no", "no"}, 3},
		{"failures that say nothing", []string{"quiet", "quiet", "quiet", "quiet"}, 4},
		{"failures that say nothing between", []string{"a", "quiet", "a", "quiet", "a", "a"}, 5},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			asked := 0
			c := judge.NewCircuit(sourceFunc(func(context.Context, eval.JudgeRequest) (judge.Verdict, error) {
				asked++
				switch end := tt.ends[asked-1]; end {
				case "":
					return judge.Verdict{Right: true}, nil
				case "no":
					return judge.Verdict{}, fmt.Errorf("%w in %d replies", judge.ErrNoVerdict, asked)
				case "quiet":
					return judge.Verdict{}, errQuiet
				default:
					return judge.Verdict{}, errors.New(end)
				}
			}), judge.CircuitConfig{Limit: 3, Kind: kindOf})
			for range tt.ends {
				before := asked
				ok, err := c.Judge(context.Background(), eval.JudgeRequest{})
				if stopped := asked == before; stopped != errors.Is(err, judge.ErrStopped) || ok != (err == nil) {
					t.Errorf("after %d questions: %v, %v", asked, ok, err)
				}
			}
			if asked != tt.want {
				t.Errorf("asked %d times, want %d", asked, tt.want)
			}
		})
	}
}

func TestCircuitSaysWhy(t *testing.T) {
	c := judge.NewCircuit(sourceFunc(func(context.Context, eval.JudgeRequest) (judge.Verdict, error) {
		return judge.Verdict{}, errDead
	}), judge.CircuitConfig{Limit: 1, Kind: kindOf})
	_, first := c.Judge(context.Background(), eval.JudgeRequest{})
	_, second := c.Judge(context.Background(), eval.JudgeRequest{})
	want := "judge disabled after 1 consecutive failures of the same kind: the line is dead"
	if !errors.Is(first, errDead) || errors.Is(first, judge.ErrStopped) || second == nil || second.Error() != want || !errors.Is(second, errDead) {
		t.Errorf("%v, then %v", first, second)
	}
}

// TestCircuitConcurrency blocks requests until the maximum number is in flight.
func TestCircuitConcurrency(t *testing.T) {
	var under, most atomic.Int64
	full := make(chan struct{})
	c := judge.NewCircuit(sourceFunc(func(context.Context, eval.JudgeRequest) (judge.Verdict, error) {
		n := under.Add(1)
		defer under.Add(-1)
		if n == 3 && most.Swap(3) < 3 {
			close(full)
		}
		if n > 3 {
			t.Error("4 requests at once")
		}
		<-full
		return judge.Verdict{Right: true}, nil
	}), judge.CircuitConfig{Limit: 1, Kind: kindOf, Concurrency: 3})
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() { mustJudge(t, c, request("x"), true) })
	}
	all.Wait()
}

// TestCircuitStopsWhoWaits fails the one request in flight: waiting requests are not sent, and one whose caller gives
// up stops waiting.
func TestCircuitStopsWhoWaits(t *testing.T) {
	begun, release := make(chan struct{}), make(chan struct{})
	var asked atomic.Int64
	c := judge.NewCircuit(sourceFunc(func(context.Context, eval.JudgeRequest) (judge.Verdict, error) {
		if asked.Add(1) == 1 {
			close(begun)
		}
		<-release
		return judge.Verdict{}, errDead
	}), judge.CircuitConfig{Limit: 1, Kind: kindOf, Concurrency: 1})
	var all sync.WaitGroup
	for range 5 {
		all.Go(func() {
			if _, err := c.Judge(context.Background(), request("x")); !errors.Is(err, errDead) {
				t.Errorf("error %v", err)
			}
		})
	}
	<-begun
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := c.Judge(ctx, request("x")); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v of a caller who gave up", err)
	}
	close(release)
	all.Wait()
	if asked.Load() != 1 {
		t.Errorf("asked %d times, want once", asked.Load())
	}
}
