package merge_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"airqa/internal/terminal"
	"airqa/qa"
	"airqa/qa/dataset"
	"airqa/run/merge"
	"airqa/run/session"
	"airqa/run/shard"
	"airqa/runlog"
)

var clock = time.Date(2031, 5, 1, 12, 0, 0, 0, time.UTC)

// world makes shards of a run of ten questions in a folder.
type world struct {
	t        *testing.T
	dir      string
	examples []qa.Example
	notices  []string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, dir: t.TempDir()}
	for i := range 10 {
		w.examples = append(w.examples, qa.Example{UUID: fmt.Sprintf("q%d", i), Question: "?", Tags: []string{"text"}})
	}
	return w
}

func (w *world) path(name string) string { return filepath.Join(w.dir, name) }

// config is run.json of a shard, or of the whole run for the zero part.
func (w *world) config(part shard.Part) (runlog.Config, []qa.Example, []byte) {
	questions, err := dataset.Lines(w.examples)
	w.ok(err)
	mine, share := part.Take(w.examples)
	c := runlog.Config{
		Program: "airqa test", Created: clock, Note: runlog.Note{QuestionCount: 10},
		Shape: runlog.Shape{
			Baseline: "rag", Model: map[string]any{"provider": "openai", "model": "m"}, Settings: map[string]any{"turns": 20},
			Questions: runlog.Hash(string(questions)), Loop: "react-1",
		},
	}
	if share != nil {
		c.Shape.Shard, c.Shape.Selected, c.Note.ShardQuestions = share.String(), share.Selected, share.UUIDs
	}
	return c, mine, questions
}

// shard makes the run directory of a part with an answer to each question but those with another outcome: "" is not
// finished, and "-" has not begun. change changes run.json.
func (w *world) shard(name string, part shard.Part, other map[string]qa.Outcome, change func(*runlog.Config)) string {
	w.t.Helper()
	c, mine, questions := w.config(part)
	if change != nil {
		change(&c)
	}
	dir := w.path(name)
	w.ok(runlog.Create(dir, c, questions))
	for _, ex := range mine {
		outcome, given := other[ex.UUID]
		if !given {
			outcome = qa.Answered
		}
		if outcome != "-" {
			w.answer(dir, ex.UUID, 0, outcome)
		}
	}
	return dir
}

// answer writes an episode.
func (w *world) answer(dir, uuid string, repeat int, outcome qa.Outcome) {
	w.t.Helper()
	log, err := runlog.OpenWriter(dir, runlog.WriterConfig{Now: func() time.Time { return clock.Add(time.Minute) }})
	w.ok(err)
	e, err := log.Begin(uuid, repeat, nil)
	w.ok(err)
	w.ok(e.Message(qa.Message{Role: qa.System, Text: strings.Repeat("You answer questions. ", 20)}))
	if outcome != "" {
		w.ok(e.End(qa.Trajectory{Outcome: outcome, Answer: qa.Answer{Given: outcome == qa.Answered, Text: "1"}}))
	}
	w.ok(log.Close())
}

// shards makes n complete shards and returns their folder.
func (w *world) shards(n int) string {
	for i := 1; i <= n; i++ {
		w.shard(fmt.Sprintf("shards/%d", i), shard.Part{Index: i, Of: n}, nil, nil)
	}
	return w.path("shards")
}

