package enrich

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"

	"airqa/env/paperdb"
	"airqa/qa"
)

// Asked is the result of [Enricher.Ask].
type Asked struct {
	// Papers of Total were completed.
	Papers, Total int
	// Calls is the number of calls, Failed the number of those without a usable reply; FirstFailure is the first such
	// error.
	Calls, Failed int
	FirstFailure  error
	Usage         qa.Usage
	// Unseen is the number of figures that could not be rendered and were described from their captions.
	Unseen int
	// Known is the number of cells whose reply was already in the journal.
	Known int
	// BudgetReached means that the budget stopped Ask, Drained that the caller did.
	BudgetReached, Drained bool
}

// Ask asks the model for every cell to fill, except those that are their own summary or have a reply in the journal. A
// failed call is counted and retried by the next Ask. An error is from the library, the journal or the context, or
// reports too many consecutive failures of the model; earlier replies are in the journal.
func (e *Enricher) Ask(ctx context.Context, lib Library) (Asked, error) {
	owned, err := lib.Files(ctx)
	if err != nil {
		return Asked{}, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	a := &asking{
		Enricher: e, lib: lib, jobs: make(chan job), queued: map[string]bool{}, halt: cancel, sum: Asked{Total: len(owned)},
		budget: &budget{maxCalls: e.cfg.MaxCalls, maxTokens: e.cfg.MaxTokens},
	}
	var workers sync.WaitGroup
	for range e.cfg.Workers {
		workers.Go(func() {
			for j := range a.jobs {
				a.ask(ctx, j)
			}
		})
	}
	for _, o := range owned {
		if err = a.paper(ctx, o); err != nil {
			break
		}
	}
	close(a.jobs)
	workers.Wait()
	a.sum.Usage, a.sum.BudgetReached = a.budget.used, errors.Is(err, errBudget)
	a.sum.Drained = errors.Is(err, errDrained)
	if cause := context.Cause(ctx); cause != nil {
		return a.sum, cause
	}
	if a.sum.BudgetReached || a.sum.Drained {
		err = nil
	}
	return a.sum, err
}

// Reasons to stop that are not failures.
var (
	errBudget  = errors.New("the budget is reached")
	errDrained = errors.New("stopped by the caller")
)

// job is a call to make.
type job struct {
	task
	question
	paper    string
	estimate int
}

// asking is the state of one Ask. queued belongs to the goroutine that iterates over the papers.
type asking struct {
	*Enricher
	lib    Library
	jobs   chan job
	queued map[string]bool
	budget *budget
	halt   context.CancelCauseFunc

	mu  sync.Mutex
	sum Asked
	// streak counts the failures since the last success.
	streak int
}

// paper queues the calls of one paper.
func (a *asking) paper(ctx context.Context, o paperdb.Owned) error {
	p, err := a.lib.Enrichable(ctx, o.PaperID)
	if err != nil {
		return err
	}
	for _, t := range a.tasks(p, o.SHA256) {
		if err := a.task(ctx, o.PaperID, t); err != nil {
			return err
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.sum.Papers++
	a.reportProgress()
	return nil
}

func (a *asking) task(ctx context.Context, paper string, t task) error {
	if t.isOwnSummary() {
		return nil
	}
	q, err := t.question(a.cfg.ModelName)
	if err != nil {
		return err
	}
	if a.queued[q.key] {
		return nil
	}
	if a.cfg.Journal.Has(q.key) {
		a.mu.Lock()
		a.sum.Known++
		a.mu.Unlock()
		return nil
	}
	j := job{task: t, question: q, paper: paper, estimate: a.budget.estimate(q.messages, t.place != nil)}
	if !a.budget.reserve(j.estimate) {
		return errBudget
	}
	a.queued[q.key] = true
	return a.submit(ctx, j)
}

// submit passes a call to a worker.
func (a *asking) submit(ctx context.Context, j job) error {
	select { // a drain takes precedence over an idle worker
	case <-a.cfg.Drain:
		a.budget.release(j.estimate)
		return errDrained
	default:
	}
	select {
	case a.jobs <- j:
		return nil
	case <-a.cfg.Drain:
		a.budget.release(j.estimate)
		return errDrained
	case <-ctx.Done():
		a.budget.release(j.estimate)
		return ctx.Err()
	}
}

// ask makes a call and records the reply.
func (a *asking) ask(ctx context.Context, j job) {
	if ctx.Err() != nil {
		a.budget.release(j.estimate)
		return
	}
	if wanted, err := a.draw(ctx, &j); err != nil || !wanted {
		a.budget.release(j.estimate)
		if err != nil && ctx.Err() == nil {
			a.halt(err)
		}
		return
	}
	reply, err := a.cfg.Model.Complete(ctx, qa.Request{Messages: j.messages})
	a.budget.settle(j.estimate, reply.Usage)
	if err != nil && ctx.Err() != nil {
		return // cancelled, not failed
	}
	if err == nil {
		_, err = j.fill(a.cfg.Visible(reply.Text))
	}
	if err == nil {
		lost := a.cfg.Journal.Add(Entry{
			Key: j.key, PaperID: j.paper, Column: j.column, Row: j.row, Model: a.cfg.ModelName,
			Text: reply.Text, Usage: reply.Usage, At: a.cfg.Now().UTC(),
		})
		if lost != nil {
			a.halt(lost)
			return
		}
	}
	a.count(j, err)
}

func (a *asking) count(j job, err error) {
	const maxFailuresInARow = 10 // avoids a thousand requests with a rejected key or to an endpoint that is down
	a.mu.Lock()
	defer a.mu.Unlock()
	a.sum.Calls++
	if err == nil {
		a.streak = 0
	} else {
		a.streak++
		a.sum.Failed++
		a.sum.FirstFailure = cmp.Or(a.sum.FirstFailure, fmt.Errorf("%s of paper %s: %w", j.column, j.paper, err))
	}
	if a.streak >= maxFailuresInARow {
		a.halt(fmt.Errorf("the model failed %d times in a row; last error: %w", a.streak, err))
	}
	a.reportProgress()
}

// reportProgress reports progress; the caller must hold the lock.
func (a *asking) reportProgress() {
	a.budget.mu.Lock()
	used := a.budget.total()
	a.budget.mu.Unlock()
	a.cfg.Progress(Event{Papers: a.sum.Papers, Total: a.sum.Total, Calls: a.sum.Calls, Failed: a.sum.Failed, Tokens: used})
}
