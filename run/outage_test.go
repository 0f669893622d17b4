package run_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"airqa/agent"
	"airqa/qa"
	"airqa/run"
)

func fail(s agent.Setup, class qa.FailureClass) (qa.Trajectory, error) {
	e := agent.New(s)
	err := e.Fail(&qa.CallError{Err: errors.New("no reply from port " + time.Now().String()), Attempts: []qa.Attempt{{Error: class}}})
	return e.Trajectory(), err
}

func TestOutage(t *testing.T) {
	tests := []struct {
		name  string
		class qa.FailureClass
		// works reports whether the nth episode succeeds after the given number of waits.
		works              func(n, waits int64) bool
		left, failed, wait int
	}{
		{"it passes", "server", func(n, waits int64) bool { return n <= 5 || waits >= 3 }, 0, 5, 3},
		{"it does not pass", "network", func(n, _ int64) bool { return n <= 5 }, 77, 18, 14},
		{"a wrong key", "auth", func(n, _ int64) bool { return n <= 5 }, 92, 3, 0},
		{"never answered", "network", func(int64, int64) bool { return false }, 97, 3, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var n, waits atomic.Int64
			s := solver(func(ctx context.Context, ex qa.Example, setup agent.Setup) (qa.Trajectory, error) {
				if tt.works(n.Add(1), waits.Load()) {
					return answer(ctx, ex, setup)
				}
				return fail(setup, tt.class)
			})
			var mu sync.Mutex
			var slept []time.Duration
			r := open(t, filepath.Join(t.TempDir(), "run"), run.Config{
				Solver: s, Workers: 1, MaxEqualFailures: 3,
				Sleep: func(_ context.Context, d time.Duration) error {
					mu.Lock()
					defer mu.Unlock()
					slept = append(slept, d)
					waits.Add(1)
					return nil
				},
			})
			sum, err := r.Run(t.Context(), nil, examples(100))
			// A worker may have taken the next question before the failure before it was known.
			if err != nil || abs(sum.Left-tt.left) > 2 || abs(sum.Failed-tt.failed) > 2 || abs(len(slept)-tt.wait) > 1 {
				t.Errorf("summary %+v, waits %v, %v; want about %d left, %d failed, %d waits", sum, slept, err, tt.left, tt.failed, tt.wait)
			}
			for i := 1; i < len(slept); i++ {
				if slept[i] < slept[i-1] || slept[i] > time.Hour {
					t.Errorf("waits %v", slept)
				}
			}
		})
	}
}

// Failures with successes between them end nothing and wait for nothing, however many they are.
func TestFailuresNotInARow(t *testing.T) {
	for _, class := range []qa.FailureClass{"auth", "server"} {
		t.Run(string(class), func(t *testing.T) {
			var n atomic.Int64
			s := solver(func(ctx context.Context, ex qa.Example, setup agent.Setup) (qa.Trajectory, error) {
				if n.Add(1)%3 == 0 {
					return answer(ctx, ex, setup)
				}
				return fail(setup, class)
			})
			r := open(t, filepath.Join(t.TempDir(), "run"), run.Config{
				Solver: s, Workers: 1, MaxEqualFailures: 3,
				Sleep: func(context.Context, time.Duration) error { t.Error("the runner waits"); return nil },
			})
			if sum, err := r.Run(t.Context(), nil, examples(30)); err != nil || sum.Failed != 20 || sum.Finished != 10 || sum.Left != 0 {
				t.Errorf("summary %+v, %v", sum, err)
			}
		})
	}
}

