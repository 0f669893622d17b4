package session_test

import (
	"cmp"
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
	"airqa/internal/progress"
	"airqa/internal/testkit"
	"airqa/internal/testkit/openaitest"
	"airqa/qa"
	"airqa/qa/dataset"
	"airqa/run"
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
	p.Jobs = v.jobs()
	ended, err := v.Execute(v.t.Context(), p)
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
	if run.Config.Shape.Data != v.world.Fingerprint() || run.Config.Note.QuestionCount != 5 || session.WorldConfig(v.jobs(), qa.DefaultSettings()).Fingerprint != v.world.Fingerprint() {
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
			if tt.failed > 0 && (e.Tally.Failed != 1 || !strings.Contains(e.FirstFailure, "what the endpoint said")) {
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
			p.Jobs = v.jobs()
			_, err := v.Execute(t.Context(), p)
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
	testkit.OneGoroutine(t)
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
		{"wrong", session.Selection{Of: dir + "=wrong"}, "q2"},
		{"right or missing", session.Selection{Of: dir + "=right,missing"}, "q0 q1 q3 q4"},
		{"answered", session.Selection{Of: dir + "=answered", Selection: dataset.Selection{Limit: "2"}}, "q0 q1"},
		{"file of ids", session.Selection{Selection: dataset.Selection{IDs: []string{"@" + file, " q0 "}}}, "q0 q1 q3"},
		{"range", session.Selection{Selection: dataset.Selection{Limit: "2-3"}}, "q1 q2"},
		{"none", session.Selection{Of: dir + "=failed"}, "none of 5 questions selected"},
		{"unknown status", session.Selection{Of: dir + "=bad"}, `unknown status "bad"`},
		{"negative", session.Selection{Selection: dataset.Selection{Limit: "-1"}}, "want N"},
		{"missing file", session.Selection{Selection: dataset.Selection{IDs: []string{"@" + file + "x"}}}, "no such file"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			picked, err := v.Select(tt.f, v.plan().Examples)
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

// Questions without their papers stop a run, are left out or are asked, as chosen; a resumed run keeps its choice, and a dry
// run never stops.
func TestMissingPapers(t *testing.T) {
	testkit.OneGoroutine(t)
	for _, tt := range []struct {
		name, choice, recorded string
		dry                    bool
		picked                 int // after the choice; 0 is an error
	}{
		{"stop", "stop", "", false, 0},
		{"skip", "skip", "", false, 4},
		{"run", "run", "", false, 5},
		{"resumed", "stop", "skip", false, 4},
		{"stop, dry run", "stop", "", true, 5},
		{"skip, dry run", "skip", "", true, 4},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v := newInvocation(t, openaitest.Config{Reply: three})
			c := v.config(func(examples []qa.Example) { examples[1].AnchorPDF = []string{"gone"} })
			if tt.recorded != "" {
				c.Missing = tt.recorded
				first, err := v.Prepare(t.Context(), c)
				v.ok(err)
				v.execute(first)
			}
			c.Missing = cmp.Or(tt.choice, "stop")
			c.DryRun = tt.dry
			p, err := v.Prepare(t.Context(), c)
			if (err == nil) != (tt.picked > 0) || err == nil && (len(p.Picked) != tt.picked || p.Note.Missing.Choice != cmp.Or(tt.recorded, tt.choice)) {
				t.Errorf("%d questions, error %v", len(p.Picked), err)
			}
			var use *qa.UsageError
			var missing *session.MissingError
			if err != nil && (!errors.As(err, &use) || !errors.As(err, &missing) || !strings.Contains(err.Error(), "1 of 5 questions names 1 paper missing from")) {
				t.Errorf("error %v", err)
			}
		})
	}
}

// config is an invocation of question-only over a question file, whose questions may be changed.
func (v *invocation) config(change func([]qa.Example)) session.Config {
	v.t.Helper()
	examples := v.plan().Examples
	if change != nil {
		change(examples)
	}
	lines, err := dataset.Lines(examples)
	v.ok(err)
	path := filepath.Join(v.dir, "questions.jsonl")
	v.ok(os.WriteFile(path, lines, 0o600))
	return session.Config{
		Choice: session.Choice{
			Baselines: []string{"question-only"}, Models: []string{"openai:m"}, Out: filepath.Join(v.dir, "run"), Workers: 1,
		},
		Questions: path, Missing: "stop", Settings: qa.DefaultSettings(), Repeats: 1, Retry: "errors",
		OpenWorld: func(c env.Config) (*env.Env, error) {
			c.Dir, c.QueryInProcess = filepath.Join(v.dir, "data"), true
			return env.Open(v.t.Context(), c)
		},
	}
}

// What does not fit together is refused before anything is written.
func TestPrepareRefuses(t *testing.T) {
	testkit.OneGoroutine(t)
	for _, tt := range []struct {
		name   string
		change func(*session.Config)
		want   string
	}{
		{"unknown baseline", func(c *session.Config) { c.Baselines = []string{"best"} }, `"best"`},
		{"a baseline twice", func(c *session.Config) { c.Baselines = []string{"rag", " rag"} }, "baseline rag is named twice"},
		{"a model twice", func(c *session.Config) { c.Models = []string{"openai:m", "openai:m "} }, "model openai:m is named twice"},
		{"unknown provider", func(c *session.Config) { c.Models = []string{"nobody:m"} }, "offline"},
		{"a limit without a price", func(c *session.Config) { c.Calls.PriceRequired = true }, "the price of openai:m is unknown"},
		{"no list of models", func(c *session.Config) { c.Calls.Catalog = "none.json" }, "none.json"},
		{"no question left", func(c *session.Config) { c.Selection.Tags = []string{"rare"} }, "no question has the tags rare"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v := newInvocation(t, openaitest.Config{Reply: three})
			c := v.config(nil)
			tt.change(&c)
			_, err := v.Prepare(t.Context(), c)
			var use *qa.UsageError
			if !errors.As(err, &use) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want wrong use: %s", err, tt.want)
			}
			if _, err := os.Stat(c.Out); err == nil {
				t.Error("the run directory exists")
			}
		})
	}
}

