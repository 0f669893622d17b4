package serve_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"airqa/baselines"
	"airqa/eval"
	"airqa/qa"
	"airqa/runlog"
	"airqa/serve"
	"airqa/tools"
)

// papers are tools that can be slow, fail or panic.
type papers struct {
	entered chan struct{}
	release chan struct{}
}

func (p papers) Retrieve(context.Context, string, int, tools.Scope) ([]tools.Hit, error) {
	return []tools.Hit{{ID: "1", PDFID: "p", Text: "a passage", Score: 0.5}}, nil
}

func (p papers) Query(ctx context.Context, sql string) (qa.Rows, error) {
	switch sql {
	case "text":
		return qa.Rows{Columns: []string{"x"}, Values: [][]any{{strings.Repeat("é→😀  word\u00a0\u3000数", 800)}}}, nil
	case "panic":
		panic("a fault of the tool")
	case "down":
		return qa.Rows{}, &qa.UnavailableError{Err: errors.New("the store is down")}
	case "wait":
		p.entered <- struct{}{}
		select {
		case <-p.release:
		case <-ctx.Done():
			return qa.Rows{}, ctx.Err()
		}
	}
	return qa.Rows{Columns: []string{"x"}, Values: [][]any{{int64(1)}}}, nil
}

func (p papers) View(context.Context, string, int, []float64) (qa.Image, error) {
	return qa.Image{MIME: "image/png", Data: []byte("png"), Page: 1, PaperID: "p"}, nil
}

func (p papers) Card(context.Context, string) (baselines.Card, error) { return baselines.Card{}, nil }
func (p papers) Text(context.Context, string) (string, error)         { return "", nil }

// judge accepts every answer, or fails.
type judge struct{ fails *atomic.Bool }

func (j judge) Judge(context.Context, eval.JudgeRequest) (bool, error) {
	if j.fails.Load() {
		return false, errors.New("the endpoint is down")
	}
	return true, nil
}

// bench is a host with its parts.
type bench struct {
	*serve.Host
	papers papers
	fails  atomic.Bool // of the judge
	full   atomic.Bool // the disk
	clock  atomic.Int64
	dir    string
	writer *runlog.Writer
}

func question(uuid, function, kwargs string) qa.Example {
	return qa.Example{UUID: uuid, Question: "What is x?", Evaluator: qa.Evaluator{Func: function, Kwargs: json.RawMessage(kwargs)}}
}

