package run_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"airqa/agent"
	"airqa/qa"
	"airqa/run"
	"airqa/runlog"
)

// solver calls a function for each question.
type solver func(ctx context.Context, ex qa.Example, s agent.Setup) (qa.Trajectory, error)

func (f solver) Solve(ctx context.Context, ex qa.Example, s agent.Setup) (qa.Trajectory, error) {
	return f(ctx, ex, s)
}

// answer ends an episode at once.
func answer(_ context.Context, _ qa.Example, s agent.Setup) (qa.Trajectory, error) {
	e := agent.New(s)
	err := e.Finish(qa.Answered, "", qa.Answer{Given: true, Text: "42"})
	return e.Trajectory(), err
}

func examples(n int) []qa.Example {
	list := make([]qa.Example, n)
	for i := range list {
		list[i].UUID = fmt.Sprintf("u%03d", i)
	}
	return list
}

// start opens a run directory as the program does.
func start(t *testing.T, dir string, s run.Solver, workers int) *run.Runner {
	t.Helper()
	return open(t, dir, run.Config{Solver: s, Workers: workers})
}

func recorded(t *testing.T, dir string) map[string]runlog.Recorded {
	t.Helper()
	r, err := runlog.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[string]runlog.Recorded)
	for rec, err := range r.Episodes() {
		if err != nil {
			t.Fatal(err)
		}
		all[rec.Episode] = rec
	}
	return all
}

func TestRunAndAgain(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	sum, err := start(t, dir, solver(answer), 4).Run(t.Context(), nil, examples(20)[:12])
	if err != nil || sum.Finished != 12 || sum.Left != 0 {
		t.Fatalf("summary %+v, %v", sum, err)
	}
	if n := len(recorded(t, dir)); n != 12 {
		t.Fatalf("%d episodes in the log", n)
	}
}

func TestTakesUpWhatIsLeft(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	failing := solver(func(ctx context.Context, ex qa.Example, s agent.Setup) (qa.Trajectory, error) {
		if ex.UUID != "u003" {
			return answer(ctx, ex, s)
		}
		e := agent.New(s)
		err := e.Fail(&qa.CallError{Err: errors.New("503")})
		return e.Trajectory(), err
	})
	var sum run.Summary
	var err error
	// The first invocation has the directory to itself until its subtest ends.
	t.Run("first", func(t *testing.T) { sum, err = start(t, dir, failing, 2).Run(t.Context(), nil, examples(5)) })
	if err != nil || sum.Finished != 4 || sum.Failed != 1 || sum.FirstFailure != "503" {
		t.Fatalf("summary %+v, %v", sum, err)
	}
	var solved atomic.Int32
	counting := solver(func(ctx context.Context, ex qa.Example, s agent.Setup) (qa.Trajectory, error) {
		solved.Add(1)
		return answer(ctx, ex, s)
	})
	sum, err = start(t, dir, counting, 1).Run(t.Context(), nil, examples(6))
	if err != nil || sum.Skipped != 4 || sum.Finished != 2 || sum.Left != 0 || solved.Load() != 2 {
		t.Errorf("summary %+v, %d solved, %v", sum, solved.Load(), err)
	}
}

// An episode that an earlier invocation left unfinished continues with its recorded steps, and its log is not written twice.
func TestPriorSteps(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	step := qa.Step{N: 1, By: qa.ByModel, Reply: &qa.Reply{Text: "Query()"}, Action: &qa.Action{Name: "Query"}, Observation: &qa.Observation{Status: qa.StatusOK, Text: "3 rows"}}
	interrupted := solver(func(ctx context.Context, ex qa.Example, s agent.Setup) (qa.Trajectory, error) {
		if ex.UUID != "u001" {
			return answer(ctx, ex, s)
		}
		if err := errors.Join(s.Log.Call(step), s.Log.Observation(step)); err != nil {
			return qa.Trajectory{}, err
		}
		return qa.Trajectory{}, context.Canceled
	})
	t.Run("first", func(t *testing.T) {
		if _, err := start(t, dir, interrupted, 1).Run(t.Context(), nil, examples(2)); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	})
	var prior qa.Trajectory
	resumed := solver(func(ctx context.Context, ex qa.Example, s agent.Setup) (qa.Trajectory, error) {
		prior = s.Prior
		return answer(ctx, ex, s)
	})
	sum, err := start(t, dir, resumed, 1).Run(t.Context(), nil, examples(2))
	if err != nil || sum.Skipped != 1 || sum.Finished != 1 {
		t.Fatalf("summary %+v, %v", sum, err)
	}
	if len(prior.Steps) != 1 || prior.Steps[0].Observation.Text != "3 rows" {
		t.Errorf("resumed with %+v", prior)
	}
	if rec := recorded(t, dir)["u001#0"]; len(rec.Steps) != 1 || rec.Outcome != qa.Answered {
		t.Errorf("recorded %+v", rec)
	}
}

