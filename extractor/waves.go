package extractor

import (
	"context"
	"sync"

	"airqa/qa"
)

// waves is a model for candidates that all run at once: their requests wait until every candidate waits for one, and are
// then sent together. A nil *waves has no effect on a schedule.
type waves struct {
	model qa.Model
	send  func(context.Context, []qa.Request) error

	mu      sync.Mutex
	active  int // candidates in flight, and the scheduler while it starts some
	waiting []*waiter
}

type waiter struct {
	request qa.Request
	ctx     context.Context //nolint:containedctx // that of a call in progress
	done    chan error
}

// enter announces work that may send requests.
func (w *waves) enter() {
	if w != nil {
		w.mu.Lock()
		w.active++
		w.mu.Unlock()
	}
}

// leave ends it.
func (w *waves) leave() {
	if w == nil {
		return
	}
	w.mu.Lock()
	w.active--
	w.flush()
	w.mu.Unlock()
}

// flush sends the requests if all candidates wait. The caller holds the lock.
func (w *waves) flush() {
	if len(w.waiting) == 0 || len(w.waiting) < w.active {
		return
	}
	wave := w.waiting
	w.waiting = nil
	go func() {
		requests := make([]qa.Request, len(wave))
		for i, one := range wave {
			requests[i] = one.request
		}
		err := w.send(wave[0].ctx, requests)
		for _, one := range wave {
			one.done <- err
		}
	}()
}

// Complete waits until the reply is in the cache and returns it.
func (w *waves) Complete(ctx context.Context, r qa.Request) (qa.Reply, error) {
	one := &waiter{r, ctx, make(chan error, 1)}
	w.mu.Lock()
	w.waiting = append(w.waiting, one)
	w.flush()
	w.mu.Unlock()
	if err := <-one.done; err != nil {
		return qa.Reply{}, err
	}
	return w.model.Complete(ctx, r)
}
