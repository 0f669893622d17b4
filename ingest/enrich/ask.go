package enrich

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"

	"airqa/env/paperdb"
	"airqa/internal/files"
	"airqa/qa"
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
	// Known is the number of cells whose reply was already kept.
	Known int
	// BudgetReached means that the budget stopped Ask, Drained that the caller did.
	BudgetReached, Drained bool
}

// Ask asks the model for every cell to fill, except those that are their own summary or have a usable reply. A failed
// call is counted and retried by the next Ask. An error is from the library, the disk or the context, or reports too many
// consecutive failures of the model; earlier replies are kept.
func (e *Enricher) Ask(ctx context.Context, lib Library) (Asked, error) {
	owned, err := lib.Files(ctx)
	if err != nil {
		return Asked{}, err
	}
	a := &asker{Enricher: e, queued: make(map[string]bool), sum: Asked{Total: len(owned)}}
	next, stop := iter.Pull2(a.jobs(ctx, lib, owned))
	defer stop()
	err = qa.Batch[job, answer]{Workers: e.cfg.Workers, Drain: e.cfg.Drain, Next: next, Ask: a.ask, Done: a.count}.Run(ctx)
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
	request qa.Request
	paper   string
}

type answer struct {
	usage qa.Usage
	// unseen means that the figure could not be rendered, needless that no call was made.
	unseen, needless bool
	// failed is why there is no usable reply.
	failed error
}

type asker struct {
	*Enricher
	queued map[string]bool
	// calls is the number of calls that were made or are in flight.
	calls  int
	streak qa.Streak
	sum    Asked
}

// jobs yields the calls to make, paper by paper.
func (a *asker) jobs(ctx context.Context, lib Library, owned []paperdb.Owned) iter.Seq2[job, error] {
	return func(yield func(job, error) bool) {
		for _, o := range owned {
			p, err := lib.Enrichable(ctx, o.PaperID)
			if err != nil {
				yield(job{}, err)
				return
			}
			for _, t := range a.tasks(p, o.SHA256) {
				r, wanted, err := a.choose(t)
				if (wanted || err != nil) && !yield(job{t, r, o.PaperID}, err) {
					return
				}
			}
			a.sum.Papers++
			a.cfg.Progress(a.sum)
		}
	}
}

// choose returns the request for a task and whether it must be made.
func (a *asker) choose(t task) (r qa.Request, wanted bool, err error) {
	if t.isOwnSummary() {
		return r, false, nil
	}
	_, r, known, err := a.answer(t)
	content := files.Hash(fmt.Sprint(r.Messages))
	switch {
	case err != nil || a.queued[content]:
		return r, false, err
	case known:
		a.sum.Known++
		return r, false, nil
	case a.cfg.MaxCalls > 0 && a.calls >= a.cfg.MaxCalls:
		return r, false, &qa.SuspendedError{Reason: "the number of calls is reached"}
	}
	a.calls++
	a.queued[content] = true
	return r, true, nil
}

// ask makes a call and checks that the reply is kept.
func (a *asker) ask(ctx context.Context, j job) (r answer, err error) {
	if j.figure != nil {
		if r, err = a.draw(ctx, &j); err != nil || r.needless {
			return r, err
		}
	}
	reply, err := a.cfg.Model.Complete(ctx, j.request)
	if err != nil && (ctx.Err() != nil || qa.Suspension(err) != "") {
		return r, err
	}
	r.usage, r.needless, r.failed = reply.Usage, reply.Cached, err
	if err != nil {
		return r, nil
	}
	reply, kept, err := a.cfg.Model.Kept(j.request)
	if err == nil && !kept {
		err = errors.New("a reply is lost, because it could not be written")
	}
	_, r.failed = j.fill(a.cfg.Visible(reply.Text))
	return r, err
}

func (a *asker) count(j job, r answer) error {
	if r.unseen {
		a.sum.Unseen++
	}
	if r.needless {
		a.calls--
		return nil
	}
	a.sum.Calls++
	a.sum.Usage = a.sum.Usage.Add(r.usage)
	if r.failed != nil {
		a.sum.Failed++
		a.sum.FirstFailure = cmp.Or(a.sum.FirstFailure, fmt.Errorf("%s of paper %s: %w", j.column, j.paper, r.failed))
	}
	a.cfg.Progress(a.sum)
	return a.streak.Count(r.failed)
}