func newBench(t *testing.T, l serve.Limits) *bench {
	t.Helper()
	b := &bench{papers: papers{make(chan struct{}), make(chan struct{})}, dir: t.TempDir()}
	base, err := baselines.Find("agentic-hybrid-view")
	if err != nil {
		t.Fatal(err)
	}
	settings := qa.DefaultSettings()
	settings.Protocol, settings.Turns = qa.NativeTools, 4
	world := baselines.World{Library: b.papers, Sources: tools.Sources{Retriever: b.papers, Querier: b.papers, Viewer: b.papers}, Schema: "CREATE TABLE metadata (x INT);"}
	if err := runlog.Create(b.dir, runlog.Config{}, nil); err != nil {
		t.Fatal(err)
	}
	b.writer, err = runlog.OpenWriter(b.dir, runlog.WriterConfig{Fault: func(_ string, n int) (int, error) {
		if b.full.Load() {
			return 0, syscall.ENOSPC
		}
		return n, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	if l.Sessions == 0 {
		l.Sessions = 8
	}
	if l.Call == 0 {
		l.Call = time.Minute
	}
	if l.Idle == 0 {
		l.Idle = time.Hour
	}
	l.Answer = 1000
	b.Host = serve.New(serve.Config{
		Solver: baselines.New(base, world, nil, settings), Writer: b.writer, Scorer: eval.New(eval.Config{Judge: judge{&b.fails}}),
		Questions: []qa.Example{
			question("number", "eval_int_exact_match", `{"gold":3}`),
			question("judged", "eval_reference_answer_with_llm", `{"reference_answer":"three","question":"What is x?"}`),
		},
		Limits: l, Now: func() time.Time { return time.Unix(0, b.clock.Add(1)) }, Log: slog.New(slog.DiscardHandler),
	})
	return b
}

func (b *bench) begin(t *testing.T, uuid string) *serve.Session {
	t.Helper()
	s, err := b.Open("test", "client")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Reset(t.Context(), serve.Choice{Question: uuid}); err != nil {
		t.Fatal(err)
	}
	return s
}

func query(sql string) serve.Call {
	return serve.Call{Tool: "Query", Arguments: json.RawMessage(fmt.Sprintf(`{"sql":%q}`, sql))}
}

func answer(v string) serve.Call {
	return serve.Call{Tool: "Answer", Arguments: json.RawMessage(`{"answer":` + v + `}`)}
}

// act makes a call that must succeed.
func act(t *testing.T, s *serve.Session, c serve.Call) serve.Result {
	t.Helper()
	r, err := s.Act(t.Context(), c)
	if err != nil {
		t.Fatalf("%s: %v", c.Tool, err)
	}
	return r
}

func TestEpisode(t *testing.T) {
	b := newBench(t, serve.Limits{})
	s := b.begin(t, "number")
	if r := act(t, s, query("select")); r.Status != qa.StatusOK || r.End != nil {
		t.Errorf("%+v", r)
	}
	if r := act(t, s, serve.Call{Tool: "View", Arguments: json.RawMessage(`{"paper_id":"p","page_number":1}`)}); len(r.Images) != 1 {
		t.Errorf("%+v", r)
	}
	if _, err := s.Act(t.Context(), serve.Call{Tool: "Dance"}); !errors.Is(err, serve.ErrNoTool) {
		t.Errorf("an unknown tool: %v", err)
	}
	r := act(t, s, answer("3"))
	if r.End == nil || *r.End.Reward != 1 || r.End.Parts.Turns != 3 || r.End.Parts.Verdict != qa.Right {
		t.Errorf("%+v", r.End)
	}
	if r, err := s.Act(t.Context(), answer("3")); !errors.Is(err, serve.ErrEnded) || r.End == nil {
		t.Errorf("after the end: %+v, %v", r, err)
	}
	if st, err := s.State(t.Context()); err != nil || st.Steps != 3 || !st.Done || st.Episode != "number#0" {
		t.Errorf("%+v, %v", st, err)
	}
	// The next episode of the question is another repeat.
	if start, err := s.Reset(t.Context(), serve.Choice{Question: "number"}); err != nil || start.Episode != "number#1" {
		t.Errorf("%+v, %v", start, err)
	}
	s.Close()
	if _, err := s.Act(t.Context(), answer("3")); !errors.Is(err, serve.ErrNoSession) {
		t.Errorf("after closing: %v", err)
	}
	if err := b.writer.Close(); err != nil {
		t.Fatal(err)
	}
	run, err := runlog.Open(b.dir)
	if err != nil {
		t.Fatal(err)
	}
	rec, err := run.Episode("number", 0)
	if err != nil || rec.Outcome != qa.Answered || rec.Answer.Text != "3" || rec.Steps[0].Reply.Model != "test/client" {
		t.Errorf("%+v, %v", rec, err)
	}
	if rec, err := run.Episode("number", 1); err != nil || rec.Outcome != "" {
		t.Errorf("the abandoned episode ended with %q, %v", rec.Outcome, err)
	}
}

func TestLimits(t *testing.T) {
	b := newBench(t, serve.Limits{Sessions: 2, Call: 20 * time.Millisecond})
	s := b.begin(t, "number")
	for n := range 4 {
		if r := act(t, s, query("select")); (r.End != nil) != (n == 3) {
			t.Errorf("call %d: %+v", n, r.End)
		}
	}
	if end, err := s.End(t.Context()); err != nil || end.Outcome != qa.TurnLimit || *end.Reward != 0 {
		t.Errorf("%+v, %v", end, err)
	}
	if _, err := s.Reset(t.Context(), serve.Choice{Question: "number"}); err != nil {
		t.Fatal(err)
	}
	if r := act(t, s, answer(`"`+strings.Repeat("3", 2000)+`"`)); r.End == nil || *r.End.Reward != 0 || r.End.Outcome != qa.TokenLimit {
		t.Errorf("a long answer: %+v", r.End)
	}
	if _, err := s.Reset(t.Context(), serve.Choice{Question: "number"}); err != nil {
		t.Fatal(err)
	}
	if r := act(t, s, answer(`" "`)); r.End != nil || r.Status != qa.StatusError {
		t.Errorf("an empty answer: %+v", r)
	}
	go func() { <-b.papers.entered }()
	if r := act(t, s, query("wait")); r.Status != qa.StatusError || !strings.Contains(r.Text, "20ms") || r.End != nil {
		t.Errorf("a slow call: %+v", r)
	}
	b.begin(t, "number")
	var full *serve.CapacityError
	if _, err := b.Open("test", ""); !errors.As(err, &full) || full.Active != 2 || full.Max != 2 {
		t.Errorf("a third session: %v", err)
	}
	s.Close()
	if _, err := b.Open("test", ""); err != nil {
		t.Errorf("after one has closed: %v", err)
	}
	if text := b.Metrics(); !strings.Contains(text, "airqa_sessions 2\n") || !strings.Contains(text, "airqa_sessions_refused_total 1\n") {
		t.Errorf("%s", text)
	}
}

// Faults of tools, disk and judge are errors, never rewards of 0.
func TestFaults(t *testing.T) {
	b := newBench(t, serve.Limits{})
	for _, sql := range []string{"panic", "down"} {
		s := b.begin(t, "number")
		if r, err := s.Act(t.Context(), query(sql)); err != nil || r.End == nil || r.End.Reward != nil || r.End.Problem == "" || r.End.Outcome != qa.ToolFailure {
			t.Errorf("%s: %+v, %v", sql, r, err)
		}
	}
	b.fails.Store(true)
	s := b.begin(t, "judged")
	if r := act(t, s, answer(`"three"`)); r.End == nil || r.End.Reward != nil || !strings.Contains(r.End.Problem, "endpoint is down") {
		t.Errorf("without a judge: %+v", r.End)
	}
	b.fails.Store(false)
	if end, err := s.End(t.Context()); err != nil || end.Reward == nil || *end.Reward != 1 {
		t.Errorf("when the judge is back: %+v, %v", end, err)
	}
	s = b.begin(t, "number")
	b.full.Store(true)
	if r, err := s.Act(t.Context(), answer("3")); err == nil || r.End == nil || r.End.Reward != nil {
		t.Errorf("a full disk: %+v, %v", r, err)
	}
	if _, err := s.Reset(t.Context(), serve.Choice{Question: "number"}); err == nil {
		t.Error("an episode began on a full disk")
	}
	b.full.Store(false)
	if _, err := s.Reset(t.Context(), serve.Choice{Question: "number"}); err != nil {
		t.Errorf("after the disk: %v", err)
	}
	if r := act(t, s, answer("3")); *r.End.Reward != 1 {
		t.Errorf("%+v", r.End)
	}
}

// The same request is one step, also if its client asks twice at the same time.
func TestKeys(t *testing.T) {
	b := newBench(t, serve.Limits{})
	s := b.begin(t, "number")
	c := query("select")
	c.Key = "k"
	var both sync.WaitGroup
	for range 3 {
		both.Go(func() {
			if _, err := s.Act(t.Context(), c); err != nil {
				t.Error(err)
			}
		})
	}
	both.Wait()
	if st, _ := s.State(t.Context()); st.Steps != 1 {
		t.Errorf("%d steps", st.Steps)
	}
}

// Idle sessions are closed; one that is used, or pinged, is not.
func TestIdle(t *testing.T) {
	b := newBench(t, serve.Limits{Idle: time.Second})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	old, used := b.begin(t, "number"), b.begin(t, "number")
	b.clock.Add(int64(10 * time.Second))
	used.Touch()
	go b.Watch(ctx)
	for b.Active() > 1 {
		time.Sleep(time.Millisecond)
	}
	if _, err := b.Session(used.ID); err != nil {
		t.Errorf("the session in use: %v", err)
	}
	if _, err := old.Act(t.Context(), answer("3")); !errors.Is(err, serve.ErrNoSession) {
		t.Errorf("the idle session: %v", err)
	}
}

// A host that closes cancels running calls and refuses others.
func TestClose(t *testing.T) {
	b := newBench(t, serve.Limits{})
	s, other := b.begin(t, "number"), b.begin(t, "number")
	got := make(chan error)
	go func() {
		_, err := s.Act(t.Context(), query("wait"))
		got <- err
	}()
	<-b.papers.entered
	closed := make(chan struct{})
	go func() {
		b.Close()
		close(closed)
	}()
	for {
		if _, err := b.Open("test", ""); errors.Is(err, serve.ErrClosing) {
			break
		}
	}
	if _, err := other.Act(t.Context(), query("select")); !errors.Is(err, serve.ErrClosing) {
		t.Errorf("a new call: %v", err)
	}
	if err := <-got; !errors.Is(err, serve.ErrClosing) {
		t.Errorf("the running call: %v", err)
	}
	<-closed
}

func TestPick(t *testing.T) {
	b := newBench(t, serve.Limits{})
	index, beyond, seed := 1, 2, uint64(5)
	for _, tt := range []struct {
		choice serve.Choice
		want   string
	}{
		{serve.Choice{Question: "judged"}, "judged"},
		{serve.Choice{Question: "none"}, ""},
		{serve.Choice{Index: &index}, "judged"},
		{serve.Choice{Split: "all", Index: &beyond}, ""},
		{serve.Choice{Split: "none", Index: &index}, ""},
	} {
		ex, err := b.Pick(tt.choice)
		if ex.UUID != tt.want || (err == nil) != (tt.want != "") {
			t.Errorf("%+v: %q, %v", tt.choice, ex.UUID, err)
		}
	}
	first, err := b.Pick(serve.Choice{Seed: &seed})
	again, _ := newBench(t, serve.Limits{}).Pick(serve.Choice{Seed: &seed})
	if err != nil || first.UUID != again.UUID {
		t.Errorf("the seed picked %q and %q, %v", first.UUID, again.UUID, err)
	}
}

// Who runs episodes may choose the id of a session, once.
func TestOpenAs(t *testing.T) {
	b := newBench(t, serve.Limits{})
	s, err := b.OpenAs("task", "test", "")
	if err != nil || s.ID != "task" {
		t.Fatalf("%+v, %v", s, err)
	}
	if found, err := b.Session("task"); found != s {
		t.Errorf("%+v, %v", found, err)
	}
	for _, id := range []string{"task", "", "../x", "a b"} {
		if _, err := b.OpenAs(id, "test", ""); !errors.Is(err, serve.ErrChoice) {
			t.Errorf("%q: %v", id, err)
		}
	}
	s.Close()
	if _, err := b.OpenAs("task", "test", ""); err != nil {
		t.Errorf("after Close: %v", err)
	}
}

// The schema that clients read has the default of a parameter that may be left out or null, and no list of types.
func TestToolSpecs(t *testing.T) {
	set := newBench(t, serve.Limits{}).Solver.Tools(qa.Example{})
	for i, tool := range serve.ToolSpecs(set) {
		var schema struct {
			Properties map[string]map[string]any
		}
		if err := json.Unmarshal(tool.Parameters, &schema); err != nil {
			t.Fatal(err)
		}
		for _, p := range set.Specs()[i].Params {
			got := schema.Properties[p.Name]
			fallback, has := got["default"]
			want, _ := json.Marshal(p.Default) // of a number or an empty list
			if raw, _ := json.Marshal(fallback); has == p.Required || has && string(raw) != string(want) || (got["nullable"] == true) == p.Required {
				t.Errorf("%s of %s: %v, want the default %s", p.Name, tool.Name, got, want)
			}
			if _, ok := got["type"].(string); !ok {
				t.Errorf("%s of %s has the type %v", p.Name, tool.Name, got["type"])
			}
		}
	}
}