func (w *world) ok(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// merge merges runs into the folder "out".
func (w *world) merge(partial bool, runs ...string) ([]merge.Result, error) {
	w.t.Helper()
	jobs, err := merge.Find(runs)
	if err != nil {
		return nil, err
	}
	return w.merger(partial).Merge(jobs)
}

func (w *world) merger(partial bool) merge.Merger {
	same := func(b []byte) []byte { return b }
	return merge.Merger{
		Session: session.Session{
			Notify: func(n terminal.Notice) { w.notices = append(w.notices, n.String()) }, Now: func() time.Time { return clock },
			Redact: same, RedactKeys: same,
			Getenv:     func(name string) string { return map[string]string{"OPENAI_API_KEY": "sk-test-key-that-is-long"}[name] },
			Interrupts: func() (context.Context, <-chan struct{}, func()) { return w.t.Context(), nil, func() {} },
		},
		Out: w.path("out"), Partial: partial,
	}
}

// merged merges runs without a problem.
func (w *world) merged(partial bool, runs ...string) merge.Result {
	w.t.Helper()
	results, err := w.merge(partial, runs...)
	w.ok(err)
	if len(results) != 1 {
		w.t.Fatalf("results %+v", results)
	}
	return results[0]
}

// refused merges runs that cannot be merged, and checks the error and that nothing is written.
func (w *world) refused(code string, want string, runs ...string) {
	w.t.Helper()
	_, err := w.merge(false, runs...)
	if err == nil || kind(err) != code || !strings.Contains(err.Error(), want) {
		w.t.Errorf("error %v (%s), want %s with %q", err, kind(err), code, want)
	}
	if _, err := os.Stat(w.path("out")); !errors.Is(err, os.ErrNotExist) {
		w.t.Errorf("something was written: %v", err)
	}
	w.noLeftovers()
}

func (w *world) noLeftovers() {
	w.t.Helper()
	if left, err := filepath.Glob(w.path(".*")); err != nil || len(left) > 0 {
		w.t.Errorf("left behind: %v, %v", left, err)
	}
}

func (w *world) read(name string) string {
	w.t.Helper()
	raw, err := os.ReadFile(w.path(name))
	w.ok(err)
	return string(raw)
}

// The merged run is, byte for byte, the run of one machine at the same times.
func TestMerge(t *testing.T) {
	w := newWorld(t)
	one := w.shard("one", shard.Part{}, nil, nil)
	w.answer(one, "q3", 1, qa.Answered)
	folder := w.shards(4)
	for i := range 4 {
		if part := (shard.Part{Index: i + 1, Of: 4}); holds(w, part, "q3") {
			w.answer(filepath.Join(folder, fmt.Sprint(i+1)), "q3", 1, qa.Answered)
		}
	}
	_, err := w.merge(false, folder)
	if kind(err) != "failed examples" { // the other questions have no second episode
		t.Fatalf("error %v", err)
	}
	r := w.merged(true, folder)
	if r.Questions != 10 || r.Episodes != 11 || len(r.Shards) != 4 || len(r.Incomplete) != 4 {
		t.Errorf("result %+v", r)
	}
	for _, name := range []string{runlog.RunFile, runlog.LogFile, runlog.QuestionsFile, "texts/" + runlog.Hash(strings.Repeat("You answer questions. ", 20)) + ".txt"} {
		if diff := cmp.Diff(w.read("one/"+name), w.read("out/"+name)); diff != "" {
			t.Errorf("%s (-one machine +merged):\n%s", name, diff)
		}
	}
	w.noLeftovers()
}

func holds(w *world, part shard.Part, uuid string) bool {
	_, share := part.Take(w.examples)
	return slices.Contains(share.UUIDs, uuid)
}

// Runs of several baselines and models are merged by the names of their folders.
func TestMergeJobs(t *testing.T) {
	w := newWorld(t)
	other := func(c *runlog.Config) { c.Shape.Baseline = "react" }
	for i := 1; i <= 2; i++ {
		part := shard.Part{Index: i, Of: 2}
		w.shard(fmt.Sprintf("s/%d/rag@openai-m", i), part, nil, nil)
		w.shard(fmt.Sprintf("s/%d/react@openai-m", i), part, nil, other)
	}
	results, err := w.merge(false, w.path("s"))
	if err != nil || len(results) != 2 || results[0].Out != w.path("out/rag@openai-m") || results[1].Baseline != "react" {
		t.Fatalf("results %+v, %v", results, err)
	}
	for _, r := range results {
		if run, err := runlog.Open(r.Out); err != nil || len(run.UUIDs()) != 10 || run.Config.Shape.Baseline != r.Baseline {
			t.Errorf("%s: %v", r.Out, err)
		}
	}
}

func TestMergeRefuses(t *testing.T) {
	one, two := shard.Part{Index: 1, Of: 2}, shard.Part{Index: 2, Of: 2}
	tests := []struct {
		name string
		make func(w *world) []string
		code string
		want string
	}{
		{"another setting", func(w *world) []string {
			return []string{w.shard("a", one, nil, nil), w.shard("b", two, nil, func(c *runlog.Config) { c.Shape.Settings["turns"] = 10 })}
		}, "wrong use", "settings.turns: 20 in "},
		{"another model", func(w *world) []string {
			return []string{w.shard("a", one, nil, nil), w.shard("b", two, nil, func(c *runlog.Config) { c.Shape.Model["model"] = "n" })}
		}, "failed examples", "openai-n is incomplete (rag, openai:n):\n  missing shards: 1/2"},
		{"other questions", func(w *world) []string {
			return []string{w.shard("a", one, nil, nil), w.shard("b", two, nil, func(c *runlog.Config) { c.Shape.Questions = runlog.Hash("x") })}
		}, "wrong use", "questions: changed"},
		{"another selection", func(w *world) []string {
			return []string{w.shard("a", one, nil, nil), w.shard("b", two, nil, func(c *runlog.Config) { c.Shape.Selected = runlog.Hash("x") })}
		}, "wrong use", "selected: changed"},
		{"another number of shards", func(w *world) []string {
			return []string{w.shard("a", one, nil, nil), w.shard("b", shard.Part{Index: 2, Of: 3}, nil, nil)}
		}, "wrong use", "shards: 2 in "},
		{"a missing shard", func(w *world) []string { return []string{w.shard("a", one, nil, nil)} }, "failed examples", "missing shards: 2/2"},
		{"a question that has not begun", func(w *world) []string {
			w.shards(2)
			_, share := two.Take(w.examples)
			w.shard("c", two, map[string]qa.Outcome{share.UUIDs[1]: "-"}, nil)
			return []string{w.path("shards/1"), w.path("c")}
		}, "failed examples", "has not finished 1 episode: q"},
		{"a question that has not ended", func(w *world) []string {
			w.shards(2)
			_, share := two.Take(w.examples)
			w.shard("c", two, map[string]qa.Outcome{share.UUIDs[0]: ""}, nil)
			return []string{w.path("shards/1"), w.path("c")}
		}, "failed examples", "has not finished 1 episode: q"},
		{"the same questions twice", func(w *world) []string {
			return []string{w.shard("a", one, nil, nil), w.shard("b", two, nil, nil), w.shard("c", two, nil, nil)}
		}, "wrong use", "shard 2/2 is in "},
		{"a run that is no shard", func(w *world) []string { return []string{w.shard("a", shard.Part{}, nil, nil)} }, "wrong use", "has no shards"},
		{"a folder without shards", func(w *world) []string { w.shard("r/a", shard.Part{}, nil, nil); return []string{w.path("r")} }, "wrong use", "has no shards"},
		{"an empty folder", func(w *world) []string { w.ok(os.Mkdir(w.path("r"), 0o755)); return []string{w.path("r")} }, "wrong use", "has no shards"},
		{"nothing", func(w *world) []string { return []string{w.path("r")} }, "wrong use", "no such file or directory"},
		{"other treatment of missing papers", func(w *world) []string {
			choose := func(choice string) func(*runlog.Config) {
				return func(c *runlog.Config) {
					c.Note.Missing = &runlog.MissingPapers{Choice: choice, Papers: 1, Named: []string{"q1"}}
				}
			}
			return []string{w.shard("a", one, nil, choose("skip")), w.shard("b", two, nil, choose("run"))}
		}, "wrong use", "--missing run and another shard with --missing skip"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			w.t = t
			w.refused(tt.code, tt.want, tt.make(w)...)
		})
	}
}

