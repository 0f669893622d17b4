package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"airqa/agent"
	"airqa/eval"
	"airqa/internal/terminal"
	"airqa/qa"
	"airqa/run"
	"airqa/run/budget"
	"airqa/run/models"
	"airqa/run/status"
	"airqa/runlog"
)

// maxEqualFailures is the number of consecutive episodes failing for one reason that end an invocation.
const maxEqualFailures = 10

// Ended is the result of one job.
type Ended struct {
	Job
	run.Summary
	Tally Tally
	Err   error
}

// interrupted reports whether a signal left episodes unfinished.
func (e Ended) interrupted() bool {
	return errors.Is(e.Err, qa.ErrInterrupted) || e.Suspended == qa.ErrInterrupted.Error()
}

// running is a job with its run directory, and the result of its last round.
type running struct {
	Ended
	solver   run.Solver
	writer   *runlog.Writer
	recorded map[string]runlog.Recorded
	// skip reports which recorded episodes not to run; nil follows the plan.
	skip func(runlog.Recorded) bool
}

// execution is one call of Execute.
type execution struct {
	Session
	plan    Plan
	account *budget.Account
	drain   <-chan struct{}
}

// Execute runs the jobs of a plan in their run directories and resumes existing runs. Jobs share the workers: the next one
// starts when the previous one has no episode left to start. Nothing runs if any directory belongs to another configuration.
func (s Session) Execute(ctx context.Context, p Plan) ([]Ended, error) {
	world, err := s.OpenWorld(ctx, &p)
	if err != nil {
		return nil, err
	}
	e := &execution{Session: s, plan: p, account: budget.NewAccount(p.Limits, budget.Spent{}, s.Now)}
	open := make([]*running, 0, len(p.Jobs))
	defer func() {
		for _, r := range open {
			_ = r.writer.Close()
		}
	}()
	for _, j := range p.Jobs {
		r, err := e.openJob(j, world)
		if err != nil {
			return nil, err
		}
		open = append(open, r)
		if err := p.World.Pin(j.Dir); err != nil {
			return nil, err
		}
	}
	ctx, drain, stop := s.Interrupts()
	defer stop()
	e.drain = drain
	e.runJobs(ctx, open)
	if p.Retry != "none" {
		e.retryFailed(ctx, open)
	}
	results := make([]Ended, len(open))
	for i, r := range open {
		results[i] = r.Ended
		if r.Err == nil && r.Left == 0 {
			err = errors.Join(err, p.World.Unpin(r.Dir))
		}
	}
	return results, err
}

// runJobs runs the jobs in sequence over shared workers.
func (e *execution) runJobs(ctx context.Context, jobs []*running) {
	p := e.plan
	episodes := len(p.Picked) * p.Repeats
	if p.Fork != nil {
		episodes = 1
	}
	slots := make(chan struct{}, p.Workers)
	evaluators := make(map[string]qa.Evaluator, len(p.Picked))
	for _, ex := range p.Picked {
		evaluators[ex.UUID] = ex.Evaluator
	}
	var all sync.WaitGroup
	for _, r := range jobs {
		b := &board{
			Session: e.Session, stage: e.Progress.Stage(r.Name, episodes), scorer: eval.New(eval.Config{Others: e.Others}), evaluators: evaluators,
			model: r.Model, account: e.account, started: e.Now(),
		}
		if len(p.Picked) == 1 {
			b.tally.Answers = make(map[int]string)
		}
		r.OnWait(b.refresh)
		limits := p.Settings.QuestionLimits
		question := agent.Budget{
			Tokens: limits.QuestionBudget.Tokens, USD: limits.QuestionBudget.USD, Deadline: limits.QuestionDeadline, Forecast: r.Forecast(),
		}
		if r.Price != nil {
			question.Price = r.Price.Of
		}
		config := run.Config{
			Solver: r.solver, Writer: r.writer, Recorded: r.recorded, Workers: p.Workers, Slots: slots, Repeats: p.Repeats, Now: e.Now,
			Budget: question, MaxEqualFailures: maxEqualFailures, Progress: b.add, Skip: r.skip, Watch: p.Watch,
			Outage: func(wait time.Duration, reason string) {
				e.Notify.Infof("%s: every question is failing (%s); next attempt in %s (Ctrl-C stops)", r.Name, reason, wait)
			},
		}
		if p.Fork != nil {
			config.Only = p.Fork.runs
		}
		switch p.Retry {
		case "none":
			config.Skip = func(rec runlog.Recorded) bool { return rec.Outcome != "" }
		case "all":
			config.Skip = func(rec runlog.Recorded) bool { return rec.Outcome != "" && !rec.Outcome.Failed() }
		}
		runner, err := run.New(config)
		r.Ended = Ended{Job: r.Job, Err: err}
		if err != nil {
			continue
		}
		all.Go(func() {
			r.Summary, r.Err = runner.Run(ctx, e.drain, p.Picked)
			r.Tally = b.close(r.Summary)
		})
		<-runner.Dispatched()
	}
	all.Wait()
}

// retryFailed retries, at the end of an invocation, the questions that failed for a transient reason, so that an outage
// overnight leaves no gaps. It does so only if the endpoint has answered others.
func (e *execution) retryFailed(ctx context.Context, jobs []*running) {
	var again []*running
	var failures []string
	for _, r := range jobs {
		if e.hasRetries(r) {
			again, failures = append(again, r), append(failures, r.FirstFailure)
		}
	}
	e.runJobs(ctx, again)
	for i, r := range again {
		// Permanent failures are not retried in the second round, but still count as failures of this invocation.
		r.Failed, r.FailedBefore = r.Failed+r.FailedBefore, 0
		r.FirstFailure = cmp.Or(r.FirstFailure, failures[i])
	}
}

