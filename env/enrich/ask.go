package enrich

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"airqa/env/paperdb"
	"airqa/qa"
)

// failuresInARow end the asking: a key that is refused, or an endpoint that is gone, is not asked a thousand times.
const failuresInARow = 10

// Asked is what came of [Enricher.Ask].
type Asked struct {
	// Papers of Total were gone through to their end.
	Papers, Total int
	// Calls were made, of which Failed gave nothing to use; FirstFailure is the first of them.
	Calls, Failed int
	FirstFailure  error
	Usage         qa.Usage
	// Unseen counts the figures that could not be drawn and were described from their captions.
	Unseen int
	// Known counts the cells whose reply the journal had before.
	Known int
	// BudgetReached is set when the budget ended the asking, Drained when the caller did.
	BudgetReached, Drained bool
}

// Ask asks the model for every cell that is to be filled, does not explain itself and has no reply in the journal yet. A
// call that fails is counted and asked again by the next Ask. The error is the library's, the journal's, the context's, or
// that the model failed many times in a row; what was replied until then is in the journal.
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

// The ends of an asking that are no failures.
var (
	errBudget  = errors.New("the budget is reached")
	errDrained = errors.New("no more calls are wanted")
)

// job is a call to make.
type job struct {
	task
	question
	paper    string
	estimate int
}

// asking is the state of one Ask. queued belongs to the goroutine that goes through the papers.
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

// paper hands out the calls of one paper.
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
	a.tell()
	return nil
}

func (a *asking) task(ctx context.Context, paper string, t task) error {
	if t.passes() {
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
	if !a.budget.take(j.estimate) {
		return errBudget
	}
	a.queued[q.key] = true
	return a.hand(ctx, j)
}

// hand gives a call to a worker.
func (a *asking) hand(ctx context.Context, j job) error {
	select { // a drain wins over a worker that is free
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

// ask makes a call and writes the reply down.
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
		return // given up, not failed
	}
	if err == nil {
		_, err = j.fill(reply.Text)
	}
	if err == nil {
		if lost := a.keep(j, reply); lost != nil {
			a.halt(lost)
			return
		}
	}
	a.count(j, err)
}

func (a *asking) keep(j job, reply qa.Reply) error {
	return a.cfg.Journal.Add(Entry{
		Key: j.key, PaperID: j.paper, Column: j.column, Row: j.row, Model: a.cfg.ModelName,
		Text: reply.Text, Usage: reply.Usage, At: a.cfg.Now().UTC(),
	})
}

func (a *asking) count(j job, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.sum.Calls++
	a.streak++
	if err == nil {
		a.streak = 0
	} else {
		a.sum.Failed++
		if a.sum.FirstFailure == nil {
			a.sum.FirstFailure = fmt.Errorf("%s of paper %s: %w", j.column, j.paper, err)
		}
	}
	if a.streak >= failuresInARow {
		a.halt(fmt.Errorf("the model failed %d times in a row, at last: %w", a.streak, err))
	}
	a.tell()
}

// tell reports progress; the caller holds the lock.
func (a *asking) tell() {
	a.budget.mu.Lock()
	used := a.budget.total()
	a.budget.mu.Unlock()
	a.cfg.Progress(Event{Papers: a.sum.Papers, Total: a.sum.Total, Calls: a.sum.Calls, Failed: a.sum.Failed, Tokens: used})
}