// A question without papers that one shard skipped is not missing.
func TestMergeSkipped(t *testing.T) {
	w := newWorld(t)
	for i := 1; i <= 2; i++ {
		part := shard.Part{Index: i, Of: 2}
		w.shard(fmt.Sprint(i), part, map[string]qa.Outcome{"q4": "-"}, func(c *runlog.Config) {
			c.Note.Missing = &runlog.MissingPapers{Choice: runlog.MissingStop, Papers: 1, Named: []string{"q4"}}
			if slices.Contains(c.Note.ShardQuestions, "q4") {
				c.Note.Missing.Choice = runlog.MissingSkip
			}
		})
	}
	w.merged(false, w.path("1"), w.path("2"))
	config, err := runlog.ReadConfig(w.path("out"))
	if err != nil || config.Note.Missing.Choice != runlog.MissingSkip {
		t.Errorf("missing papers %+v, %v", config.Note.Missing, err)
	}
}

// Failed episodes are merged and named.
func TestMergeFailed(t *testing.T) {
	w := newWorld(t)
	results, err := w.merge(false, w.shard("a", shard.Part{Index: 1, Of: 1}, map[string]qa.Outcome{"q1": qa.EndpointError, "q3": qa.TurnLimit}, nil))
	if kind(err) != "failed examples" || !strings.Contains(err.Error(), "1 episodes failed") || len(results) != 1 {
		t.Fatalf("results %+v, error %v", results, err)
	}
	if r := results[0]; !slices.Equal(r.Failed, []string{"q1#0"}) || r.Episodes != 10 {
		t.Errorf("result %+v", r)
	}
}

