package run_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"airqa/agent"
	"airqa/qa"
	"airqa/run"
	"airqa/runlog"
)

// Failed episodes that are left as they are count as such.
func TestFailedAreLeft(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	failing := solver(func(_ context.Context, _ qa.Example, s agent.Setup) (qa.Trajectory, error) {
		e := agent.New(s)
		err := e.Fail(&qa.CallError{Err: errors.New("503")})
		return e.Trajectory(), err
	})
	t.Run("first", func(t *testing.T) {
		if sum, err := start(t, dir, failing, 1).Run(t.Context(), nil, examples(2)); err != nil || sum.Failed != 2 {
			t.Fatalf("summary %+v, %v", sum, err)
		}
	})
	leave := run.Config{Solver: solver(answer), Workers: 1, Skip: func(runlog.Recorded) bool { return true }}
	sum, err := open(t, dir, leave).Run(t.Context(), nil, examples(3))
	if err != nil || sum.Skipped != 2 || sum.FailedBefore != 2 || sum.Failed != 0 || sum.Finished != 1 {
		t.Errorf("summary %+v, %v", sum, err)
	}
}

// A run that is drained while an episode waits for a worker gives its slot back.
func TestSlotsAreGivenBack(t *testing.T) {
	slots, drain := make(chan struct{}, 3), make(chan struct{})
	s := solver(func(ctx context.Context, ex qa.Example, set agent.Setup) (qa.Trajectory, error) {
		for len(slots) < 2 { // until the next one has its slot and waits for this worker
			if ctx.Err() != nil {
				return qa.Trajectory{}, ctx.Err()
			}
		}
		close(drain)
		return answer(ctx, ex, set)
	})
	c := run.Config{Solver: s, Workers: 1, Slots: slots}
	sum, err := open(t, filepath.Join(t.TempDir(), "run"), c).Run(t.Context(), drain, examples(9))
	if err != nil || sum.Finished != 1 || len(slots) != 0 {
		t.Errorf("summary %+v, %v; %d slots taken", sum, err, len(slots))
	}
}
