package recorded_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"airqa/agent"
	"airqa/qa"
	"airqa/run/recorded"
	"airqa/runlog"
)

// inner is a small baseline: an action of its own, two messages, the loop.
type inner struct {
	model  qa.Model
	env    agent.Environment
	system string
}

func (s inner) Solve(ctx context.Context, ex qa.Example, setup agent.Setup) (qa.Trajectory, error) {
	setup.Model, setup.Env = s.model, s.env
	e := agent.New(setup)
	err := s.solve(ctx, e, ex)
	switch {
	case err == nil || (qa.Suspension(err) != ""):
	case ctx.Err() != nil:
		err = ctx.Err()
	default:
		err = e.Fail(err)
	}
	return e.Trajectory(), err
}

func (s inner) solve(ctx context.Context, e *agent.Episode, ex qa.Example) error {
	if _, err := e.Do(ctx, qa.Action{Name: "Look", Text: "Look()"}); err != nil {
		return err
	}
	for _, m := range []qa.Message{{Role: qa.System, Text: s.system}, {Role: qa.User, Text: ex.Question}} {
		if err := e.Say(m); err != nil {
			return err
		}
	}
	loop := agent.Loop{Episode: e, Limits: agent.Limits{Turns: 6, Window: 2}, Read: func(s *qa.Step) {
		s.Action = &qa.Action{Name: s.Reply.Text, Text: s.Reply.Text + "()", End: len(s.Reply.Text)}
	}}
	return loop.Run(ctx)
}

// world acts; the nth action of a name may fail.
type world struct {
	acts int
	fail map[int]bool
}

func (w *world) Act(_ context.Context, a qa.Action) (qa.Observation, error) {
	w.acts++
	if w.fail[w.acts] {
		return qa.Observation{}, errors.New("the database is lost")
	}
	if a.Name == "Answer" {
		return qa.Observation{Status: qa.StatusFinal, Answer: &qa.Answer{Given: true, Text: "42"}}, nil
	}
	return qa.Observation{Status: qa.StatusOK, Text: "seen by " + a.Name}, nil
}

// said is one thing that the endpoint does: a reply, a failure, a refusal, or an interruption of the program.
type said struct {
	reply    string
	err      error
	cancel   bool
	attempts []qa.Attempt
}

type endpoint struct {
	said   []said
	cancel context.CancelFunc
}

func (e *endpoint) Complete(context.Context, qa.Request) (qa.Reply, error) {
	now := e.said[0]
	e.said = e.said[1:]
	if now.cancel {
		e.cancel()
	}
	if now.err != nil {
		call := &qa.CallError{Attempts: now.attempts, Err: now.err}
		if len(now.attempts) > 0 {
			call.Class = now.attempts[len(now.attempts)-1].Error
		}
		return qa.Reply{}, call
	}
	return qa.Reply{Text: now.reply, ID: "id-" + now.reply, Usage: qa.Usage{Prompt: 10, Completion: 2}, Attempts: now.attempts}, nil
}

var clock = time.Date(2031, 5, 1, 12, 0, 0, 0, time.UTC)

// tick is a clock that never shows the same time twice.
func tick() func() time.Time {
	now := clock
	return func() time.Time {
		now = now.Add(time.Millisecond)
		return now
	}
}

var example = qa.Example{UUID: "u", Question: "q"}

// start does one start of a run on the example.
func start(t *testing.T, ctx context.Context, dir string, s recorded.Inner) (qa.Trajectory, error) {
	t.Helper()
	if err := runlog.Create(dir, runlog.Config{Program: "test"}, nil); err != nil {
		t.Fatal(err)
	}
	now := tick()
	w, err := runlog.OpenWriter(dir, runlog.WriterConfig{Now: now, Redact: runlog.Redactor([]string{"the-key-of-alice"}, "/home/alice")})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = w.Close() }()
	setup := agent.Setup{UUID: example.UUID, Now: now, Redact: w.Redact}
	r, err := runlog.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	var prior *runlog.Recorded
	if rec, err := r.Episode("u", 0); err == nil {
		prior, setup.Prior = &rec, rec.Trajectory
	}
	if setup.Log, err = w.Begin("u", 0, prior); err != nil {
		t.Fatal(err)
	}
	return s.Solve(ctx, example, setup)
}

var times = regexp.MustCompile(`"\d{4}-\d\d-\d\dT[0-9:.]+Z"`)

func timeless(t *testing.T, dir string) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(dir, runlog.LogFile))
	if err != nil {
		t.Fatal(err)
	}
	return times.ReplaceAllString(string(raw), `"…"`)
}

func attempt(class qa.FailureClass) []qa.Attempt {
	a := qa.Attempt{Started: clock, Seconds: 1, Error: class}
	if class != "context_overflow" {
		a.Charged = &qa.Usage{Prompt: 9, Estimated: true}
	}
	return []qa.Attempt{a}
}