// A merge of more shards replaces an earlier one, and keeps what people added to that. What they added to shards stays there.
func TestMergeAgain(t *testing.T) {
	w := newWorld(t)
	folder := w.shards(2)
	first := w.merged(true, filepath.Join(folder, "1"))
	if len(first.MissingShards) != 1 || first.MissingShards[0] != "2/2" {
		t.Errorf("result %+v", first)
	}
	if config, err := runlog.ReadConfig(w.path("out")); err != nil || config.Note.Merged == nil || config.Note.Merged.Of != 2 {
		t.Errorf("note %+v, %v", config.Note, err)
	}
	w.ok(os.WriteFile(w.path("out/notes.jsonl"), []byte("{\"id\":\"1\"}\n"), 0o600))
	w.ok(os.WriteFile(filepath.Join(folder, "2/notes.jsonl"), []byte("{\"id\":\"2\"}\n"), 0o600))
	w.shard("out/forks/q1-s1-1", shard.Part{}, nil, nil)
	w.shard("shards/2/forks/q1-s1-2", shard.Part{}, nil, nil)
	again := w.merged(false, folder)
	if !again.Replaced || again.Questions != 10 || len(again.MissingShards) > 0 {
		t.Errorf("result %+v", again)
	}
	config, err := runlog.ReadConfig(w.path("out"))
	if err != nil || config.Note.Merged != nil {
		t.Errorf("note %+v, %v", config.Note, err)
	}
	if got := w.read("out/notes.jsonl"); got != "{\"id\":\"1\"}\n" {
		t.Errorf("notes %q", got)
	}
	if r, err := runlog.Open(w.path("out/forks/q1-s1-1")); err != nil || len(r.UUIDs()) != 10 {
		t.Errorf("fork: %v", err)
	}
	if _, err := os.Stat(w.path("out/forks/q1-s1-2")); err == nil {
		t.Error("the fork of a shard was merged")
	}
	for _, want := range []string{"2/notes.jsonl is not merged", "2/forks is not merged"} {
		if !strings.Contains(strings.Join(w.notices, "\n"), want) {
			t.Errorf("no %q in %q", want, w.notices)
		}
	}
	w.noLeftovers()

	w.answer(w.path("out"), "q1", 1, qa.Answered)
	if _, err := w.merge(false, folder); kind(err) != "wrong use" || !strings.Contains(err.Error(), "events that are not in these shards") {
		t.Errorf("error %v", err)
	}
	if r, err := runlog.Open(w.path("out")); err != nil || len(r.UUIDs()) != 11 {
		t.Errorf("the run changed: %v", err)
	}
}

