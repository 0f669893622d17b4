package batch

import (
	"cmp"
	"context"

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
	// Usage is that of the replies added.
	Usage qa.Usage
}

type asked struct {
	key    cache.Key
	repeat int
}

// Fill sends the requests that a cache does not have in a batch of q, which must be of the cache's model, waits for the
// batch, and adds the replies to the cache: the same calls of m are then cache hits. The id of a request is its key in
// the cache. Killed at any time and called again, it sends no request twice. [Ledger.Spent] is the cost of all batches.
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
			r.Usage = r.Usage.Add(result.Reply.Usage)
		}
	}
	return r, nil
}

// Rest is the model behind a cache that [Fill] fills. It makes no calls: a call that the cache cannot answer fails as the
// request failed in its batch. One that was in no batch gets a [*qa.SuspendedError].
type Rest struct {
	Queue *Queue
	Cache *cache.Model
	// Unsent is the reason of that error.
	Unsent string
}

// Complete returns an error for every request.
func (r Rest) Complete(_ context.Context, request qa.Request) (qa.Reply, error) {
	key, err := r.Cache.Key(request)
	if err == nil {
		err = r.Queue.Failure(key.String())
	}
	if err == nil {
		err = &qa.SuspendedError{Reason: cmp.Or(r.Unsent, "the request was not sent in a batch")}
	}
	return qa.Reply{}, err
}

// Discounted returns the price of requests in a batch; nil if p is.
func Discounted(p *qa.Price) *qa.Price {
	if p == nil {
		return nil
	}
	return &qa.Price{Prompt: p.Prompt * Discount, Completion: p.Completion * Discount, Cached: p.Cached * Discount}
}
