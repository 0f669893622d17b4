package replay_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"airqa/agent"
	"airqa/env"
	"airqa/env/paperdb"
	"airqa/qa"
	"airqa/run/replay"
	"airqa/runlog"
	"airqa/trace/diff"
)

func TestMain(m *testing.M) {
	paperdb.WorkerMain()
	os.Exit(m.Run())
}

// papers makes a data directory of one paper.
func papers(t *testing.T, dir string) *env.Env {
	t.Helper()
	ctx := context.Background()
	w, err := env.OpenWriter(ctx, env.WriterConfig{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	id := qa.PaperUUID("Attention", "nips2017")
	paper := paperdb.Paper{Metadata: paperdb.Metadata{PaperID: id, Title: "Attention", Year: 2017, NumPages: 1}}
	if err := errors.Join(w.Put(ctx, paper, []byte("%PDF-1.7")), w.Finish(ctx), w.Close()); err != nil {
		t.Fatal(err)
	}
	e, err := env.Open(ctx, env.Config{Dir: dir, NoSearch: true, QueryInProcess: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	return e
}

// query is a step that asks for the title, with a recorded result; "" is none.
func query(result string) qa.Step {
	s := called("Query", map[string]any{"sql": "SELECT title FROM metadata"}, "Query(sql='SELECT title FROM metadata')")
	if result != "" {
		s.Observation = &qa.Observation{Status: qa.StatusOK, Text: result}
	}
	return s
}

func called(name string, args map[string]any, text string) qa.Step {
	return qa.Step{By: qa.ByModel, Reply: &qa.Reply{Text: text}, Action: &qa.Action{Name: name, Args: args, Text: text}}
}

const title = `{"title": "Attention"}` + "\n(1 row)"

// redact is a redaction that changes the recorded title.
func redact(raw []byte) []byte { return []byte(strings.ReplaceAll(string(raw), "Attention", "Att")) }

// record writes a run with an episode of some steps.
func record(t *testing.T, data string, redact func([]byte) []byte, outcome qa.Outcome, steps ...qa.Step) *runlog.Run {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	shape := runlog.Shape{Baseline: "agentic-text2sql", Model: map[string]any{"provider": "openai", "model": "m"}, Data: data}
	if err := runlog.Create(dir, runlog.Config{Shape: shape}, nil); err != nil {
		t.Fatal(err)
	}
	w, err := runlog.OpenWriter(dir, runlog.WriterConfig{Redact: redact, Now: func() time.Time { return time.Unix(0, 0) }})
	if err != nil {
		t.Fatal(err)
	}
	log, err := w.Begin("u", 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range steps {
		s.N = i + 1
		err = errors.Join(err, log.Call(s))
		if s.Observation != nil {
			err = errors.Join(err, log.Observation(s))
		}
	}
	if err := errors.Join(err, log.End(qa.Trajectory{Outcome: outcome, Answer: qa.Answer{Given: true, Text: "42"}}), w.Close()); err != nil {
		t.Fatal(err)
	}
	r, err := runlog.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func open(t *testing.T, r *runlog.Run, e *env.Env, redact func([]byte) []byte) *replay.Runner {
	t.Helper()
	runner, err := replay.Open(t.Context(), replay.Config{Run: r, Examples: []qa.Example{{UUID: "u"}}, Env: e, Redact: redact})
	if err != nil {
		t.Fatal(err)
	}
	return runner
}

func plain(raw []byte) []byte { return raw }

func TestEpisode(t *testing.T) {
	e := papers(t, t.TempDir())
	unread := qa.Step{
		By: qa.ByModel, Reply: &qa.Reply{Text: "?"}, ParseError: &qa.ParseError{Kind: qa.ErrNoAction, Reason: "no action"},
		Observation: &qa.Observation{Status: qa.StatusParse, Text: "[Error]: no action"},
	}
	unknown := called("Look", nil, "Look()")
	unknown.Observation = &qa.Observation{Status: qa.StatusOK, Text: "seen"}
	answer := func(text string) qa.Step {
		return called("Answer", map[string]any{"answer": text}, "Answer(answer='"+text+"')")
	}
	tests := []struct {
		name    string
		outcome qa.Outcome
		redact  func([]byte) []byte
		steps   []qa.Step
		want    []replay.State
	}{
		{"all equal", qa.Answered, plain, []qa.Step{query(title), answer("42")}, []replay.State{replay.Equal, replay.Equal}},
		{"a call again", qa.RepeatLimit, plain, []qa.Step{query(title + agent.RepeatNote)}, []replay.State{replay.Equal}},
		{"another row", qa.Answered, plain, []qa.Step{query(strings.Replace(title, "Att", "att", 1)), answer("42")}, []replay.State{replay.Different, replay.Equal}},
		{"another answer", qa.Answered, plain, []qa.Step{answer("43")}, []replay.State{replay.Different}},
		{"a parse error", qa.TurnLimit, plain, []qa.Step{unread, query(title)}, []replay.State{replay.NoAction, replay.Equal}},
		{"stopped before the result", qa.Cancelled, plain, []qa.Step{query(title), query("")}, []replay.State{replay.Equal, replay.NoResult}},
		{"an unknown tool", qa.TurnLimit, plain, []qa.Step{unknown}, []replay.State{replay.Failed}},
		{"redacted", qa.TurnLimit, redact, []qa.Step{query(string(redact([]byte(title))))}, []replay.State{replay.Equal}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			runner := open(t, record(t, e.Fingerprint(), tt.redact, tt.outcome, tt.steps...), e, tt.redact)
			got, err := runner.Episode(t.Context(), "u#0")
			if err != nil || got.Error != "" {
				t.Fatal(err, got.Error)
			}
			var states []replay.State
			for _, s := range got.Steps {
				states = append(states, s.State)
			}
			if c := got.Steps[0].Change; (c != nil) != (got.Steps[0].State == replay.Different) || c != nil && c.What != diff.ChangedText {
				t.Errorf("change %+v", c)
			}
			if tt.name == "an unknown tool" && !strings.Contains(got.Steps[0].Error, "no tool is named Look") {
				t.Errorf("error %q", got.Steps[0].Error)
			}
			if diff := cmp.Diff(tt.want, states); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestRun(t *testing.T) {
	e := papers(t, t.TempDir())
	r := record(t, "another", plain, qa.TurnLimit, query(title), query("other"))
	runner := open(t, r, e, plain)
	var changed []string
	for _, c := range runner.Changes() {
		changed = append(changed, c.Key)
	}
	if diff := cmp.Diff([]string{"data", "schema", "settings.embed_window", "settings.embedder", "settings.embedder_hash"}, changed); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
	var seen []int
	s, err := runner.Run(t.Context(), []string{"u#0", "nothing#0"}, 1, func(total replay.Total) { seen = append(seen, total.Episodes) })
	if err != nil {
		t.Fatal(err)
	}
	want := replay.Total{Run: r.Dir, Episodes: 2, Differing: 1, Unread: 1, Counts: replay.Counts{Equal: 1, Different: 1}}
	if diff := cmp.Diff(want, s.Total); diff != "" || s.Total.Same() {
		t.Errorf("total (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]int{1, 2}, seen); diff != "" {
		t.Errorf("progress (-want +got):\n%s", diff)
	}
	for _, want := range []string{"u#0\n  step 2   different  Query(", "recorded: other", "now:      {", "nothing#0\n  not read: no such episode", "2 episodes. Results: 1 equal, 1 different, 0 failed. Not read: 1 episode."} {
		if !strings.Contains(s.Text(0), want) {
			t.Errorf("no %q in:\n%s", want, s.Text(0))
		}
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(qa.ErrInterrupted)
	if _, err := runner.Run(ctx, []string{"u#0"}, 2, func(replay.Total) {}); !errors.Is(err, qa.ErrInterrupted) {
		t.Errorf("a cancelled run: %v", err)
	}
}
