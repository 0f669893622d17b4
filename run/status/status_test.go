package status_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"airqa/qa"
	"airqa/run/status"
	"airqa/runlog"
)

// scene is a run whose clock a test sets.
type scene struct {
	t   *testing.T
	dir string
	now time.Time
	w   *runlog.Writer
}

func newScene(t *testing.T, price *qa.Price) *scene {
	t.Helper()
	return noted(t, runlog.Note{Price: price})
}

func noted(t *testing.T, note runlog.Note) *scene {
	t.Helper()
	s := &scene{t: t, dir: filepath.Join(t.TempDir(), "run"), now: time.Date(2031, 5, 1, 12, 0, 0, 0, time.UTC)}
	config := runlog.Config{
		Shape: runlog.Shape{Baseline: "rag", Model: map[string]any{"provider": "openai", "model": "m"}},
		Note:  note,
	}
	s.must(runlog.Create(s.dir, config, []byte(strings.Repeat("{}\n", 10))))
	s.open()
	return s
}

func (s *scene) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *scene) open() {
	var err error
	s.w, err = runlog.OpenWriter(s.dir, runlog.WriterConfig{Now: func() time.Time { return s.now }})
	s.must(err)
}

func (s *scene) begin(uuid string, repeat int) *runlog.Episode {
	s.t.Helper()
	e, err := s.w.Begin(uuid, repeat, nil)
	s.must(err)
	return e
}

func step(n int, attempts ...qa.Attempt) qa.Step {
	return qa.Step{N: n, By: qa.ByModel, Reply: &qa.Reply{
		Text: `it says "charged":{ and more`, Usage: qa.Usage{Prompt: 1000, Completion: 100}, Attempts: attempts,
	}}
}

func (s *scene) follow() *status.Follower {
	s.t.Helper()
	f, err := status.Open(s.dir)
	s.must(err)
	return f
}

func (s *scene) look(f *status.Follower) status.Status {
	s.t.Helper()
	got, err := f.Look(s.now)
	s.must(err)
	return got
}

// The repeats that have not begun count as left.
func TestRepeatsToCome(t *testing.T) {
	s := noted(t, runlog.Note{Repeats: 8})
	s.begin("a", 0)
	if got := s.look(s.follow()); got.Episodes != 80 || got.Repeats != 8 || got.Left != 79 {
		t.Errorf("%d episodes of %d repeats, %d left; want 80, 8 and 79", got.Episodes, got.Repeats, got.Left)
	}
}

