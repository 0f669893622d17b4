package runlog_test

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"airqa/qa"
	"airqa/runlog"
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

const long = "a long text that represents a prompt or a result; " // 53 bytes

// episode is one with every kind of event and odd texts.
func episode() qa.Trajectory {
	result := strings.Repeat(long, 5)
	system := qa.Message{Role: qa.System, Text: strings.Repeat("system "+long, 5)}
	task := qa.Message{Role: qa.User, Text: "task \u2028 <b> \"q\""}
	picture := qa.Image{SHA256: runlog.Hash("png"), MIME: "image/png", Page: 2, Box: []float64{1, 2.5, 3, 4}, Width: 7, Height: 8, Data: []byte("png")}
	look := qa.Step{
		N: 1, By: qa.ByModel, Shown: []qa.Span{{First: 0, End: 2}},
		Reply: &qa.Reply{
			Text: "[Thought]: t\xff\n[Action]: Look(n=1) and more", Reasoning: "r", Model: "m-1", Finish: "stop",
			Usage:    qa.Usage{Prompt: 9, Completion: 2, Cached: 1},
			Attempts: []qa.Attempt{{Started: clock, Seconds: 0.1, Status: 429, Error: "rate_limit"}, {Started: clock, Seconds: 0.25, Wait: 1.5, Status: 200}},
		},
		Kept: 34, ThoughtAt: qa.Span{First: 11, End: 13},
		Action: &qa.Action{Name: "Look", Args: map[string]any{"n": int64(1), "x": 1.0, "y": nil, "z": true}, Text: "Look(n=1, x=1.0, y=None, z=True)", Start: 25, End: 34},
		Observation: &qa.Observation{
			Status: qa.StatusOK, Text: result, Images: []qa.Image{picture}, Cut: &qa.Cut{Reason: "rows", RowsShown: 1, RowsTotal: 2}, Full: result + "more",
			Hits: []qa.Hit{{Rank: 1, ID: "c1", PaperID: "p", Page: 3, Score: 0.5}, {Rank: 2, ID: "c2", PaperID: "p", Page: -1, Beyond: true}},
		},
		Started: clock, Acted: clock, Ended: clock,
	}
	bad := qa.Step{
		N: 2, By: qa.ByModel, Shown: []qa.Span{{First: 0, End: 4}}, Reply: &qa.Reply{Text: "?"}, Kept: 1,
		ParseError: &qa.ParseError{Kind: qa.ErrSyntax, Reason: "why", Offset: 1, Line: 1, Column: 2}, Observation: &qa.Observation{Status: qa.StatusParse, Text: "[Error]: why"},
		Started: clock, Acted: clock, Ended: clock,
	}
	program := qa.Step{
		N: 3, By: qa.ByProgram, Action: &qa.Action{Name: "Query", Args: map[string]any{"sql": "S"}, Text: "Query(sql='S')"},
		Observation: &qa.Observation{Status: qa.StatusOK, Text: strings.Repeat("rows "+long, 5), Touched: &qa.Touched{
			Papers: []string{"p"}, Tables: []string{"pages"}, Pages: []qa.PaperPage{{PaperID: "p", Page: 2, Box: []float64{1, 2, 3, 4}}}, Rows: []string{"r"}, More: true,
		}}, Started: clock, Acted: clock, Ended: clock,
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
	if err := r.LoadImages(&got[0]); err != nil {
		t.Fatal(err)
	}
	for _, list := range [][]qa.Image{got[0].Messages[3].Images, got[0].Steps[0].Observation.Images} {
		if string(list[0].Data) != "png" {
			t.Errorf("image = %q", list[0].Data)
		}
	}
}

// Long texts are stored in the log at most once.
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
		t.Errorf("the system prompt occurs in the log %d times", n)
	}
	if n := strings.Count(string(raw), strings.Repeat("rows "+long, 5)); n != 2 {
		t.Errorf("an observation that a message repeats occurs in the log %d times for 2 episodes", n)
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

// A damaged episode is an error of its own, starts from its first event, and costs no other episode anything.
func TestDamagedEpisode(t *testing.T) {
	lines := func(raw string) []string { return strings.SplitAfter(raw, "\n") }
	tests := []struct {
		name   string
		damage func(raw string) string
		want   string
	}{
		{"doubled line", func(raw string) string { l := lines(raw); return l[0] + l[1] + strings.Join(l[1:], "") }, "log.jsonl:3: event 2 of u#0 where event 3 was expected"},
		{"missing line", func(raw string) string { l := lines(raw); return l[0] + strings.Join(l[2:], "") }, "log.jsonl:2: event 3 of u#0 where event 2 was expected"},
		{"missing start", func(raw string) string { return strings.Join(lines(raw)[1:], "") }, "log.jsonl:1: event 2 of u#0 where event 1 was expected"},
		{"overwritten line", func(raw string) string { l := lines(raw); return l[0] + "\x00\x00\n" + strings.Join(l[2:], "") }, "log.jsonl:3: event 3 of u#0 where event 2 was expected"},
		{"another type", func(raw string) string { return strings.Replace(raw, `"role":"user"`, `"role":["user"]`, 1) }, "log.jsonl:3: json: cannot unmarshal"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := create(t)
			path := filepath.Join(dir, runlog.LogFile)
			again := func(uuid string, prior *runlog.Recorded) {
				w := writer(t, dir, nil)
				e, err := w.Begin(uuid, 0, prior)
				if err != nil {
					t.Fatal(err)
				}
				record(t, e, episode())
				if err := w.Close(); err != nil {
					t.Fatal(err)
				}
			}
			again("u", nil)
			raw, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(tt.damage(string(raw))), 0o600); err != nil {
				t.Fatal(err)
			}
			again("v", nil)
			r, err := runlog.Open(dir)
			if err != nil {
				t.Fatal(err)
			}
			_, err = r.Episode("u", 0)
			var damaged *runlog.DamageError
			if !errors.As(err, &damaged) || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("error = %v, want %q", err, tt.want)
			}
			if rec, err := r.Episode("v", 0); err != nil || !rec.Finished() {
				t.Errorf("the other episode: finished %v, %v", rec.Finished(), err)
			}
			again("u", nil)
			r, got := read(t, dir)
			if len(got) != 2 || got[0].Events != 10 || !got[0].Finished() || len(got[0].Steps) != 3 {
				t.Errorf("after starting again: %+v", got)
			}
			if events, err := r.Events("u#0"); err != nil || len(events) != 10 || events[0].Type != runlog.TypeStart {
				t.Errorf("%d events, %v", len(events), err)
			}
		})
	}
}