// The end of an invocation tells apart what stopped it.
func TestResult(t *testing.T) {
	job := func(s run.Summary, err error) session.Ended {
		return session.Ended{Job: session.Job{Dir: "runs/a"}, Summary: s, Err: err}
	}
	broken := errors.New("disk full")
	var suspended *qa.SuspendedError
	var failed *qa.FailedError
	for _, tt := range []struct {
		name string
		jobs []session.Ended
		as   any
		want string
	}{
		{"complete", []session.Ended{job(run.Summary{Total: 5, Finished: 5}, nil)}, nil, ""},
		{"budget", []session.Ended{job(run.Summary{Total: 5, Left: 2, Suspended: "budget reached"}, nil)}, &suspended, "budget reached\n  2 of 5 questions left"},
		{"ten failures", []session.Ended{job(run.Summary{Total: 20, Left: 10, Failed: 10, FirstFailure: "401"}, nil)}, &failed, "stopped after 10 failures; the first: 401"},
		{"interrupted", []session.Ended{job(run.Summary{Total: 5, Left: 3, Suspended: "budget reached"}, qa.ErrInterrupted)}, nil, "stopped with 3 of 5 questions left"},
		{"failed", []session.Ended{job(run.Summary{Total: 5, Failed: 1, FirstFailure: "500"}, nil)}, &failed, "1 of 5 questions failed; the first: 500\n  Fix the cause; the same command retries them. airqa trace runs/a lists them"},
		{"failed before", []session.Ended{job(run.Summary{Total: 5, FailedBefore: 2}, nil)}, &failed, "2 of 5 questions failed in an earlier invocation"},
		{"several jobs", []session.Ended{job(run.Summary{Total: 5, Failed: 1, FirstFailure: "500"}, nil), job(run.Summary{Total: 5, Failed: 2, Repeated: true}, nil)}, &failed, "3 of 10 episodes failed; the first: 500\n  Fix the cause; the same command retries them. airqa trace runs lists them"},
		{"an error", []session.Ended{job(run.Summary{Total: 5, Left: 5}, broken)}, nil, "disk full"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := session.Session{Now: time.Now}.Result(tt.jobs)
			if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
			if tt.as != nil && !errors.As(err, tt.as) {
				t.Errorf("error %T: %v", err, err)
			}
		})
	}
}
