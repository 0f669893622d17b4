package run_test

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"airqa/agent"
	"airqa/qa"
	"airqa/run"
	"airqa/runlog"
)

// open makes a runner from a configuration over a run directory.
func open(t *testing.T, dir string, c run.Config) *run.Runner {
	t.Helper()
	if err := runlog.Create(dir, runlog.Config{}, nil); err != nil {
		t.Fatal(err)
	}
	w, err := runlog.OpenWriter(dir, runlog.WriterConfig{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	c.Writer, c.Recorded = w, recorded(t, dir)
	r, err := run.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Each question gets its repeats; increasing them later runs only the new ones.
func TestRepeats(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	var mu sync.Mutex
	var order []string
	noting := solver(func(ctx context.Context, ex qa.Example, s agent.Setup) (qa.Trajectory, error) {
		mu.Lock()
		order = append(order, fmt.Sprintf("%s#%d", ex.UUID, s.Repeat))
		mu.Unlock()
		return answer(ctx, ex, s)
	})
	t.Run("two", func(t *testing.T) {
		sum, err := open(t, dir, run.Config{Solver: noting, Workers: 1, Repeats: 2}).Run(t.Context(), nil, examples(3))
		if err != nil || sum.Total != 6 || sum.Finished != 6 {
			t.Fatalf("summary %+v, %v", sum, err)
		}
		if got := fmt.Sprint(order); got != "[u000#0 u001#0 u002#0 u000#1 u001#1 u002#1]" {
			t.Errorf("order %s: a round of the questions comes before the next repeat", got)
		}
	})
	sum, err := open(t, dir, run.Config{Solver: noting, Workers: 2, Repeats: 3}).Run(t.Context(), nil, examples(3))
	if err != nil || sum.Skipped != 6 || sum.Finished != 3 {
		t.Errorf("summary %+v, %v", sum, err)
	}
}

// suspension represents a spent budget.
var suspension = &qa.SuspendedError{Reason: "budget reached: all of it"}

// A spent budget leaves the episode unfinished and starts no other; the same directory resumes later.
func TestSuspended(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	var calls atomic.Int32
	poor := solver(func(ctx context.Context, ex qa.Example, s agent.Setup) (qa.Trajectory, error) {
		if calls.Add(1) > 4 {
			return qa.Trajectory{}, suspension
		}
		return answer(ctx, ex, s)
	})
	t.Run("poor", func(t *testing.T) {
		sum, err := open(t, dir, run.Config{Solver: poor, Workers: 2}).Run(t.Context(), nil, examples(20))
		if err != nil || sum.Finished != 4 || sum.Left != 16 || sum.Suspended != "budget reached: all of it" || calls.Load() > 6 {
			t.Fatalf("summary %+v after %d calls, %v", sum, calls.Load(), err)
		}
	})
	sum, err := open(t, dir, run.Config{Solver: solver(answer), Workers: 2}).Run(t.Context(), nil, examples(20))
	if err != nil || sum.Skipped != 4 || sum.Finished != 16 {
		t.Errorf("summary %+v, %v", sum, err)
	}
}

// Two runners share their slots, and the second starts once the first has started its last episode.
func TestSlots(t *testing.T) {
	var busy, most atomic.Int32
	slow := solver(func(ctx context.Context, ex qa.Example, s agent.Setup) (qa.Trajectory, error) {
		if n := busy.Add(1); n > most.Load() {
			most.Store(n)
		}
		time.Sleep(2 * time.Millisecond)
		busy.Add(-1)
		return answer(ctx, ex, s)
	})
	slots := make(chan struct{}, 3)
	a := open(t, filepath.Join(t.TempDir(), "a"), run.Config{Solver: slow, Workers: 3, Slots: slots})
	b := open(t, filepath.Join(t.TempDir(), "b"), run.Config{Solver: slow, Workers: 3, Slots: slots})
	var all sync.WaitGroup
	all.Go(func() {
		if sum, err := a.Run(t.Context(), nil, examples(20)); err != nil || sum.Finished != 20 {
			t.Errorf("summary %+v, %v", sum, err)
		}
	})
	all.Go(func() {
		<-a.Dispatched()
		if sum, err := b.Run(t.Context(), nil, examples(20)); err != nil || sum.Finished != 20 {
			t.Errorf("summary %+v, %v", sum, err)
		}
	})
	all.Wait()
	if most.Load() != 3 {
		t.Errorf("%d episodes at once, want 3", most.Load())
	}
}
