package session

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"airqa/eval"
	"airqa/internal/terminal"
	"airqa/qa"
	"airqa/run"
	"airqa/run/budget"
	"airqa/run/models"
)

// board shows the progress of a running job. It is safe for concurrent use.
type board struct {
	Session
	stage      *terminal.Stage
	model      models.Model
	scorer     *eval.Scorer
	evaluators map[string]qa.Evaluator
	account    *budget.Account
	started    time.Time

	mu     sync.Mutex
	done   int
	closed bool
	tally  Tally
	// failed and tokens are those of this invocation.
	failed, tokens int
}

func (b *board) add(e run.Event) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.done = e.Done
	b.tally.add(b.scorer, b.evaluators[e.Trajectory.UUID], e.Trajectory)
	if b.tally.Answers != nil && e.Trajectory.Answer.Given {
		b.tally.Answers[e.Trajectory.Repeat] = e.Trajectory.Answer.Text
	}
	if e.Skipped {
		b.stage.Skip(e.Done)
		return
	}
	used := e.Trajectory.Usage()
	b.tokens += used.Prompt + used.Completion
	if e.Trajectory.Outcome.Failed() {
		b.failed++
		b.Log.Debug("episode failed", "uuid", e.Trajectory.UUID, "reason", e.Trajectory.Reason)
	}
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
	if b.model.Price != nil && *b.model.Price != (qa.Price{}) {
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
	b.stage.Close(strings.Join(parts, ", "))
	return b.tally
}