// The summary counts outcomes without an answer that are the agent's own, including those of earlier invocations.
func TestLimitsAreCounted(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	ends := []qa.Outcome{qa.Answered, qa.TurnLimit, qa.TurnLimit, qa.TimeLimit, qa.NoImages}
	s := solver(func(_ context.Context, ex qa.Example, s agent.Setup) (qa.Trajectory, error) {
		e := agent.New(s)
		err := e.Finish(ends[int(ex.UUID[3]-'0')], "", qa.Answer{})
		return e.Trajectory(), err
	})
	want := map[qa.Outcome]int{qa.TurnLimit: 2, qa.TimeLimit: 1}
	for _, name := range []string{"first", "again"} {
		t.Run(name, func(t *testing.T) {
			sum, err := start(t, dir, s, 2).Run(t.Context(), nil, examples(len(ends)))
			if diff := cmp.Diff(want, sum.Limits); err != nil || diff != "" {
				t.Errorf("%v, limits (-want +got):\n%s", err, diff)
			}
		})
	}
}

// The summary sums the usage of this invocation, and names what it counts.
func TestSummary(t *testing.T) {
	s := solver(func(context.Context, qa.Example, agent.Setup) (qa.Trajectory, error) {
		steps := []qa.Step{{N: 1, Reply: &qa.Reply{Usage: qa.Usage{Prompt: 100, Completion: 10}}}}
		return qa.Trajectory{Outcome: qa.Answered, Steps: steps}, nil
	})
	for repeats, noun := range map[int]string{0: "questions", 1: "questions", 2: "episodes"} {
		sum, err := open(t, filepath.Join(t.TempDir(), "run"), run.Config{Solver: s, Workers: 2, Repeats: repeats}).Run(t.Context(), nil, examples(3))
		n := 3 * max(repeats, 1)
		if want := (qa.Usage{Prompt: 100 * n, Completion: 10 * n}); err != nil || sum.Usage != want || sum.Noun() != noun || sum.Total != n {
			t.Errorf("%d repeats: %d %s, usage %+v, %v", repeats, sum.Total, sum.Noun(), sum.Usage, err)
		}
	}
}

// Draining finishes the episodes in flight and starts no other.
func TestDrain(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	drain := make(chan struct{})
	var begun atomic.Int32
	s := solver(func(ctx context.Context, ex qa.Example, s agent.Setup) (qa.Trajectory, error) {
		if begun.Add(1) == 2 {
			close(drain)
		}
		<-drain
		return answer(ctx, ex, s)
	})
	sum, err := start(t, dir, s, 2).Run(t.Context(), drain, examples(50))
	if err != nil || sum.Finished != 2 || sum.Left != 48 {
		t.Errorf("summary %+v, %v; want the 2 in flight finished and 48 left", sum, err)
	}
}

// A run that is drained or cancelled before it begins starts nothing.
func TestNothingStarts(t *testing.T) {
	drain := make(chan struct{})
	close(drain)
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	s := solver(func(ctx context.Context, ex qa.Example, s agent.Setup) (qa.Trajectory, error) {
		t.Error("an episode was started")
		return answer(ctx, ex, s)
	})
	for range 20 { // whether a free worker or the end is noticed first is chance
		sum, err := start(t, filepath.Join(memory(t), "run"), s, 2).Run(t.Context(), drain, examples(5))
		if err != nil || sum.Left != 5 {
			t.Fatalf("drained: summary %+v, %v", sum, err)
		}
		sum, err = start(t, filepath.Join(memory(t), "run"), s, 2).Run(cancelled, nil, examples(5))
		if !errors.Is(err, context.Canceled) || sum.Left != 5 {
			t.Fatalf("cancelled: summary %+v, %v", sum, err)
		}
	}
}

