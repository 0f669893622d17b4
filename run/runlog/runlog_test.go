package runlog_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"airqa/qa"
	"airqa/run/runlog"
)

var clock = time.Date(2031, 5, 1, 12, 0, 0, 0, time.UTC)

func now() time.Time { return clock }

func create(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	if err := runlog.Create(dir, config("rag"), []byte("{}\n")); err != nil {
		t.Fatal(err)
	}
	return dir
}

func config(baseline string) runlog.Config {
	return runlog.Config{Program: "test", Created: clock, Shape: runlog.Shape{
		Baseline: baseline, Model: map[string]any{"provider": "offline", "sampling": map[string]any{"temperature": 0.7}},
	}}
}

func writer(t *testing.T, dir string, redact func([]byte) []byte) *runlog.Writer {
	t.Helper()
	w, err := runlog.OpenWriter(dir, runlog.WriterConfig{Redact: redact, Now: now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	return w
}

func read(t *testing.T, dir string) (*runlog.Run, []runlog.Recorded) {
	t.Helper()
	r, err := runlog.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	var list []runlog.Recorded
	for rec, err := range r.Episodes() {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, rec)
	}
	return r, list
}

const long = "a long text that stands in for a prompt or a result; " // 53 bytes

// episode is one with every kind of event and odd texts.
func episode() qa.Trajectory {
	result := strings.Repeat(long, 5)
	system := qa.Message{Role: qa.System, Text: strings.Repeat("system "+long, 5)}
	task := qa.Message{Role: qa.User, Text: "task \u2028 <b> \"q\""}
	picture := qa.Image{SHA256: strings.Repeat("ab", 32), MIME: "image/png", Page: 2, Box: []float64{1, 2.5, 3, 4}, Width: 7, Height: 8, Data: []byte("png")}
	look := qa.Step{
		N: 1, By: qa.ByModel, Shown: []qa.Span{{First: 0, End: 2}},
		Reply: &qa.Reply{
			Text: "[Thought]: t\xff\n[Action]: Look(n=1) and more", Reasoning: "r", Model: "m-1", Finish: "stop",
			Usage:    qa.Usage{Prompt: 9, Completion: 2, Cached: 1},
			Attempts: []qa.Attempt{{Started: clock, Seconds: 0.1, Status: 429, Error: "rate_limit"}, {Started: clock, Seconds: 0.25, Wait: 1.5, Status: 200}},
		},
		Kept: 34, ThoughtAt: qa.Span{First: 11, End: 13},
		Action:      &qa.Action{Name: "Look", Args: map[string]any{"n": int64(1), "x": 1.0, "y": nil, "z": true}, Text: "Look(n=1, x=1.0, y=None, z=True)", Start: 25, End: 34},
		Observation: &qa.Observation{Status: qa.StatusOK, Text: result, Images: []qa.Image{picture}, Cut: &qa.Cut{Reason: "rows", RowsShown: 1, RowsTotal: 2}, Full: result + "more"},
		Started:     clock, Acted: clock, Ended: clock,
	}
	bad := qa.Step{
		N: 2, By: qa.ByModel, Shown: []qa.Span{{First: 0, End: 4}}, Reply: &qa.Reply{Text: "?"}, Kept: 1,
		ParseError: &qa.ParseError{Kind: qa.ErrSyntax, Reason: "why", Offset: 1, Line: 1, Column: 2}, Observation: &qa.Observation{Status: qa.StatusParse, Text: "[Error]: why"},
		Started: clock, Acted: clock, Ended: clock,
	}
	program := qa.Step{
		N: 3, By: qa.ByProgram, Action: &qa.Action{Name: "Query", Args: map[string]any{"sql": "S"}, Text: "Query(sql='S')"},
		Observation: &qa.Observation{Status: qa.StatusOK, Text: strings.Repeat("rows "+long, 5)}, Started: clock, Acted: clock, Ended: clock,
	}
	second := qa.Message{Role: qa.User, Text: "before\n" + program.Observation.Text + "\nafter"}
	return qa.Trajectory{
		Episode: "u#0", UUID: "u", Started: clock, Ended: clock,
		Messages: []qa.Message{
			system, task, look.Message(), qa.ObservationMessage(*look.Observation), bad.Message(),
			qa.ObservationMessage(*bad.Observation), second,
		},
		Steps:   []qa.Step{look, bad, program},
		Outcome: qa.Answered, Answer: qa.Answer{Given: true, Text: "42", Literal: "42"},
	}
}

// record writes the episode's events from number first on.
func record(t *testing.T, e *runlog.Episode, tr qa.Trajectory) {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(e.Message(tr.Messages[0]))
	must(e.Message(tr.Messages[1]))
	must(e.Call(tr.Steps[0]))
	must(e.Observation(tr.Steps[0]))
	must(e.Call(tr.Steps[1]))
	must(e.Observation(tr.Steps[1]))
	must(e.Observation(tr.Steps[2]))
	must(e.Message(tr.Messages[6]))
	must(e.End(tr))
}

func TestRoundTrip(t *testing.T) {
	dir := create(t)
	w := writer(t, dir, nil)
	want := episode()
	e, err := w.Begin("u", 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	record(t, e, want)
	_, got := read(t, dir)
	if len(got) != 1 || got[0].Events != 10 || !got[0].Finished() {
		t.Fatalf("read %d episodes, events and outcome %+v", len(got), got)
	}
	// Pictures come back without their bytes: those are in images/.
	for _, m := range want.Messages {
		for i := range m.Images {
			m.Images[i].Data = nil
		}
	}
	if diff := cmp.Diff(want, got[0].Trajectory); diff != "" {
		t.Errorf("trajectory (-written +read):\n%s", diff)
	}
	r, _ := read(t, dir)
	if err := r.LoadImages(&got[0]); err != nil || string(got[0].Messages[3].Images[0].Data) != "png" {
		t.Errorf("picture = %q, %v", got[0].Messages[3].Images[0].Data, err)
	}
}

// Long texts stand in the log at most once.
func TestNothingTwice(t *testing.T) {
	dir := create(t)
	w := writer(t, dir, nil)
	for _, uuid := range []string{"u", "v"} {
		e, err := w.Begin(uuid, 0, nil)
		if err != nil {
			t.Fatal(err)
		}
		record(t, e, episode())
	}
	raw, err := os.ReadFile(filepath.Join(dir, runlog.LogFile))
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(raw), "system "+long); n != 0 {
		t.Errorf("the system prompt stands in the log %d times", n)
	}
	if n := strings.Count(string(raw), strings.Repeat("rows "+long, 5)); n != 2 {
		t.Errorf("an observation that a message repeats stands in the log %d times for 2 episodes", n)
	}
}

func TestGoOnAfterTornLine(t *testing.T) {
	dir := create(t)
	path := filepath.Join(dir, runlog.LogFile)
	want := episode()
	w := writer(t, dir, nil)
	e, err := w.Begin("u", 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Message(want.Messages[0]); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, append(whole, `{"type":"message","episode":"u#0","seq":3,"ti`...), 0o600); err != nil {
		t.Fatal(err)
	}
	r, got := read(t, dir)
	if r.Torn != 45 || len(r.BadLines) != 0 || got[0].Events != 2 {
		t.Errorf("torn %d bytes, bad %v, %d events; want 45, none, 2", r.Torn, r.BadLines, got[0].Events)
	}
	w = writer(t, dir, nil)
	if w.Torn != 45 {
		t.Errorf("the writer cut %d bytes", w.Torn)
	}
	e, err = w.Begin("u", 0, &got[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Message(want.Messages[1]); err != nil {
		t.Fatal(err)
	}
	if _, got = read(t, dir); got[0].Events != 3 || len(got[0].Messages) != 2 {
		t.Errorf("after going on: %d events, %d messages", got[0].Events, len(got[0].Messages))
	}
}

func TestOddLines(t *testing.T) {
	dir := create(t)
	w := writer(t, dir, nil)
	e, err := w.Begin("u", 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	record(t, e, episode())
	path := filepath.Join(dir, runlog.LogFile)
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	odd := `{"type":"note","episode":"u#0","seq":99,"time":"2031-05-01T12:00:00Z"}` + "\nnot JSON\n" + string(raw)
	if err := os.WriteFile(path, []byte(odd), 0o600); err != nil {
		t.Fatal(err)
	}
	r, got := read(t, dir)
	if r.Unknown != 1 || len(r.BadLines) != 1 || r.BadLines[0].Line != 2 || len(got) != 1 || !got[0].Finished() {
		t.Errorf("unknown %d, bad %v, %d episodes", r.Unknown, r.BadLines, len(got))
	}
}

func TestDoubledLineIsAnError(t *testing.T) {
	dir := create(t)
	w := writer(t, dir, nil)
	e, err := w.Begin("u", 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	record(t, e, episode())
	path := filepath.Join(dir, runlog.LogFile)
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(raw), "\n")
	if err := os.WriteFile(path, []byte(lines[0]+lines[1]+strings.Join(lines[1:], "")), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := runlog.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range r.Episodes() {
		if err == nil || !strings.Contains(err.Error(), "log.jsonl:3: event 2 of u#0 where event 3 was due") {
			t.Errorf("error = %v", err)
		}
	}
}

func TestReopenedAfterFailure(t *testing.T) {
	dir := create(t)
	w := writer(t, dir, nil)
	e, err := w.Begin("u", 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.End(qa.Trajectory{Outcome: qa.EndpointError, Reason: "503"}); err != nil {
		t.Fatal(err)
	}
	_, got := read(t, dir)
	if got[0].Finished() || got[0].Outcome != qa.EndpointError {
		t.Fatalf("outcome %s, finished %v", got[0].Outcome, got[0].Finished())
	}
	e, err = w.Begin("u", 0, &got[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := e.End(qa.Trajectory{Outcome: qa.Answered}); err != nil {
		t.Fatal(err)
	}
	if _, got = read(t, dir); !got[0].Finished() || got[0].Reason != "" {
		t.Errorf("outcome %s (%s), finished %v", got[0].Outcome, got[0].Reason, got[0].Finished())
	}
}

func TestMismatch(t *testing.T) {
	dir := create(t)
	if err := runlog.Create(dir, config("rag"), nil); err != nil {
		t.Errorf("the same configuration: %v", err)
	}
	other := config("rag")
	other.Shape.Baseline = "full-text"
	other.Shape.Model = map[string]any{"provider": "offline", "sampling": map[string]any{"temperature": 0.6, "top_p": 1.0}}
	err := runlog.Create(dir, other, nil)
	var m *runlog.MismatchError
	if !errors.As(err, &m) {
		t.Fatalf("error = %v", err)
	}
	want := []string{
		`baseline: "rag" there, "full-text" now`,
		"model.sampling.temperature: 0.7 there, 0.6 now",
		"model.sampling.top_p: not set there, 1 now",
	}
	if diff := cmp.Diff(want, m.Diff); diff != "" {
		t.Errorf("difference (-want +got):\n%s", diff)
	}
}

func TestOneWriter(t *testing.T) {
	dir := create(t)
	writer(t, dir, nil)
	if _, err := runlog.OpenWriter(dir, runlog.WriterConfig{}); !errors.Is(err, runlog.ErrLocked) {
		t.Errorf("a second writer: %v", err)
	}
}

// A planted key and the home directory reach no file.
func TestRedaction(t *testing.T) {
	dir := create(t)
	const key = `sk-"planted/key`
	w := writer(t, dir, runlog.Redactor([]string{key, "short"}, "/home/someone"))
	tr := episode()
	tr.Messages[0].Text += key
	tr.Messages[1].Text += key + " /home/someone/papers short"
	tr.Steps[0].Observation.Full += key
	e, err := w.Begin("u", 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	record(t, e, tr)
	err = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := os.ReadFile(path)
		if strings.Contains(string(raw), "planted") || strings.Contains(string(raw), "someone") {
			t.Errorf("%s holds a secret", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	_, got := read(t, dir)
	if text := got[0].Messages[1].Text; !strings.HasSuffix(text, `[redacted] ~/papers short`) {
		t.Errorf("task = %q", text)
	}
}

func TestScores(t *testing.T) {
	dir := create(t)
	if _, _, err := runlog.ReadScores(dir); !errors.Is(err, runlog.ErrNoScores) {
		t.Errorf("unscored run: %v", err)
	}
	first := runlog.Scoring{Mode: "reference", Judge: "offline", Created: clock}
	second := runlog.Scoring{Mode: "reference", Judge: "openai:gpt", Created: clock.Add(time.Hour)}
	want := []qa.Score{{UUID: "u", Verdict: qa.Right, Value: 1, Func: "f"}, {UUID: "v", Verdict: qa.Unscored, Reason: "judge: 503"}}
	for _, s := range []runlog.Scoring{second, first} {
		if err := runlog.WriteScores(dir, s, want[:1], nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := runlog.WriteScores(dir, second, want, nil); err != nil {
		t.Fatal(err)
	}
	head, got, err := runlog.ReadScores(dir)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" || head.Judge != "openai:gpt" {
		t.Errorf("judge %s, scores (-want +got):\n%s", head.Judge, diff)
	}
}

func TestFormatIsRefused(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"another format", `{"format":2}`, "has format 2; this program reads format 1"},
		{"no JSON", `{`, "unexpected end of JSON"},
		{"unknown key", `{"format":1,"shap":{}}`, `unknown field "shap"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, runlog.RunFile), []byte(tt.text), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := runlog.Open(dir); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error = %v, want %q", err, tt.want)
			}
		})
	}
	if _, err := runlog.Open(t.TempDir()); !errors.Is(err, runlog.ErrNoRun) {
		t.Errorf("empty directory: %v", err)
	}
}

// Whatever stands in a log: no panic, and what can be read is read.
func FuzzOpen(f *testing.F) {
	f.Add([]byte(`{"type":"start","episode":"u#0","seq":1,"time":"2031-05-01T12:00:00Z","uuid":"u"}` + "\n"))
	f.Add([]byte(`{"type":"call","episode":"u#0","seq":1,"time":"2031-05-01T12:00:00Z","step":9,"kept":-4}` + "\n"))
	f.Add([]byte(`{"type":"message","episode":"u#0","seq":1,"time":"x","parts":[{"ref":"../../x"}]}` + "\n{"))
	f.Fuzz(func(t *testing.T, log []byte) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, runlog.RunFile), []byte(`{"format":1}`), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, runlog.LogFile), log, 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := runlog.Open(dir)
		if err != nil {
			return
		}
		for rec, err := range r.Episodes() {
			for _, s := range rec.Steps {
				_, _ = s.Thought(), err
			}
		}
	})
}
