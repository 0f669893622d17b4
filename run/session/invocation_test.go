package session_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"airqa/env"
	"airqa/env/paperdb"
	"airqa/internal/exit"
	"airqa/internal/progress"
	"airqa/internal/testkit/openaitest"
	"airqa/qa"
	"airqa/run/models"
	"airqa/run/session"
	"airqa/runlog"
)

func TestMain(m *testing.M) {
	paperdb.WorkerMain()
	os.Exit(m.Run())
}

// invocation is a session with a data directory of one paper, an endpoint, and five questions with the answer 3.
type invocation struct {
	session.Session
	t      *testing.T
	dir    string
	server *openaitest.Server
	world  *env.Env

	mu      sync.Mutex
	notices []string
}

var paper = qa.PaperUUID("Attention", "nips2017")

func newInvocation(t *testing.T, endpoint openaitest.Config) *invocation {
	t.Helper()
	v := &invocation{t: t, dir: t.TempDir(), server: openaitest.New(endpoint)}
	t.Cleanup(v.server.Close)
	ctx, data := context.Background(), filepath.Join(v.dir, "data")
	w, err := env.OpenWriter(ctx, env.WriterConfig{Dir: data})
	v.ok(err)
	one := paperdb.Paper{Metadata: paperdb.Metadata{PaperID: paper, Title: "Attention", Conference: "nips", Year: 2017, NumPages: 1}}
	v.ok(errors.Join(w.Put(ctx, one, []byte("%PDF-1.7")), w.Finish(ctx), w.Close()))
	v.world, err = env.Open(ctx, env.Config{Dir: data, NoSearch: true, QueryInProcess: true})
	v.ok(err)
	t.Cleanup(func() { _ = v.world.Close() })
	same := func(b []byte) []byte { return b }
	v.Session = session.Session{
		Notify: func(n progress.Notice) {
			v.mu.Lock()
			defer v.mu.Unlock()
			v.notices = append(v.notices, n.String())
		},
		Progress: progress.New(progress.Config{Out: io.Discard}), Now: time.Now, Redact: same, RedactKeys: same, Program: "airqa test",
		Log:        slog.New(slog.DiscardHandler),
		Getenv:     func(name string) string { return map[string]string{"OPENAI_BASE_URL": v.server.URL()}[name] },
		Interrupts: func() (context.Context, <-chan struct{}, func()) { return ctx, make(chan struct{}), func() {} },
	}
	return v
}

func (v *invocation) ok(err error) {
	v.t.Helper()
	if err != nil {
		v.t.Fatal(err)
	}
}

// noticed reports whether a notice has the text.
func (v *invocation) noticed(text string) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return strings.Contains(strings.Join(v.notices, "\n"), text)
}

func (v *invocation) plan() session.Plan {
	var examples []qa.Example
	for i := range 5 {
		examples = append(examples, qa.Example{
			UUID: fmt.Sprintf("q%d", i), Question: fmt.Sprintf("How many (%d)?", i), AnchorPDF: []string{paper},
			Evaluator: qa.Evaluator{Func: "eval_int_exact_match", Kwargs: json.RawMessage(`{"gold": 3}`)},
		})
	}
	return session.Plan{World: v.world, Examples: examples, Picked: examples, Settings: qa.DefaultSettings(), Workers: 1, Repeats: 1, Retry: "errors"}
}

// jobs are those of question-only, which asks once for each question.
func (v *invocation) jobs() []session.Job {
	v.t.Helper()
	jobs, _, err := v.Jobs(session.Choice{
		Baselines: []string{"question-only"}, Models: []string{"openai:m"}, Out: filepath.Join(v.dir, "run"), Workers: 1,
		Calls: models.Config{Timeout: time.Minute},
	})
	v.ok(err)
	return jobs
}

// execute runs the plan and returns the only job.
func (v *invocation) execute(p session.Plan) session.Ended {
	v.t.Helper()
	ended, err := v.Execute(v.t.Context(), p, v.jobs())
	v.ok(err)
	v.ok(ended[0].Err)
	return ended[0]
}

func three([]openaitest.Message) string { return "```txt\n3\n```" }