// The context of the episodes ends with the run, so that nothing they have started outlives it.
func TestContextEndsWithRun(t *testing.T) {
	var inside context.Context
	s := solver(func(ctx context.Context, ex qa.Example, s agent.Setup) (qa.Trajectory, error) {
		inside = ctx
		if err := ctx.Err(); err != nil {
			t.Errorf("the context ends before the run: %v", err)
		}
		return answer(ctx, ex, s)
	})
	if _, err := start(t, filepath.Join(t.TempDir(), "run"), s, 1).Run(t.Context(), nil, examples(1)); err != nil {
		t.Fatal(err)
	}
	if inside.Err() == nil {
		t.Error("the context is still valid after the run")
	}
}

// A cancelled run leaves its episodes unfinished and returns the cause.
func TestCancel(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	cause := errors.New("second Ctrl-C")
	ctx, cancel := context.WithCancelCause(t.Context())
	s := solver(func(ctx context.Context, _ qa.Example, _ agent.Setup) (qa.Trajectory, error) {
		cancel(cause)
		<-ctx.Done()
		return qa.Trajectory{}, ctx.Err()
	})
	done := make(chan struct{})
	go func() {
		defer close(done)
		sum, err := start(t, dir, s, 3).Run(ctx, nil, examples(10))
		if !errors.Is(err, cause) || sum.Finished != 0 || sum.Left != 10 {
			t.Errorf("summary %+v, %v", sum, err)
		}
	}()
	select {
	case <-done:
	case <-time.After(30 * time.Second):
		t.Fatal("the run does not end")
	}
	for id, rec := range recorded(t, dir) {
		if rec.Outcome != "" {
			t.Errorf("%s ended as %s", id, rec.Outcome)
		}
	}
}

// When one episode cannot write its log, the run stops with that error.
func TestLostLog(t *testing.T) {
	lost := errors.New("disk is full")
	s := solver(func(context.Context, qa.Example, agent.Setup) (qa.Trajectory, error) { return qa.Trajectory{}, lost })
	_, err := start(t, filepath.Join(t.TempDir(), "run"), s, 2).Run(t.Context(), nil, examples(100))
	if !errors.Is(err, lost) {
		t.Errorf("error = %v", err)
	}
}

// A wrong key fails every question alike: after some, no other is asked.
func TestEqualFailuresStop(t *testing.T) {
	var asked atomic.Int32
	s := solver(func(_ context.Context, _ qa.Example, s agent.Setup) (qa.Trajectory, error) {
		asked.Add(1)
		e := agent.New(s)
		err := e.Fail(&qa.CallError{Err: errors.New("401")})
		return e.Trajectory(), err
	})
	dir := filepath.Join(t.TempDir(), "run")
	if err := runlog.Create(dir, runlog.Config{}, nil); err != nil {
		t.Fatal(err)
	}
	w, err := runlog.OpenWriter(dir, runlog.WriterConfig{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = w.Close() }()
	r, err := run.New(run.Config{Solver: s, Writer: w, Workers: 2, MaxEqualFailures: 5})
	if err != nil {
		t.Fatal(err)
	}
	sum, err := r.Run(t.Context(), nil, examples(500))
	if err != nil || sum.Failed < 5 || sum.Failed > 8 || sum.Left != 500-sum.Failed {
		t.Errorf("summary %+v, %v", sum, err)
	}
}

func TestNewChecks(t *testing.T) {
	for name, c := range map[string]run.Config{
		"nothing":          {},
		"no solver":        {Writer: &runlog.Writer{}, Workers: 1},
		"no writer":        {Solver: solver(answer), Workers: 1},
		"no workers":       {Solver: solver(answer), Writer: &runlog.Writer{}},
		"negative repeats": {Solver: solver(answer), Writer: &runlog.Writer{}, Workers: 1, Repeats: -1},
	} {
		if _, err := run.New(c); err == nil {
			t.Errorf("%s: a runner was made", name)
		}
	}
}