// A replay writes the log of the run again, whatever happened in it.
func TestReplay(t *testing.T) {
	broken := errors.New("ask host: HTTP 500")
	tests := []struct {
		name string
		// said is the endpoint's behaviour, one list per invocation; fail are the actions that fail, counted over all
		// invocations.
		said [][]said
		fail map[int]bool
		want qa.Outcome
	}{
		{name: "private text, resumed", said: [][]said{
			{{reply: "Look in /home/alice/papers with the-key-of-alice"}, {err: broken, attempts: attempt("server")}},
			{{reply: "/home/alice/ again"}, {reply: "Answer"}},
		}, want: qa.Answered},
		{name: "undisturbed", said: [][]said{{{reply: "Look"}, {reply: "Read"}, {reply: "Answer"}}}, want: qa.Answered},
		{name: "turn limit", said: [][]said{{{reply: "A"}, {reply: "B"}, {reply: "C"}, {reply: "D"}, {reply: "E"}, {reply: "F"}}}, want: qa.TurnLimit},
		{name: "retried", said: [][]said{{{reply: "Answer", attempts: append(attempt("server"), qa.Attempt{Status: 200})}}}, want: qa.Answered},
		{name: "endpoint failed", said: [][]said{{{reply: "Look"}, {err: broken, attempts: attempt("server")}}}, want: qa.EndpointError},
		{name: "failed twice, resumed", said: [][]said{
			{{reply: "Look"}, {err: broken, attempts: attempt("server")}},
			{{err: broken, attempts: attempt("network")}},
			{{reply: "Read"}, {reply: "Answer"}},
		}, want: qa.Answered},
		{name: "stopped, failed, resumed", said: [][]said{
			{{reply: "Look"}, {err: broken, cancel: true, attempts: attempt("cancelled")}},
			{{err: broken, attempts: attempt("network")}},
			{{reply: "Answer"}},
		}, want: qa.Answered},
		{name: "stopped", said: [][]said{{{reply: "Look"}, {err: broken, cancel: true, attempts: attempt("cancelled")}}}, want: qa.Cancelled},
		{name: "stopped before any call", said: [][]said{{{err: broken, cancel: true}}}, want: qa.Cancelled},
		{name: "tool failed, resumed", said: [][]said{{{reply: "Look"}}, {{reply: "Read"}, {reply: "Answer"}}}, fail: map[int]bool{2: true}, want: qa.Answered},
		{name: "the program's own action failed, resumed", said: [][]said{{}, {{reply: "Answer"}}}, fail: map[int]bool{1: true}, want: qa.Answered},
		{name: "last action failed", said: [][]said{{{reply: "Look"}, {reply: "Answer"}}}, fail: map[int]bool{3: true}, want: qa.ToolFailure},
		{name: "too long, half the window", said: [][]said{{
			{reply: "A"}, {reply: "B"}, {err: broken, attempts: append(attempt("server"), attempt("context_overflow")...)}, {reply: "Answer", attempts: []qa.Attempt{{Status: 200}}},
		}}, want: qa.Answered},
		{name: "too long, and so is half the window", said: [][]said{{
			{reply: "A"},
			{reply: "B"},
			{err: broken, attempts: append(attempt("server"), attempt("context_overflow")...)},
			{err: broken, attempts: append(attempt("network"), attempt("context_overflow")...)},
			{reply: "Answer", attempts: []qa.Attempt{{Status: 200}}},
		}}, want: qa.Answered},
		{name: "too long for good", said: [][]said{{
			{reply: "A"},
			{reply: "B"},
			{err: broken, attempts: attempt("context_overflow")},
			{err: broken, attempts: attempt("context_overflow")},
			{err: broken, attempts: attempt("context_overflow")},
		}}, want: qa.ContextOverflow},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			old, again := filepath.Join(t.TempDir(), "old"), filepath.Join(t.TempDir(), "again")
			env := &world{fail: tt.fail}
			for _, list := range tt.said {
				ctx, cancel := context.WithCancel(t.Context())
				if _, err := start(t, ctx, old, inner{&endpoint{list, cancel}, env, "s"}); err != nil && ctx.Err() == nil {
					t.Fatal(err)
				}
				cancel()
			}
			tr := replayed(t, old, again, false, "s", nil)
			if tr.Outcome != tt.want {
				t.Errorf("outcome %s: %s", tr.Outcome, tr.Reason)
			}
			if diff := cmp.Diff(timeless(t, old), timeless(t, again)); diff != "" {
				t.Errorf("log (-recorded +replayed):\n%s", diff)
			}
		})
	}
}

// replayed replays the episode of a run in another directory.
func replayed(t *testing.T, old, again string, loose bool, system string, redact func([]byte) []byte) qa.Trajectory {
	t.Helper()
	source, err := recorded.Open(recorded.Config{Dir: old, Loose: loose, Redact: redact})
	if err != nil {
		t.Fatal(err)
	}
	if !source.Holds("u", 0) || source.Holds("u", 1) {
		t.Errorf("the run has one episode")
	}
	tr, err := start(t, t.Context(), again, recorded.Solver{Inner: inner{source, &world{}, system}, Source: source})
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// An episode with another prompt ends with an error that names the message, unless the replay is loose.
func TestDifference(t *testing.T) {
	old := filepath.Join(t.TempDir(), "old")
	if _, err := start(t, t.Context(), old, inner{&endpoint{said: []said{{reply: "Look"}, {reply: "Answer"}}}, &world{}, "You answer."}); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name   string
		loose  bool
		system string
		redact func([]byte) []byte
		want   qa.Outcome
		reason string
	}{
		{name: "same", system: "You answer.", want: qa.Answered},
		{name: "other prompt", system: "You ask.", want: qa.EndpointError, reason: `message 0 (system) differs from byte 5 on: it was "You answer." and is now "You ask."`},
		{name: "loose", system: "You ask.", loose: true, want: qa.Answered},
		{name: "a key that the log does not have", system: "You secret.", want: qa.Answered, redact: func(b []byte) []byte {
			return []byte(strings.ReplaceAll(string(b), "secret", "answer"))
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tr := replayed(t, old, filepath.Join(t.TempDir(), "again"), tt.loose, tt.system, tt.redact)
			if tr.Outcome != tt.want || !strings.Contains(tr.Reason, tt.reason) {
				t.Errorf("%s: %s", tr.Outcome, tr.Reason)
			}
		})
	}
}