// The same invocation again asks nothing and counts what was there.
func TestResume(t *testing.T) {
	v := newInvocation(t, openaitest.Config{Reply: three})
	for range 2 {
		e := v.execute(v.plan())
		if e.Total != 5 || e.Left != 0 || e.Failed != 0 || e.Tally.Text() != "5 of 5 objective answers right (mode reference)" {
			t.Errorf("summary %+v, tally %q", e.Summary, e.Tally.Text())
		}
	}
	if v.server.Calls() != 5 {
		t.Errorf("%d calls", v.server.Calls())
	}
	run, err := runlog.Open(filepath.Join(v.dir, "run"))
	v.ok(err)
	if run.Config.Shape.Data != v.world.Fingerprint() || run.Config.Note.QuestionCount != 5 || session.PapersOf(v.jobs()) != v.world.Fingerprint() {
		t.Errorf("recorded %+v", run.Config)
	}
}

// A question that failed for a transient reason is asked again at the end, but not one that the endpoint rejects, and none
// with --retry none.
func TestSecondRound(t *testing.T) {
	for _, tt := range []struct {
		name, retry   string
		status        int
		calls, failed int
	}{
		{"overloaded", "errors", 500, 6, 0},
		{"overloaded, no retries", "none", 500, 5, 1},
		{"rejected", "errors", 400, 5, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v := newInvocation(t, openaitest.Config{Reply: three})
			v.server.Fail(nil, openaitest.Status(tt.status, "odd", "what the endpoint said")) // the second question
			p := v.plan()
			p.Retry = tt.retry
			e := v.execute(p)
			if v.server.Calls() != tt.calls || e.Failed != tt.failed || e.Total != 5 || v.noticed("retrying 1 question") != (tt.calls == 6) {
				t.Errorf("%d calls, summary %+v, notices %q", v.server.Calls(), e.Summary, v.notices)
			}
			if tt.failed > 0 && (e.Tally.Failed != 1 || !strings.Contains(e.Tally.FirstFailure, "what the endpoint said")) {
				t.Errorf("tally %+v", e.Tally)
			}
		})
	}
}

// Nothing is asked if the run directory is that of other settings, or if anything before the first question fails.
func TestNothingRuns(t *testing.T) {
	broken := errors.New("broken")
	for _, tt := range []struct {
		name   string
		change func(*session.Plan)
		want   string
	}{
		{"other settings", func(p *session.Plan) { p.Settings.Turns++ }, "settings.turns: 20 there, 21 now"},
		{"other questions", func(p *session.Plan) { p.Examples = p.Examples[:4] }, "questions: "},
		{"check", func(p *session.Plan) { p.Check = func(runlog.Config) error { return broken } }, "broken"},
		{"seed", func(p *session.Plan) { p.Seed = func(*runlog.Writer) error { return broken } }, "broken"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v := newInvocation(t, openaitest.Config{Reply: three})
			first := v.plan()
			first.Picked = first.Picked[:1]
			v.execute(first)
			p := v.plan()
			tt.change(&p)
			_, err := v.Execute(t.Context(), p, v.jobs())
			if err == nil || !strings.Contains(err.Error(), tt.want) || v.server.Calls() != 1 {
				t.Errorf("%d calls, error %v, want %q", v.server.Calls(), err, tt.want)
			}
		})
	}
}

// A changed gold answer is noticed when a run is read, and a comparison needs two scored runs.
func TestRead(t *testing.T) {
	v := newInvocation(t, openaitest.Config{Reply: three})
	v.execute(v.plan())
	dir := filepath.Join(v.dir, "run")
	r, examples, err := v.OpenRun(dir)
	v.ok(err)
	if _, n := v.Ended(r); n != 5 || len(examples) != 5 || len(v.notices) > 0 {
		t.Errorf("%d episodes of %d questions, notices %q", n, len(examples), v.notices)
	}
	questions := filepath.Join(dir, runlog.QuestionsFile)
	raw, err := os.ReadFile(questions)
	v.ok(err)
	v.ok(os.WriteFile(questions, regexp.MustCompile(`"gold": *3`).ReplaceAll(raw, []byte(`"gold":4`)), 0o600))
	if _, _, err := v.OpenRun(dir); err != nil || !v.noticed("changed after the run started") {
		t.Errorf("error %v, notices %q", err, v.notices)
	}
}

