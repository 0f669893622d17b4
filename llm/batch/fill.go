package batch

import (
	"context"
	"sync"

	"airqa/llm/cache"
	"airqa/qa"
)

// Report counts the requests of a [Fill].
type Report struct {
	// Requests are the distinct ones. Cached of them were in the cache before, Sent were sent now; the others were in a
	// batch already.
	Requests, Cached, Sent int
	// Replies were added to the cache, Failed have no reply; see [Queue.Failure].
	Replies, Failed int
}

type asked struct {
	key    cache.Key
	repeat int
}

// Fill sends the requests that a cache does not have in a batch of q, which must be of the cache's model, waits for the
// batch, and adds the replies to the cache: the same calls of m are then cache hits. The id of a request is its key in
// the cache. Killed at any time and called again, it sends no request twice. The usage and cost of the replies are in
// the ledger, see [Ledger.Spent].
func Fill(ctx context.Context, q *Queue, m *cache.Model, requests []qa.Request) (Report, error) {
	var r Report
	all := map[string]asked{}
	var missing []Request
	for _, request := range requests {
		key, err := m.Key(request)
		if err != nil {
			return r, err
		}
		if _, twice := all[key.String()]; twice {
			continue
		}
		all[key.String()] = asked{key, request.Repeat}
		r.Requests++
		if m.Store.Has(key) {
			r.Cached++
			continue
		}
		missing = append(missing, Request{key.String(), request})
	}
	var err error
	if r.Sent, err = q.Submit(ctx, missing); err != nil {
		return r, err
	}
	if err := q.Wait(ctx); err != nil {
		return r, err
	}
	for result, err := range q.Results(ctx, missing) {
		switch {
		case err != nil:
			return r, err
		case result.Err != nil:
			r.Failed++
		default:
			m.Keep(all[result.ID].key, all[result.ID].repeat, result.Reply)
			r.Replies++
		}
	}
	return r, nil
}

// Wave is the model behind a cache for a pipeline that runs in waves: a pass suspends every call that the cache cannot
// answer, [Wave.Flush] sends their requests in a batch, and the next pass finds the replies. A request that failed in
// its batch fails the call. Calls may overlap, but not with Flush.
type Wave struct {
	queue *Queue
	cache *cache.Model

	mu      sync.Mutex
	pending []qa.Request
}

// NewWave makes the model behind m, and sets m.Model to it.
func NewWave(q *Queue, m *cache.Model) *Wave {
	w := &Wave{queue: q, cache: m}
	m.Model = w
	return w
}

// Complete returns the failure of the request in its batch, or notes the request and returns a [*qa.SuspendedError].
func (w *Wave) Complete(_ context.Context, r qa.Request) (qa.Reply, error) {
	key, err := w.cache.Key(r)
	if err == nil {
		err = w.queue.Failure(key.String())
	}
	if err != nil {
		return qa.Reply{}, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pending = append(w.pending, r)
	return qa.Reply{}, &qa.SuspendedError{Reason: "the request waits for the next batch"}
}

// Flush fills the cache with the replies to the requests of the last pass. A pass without requests is the last one.
func (w *Wave) Flush(ctx context.Context) (Report, error) {
	w.mu.Lock()
	pending := w.pending
	w.pending = nil
	w.mu.Unlock()
	return Fill(ctx, w.queue, w.cache, pending)
}
