package session

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"airqa/qa"
	"airqa/run"
	"airqa/run/status"
)

// Result returns the error of an invocation that is not complete; nil if no question is left and none failed. A spent budget
// is a [qa.SuspendedError], failed questions are a [qa.FailedError]. It warns of truncated and refused replies.
func (s Session) Result(jobs []Ended) error {
	s.warnOfReplies(jobs)
	if err := firstError(jobs); err != nil {
		return err
	}
	interrupted := slices.ContainsFunc(jobs, func(j Ended) bool { return errors.Is(j.Err, qa.ErrInterrupted) })
	stopped := slices.ContainsFunc(jobs, func(j Ended) bool { return j.Left > 0 && j.Failed >= maxEqualFailures })
	sum := addSummaries(jobs)
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

// firstError is the first error of a job that is more than an interrupt; nil if there is none.
func firstError(jobs []Ended) error {
	for _, j := range jobs {
		if j.Err != nil && !errors.Is(j.Err, qa.ErrInterrupted) {
			return j.Err
		}
	}
	return nil
}

// addSummaries adds up the summaries of jobs.
func addSummaries(jobs []Ended) (all run.Summary) {
	for _, j := range jobs {
		all.Total, all.Left, all.Failed = all.Total+j.Total, all.Left+j.Left, all.Failed+j.Failed
		all.FailedBefore += j.FailedBefore
		all.Repeated = all.Repeated || j.Repeated
		all.FirstFailure, all.Suspended = cmp.Or(all.FirstFailure, j.FirstFailure), cmp.Or(all.Suspended, j.Suspended)
	}
	return all
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