// Every uuid that JSON can hold is read back, in the order and by all readers.
func TestOddUUIDs(t *testing.T) {
	dir := create(t)
	w := writer(t, dir, nil)
	uuids := []string{`a"b`, `a\b`, "a\tb", "a\x1bb", "a\x00b", "a\u2028b", "a#1", "a", " ", `{"type":"end"}`, `","seq":7,"`, "\n", strings.Repeat("long ", 4000), "é<>&\u202e"}
	for _, uuid := range uuids {
		e, err := w.Begin(uuid, 1, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := e.End(qa.Trajectory{Outcome: qa.Answered}); err != nil {
			t.Fatal(err)
		}
	}
	r, got := read(t, dir)
	if len(r.BadLines) != 0 || len(got) != len(uuids) {
		t.Fatalf("bad %v, %d episodes of %d", r.BadLines, len(got), len(uuids))
	}
	skimmed := make(map[string]int)
	for m, err := range runlog.Skim(dir, 0) {
		if err != nil {
			t.Error(err)
		}
		skimmed[m.Episode]++
	}
	for i, uuid := range uuids {
		if got[i].UUID != uuid || got[i].Repeat != 1 || !got[i].Finished() {
			t.Errorf("%q was read as %q#%d", uuid, got[i].UUID, got[i].Repeat)
		}
		if rec, err := r.Episode(uuid, 1); err != nil || !rec.Finished() {
			t.Errorf("%q: %v", uuid, err)
		}
		if skimmed[qa.EpisodeID(uuid, 1)] != 2 {
			t.Errorf("%q: %d marks", uuid, skimmed[qa.EpisodeID(uuid, 1)])
		}
	}
}

// Lines that another program wrote differ in whitespace, order of keys and escapes.
func TestAnyJSONLine(t *testing.T) {
	dir := create(t)
	log := ` { "seq" : 1, "repeat":0, "uuid":"u", "time":"2031-05-01T12:00:00Z", "episode":"\u0075#0", "type":"start" } ` + "\r\n" +
		`{"outcome":"answered","answer":{"given":true,"text":"42","literal":"42"},"turns":0,"usage":{},"time":"2031-05-01T12:00:00Z","seq":2,"episode":"u#0","type":"end"}` + "\n"
	if err := os.WriteFile(filepath.Join(dir, runlog.LogFile), []byte(log), 0o600); err != nil {
		t.Fatal(err)
	}
	if r, got := read(t, dir); len(r.BadLines) != 0 || len(got) != 1 || got[0].Answer.Text != "42" {
		t.Errorf("bad %v, read %+v", r.BadLines, got)
	}
	n := 0
	for m, err := range runlog.Skim(dir, 0) {
		if n++; err != nil || m.Episode != "u#0" || m.Time != clock {
			t.Errorf("mark %+v, %v", m, err)
		}
	}
	if n != 2 {
		t.Errorf("%d marks", n)
	}
}

// Numbers that JSON does not have are no reason to lose an event.
func TestNoJSONNumber(t *testing.T) {
	dir := create(t)
	e, err := writer(t, dir, nil).Begin("u", 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	odd := map[string]any{"answer": math.Inf(1), "box": []any{math.NaN(), 1.0}, "n": 2}
	if err := e.Call(qa.Step{N: 1, Reply: &qa.Reply{Sealed: json.RawMessage("{")}, Action: &qa.Action{Name: "Answer", Args: odd, Text: "Answer(answer=1e999)"}}); err != nil {
		t.Fatal(err)
	}
	if err := e.End(qa.Trajectory{Outcome: qa.Answered}); err != nil {
		t.Fatal(err)
	}
	if _, got := read(t, dir); len(got) != 1 || got[0].Events != 3 || !got[0].Finished() || got[0].Steps[0].Action.Text != "Answer(answer=1e999)" {
		t.Errorf("read %+v", got)
	}
}

// A key that starts with the letter of an escape sequence leaves valid JSON behind.
func TestRedactionKeepsJSON(t *testing.T) {
	dir := create(t)
	w := writer(t, dir, runlog.Redactor([]string{"neverclear"}, ""))
	e, err := w.Begin("u", 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	call := qa.Step{N: 1, Reply: &qa.Reply{Text: "\neverclear"}, Called: &qa.ToolCall{Arguments: json.RawMessage(`{"n":9007199254740993}`)}}
	if err := errors.Join(e.Message(qa.Message{Role: qa.User, Text: "first\neverclear neverclear"}), e.Call(call)); err != nil {
		t.Fatal(err)
	}
	r, got := read(t, dir)
	if args := string(got[0].Steps[0].Called.Arguments); args != `{"n":9007199254740993}` {
		t.Errorf("arguments %s", args)
	}
	if len(r.BadLines) != 0 || got[0].Messages[0].Text != "first\neverclear [redacted]" {
		t.Errorf("bad %v, read %+v", r.BadLines, got)
	}
}

// Links, pipes and files that do not match their hash are rejected: a run directory may be untrusted.
func TestForeignFiles(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(outside, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	link := func(name string) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			_ = os.RemoveAll(filepath.Join(dir, name))
			if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(outside, filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, name := range []string{runlog.RunFile, runlog.LogFile, runlog.QuestionsFile, "log.idx", "lock", "verdicts.jsonl", "texts", "images", "scores", "forks"} {
		t.Run(name, func(t *testing.T) {
			dir := create(t)
			link(name)(t, dir)
			if _, err := runlog.Open(dir); err == nil || strings.Contains(err.Error(), "secret\"") || !strings.Contains(err.Error(), "links are not followed") {
				t.Errorf("error = %v", err)
			}
		})
	}
	sum := runlog.Hash("secret")
	for name, plant := range map[string]func(*testing.T, string){
		"link": link("texts/" + sum + ".txt"),
		"content": func(t *testing.T, dir string) {
			if err := os.MkdirAll(filepath.Join(dir, "texts"), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, "texts", sum+".txt"), []byte("other"), 0o600); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run("text by "+name, func(t *testing.T) {
			dir := create(t)
			plant(t, dir)
			r, err := runlog.Open(dir)
			if err != nil {
				t.Fatal(err)
			}
			var blob *runlog.BlobError
			if text, err := r.Text(sum); !errors.As(err, &blob) || text != "" {
				t.Errorf("text %q, %v", text, err)
			}
		})
	}
	t.Run("scores", func(t *testing.T) {
		dir := create(t)
		link("scores/reference.offline.jsonl")(t, dir)
		if _, _, err := runlog.ReadScores(dir); err == nil || !strings.Contains(err.Error(), "links are not followed") {
			t.Errorf("error = %v", err)
		}
	})
}

// A damaged text file is rewritten when its text occurs again.
func TestDamagedTextIsReplaced(t *testing.T) {
	dir := create(t)
	for range 2 {
		w := writer(t, dir, nil)
		e, err := w.Begin("u", 0, nil)
		if err != nil {
			t.Fatal(err)
		}
		record(t, e, episode())
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		r, _ := read(t, dir)
		sum := runlog.Hash(episode().Messages[0].Text)
		if text, err := r.Text(sum); err != nil || text != episode().Messages[0].Text {
			t.Fatalf("text %q, %v", text, err)
		}
		if err := os.WriteFile(filepath.Join(dir, "texts", sum+".txt"), []byte("damaged"), 0o600); err != nil {
			t.Fatal(err)
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
	other.Shape.Prompts = map[string]string{"plain": runlog.Hash("plain")}
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

// A directory without a run names the runs below it.
func TestNoRun(t *testing.T) {
	dir := t.TempDir()
	if err := runlog.Create(filepath.Join(dir, "runs", "rag"), config("rag"), nil); err != nil {
		t.Fatal(err)
	}
	hint := "there are runs in " + filepath.Join(dir, "runs") + ", such as rag"
	for path, want := range map[string]string{dir: hint, filepath.Join(dir, "runs"): hint, filepath.Join(dir, "none"): "no such file or directory", t.TempDir(): "creates one"} {
		if _, err := runlog.ReadConfig(path); !errors.Is(err, runlog.ErrNoRun) || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
}

// Hashes are not shown to a person.
func TestDifferencesOfHashes(t *testing.T) {
	old := runlog.Shape{Questions: runlog.Hash("a"), Prompts: map[string]string{"task": runlog.Hash("a"), "old": runlog.Hash("a")}}
	now := runlog.Shape{Questions: runlog.Hash("b"), Prompts: map[string]string{"task": runlog.Hash("b"), "new": runlog.Hash("b")}}
	want := []string{"prompts.new: only now", "prompts.old: only there", "prompts.task: changed", "questions: changed"}
	if diff := cmp.Diff(want, runlog.Differences(old, now)); diff != "" {
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
	log, err := os.ReadFile(filepath.Join(dir, runlog.LogFile))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(log)) {
		if ordered, err := regexp.MatchString(`^{"type":"[a-z]+","episode":"u#0","seq":`, line); err != nil || !ordered {
			t.Errorf("line %s, %v; want the usual order of keys", line, err)
		}
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
		{"another format", `{"format":2}`, "format 2; this program reads format 1: make the run again with airqa run"},
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

// Arbitrary logs cause no panic, and everything readable is read.
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
