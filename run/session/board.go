package session

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"airqa/eval"
	"airqa/internal/exit"
	"airqa/internal/progress"
	"airqa/internal/terminal"
	"airqa/qa"
	"airqa/run"
	"airqa/run/budget"
	"airqa/run/models"
	"airqa/run/status"
)

// board shows the progress of a running job. It is safe for concurrent use.
type board struct {
	Session
	stage      *progress.Stage
	model      models.Model
	scorer     *eval.Scorer
	evaluators map[string]qa.Evaluator
	price      *qa.Price
	account    *budget.Account
	started    time.Time

	mu     sync.Mutex
	done   int
	closed bool
	tally  Tally
	// only is set if the invocation has one question, whose answers are kept
	only bool
	// of this invocation
	failed, tokens int
}

func (b *board) add(e run.Event) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.done = e.Done
	b.tally.add(b.scorer, b.evaluators[e.Trajectory.UUID], e.Trajectory)
	if b.only && e.Trajectory.Answer.Given {
		b.tally.keep(e.Trajectory)
	}
	if e.Skipped {
		b.stage.Skip(e.Done)
		return
	}
	b.count(e.Trajectory)
	b.stage.Set(e.Done, b.line())
}

// refresh updates the display of waiting calls.
func (b *board) refresh() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.closed {
		b.stage.Set(b.done, b.line())
	}
}

func (b *board) count(t qa.Trajectory) {
	used := t.Usage()
	b.tokens += used.Prompt + used.Completion
	if t.Outcome.Failed() {
		b.failed++
		b.Log.Debug("episode failed", "uuid", t.UUID, "reason", t.Reason)
	}
}

// line is the text next to the bar: waiting calls, correct answers that need no judge, tokens per second, cost,
// failures.
func (b *board) line() string {
	var parts []string
	if waiting := b.model.Waiting(); waiting != "" {
		parts = append(parts, waiting)
	}
	if b.tally.Objective > 0 {
		parts = append(parts, fmt.Sprintf("%d/%d right", b.tally.Right, b.tally.Objective))
	}
	if seconds := b.Now().Sub(b.started).Seconds(); b.tokens > 0 && seconds > 0 {
		parts = append(parts, terminal.Compact(float64(b.tokens)/seconds)+" tok/s")
	}
	if b.price != nil && *b.price != (qa.Price{}) {
		parts = append(parts, fmt.Sprintf("$%.2f", b.account.Spent().USD))
	}
	if b.failed > 0 {
		parts = append(parts, fmt.Sprintf("%d failed", b.failed))
	}
	return strings.Join(parts, " ")
}

// close ends the bar and returns the tally.
func (b *board) close(s run.Summary) Tally {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	b.stage.Close(summaryLine(s))
	return b.tally
}

func summaryLine(s run.Summary) string {
	before := s.Skipped - s.FailedBefore
	parts := []string{fmt.Sprintf("%d of %d %s done", before+s.Finished, s.Total, s.Noun())}
	if before > 0 {
		parts = append(parts, fmt.Sprintf("%d of them before", before))
	}
	for _, o := range slices.Sorted(maps.Keys(s.Limits)) {
		parts = append(parts, fmt.Sprintf("%d by %s", s.Limits[o], o))
	}
	if s.Failed > 0 {
		parts = append(parts, fmt.Sprintf("%d failed", s.Failed))
	}
	if s.FailedBefore > 0 {
		parts = append(parts, fmt.Sprintf("%d failed before", s.FailedBefore))
	}
	if s.Left > 0 {
		parts = append(parts, fmt.Sprintf("%d left", s.Left))
	}
	return strings.Join(parts, ", ")
}

// Next is how an invocation of a run continues.
type Next struct {
	// Out is the run directory, or the folder of several.
	Out string
	// Judge is appended to the suggested airqa score, such as "--judge offline"; may be empty.
	Judge string
	// Scores is true if scoring follows at once, so that no command is suggested.
	Scores bool
}

// End reports the scores so far and the next step, and turns the results of the jobs into an exit code.
func (s Session) End(jobs []Ended, next Next, err error) error {
	interrupted, err := s.interrupted(jobs, err)
	if err != nil {
		return err
	}
	s.sayTallies(jobs)
	all, stopped := sum(jobs)
	if interrupted == nil && all.Left == 0 {
		s.sayNext(jobs, next)
	}
	return endOf(all, next.Out, stopped, interrupted)
}

// Result turns the results of the jobs into an exit code: nil if no question is left and none failed.
func (s Session) Result(jobs []Ended, out string, err error) error {
	interrupted, err := s.interrupted(jobs, err)
	if err != nil {
		return err
	}
	all, stopped := sum(jobs)
	return endOf(all, out, stopped, interrupted)
}

// interrupted returns the interruption of a job, or the error that ended one.
func (s Session) interrupted(jobs []Ended, err error) (interruption, failure error) {
	if err != nil {
		return nil, err
	}
	s.warnOfReplies(jobs)
	for _, c := range jobs {
		switch {
		case errors.Is(c.Err, qa.ErrInterrupted):
			interruption = c.Err
		case c.Err != nil:
			return nil, c.Err
		}
	}
	return interruption, nil
}

// sayNext prints the next command.
func (s Session) sayNext(jobs []Ended, next Next) {
	if next.Scores {
		return
	}
	scorable := slices.ContainsFunc(jobs, func(j Ended) bool { return j.Tally.Scorable() > 0 })
	if !scorable {
		s.Notify.Infof("next: airqa trace %s", next.Out)
		return
	}
	command := "airqa score " + next.Out
	if next.Judge != "" {
		command += " " + next.Judge
	}
	s.Notify.Infof("next: %s\n      airqa trace %s --status wrong", command, next.Out)
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

// endOf is the error of an invocation that is not complete, with its exit code; nil if nothing is left or failed.
func endOf(sum run.Summary, out string, stopped bool, interrupted error) error {
	switch {
	case interrupted == nil && sum.Suspended != "":
		return exit.With(exit.Budget, fmt.Errorf("%s\n  %d of %d %s left; raise the limit and the same command resumes the run", sum.Suspended, sum.Left, sum.Total, sum.Noun()))
	case interrupted == nil && stopped:
		return exit.With(exit.FailedExamples, fmt.Errorf("stopped after %d failures; the first: %s\n  %d of %d %s left. Fix the cause; the same command resumes the run",
			sum.Failed, sum.FirstFailure, sum.Left, sum.Total, sum.Noun()))
	case interrupted != nil || sum.Left > 0:
		return fmt.Errorf("stopped with %d of %d %s left; the same command resumes the run", sum.Left, sum.Total, sum.Noun())
	case sum.Failed > 0:
		return exit.With(exit.FailedExamples, fmt.Errorf("%d of %d %s failed; the first: %s\n  Fix the cause; the same command retries them. airqa trace %s lists them",
			sum.Failed, sum.Total, sum.Noun(), sum.FirstFailure, out))
	case sum.FailedBefore > 0:
		return exit.With(exit.FailedExamples, fmt.Errorf("%d of %d %s failed in an earlier invocation and were not retried; --retry all retries them", sum.FailedBefore, sum.Total, sum.Noun()))
	}
	return nil
}
