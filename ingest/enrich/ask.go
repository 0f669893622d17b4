package enrich

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"

	"airqa/env/paperdb"
	"airqa/qa"
	"airqa/qa/asking"
)

// Asked is the result of [Enricher.Ask], or of a part of it.
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
	a := &asker{Enricher: e, lib: lib, queued: make(map[string]bool), sum: Asked{Total: len(owned)}}
	err = asking.Batch[job]{Workers: e.cfg.Workers, Drain: e.cfg.Drain, Ask: a.ask}.Run(ctx, a.jobs(ctx, owned))
	a.sum.BudgetReached = qa.Suspension(err) != ""
	a.sum.Drained = errors.Is(err, qa.ErrInterrupted) && ctx.Err() == nil
	if a.sum.BudgetReached || a.sum.Drained {
		err = nil
	}
	return a.sum, err
}

// job is a call to make.
type job struct {
	task
	question
	paper string
}

// asker is the state of one Ask. queued belongs to the goroutine that iterates over the papers.
type asker struct {
	*Enricher
	lib    Library
	queued map[string]bool

	mu  sync.Mutex
	sum Asked
	// reserved is the number of calls that were made or are queued.
	reserved int
}

// update changes the sum and reports progress.
func (a *asker) update(change func(*Asked)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	change(&a.sum)
	a.cfg.Progress(a.sum)
}

// jobs yields the calls to make, paper by paper.
func (a *asker) jobs(ctx context.Context, owned []paperdb.Owned) iter.Seq2[job, error] {
	return func(yield func(job, error) bool) {
		for _, o := range owned {
			p, err := a.lib.Enrichable(ctx, o.PaperID)
			if err != nil {
				yield(job{}, err)
				return
			}
			for _, t := range a.tasks(p, o.SHA256) {
				j, wanted, err := a.job(o.PaperID, t)
				if (wanted || err != nil) && !yield(j, err) {
					return
				}
			}
			a.update(func(sum *Asked) { sum.Papers++ })
		}
	}
}

// job returns the call for a task, if one is needed.
func (a *asker) job(paper string, t task) (j job, wanted bool, err error) {
	if t.isOwnSummary() {
		return j, false, nil
	}
	q, err := t.question(a.cfg.ModelName)
	if err != nil || a.queued[q.key] {
		return j, false, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.cfg.Journal.Has(q.key) {
		a.sum.Known++
		return j, false, nil
	}
	if a.cfg.MaxCalls > 0 && a.reserved >= a.cfg.MaxCalls {
		return j, false, &qa.SuspendedError{Reason: "the number of calls is reached"}
	}
	a.reserved++
	a.queued[q.key] = true
	return job{task: t, question: q, paper: paper}, true, nil
}

// ask makes a call and records the reply.
func (a *asker) ask(ctx context.Context, j job) (failed, end error) {
	if wanted, err := a.draw(ctx, &j); err != nil || !wanted {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.reserved--
		return nil, err
	}
	reply, failed := a.cfg.Model.Complete(ctx, qa.Request{Messages: j.messages})
	if failed != nil && (ctx.Err() != nil || qa.Suspension(failed) != "") {
		return nil, failed
	}
	if failed == nil {
		_, failed = j.fill(a.cfg.Visible(reply.Text))
	}
	if failed == nil {
		end = a.cfg.Journal.Add(Entry{
			Key: j.key, PaperID: j.paper, Column: j.column, Row: j.row, Model: a.cfg.ModelName,
			Text: reply.Text, Usage: reply.Usage, At: a.cfg.Now().UTC(),
		})
	}
	a.update(func(sum *Asked) {
		sum.Calls++
		sum.Usage = sum.Usage.Add(reply.Usage)
		if failed != nil {
			sum.Failed++
			sum.FirstFailure = cmp.Or(sum.FirstFailure, fmt.Errorf("%s of paper %s: %w", j.column, j.paper, failed))
		}
	})
	return failed, end
}
