package main

import (
	"context"

	"airqa/run"
	"airqa/run/budget"
	"airqa/run/runlog"
)

// tryAgain runs once more, at the end of a start, the questions that failed for a reason of the endpoint that may have passed:
// an outage in the night leaves no holes for somebody to find in the morning. It does so where the endpoint has answered others.
func (a *app) tryAgain(ctx context.Context, drain <-chan struct{}, p plan, jobs []*opened, account *budget.Account, results []ended) {
	if p.retry == "none" || p.replay != nil {
		return
	}
	var some []*opened
	var places []int
	for i := range results {
		if a.worthAnother(jobs[i], &results[i]) {
			some, places = append(some, jobs[i]), append(places, i)
		}
	}
	if len(some) == 0 {
		return
	}
	for k, e := range a.runJobs(ctx, drain, p, some, account) {
		// What failed for good is left alone by the second round, and has failed in this start all the same.
		e.Failed, e.FailedBefore = e.Failed+e.FailedBefore, 0
		if e.FirstFailure == "" {
			e.FirstFailure = results[places[k]].FirstFailure
		}
		results[places[k]] = e
	}
}

// worthAnother tells whether a job has questions to run again, and takes up what the log holds now.
func (a *app) worthAnother(o *opened, e *ended) bool {
	if e.err != nil || e.Failed == 0 || e.Finished == 0 || e.Left > 0 || e.Suspended != "" {
		return false
	}
	n, err := o.reopen()
	if err != nil {
		e.err = err
		return false
	}
	if n > 0 {
		a.say("%s: %s failed for a reason that may have passed, and run again", e.name, withPlural(n, "question"))
	}
	return n > 0
}

// reopen takes up what the log holds now, and counts the episodes to run again: those alone are run.
func (o *opened) reopen() (int, error) {
	var err error
	if o.recorded, _, err = recordedIn(o.dir); err != nil {
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