// Questions are selected by the results of an earlier run.
func TestPickByStatus(t *testing.T) {
	v := newInvocation(t, openaitest.Config{Reply: func(m []openaitest.Message) string {
		if strings.Contains(m[len(m)-1].Text, "(2)") {
			return "```txt\n4\n```"
		}
		return three(m)
	}})
	p := v.plan()
	p.Picked = p.Picked[:4]
	v.execute(p)
	dir := filepath.Join(v.dir, "run")
	var scores []qa.Score
	for i := range 4 {
		s := qa.Score{UUID: fmt.Sprintf("q%d", i), Verdict: qa.Right, Value: 1}
		if i == 2 {
			s.Verdict, s.Value = qa.Wrong, 0
		}
		scores = append(scores, s)
	}
	v.ok(runlog.WriteScores(dir, runlog.Scoring{Mode: "reference", Judge: "offline"}, scores, nil))
	file := filepath.Join(v.dir, "ids")
	v.ok(os.WriteFile(file, []byte("q1\n q3\n"), 0o600))
	for _, tt := range []struct {
		name string
		f    session.Selection
		want string // the questions, or a part of the error
	}{
		{"all", session.Selection{}, "q0 q1 q2 q3 q4"},
		{"wrong", session.Selection{Status: []string{"wrong"}, Of: dir}, "q2"},
		{"right or missing", session.Selection{Status: []string{"right", "missing"}, Of: dir}, "q0 q1 q3 q4"},
		{"answered", session.Selection{Status: []string{"answered"}, Of: dir, Limit: 2}, "q0 q1"},
		{"file of ids", session.Selection{ID: []string{"@" + file, " q0 "}}, "q0 q1 q3"},
		{"range", session.Selection{Range: "2-3"}, "q1 q2"},
		{"none", session.Selection{Status: []string{"failed"}, Of: dir}, "none of 5 questions selected"},
		{"unknown status", session.Selection{Status: []string{"bad"}, Of: dir}, `unknown status "bad"`},
		{"no run", session.Selection{Status: []string{"wrong"}}, "need each other"},
		{"negative", session.Selection{Limit: -1}, "must not be negative"},
		{"missing file", session.Selection{ID: []string{"@" + file + "x"}}, "no such file"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			picked, err := tt.f.Pick(v.Session, v.plan().Examples)
			var ids []string
			for _, ex := range picked {
				ids = append(ids, ex.UUID)
			}
			if got := strings.Join(ids, " "); got != tt.want && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("got %q, error %v, want %q", got, err, tt.want)
			}
		})
	}
}

// Questions without their papers stop a run, are left out or are asked, as chosen; a resumed run keeps its choice.
func TestMissingPapers(t *testing.T) {
	for _, tt := range []struct {
		name, choice, recorded string
		picked                 int // after the choice; 0 is an error
	}{
		{"stop", "stop", "", 0}, {"skip", "skip", "", 4}, {"run", "run", "", 5}, {"resumed", "stop", "skip", 4},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v := newInvocation(t, openaitest.Config{Reply: three})
			p := v.plan()
			p.Examples[1].AnchorPDF = []string{"gone"}
			if tt.recorded != "" {
				first := p
				v.ok(session.Missing{Choice: tt.recorded}.Settle(t.Context(), v.Session, &first, v.jobs(), false))
				v.execute(first)
			}
			list := filepath.Join(v.dir, "list")
			err := session.Missing{Choice: tt.choice, MissingList: list}.Settle(t.Context(), v.Session, &p, v.jobs(), false)
			if (err == nil) != (tt.picked > 0) || err == nil && len(p.Picked) != tt.picked {
				t.Errorf("%d questions, error %v", len(p.Picked), err)
			}
			if err != nil && (exit.Code(err) != exit.Usage || !strings.Contains(err.Error(), "1 of 5 questions names 1 paper missing from")) {
				t.Errorf("exit code %d: %v", exit.Code(err), err)
			}
			if raw, err := os.ReadFile(list); err != nil || string(raw) != "paper\tgone\n" {
				t.Errorf("list %q, %v", raw, err)
			}
		})
	}
}