// hasRetries reports whether a job has questions to retry; if so, it reloads the log, and only those run.
func (e *execution) hasRetries(r *running) bool {
	if r.Err != nil || r.Failed == 0 || r.Finished == 0 || r.Left > 0 || r.Suspended != "" {
		return false
	}
	if r.recorded, _, r.Err = recordedIn(r.Dir); r.Err != nil {
		return false
	}
	r.skip = func(rec runlog.Recorded) bool { return rec.Outcome != "" && !run.IsTransient(rec.Trajectory) }
	n := 0
	for _, rec := range r.recorded {
		if run.IsTransient(rec.Trajectory) {
			n++
		}
	}
	if n > 0 {
		e.Notify.Infof("%s: retrying %s after transient failures", r.Name, terminal.Plural(n, "question"))
	}
	return n > 0
}

// fillCache adds the replies of the run in CacheFrom to the cache, so that a job does not request them again. If that run
// made other requests, it adds none.
func (e *execution) fillCache(j Job, config runlog.Config, offered []qa.ToolSpec) {
	from := e.plan.CacheFrom
	// The requests have in common: the model with its address, the protocol, and the tools that are offered natively.
	requests := func(c runlog.Config) runlog.Shape {
		shape := runlog.Shape{Model: maps.Clone(c.Shape.Model), Settings: map[string]any{"protocol": c.Shape.Settings["protocol"]}}
		if shape.Model != nil && c.Note.BaseURL != "" {
			shape.Model["base_url"] = c.Note.BaseURL
		}
		if offered != nil {
			shape.Tools = c.Shape.Tools
		}
		return shape
	}
	if diff := runlog.Differences(requests(from.Config), requests(config)); len(diff) > 0 {
		e.Notify.Warnf("%s: the replies of %s are not used, because its requests were different:\n  %s", j.Name, from.Dir, strings.Join(diff, "\n  "))
		return
	}
	added, err := j.Fill(models.Requests{Cache: e.plan.Cache, Protocol: e.plan.Settings.Protocol}, from, offered)
	if err != nil {
		e.Notify.Warnf("%s: some replies are not used: %v", from.Dir, err)
	}
	e.Notify.Notef("%s: added %d replies of %s to the cache", j.Name, added, from.Dir)
}

// Result returns the error of an invocation that is not complete; nil if no question is left and none failed. A spent budget
// is a [qa.SuspendedError], failed questions are a [qa.FailedError]. It warns of truncated and refused replies.
func (s Session) Result(jobs []Ended) error {
	s.warnOfReplies(jobs)
	sum, err := addSummaries(jobs)
	if err != nil {
		return err
	}
	interrupted := slices.ContainsFunc(jobs, Ended.interrupted)
	stopped := slices.ContainsFunc(jobs, func(j Ended) bool { return j.Left > 0 && j.Failed >= maxEqualFailures })
	switch {
	case !interrupted && sum.Suspended != "":
		return &qa.SuspendedError{Reason: fmt.Sprintf("%s\n  %d of %d %s left; raise the limit and the same command resumes the run",
			sum.Suspended, sum.Left, sum.Total, sum.Noun())}
	case !interrupted && stopped:
		return qa.Failedf("stopped after %d failures; the first: %s\n  %d of %d %s left. Fix the cause; the same command resumes the run",
			sum.Failed, sum.FirstFailure, sum.Left, sum.Total, sum.Noun())
	case interrupted || sum.Left > 0:
		return fmt.Errorf("stopped with %d of %d %s left; the same command resumes the run", sum.Left, sum.Total, sum.Noun())
	case sum.Failed > 0:
		dir := jobs[0].Dir
		if len(jobs) > 1 {
			dir = filepath.Dir(dir)
		}
		return qa.Failedf("%d of %d %s failed; the first: %s\n  Fix the cause; the same command retries them. airqa trace %s lists them",
			sum.Failed, sum.Total, sum.Noun(), sum.FirstFailure, dir)
	case sum.FailedBefore > 0:
		return qa.Failedf("%d of %d %s failed in an earlier invocation and were not retried", sum.FailedBefore, sum.Total, sum.Noun())
	}
	return nil
}

// addSummaries adds up the summaries of jobs. Its error is the first of a job that is more than an interrupt.
func addSummaries(jobs []Ended) (all run.Summary, err error) {
	for _, j := range jobs {
		if j.Err != nil && !errors.Is(j.Err, qa.ErrInterrupted) {
			return all, j.Err
		}
		all.Total, all.Left, all.Failed = all.Total+j.Total, all.Left+j.Left, all.Failed+j.Failed
		all.FailedBefore += j.FailedBefore
		all.Repeated = all.Repeated || j.Repeated
		all.FirstFailure, all.Suspended = cmp.Or(all.FirstFailure, j.FirstFailure), cmp.Or(all.Suspended, j.Suspended)
	}
	return all, nil
}

// warnOfReplies counts the truncated and the refused replies of each run directory.
func (s Session) warnOfReplies(jobs []Ended) {
	for _, j := range jobs {
		f, err := status.Open(j.Dir)
		if err != nil {
			continue
		}
		now, err := f.Look(s.Now())
		if err != nil {
			continue
		}
		if text := now.CutText(); text != "" {
			s.Notify.Warnf("%s: %s; a truncated reply rarely contains an answer", j.Dir, text)
		}
		if text := now.RefusedText(); text != "" {
			s.Notify.Warnf("%s: %s; the questions are counted as the model left them", j.Dir, text)
		}
	}
}