// What a killed merge left is cleared, and a run that was moved away is restored.
func TestMergeAfterKill(t *testing.T) {
	w := newWorld(t)
	folder := w.shards(2)
	w.merged(false, folder)
	w.ok(os.Rename(w.path("out"), w.path(".out.replaced")))
	w.shard(".out.partial", shard.Part{}, nil, nil)
	w.ok(os.WriteFile(w.path(".out.replaced/notes.jsonl"), []byte("{\"id\":\"1\"}\n"), 0o600))
	if r := w.merged(false, folder); !r.Replaced {
		t.Errorf("result %+v", r)
	}
	if got := w.read("out/notes.jsonl"); got != "{\"id\":\"1\"}\n" {
		t.Errorf("notes %q", got)
	}
	w.noLeftovers()
}

func TestMergeOut(t *testing.T) {
	tests := []struct {
		name string
		make func(w *world)
		want string
	}{
		{"other files", func(w *world) {
			w.ok(os.Mkdir(w.path("out"), 0o755))
			w.ok(os.WriteFile(w.path("out/thesis.tex"), nil, 0o600))
		}, "has other files"},
		{"another run", func(w *world) {
			w.shard("out", shard.Part{}, nil, func(c *runlog.Config) { c.Shape.Settings["turns"] = 3 })
		}, "settings.turns: 3 there, 20 now"},
		{"a shard", func(w *world) { w.shard("out", shard.Part{Index: 1, Of: 2}, nil, nil) }, `shard: "1/2" there, not set now`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			folder := w.shards(2)
			tt.make(w)
			if _, err := w.merge(false, folder); err == nil || kind(err) != "wrong use" || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
	t.Run("in use", func(t *testing.T) {
		w := newWorld(t)
		folder := w.shards(2)
		w.merged(false, folder)
		log, err := runlog.OpenWriter(w.path("out"), runlog.WriterConfig{})
		w.ok(err)
		defer func() { _ = log.Close() }()
		if _, err := w.merge(false, folder); !errors.Is(err, runlog.ErrLocked) {
			t.Errorf("error %v", err)
		}
	})
}

// A damaged episode counts as unfinished, and its lines stay, so that their cost is not lost.
func TestMergeDamaged(t *testing.T) {
	w := newWorld(t)
	dir := w.shard("a", shard.Part{Index: 1, Of: 1}, nil, nil)
	lines := strings.SplitAfter(w.read("a/log.jsonl"), "\n")
	w.ok(os.WriteFile(filepath.Join(dir, runlog.LogFile), []byte(strings.Join(slices.Delete(lines, 1, 2), "")), 0o600))
	r := w.merged(true, dir)
	if len(r.Incomplete) != 1 || !slices.Equal(r.Incomplete[0].Missing, []string{"q0#0"}) || len(w.notices) == 0 {
		t.Errorf("result %+v, notices %q", r, w.notices)
	}
	if got := strings.Count(w.read("out/log.jsonl"), "\n"); got != 29 {
		t.Errorf("%d lines", got)
	}
	if _, err := json.Marshal(r); err != nil || !strings.Contains(r.Text(0), "has not finished 1 episode: q0") {
		t.Errorf("%s", r.Text(0))
	}
}

// kind is how the command line classifies an error.
func kind(err error) string {
	var use *qa.UsageError
	var failed *qa.FailedError
	switch {
	case errors.As(err, &use):
		return "wrong use"
	case errors.As(err, &failed):
		return "failed examples"
	}
	return ""
}
