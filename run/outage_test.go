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

// Only failures of one kind end an invocation: a key that one model rejects and a request that another one rejects are
// two.
func TestFailuresOfSeveralKinds(t *testing.T) {
	attempt := func(status int, class qa.FailureClass) error {
		return &qa.CallError{Err: errors.New("no reply"), Attempts: []qa.Attempt{{Error: qa.FailServer}, {Status: status, Error: class}}}
	}
	for _, tt := range []struct {
		name  string
		most  int
		kinds []error
		asked int64
	}{
		{"one kind", 3, []error{attempt(401, qa.FailAuth)}, 3},
		{"the first of one kind", 1, []error{attempt(401, qa.FailAuth)}, 1},
		{"one kind, without a limit", 0, []error{attempt(401, qa.FailAuth)}, 30},
		{"by class", 3, []error{attempt(400, qa.FailAuth), attempt(400, qa.FailBadRequest)}, 30},
		{"by status", 3, []error{attempt(401, qa.FailAuth), attempt(403, qa.FailAuth)}, 30},
		{"by tool", 3, []error{errors.New("query: no such file"), errors.New("view: no such file")}, 30},
		{"one tool", 3, []error{errors.New("query: no such file")}, 3},
		{"twice and another", 3, []error{attempt(401, qa.FailAuth), attempt(401, qa.FailAuth), errors.New("query: no such file")}, 30},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var n atomic.Int64
			s := solver(func(_ context.Context, _ qa.Example, setup agent.Setup) (qa.Trajectory, error) {
				e := agent.New(setup)
				err := e.Fail(tt.kinds[int(n.Add(1)-1)%len(tt.kinds)])
				return e.Trajectory(), err
			})
			r := open(t, filepath.Join(t.TempDir(), "run"), run.Config{Solver: s, Workers: 1, MaxEqualFailures: tt.most})
			// The worker may have taken the next question before the last failure was known.
			if sum, err := r.Run(t.Context(), nil, examples(30)); err != nil || n.Load() < tt.asked || n.Load() > tt.asked+1 || sum.Left != 30-sum.Failed {
				t.Errorf("summary %+v after %d questions, want %d; %v", sum, n.Load(), tt.asked, err)
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

// While an episode probes whether an outage has passed, no other starts, and no further wait begins.
func TestOneProbe(t *testing.T) {
	slots := make(chan struct{}, 2)
	var n, ended, waits atomic.Int64
	until := func(done func() bool) {
		for !done() {
			time.Sleep(time.Millisecond)
		}
	}
	s := solver(func(ctx context.Context, ex qa.Example, setup agent.Setup) (qa.Trajectory, error) {
		switch i := n.Add(1); {
		case i == 5:
			until(func() bool { return len(slots) == 2 }) // the next question has passed the check for an outage
			return fail(setup, "server")
		case i > 2 && i <= 6:
			return fail(setup, "server")
		case i == 7: // the probe
			time.Sleep(20 * time.Millisecond)
			if n.Load() != 7 || waits.Load() != 1 {
				t.Errorf("%d questions asked and %d waits during the probe", n.Load(), waits.Load())
			}
		}
		return answer(ctx, ex, setup)
	})
	r := open(t, filepath.Join(t.TempDir(), "run"), run.Config{
		Solver: s, Workers: 1, MaxEqualFailures: 3, Slots: slots, Progress: func(run.Event) { ended.Add(1) },
		Sleep: func(context.Context, time.Duration) error {
			until(func() bool { return ended.Load() >= 6 }) // the failure in flight belongs to this outage
			waits.Add(1)
			return nil
		},
	})
	if sum, err := r.Run(t.Context(), nil, examples(12)); err != nil || sum.Failed != 4 || sum.Finished != 8 || waits.Load() != 1 {
		t.Errorf("summary %+v after %d waits, %v", sum, waits.Load(), err)
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
