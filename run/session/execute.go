package session

import (
	"cmp"
	"context"
	"sync"
	"time"

	"airqa/eval"
	"airqa/internal/terminal"
	"airqa/qa"
	"airqa/run"
	"airqa/run/budget"
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

// running is a job with its run directory.
type running struct {
	Job
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
	world, err := NewWorld(ctx, p.World, p.Settings.ByConference, p.Examples)
	if err != nil {
		return nil, err
	}
	if p.Note.GoldPapers, err = goldPapers(ctx, p.World, p.Examples); err != nil {
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
	results := e.runJobs(ctx, open)
	e.retryFailed(ctx, open, results)
	for _, r := range results {
		if r.Err == nil && r.Left == 0 {
			if err := p.World.Unpin(r.Dir); err != nil {
				return results, err
			}
		}
	}
	return results, nil
}

// runJobs runs the jobs in sequence over shared workers.
func (e *execution) runJobs(ctx context.Context, jobs []*running) []Ended {
	results := make([]Ended, len(jobs))
	slots := make(chan struct{}, e.plan.Workers)
	evaluators := make(map[string]qa.Evaluator, len(e.plan.Picked))
	for _, ex := range e.plan.Picked {
		evaluators[ex.UUID] = ex.Evaluator
	}
	var all sync.WaitGroup
	for i, r := range jobs {
		b := &board{
			Session: e.Session, stage: e.Progress.Stage(r.Name, e.plan.Episodes()), scorer: eval.New(eval.Config{}), evaluators: evaluators,
			model: r.Model, account: e.account, started: e.Now(), keepAnswers: len(e.plan.Picked) == 1,
		}
		r.OnWait(b.refresh)
		runner, err := run.New(e.runConfig(r, slots, b))
		results[i] = Ended{Job: r.Job, Err: err}
		if err != nil {
			continue
		}
		all.Go(func() {
			results[i].Summary, results[i].Err = runner.Run(ctx, e.drain, e.plan.Picked)
			results[i].Tally = b.close(results[i].Summary)
		})
		<-runner.Dispatched()
	}
	all.Wait()
	return results
}

func (e *execution) runConfig(r *running, slots chan struct{}, b *board) run.Config {
	p := e.plan
	config := run.Config{
		Solver: r.solver, Writer: r.writer, Recorded: r.recorded, Workers: p.Workers, Slots: slots, Repeats: p.Repeats, Now: e.Now,
		Budget:           QuestionBudget(p.Settings.QuestionLimits, r.Forecast(), r.Price),
		MaxEqualFailures: maxEqualFailures, Progress: b.add, Only: p.Only, Skip: r.skip, Watch: p.Watch,
		Outage: func(wait time.Duration, reason string) {
			e.Notify.Infof("%s: every question is failing (%s); next attempt in %s (Ctrl-C stops)", r.Name, reason, wait)
		},
	}
	switch p.Retry {
	case "none":
		config.Skip = func(rec runlog.Recorded) bool { return rec.Outcome != "" }
	case "all":
		config.Skip = func(rec runlog.Recorded) bool { return rec.Outcome != "" && !rec.Outcome.Failed() }
	}
	return config
}

// retryFailed retries, at the end of an invocation, the questions that failed for a transient reason, so that an outage
// overnight leaves no gaps. It does so only if the endpoint has answered others.
func (e *execution) retryFailed(ctx context.Context, jobs []*running, results []Ended) {
	if e.plan.Retry == "none" {
		return
	}
	var again []*running
	var places []int
	for i := range results {
		if e.hasRetries(jobs[i], &results[i]) {
			again, places = append(again, jobs[i]), append(places, i)
		}
	}
	if len(again) == 0 {
		return
	}
	for k, ended := range e.runJobs(ctx, again) {
		first := &results[places[k]]
		// Permanent failures are not retried in the second round, but still count as failures of this invocation.
		ended.Failed, ended.FailedBefore = ended.Failed+ended.FailedBefore, 0
		ended.FirstFailure = cmp.Or(ended.FirstFailure, first.FirstFailure)
		*first = ended
	}
}

// hasRetries reports whether a job has questions to retry; if so, it reloads the log, and only those run.
func (e *execution) hasRetries(r *running, ended *Ended) bool {
	if ended.Err != nil || ended.Failed == 0 || ended.Finished == 0 || ended.Left > 0 || ended.Suspended != "" {
		return false
	}
	recorded, _, err := recordedIn(r.Dir)
	if err != nil {
		ended.Err = err
		return false
	}
	r.recorded = recorded
	r.skip = func(rec runlog.Recorded) bool { return rec.Outcome != "" && !run.IsTransient(rec.Trajectory) }
	n := 0
	for _, rec := range recorded {
		if run.IsTransient(rec.Trajectory) {
			n++
		}
	}
	if n > 0 {
		e.Notify.Infof("%s: retrying %s after transient failures", r.Name, terminal.Plural(n, "question"))
	}
	return n > 0
}
