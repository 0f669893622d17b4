package run_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"airqa/agent"
	"airqa/qa"
	"airqa/run"
	"airqa/runlog"
)

// looker answers each question after three turns that look something up, with all kinds of events and files.
type looker struct{}

func (looker) Solve(ctx context.Context, ex qa.Example, s agent.Setup) (qa.Trajectory, error) {
	s.Model, s.Env = looker{}, looker{}
	e := agent.New(s)
	err := solve(ctx, e, ex.UUID)
	return e.Trajectory(), err
}

func solve(ctx context.Context, e *agent.Episode, uuid string) error {
	if err := e.Say(qa.Message{Role: qa.System, Text: strings.Repeat("You look things up. ", 20)}); err != nil {
		return err
	}
	o, err := e.Do(ctx, qa.Action{Name: "First", Args: map[string]any{"n": 1.5}, Text: "First(n=1.5)"})
	if err != nil {
		return err
	}
	if err := e.Say(qa.Message{Role: qa.User, Text: uuid + ": " + o.Text}); err != nil {
		return err
	}
	loop := agent.Loop{Episode: e, Settings: qa.Settings{ToolSettings: qa.ToolSettings{Turns: 6}, Window: 2}, Read: func(s *qa.Step) {
		s.Action = &qa.Action{Name: "Look", Args: map[string]any{"turn": s.Reply.Text}, Text: s.Reply.Text}
	}}
	return loop.Run(ctx)
}

// Complete replies by question and step, so that a repeated call has the same reply.
func (looker) Complete(_ context.Context, r qa.Request) (qa.Reply, error) {
	return qa.Reply{Text: fmt.Sprintf("Look(turn='%s %d')", r.UUID, r.Step), Usage: qa.Usage{Prompt: 100, Completion: 9}}, nil
}

func (looker) Act(_ context.Context, a qa.Action) (qa.Observation, error) {
	if strings.Contains(a.Text, " 4'") {
		return qa.Observation{Status: qa.StatusFinal, Answer: &qa.Answer{Given: true, Text: "done " + a.Text}}, nil
	}
	data := []byte("image of " + a.Text)
	sum := sha256.Sum256(data)
	text := strings.Repeat("seen with "+a.Text+"; ", 12)
	return qa.Observation{
		Status: qa.StatusOK, Text: text, Full: text + "and more", Cut: &qa.Cut{Reason: "tokens"},
		Images: []qa.Image{{SHA256: hex.EncodeToString(sum[:]), MIME: "image/png", Page: 1, Data: data}},
	}, nil
}

// faults makes the n-th operation fail, and every later one if the disk stays full.
type faults struct {
	mu     sync.Mutex
	n, at  int
	stays  bool
	part   int // of four of the bytes that are written all the same
	failed []string
}

func (f *faults) fault(name string, n int) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.n++
	hit := f.n == f.at || f.stays && f.n > f.at
	if !hit || f.at == 0 {
		return n, nil
	}
	f.failed = append(f.failed, name)
	return n * f.part / 4, syscall.ENOSPC
}

// memory is a folder on a file system in memory, where there is one: syncing thousands of files to a disk takes minutes.
func memory(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "airqa-test-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// invoke runs the questions once, as one start of the program does.
func invoke(t *testing.T, dir string, workers int, f *faults) (run.Summary, error) {
	t.Helper()
	if err := runlog.Create(dir, runlog.Config{}, []byte("{}\n")); err != nil {
		t.Fatal(err)
	}
	clock := time.Date(2031, 5, 1, 12, 0, 0, 0, time.UTC)
	var mu sync.Mutex
	now := func() time.Time { // every second write is due for a sync
		mu.Lock()
		defer mu.Unlock()
		clock = clock.Add(700 * time.Millisecond)
		return clock
	}
	w, err := runlog.OpenWriter(dir, runlog.WriterConfig{Fault: f.fault, Now: now})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = w.Close() }()
	r, err := run.New(run.Config{Solver: looker{}, Writer: w, Recorded: recorded(t, dir), Workers: workers})
	if err != nil {
		t.Fatal(err)
	}
	return r.Run(t.Context(), nil, examples(2))
}

// Whatever single write of a run fails, wholly or in part, once or from there on: the log stays readable without damage, and
// the same command finishes with the same episodes as an undisturbed run.
func TestEveryWriteFails(t *testing.T) {
	quiet := filepath.Join(t.TempDir(), "run")
	var counter faults
	if sum, err := invoke(t, quiet, 1, &counter); err != nil || sum.Finished != 2 {
		t.Fatalf("the undisturbed run: %+v, %v", sum, err)
	}
	want := recorded(t, quiet)
	if counter.n < 50 {
		t.Fatalf("only %d operations to fail", counter.n)
	}
	same := cmp.Options{cmpopts.IgnoreTypes(time.Time{}), cmpopts.IgnoreFields(runlog.Recorded{}, "Events", "Spent")}
	for _, kind := range []struct {
		name    string
		part    int
		stays   bool
		workers int
	}{
		{"nothing is written", 0, false, 1},
		{"a quarter is written", 1, false, 1},
		{"all is written, then an error", 4, false, 1},
		{"the disk stays full", 2, true, 1},
		{"three at once", 3, false, 3},
	} {
		t.Run(kind.name, func(t *testing.T) {
			t.Parallel()
			for at := 1; at <= counter.n; at++ {
				dir := filepath.Join(memory(t), "run")
				f := faults{at: at, part: kind.part, stays: kind.stays}
				_, err := invoke(t, dir, kind.workers, &f)
				if len(f.failed) > 0 && !errors.Is(err, syscall.ENOSPC) && f.failed[0] != "sync" {
					t.Errorf("%s failed as operation %d, and the run ended with %v", f.failed[0], at, err)
				}
				sum, err := invoke(t, dir, kind.workers, &faults{})
				if err != nil || sum.Skipped+sum.Finished != 2 {
					t.Fatalf("operation %d (%v): the next start: %+v, %v", at, f.failed, sum, err)
				}
				if diff := cmp.Diff(want, recorded(t, dir), same); diff != "" {
					t.Fatalf("operation %d (%v) (-undisturbed +disturbed):\n%s", at, f.failed, diff)
				}
			}
		})
	}
}
