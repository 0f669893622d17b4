package session_test

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"airqa/env/paperdb"
	"airqa/internal/testkit/openaitest"
	"airqa/internal/testkit/sessiontest"
	"airqa/qa"
	"airqa/run"
	"airqa/run/plan"
	"airqa/run/session"
	"airqa/runlog"
)

func TestMain(m *testing.M) {
	paperdb.WorkerMain()
	os.Exit(m.Run())
}

// The same invocation again asks nothing and counts what was there.
func TestResume(t *testing.T) {
	v := sessiontest.New(t, openaitest.Config{Reply: sessiontest.Three})
	for range 2 {
		e := v.Run(v.Plan())
		if e.Total != 5 || e.Left != 0 || e.Failed != 0 || e.Tally.Text() != "5 of 5 objective answers right (mode reference)" {
			t.Errorf("summary %+v, tally %q", e.Summary, e.Tally.Text())
		}
	}
	if v.Server.Calls() != 5 {
		t.Errorf("%d calls", v.Server.Calls())
	}
	run, err := runlog.Open(filepath.Join(v.Dir, "run"))
	v.OK(err)
	if run.Config.Shape.Data != v.World.Fingerprint() || run.Config.Note.QuestionCount != 5 || plan.WorldConfig(v.Jobs(), qa.DefaultSettings()).Fingerprint != v.World.Fingerprint() {
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
			v := sessiontest.New(t, openaitest.Config{Reply: sessiontest.Three})
			v.Server.Fail(nil, openaitest.Status(tt.status, "odd", "what the endpoint said")) // the second question
			p := v.Plan()
			p.Retry = tt.retry
			e := v.Run(p)
			if v.Server.Calls() != tt.calls || e.Failed != tt.failed || e.Total != 5 || v.Noticed("retrying 1 question") != (tt.calls == 6) {
				t.Errorf("%d calls, summary %+v, notices %q", v.Server.Calls(), e.Summary, v.Notices())
			}
			if tt.failed > 0 && (e.Tally.Failed != 1 || !strings.Contains(e.FirstFailure, "what the endpoint said")) {
				t.Errorf("tally %+v", e.Tally)
			}
		})
	}
}

// Nothing is asked if the run directory is that of other settings, or if anything before the first question fails.
func TestNothingRuns(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*session.Plan)
		want   string
	}{
		{"other settings", func(p *session.Plan) { p.Settings.Turns++ }, "settings.turns: 20 there, 21 now"},
		{"other questions", func(p *session.Plan) { p.Examples = p.Examples[:4] }, "questions: "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v := sessiontest.New(t, openaitest.Config{Reply: sessiontest.Three})
			first := v.Plan()
			first.Picked = first.Picked[:1]
			v.Run(first)
			p := v.Plan()
			tt.change(&p)
			p.Jobs = v.Jobs()
			_, err := v.Execute(t.Context(), p)
			if err == nil || !strings.Contains(err.Error(), tt.want) || v.Server.Calls() != 1 {
				t.Errorf("%d calls, error %v, want %q", v.Server.Calls(), err, tt.want)
			}
		})
	}
}

// A changed gold answer is noticed when a run is read, and a comparison needs two scored runs.
func TestRead(t *testing.T) {
	v := sessiontest.New(t, openaitest.Config{Reply: sessiontest.Three})
	v.Run(v.Plan())
	dir := filepath.Join(v.Dir, "run")
	r, examples, err := v.OpenRun(dir)
	v.OK(err)
	if _, n := v.Ended(r); n != 5 || len(examples) != 5 || len(v.Notices()) > 0 {
		t.Errorf("%d episodes of %d questions, notices %q", n, len(examples), v.Notices())
	}
	questions := filepath.Join(dir, runlog.QuestionsFile)
	raw, err := os.ReadFile(questions)
	v.OK(err)
	v.OK(os.WriteFile(questions, regexp.MustCompile(`"gold": *3`).ReplaceAll(raw, []byte(`"gold":4`)), 0o600))
	if _, _, err := v.OpenRun(dir); err != nil || !v.Noticed("changed after the run started") {
		t.Errorf("error %v, notices %q", err, v.Notices())
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
