package session

import (
	"context"

	"airqa/internal/terminal"
	"airqa/run"
	"airqa/run/budget"
	"airqa/runlog"
)

// secondRound retries, at the end of an invocation, the questions that failed for a transient reason, so that an outage
// overnight leaves no gaps. It does so only if the endpoint has answered others.
func (s Session) secondRound(ctx context.Context, drain <-chan struct{}, p Plan, jobs []*running, account *budget.Account, results []Ended) {
	if p.Retry == "none" || p.Replay != nil {
		return
	}
	var some []*running
	var places []int
	for i := range results {
		if s.worthAnother(jobs[i], &results[i]) {
			some, places = append(some, jobs[i]), append(places, i)
		}
	}
	if len(some) == 0 {
		return
	}
	for k, e := range s.runJobs(ctx, drain, p, some, account) {
		// Permanent failures are not retried in the second round, but still count as failures of this invocation.
		e.Failed, e.FailedBefore = e.Failed+e.FailedBefore, 0
		if e.FirstFailure == "" {
			e.FirstFailure = results[places[k]].FirstFailure
		}
		results[places[k]] = e
	}
}

// worthAnother reports whether a job has questions to retry, and reloads the log.
func (s Session) worthAnother(o *running, e *Ended) bool {
	if e.Err != nil || e.Failed == 0 || e.Finished == 0 || e.Left > 0 || e.Suspended != "" {
		return false
	}
	n, err := o.reopen()
	if err != nil {
		e.Err = err
		return false
	}
	if n > 0 {
		s.Notify.Infof("%s: retrying %s after transient failures", e.Name, terminal.Plural(n, "question"))
	}
	return n > 0
}

// reopen reloads the log and counts the episodes to retry; only those run.
func (o *running) reopen() (int, error) {
	var err error
	if o.recorded, _, err = recordedIn(o.Dir); err != nil {
		return 0, err
	}
	o.skip = func(rec runlog.Recorded) bool { return rec.Outcome != "" && !run.MayPass(rec.Trajectory) }
	n := 0
	for _, rec := range o.recorded {
		if run.MayPass(rec.Trajectory) {
			n++
		}
	}
	return n, nil
}