func TestLook(t *testing.T) {
	s := newScene(t, &qa.Price{Prompt: 1, Completion: 10})
	f := s.follow()
	if got := s.look(f); !got.Writing || got.Left != 10 || got.LastEvent != nil || got.Rate != nil {
		t.Errorf("an empty run: %+v", got)
	}
	charged := &qa.Usage{Prompt: 500, Estimated: true}
	a, b, c := s.begin("a", 0), s.begin("b", 0), s.begin("c", 1)
	s.must(a.Call(step(1, qa.Attempt{Status: 429, Error: "rate_limit"}, qa.Attempt{Status: 200, Wait: 3})))
	s.must(b.Call(step(1, qa.Attempt{Status: 500, Error: "server", Charged: charged}, qa.Attempt{Status: 200})))
	s.now = s.now.Add(time.Minute)
	s.must(a.End(qa.Trajectory{Outcome: qa.Answered, Steps: []qa.Step{step(1)}}))
	s.must(b.End(qa.Trajectory{Outcome: qa.EndpointError, Reason: "HTTP 503", Steps: []qa.Step{step(1)}, FailedAttempts: []qa.Attempt{{Charged: charged}}}))
	s.must(c.Call(step(1)))
	s.must(c.Lost([]qa.Attempt{{Error: "cancelled", Charged: charged}}))
	s.now = s.now.Add(time.Minute)

	got := s.look(f)
	quiet, usd := 60.0, (3*1000+3*500+3*100*10.0)/1e6
	left := 18 / 0.5 * 60
	last := s.now.Add(-time.Minute)
	want := status.Status{
		Run: s.dir, Baseline: "rag", Model: "openai:m", Writing: true, Questions: 10, Repeats: 2, Episodes: 20,
		Done: 1, InFlight: 1, Failed: 1, Left: 17, Outcomes: map[qa.Outcome]int{qa.Answered: 1, qa.EndpointError: 1},
		Because: "HTTP 503", BecauseCount: 1,
		Usage: qa.Usage{Prompt: 3000, Completion: 300}, Charged: qa.Usage{Prompt: 1500, Estimated: true}, USD: &usd,
		Rate:        &status.Rate{Seconds: 120, EpisodesPerMinute: 0.5, TokensPerSecond: 3300 / 120.0, Requests: 4, Refused: 1, Broken: 1, Waited: 3},
		SecondsLeft: &left, LastEvent: &last, Quiet: &quiet, Oldest: &quiet,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	// A later follower sees the same, and a second look only what is new.
	if diff := cmp.Diff(want, s.look(s.follow())); diff != "" {
		t.Errorf("at the first look (-want +got):\n%s", diff)
	}
	s.must(b.Call(step(2)))
	if got := s.look(f); got.Failed != 0 || got.InFlight != 2 || got.Usage.Prompt != 4000 {
		t.Errorf("an episode that is resumed: %+v", got)
	}
	s.must(s.w.Close())
	if got := s.look(f); got.Writing || got.SecondsLeft != nil || got.Oldest != nil {
		t.Errorf("after the end: %+v", got)
	}
}

// Truncated replies are counted once, without those of an abandoned attempt.
func TestCutReplies(t *testing.T) {
	s := newScene(t, nil)
	cut := step(1)
	cut.Reply.Text, cut.Reply.Finish = `"finish":"length"`, "stop"
	e := s.begin("a", 0)
	s.must(e.Call(cut))
	f := s.follow()
	if got := s.look(f); got.CutReplies != 0 || got.Replies != 0 || got.CutText() != "" {
		t.Errorf("none is cut off: %d of %d, %q", got.CutReplies, got.Replies, got.CutText())
	}
	cut.N, cut.Reply.Finish = 2, qa.FinishLength
	s.must(e.Call(cut))
	got := s.look(f)
	if want := "1 of 2 replies were cut off at the token limit"; got.CutText() != want || !strings.Contains(got.Text(0), want) {
		t.Errorf("got %q, want %q", got.CutText(), want)
	}
	s.begin("a", 0)
	if got := s.look(f); got.CutReplies != 0 {
		t.Errorf("%d replies of a new attempt are cut off", got.CutReplies)
	}
}

// Refused replies are counted like truncated ones.
func TestRefusedReplies(t *testing.T) {
	s := newScene(t, nil)
	e := s.begin("a", 0)
	for i, finish := range []string{"stop", qa.FinishFilter, qa.FinishRefusal} {
		reply := step(i + 1)
		reply.Reply.Finish = finish
		s.must(e.Call(reply))
	}
	got := s.look(s.follow())
	want := "2 of 3 replies were refused by the model or stopped by the endpoint's content filter"
	if got.RefusedText() != want || !strings.Contains(got.Text(0), want) || got.CutText() != "" {
		t.Errorf("got %q, want %q; cut off %q", got.RefusedText(), want, got.CutText())
	}
}

// The rates look back three minutes, and no further than the present start.
func TestRateForgets(t *testing.T) {
	s := newScene(t, nil)
	f := s.follow()
	for i := range 20 {
		e := s.begin(string(rune('a'+i)), 0)
		s.must(e.Call(step(1)))
		s.now = s.now.Add(30 * time.Second)
		s.must(e.End(qa.Trajectory{Outcome: qa.Answered, Steps: []qa.Step{step(1)}}))
	}
	if r := s.look(f).Rate; r == nil || r.Seconds != 180 || r.EpisodesPerMinute < 2 || r.EpisodesPerMinute > 2.4 {
		t.Errorf("rate %+v, want about 2 a minute over 180 s", r)
	}
	s.now = s.now.Add(24 * time.Hour)
	if r := s.look(f).Rate; r != nil {
		t.Errorf("rate %+v a day after the last event", r)
	}
}

func TestDamagedLog(t *testing.T) {
	s := newScene(t, nil)
	s.must(s.begin("a", 0).End(qa.Trajectory{Outcome: qa.Answered}))
	s.must(s.w.Close())
	path := filepath.Join(s.dir, runlog.LogFile)
	raw, err := os.ReadFile(path)
	s.must(err)
	damaged := "not an event\n" + string(raw) + `{"type":"end","episode":"b#0","seq":1,"time":"2031-05-01T12:00:00Z",garbage}` + "\n" + `{"type":"end","epi`
	s.must(os.WriteFile(path, []byte(damaged), 0o600))
	f := s.follow()
	if got := s.look(f); got.BadLines != 2 || got.Done != 1 || !strings.Contains(got.Text(0), "2 unreadable log lines") {
		t.Errorf("%+v", got)
	}
	// The log was put back from a copy that is shorter.
	s.must(os.WriteFile(path, raw, 0o600))
	if got := s.look(f); got.BadLines != 0 || got.Done != 1 {
		t.Errorf("after the log was replaced: %+v", got)
	}
}

// A call or an end that cannot be decoded is an unreadable line of an episode that has begun; what else the line says does
// not count. Values that are not used may be of any form.
func TestUnreadableEvents(t *testing.T) {
	const usage = `"usage":{"prompt":100,"completion":10}`
	for _, tt := range []struct {
		name, line   string
		bad, replies int
		usage        int // prompt tokens
	}{
		{"a whole call", `"type":"call",@,"reply":{"finish":"length",` + usage + `}`, 0, 1, 100},
		{"wrong values that are not used", `"type":"call",@,"step":[],"reply":{"finish":"length","text":7,` + usage + `}`, 0, 1, 100},
		{"invalid UTF-8 and a number beyond all", `"type":"call",@,"reply":{"finish":"length","text":"` + "\xff" + `","x":1e999,` + usage + `}`, 0, 1, 100},
		{"the last of two counts", `"type":"call",@,"reply":{"finish":"length","usage":{"prompt":5},` + usage + `}`, 0, 1, 100},
		{"finish is no string", `"type":"call",@,"reply":{"finish":7,` + usage + `}`, 0, 0, 100},
		{"usage is a list", `"type":"call",@,"reply":{"finish":"length","usage":[]}`, 1, 0, 0},
		{"usage is no integer", `"type":"call",@,"reply":{"finish":"length","usage":{"prompt":1e999}}`, 1, 0, 0},
		{"garbage in a call", `"type":"call",@,"reply":{"finish":"length",garbage,` + usage + `}`, 1, 0, 0},
		{"garbage in an end", `"type":"end",@,garbage,"outcome":"answered",` + usage, 1, 0, 0},
		{"an end of another form", `"type":"end",@,"outcome":"answered","usage":7`, 1, 0, 0},
		{"cut off", `"type":"call",@,"reply":{"finish":"length",` + usage, 1, 0, 0},
	} {
		s := newScene(t, nil)
		s.must(s.w.Close())
		line := "{" + strings.Replace(tt.line, "@", `"episode":"b#0","seq":1,"time":"2031-05-01T12:00:00Z"`, 1) + "}\n"
		s.must(os.WriteFile(filepath.Join(s.dir, runlog.LogFile), []byte(line), 0o600))
		got := s.look(s.follow())
		if got.BadLines != tt.bad || got.CutReplies != tt.replies || got.Usage.Prompt != tt.usage || got.InFlight != 1 || got.Done != 0 {
			t.Errorf("%s: %+v", tt.name, got)
		}
	}
}

func TestText(t *testing.T) {
	left, quiet, silent, usd := 5000.0, 3.0, 90.0, 4.2
	s := status.Status{
		Run: "runs/rag", Baseline: "rag", Model: "openai:m\x1b[31m", Writing: true, Questions: 50, Repeats: 2, Episodes: 100, Done: 61, InFlight: 4, Failed: 3, Left: 32,
		Outcomes: map[qa.Outcome]int{qa.Answered: 50, qa.TurnLimit: 11, qa.EndpointError: 3}, Because: "HTTP 503", BecauseCount: 2,
		Usage: qa.Usage{Prompt: 1_234_567, Completion: 34_567}, Charged: qa.Usage{Prompt: 500}, USD: &usd,
		Rate:        &status.Rate{Seconds: 180, EpisodesPerMinute: 12, TokensPerSecond: 1234, Requests: 40, Refused: 5, Broken: 1, Waited: 75},
		SecondsLeft: &left, Quiet: &quiet, Oldest: &silent,
	}
	want := `runs/rag: rag, openai:m\x1b[31m
  running: 61/100 episodes done, 4 in flight, 3 failed, 32 left, of 50 questions in the file × 2 repeats
  answered 50, turn_limit 11, endpoint_error 3
  failed, 2 of 3 because: HTTP 503
  1.2M tokens in, 35k out; up to 500 more for failed requests; $4.20
  last 3m00s: 12 episodes/min, 1.2k tok/s; of 40 requests 5 refused (429), 1 failed, 1m15s waited
  an episode has been silent for 1m30s: a long call or a retry
  about 1h23m for the remaining episodes; last event 3.0s ago`
	if diff := cmp.Diff(want, s.Text(0)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	brief := `runs/rag: 61/100 done, 4 in flight, 3 failed, 12/min, 1.2k tok/s, $4.20, 1h23m left`
	if diff := cmp.Diff(brief, s.Brief()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	cents := 0.0012
	s.USD = &cents
	if got := s.Text(0); !strings.Contains(got, "; $0.0012") {
		t.Error(got)
	}
	for _, width := range []int{20, 33, 80} {
		for line := range strings.SplitSeq(s.Text(width), "\n") {
			if n := len([]rune(line)); n > width {
				t.Errorf("width %d: %d characters in %q", width, n, line)
			}
		}
	}
	if bare := (status.Status{Run: "r"}).Text(0); !strings.Contains(bare, "cost unknown") || !strings.Contains(bare, "no events yet") {
		t.Error(bare)
	}
}