// An outage that has passed does not lengthen the waits of the next one.
func TestSecondOutage(t *testing.T) {
	var waits atomic.Int64
	var mu sync.Mutex
	var slept []time.Duration
	down := func(waits, n int64) bool { return n > 5 && waits < 3 || n > 15 && waits < 6 }
	var n atomic.Int64
	s := solver(func(ctx context.Context, ex qa.Example, setup agent.Setup) (qa.Trajectory, error) {
		if down(waits.Load(), n.Add(1)) {
			return fail(setup, "server")
		}
		return answer(ctx, ex, setup)
	})
	r := open(t, filepath.Join(t.TempDir(), "run"), run.Config{
		Solver: s, Workers: 1, MaxEqualFailures: 3,
		Sleep: func(_ context.Context, d time.Duration) error {
			mu.Lock()
			defer mu.Unlock()
			slept = append(slept, d)
			waits.Add(1)
			return nil
		},
	})
	sum, err := r.Run(t.Context(), nil, examples(40))
	first := 0
	for _, d := range slept {
		if d == time.Minute {
			first++
		}
	}
	if err != nil || sum.Left != 0 || first != 2 {
		t.Errorf("summary %+v, %v, waits %v, want two outages that each begin with a minute", sum, err, slept)
	}
}

func abs(n int) int { return max(n, -n) }

// The store of a tool is waited for like an endpoint; a permanent failure of a tool is not.
func TestOutageOfAStore(t *testing.T) {
	down := errors.New("milvus at 127.0.0.1:1 cannot be reached")
	for _, tt := range []struct {
		name  string
		cause error
		waits bool
	}{
		{"unavailable", fmt.Errorf("retrieve: %w", &qa.UnavailableError{Err: down}), true},
		{"broken", down, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var n, waits atomic.Int64
			s := solver(func(ctx context.Context, ex qa.Example, setup agent.Setup) (qa.Trajectory, error) {
				if n.Add(1) <= 5 || waits.Load() > 0 {
					return answer(ctx, ex, setup)
				}
				e := agent.New(setup)
				err := e.Fail(tt.cause)
				return e.Trajectory(), err
			})
			dir := filepath.Join(t.TempDir(), "run")
			r := open(t, dir, run.Config{
				Solver: s, Workers: 1, MaxEqualFailures: 3,
				Sleep: func(context.Context, time.Duration) error { waits.Add(1); return nil },
			})
			sum, err := r.Run(t.Context(), nil, examples(40))
			waited := waits.Load() > 0 && waits.Load() <= 2 && sum.Left == 0
			stopped := waits.Load() == 0 && sum.Left > 0
			if err != nil || sum.Failed < 3 || sum.Failed > 4 || tt.waits != waited || tt.waits == stopped {
				t.Errorf("summary %+v after %d waits, %v", sum, waits.Load(), err)
			}
		})
	}
}

// An endpoint that is down in several ways by turns is out.
func TestOutageOfManyKinds(t *testing.T) {
	classes := []qa.FailureClass{"server", "unreachable", "timeout"}
	var n, waits atomic.Int64
	s := solver(func(ctx context.Context, ex qa.Example, setup agent.Setup) (qa.Trajectory, error) {
		i := n.Add(1)
		if i <= 5 || waits.Load() > 0 {
			return answer(ctx, ex, setup)
		}
		return fail(setup, classes[i%3])
	})
	r := open(t, filepath.Join(t.TempDir(), "run"), run.Config{
		Solver: s, Workers: 1, MaxEqualFailures: 4,
		Sleep: func(context.Context, time.Duration) error { waits.Add(1); return nil },
	})
	if sum, err := r.Run(t.Context(), nil, examples(60)); err != nil || waits.Load() == 0 || waits.Load() > 2 || sum.Failed > 6 || sum.Left != 0 {
		t.Errorf("summary %+v after %d waits, %v", sum, waits.Load(), err)
	}
}

// A wait ends with the start.
func TestOutageIsStopped(t *testing.T) {
	var n atomic.Int64
	s := solver(func(ctx context.Context, ex qa.Example, setup agent.Setup) (qa.Trajectory, error) {
		if n.Add(1) <= 2 {
			return answer(ctx, ex, setup)
		}
		return fail(setup, "server")
	})
	drain := make(chan struct{})
	r := open(t, filepath.Join(t.TempDir(), "run"), run.Config{
		Solver: s, Workers: 4, MaxEqualFailures: 3, Outage: func(_ time.Duration, why string) {
			if why == "" {
				t.Error("a wait without its reason")
			}
			close(drain)
		},
	})
	sum, err := r.Run(t.Context(), drain, examples(50))
	if err != nil || sum.Finished != 2 || sum.Left < 35 {
		t.Errorf("summary %+v, %v", sum, err)
	}
}
