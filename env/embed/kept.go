package embed

import (
	"cmp"
	"container/list"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"airqa/qa"
)

// KeptConfig configures a [Kept]. Zero values mean the default.
type KeptConfig struct {
	Bytes int // maximum size of texts and vectors in memory; 0 means 64 MiB
	Batch int // maximum number of texts per call of the model; 0 means 64
	Calls int // maximum number of concurrent calls of the model; 0 means 1
}

// Kept is an embedder for queries. It keeps the vectors of the most recently used texts in memory. Concurrent requests
// for the same text share one embedding, and texts that arrive while the model is busy become its next batch. It is safe
// for concurrent use.
type Kept struct {
	inner  Embedder
	config KeptConfig
	work   sync.WaitGroup

	mu     sync.Mutex
	kept   map[string]*list.Element
	recent list.List           // of *request, most recently used first
	size   int                 // of kept, in bytes
	open   map[string]*request // queued, or in a call that is not cancelled
	queue  []*request
	calls  int // running
}

// request is a text to embed. The mutex of Kept guards waiters and call. The result is constant once done is closed.
type request struct {
	text    string
	waiters int
	call    *call // nil while queued
	done    chan struct{}
	vector  []float32
	err     error
}

// call is a call of the model. It is cancelled when no caller waits for its texts any more.
type call struct {
	cancel   context.CancelFunc
	requests []*request
	waiters  int
}

// NewKept returns an embedder with the vectors of inner.
func NewKept(inner Embedder, c KeptConfig) *Kept {
	c.Bytes, c.Batch, c.Calls = cmp.Or(c.Bytes, 64<<20), cmp.Or(c.Batch, 64), cmp.Or(c.Calls, 1)
	return &Kept{inner: inner, config: c, kept: make(map[string]*list.Element), open: make(map[string]*request)}
}

// Info identifies the wrapped model.
func (k *Kept) Info() Info { return k.inner.Info() }

// Windows splits a passage like the wrapped model.
func (k *Kept) Windows(text string) []string { return k.inner.Windows(text) }

// PartRead asks the wrapped model.
func (k *Kept) PartRead(text string) int { return PartRead(k.inner, text) }

// Close waits until the model is idle. It must not overlap with Embed. The wrapped model stays open.
func (k *Kept) Close() { k.work.Wait() }

// Embed returns kept vectors and waits for the others. If ctx ends first, it returns at once with a [qa.UnavailableError],
// since the model was too slow or kept failing; the embedding continues for other callers. If a batch fails, each of its
// texts is embedded alone, so that only the text at fault fails, unless the model is unavailable. Failures are not kept.
func (k *Kept) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	requests := k.ask(ctx, texts)
	defer k.leave(requests)
	out := make([][]float32, len(texts))
	for i, r := range requests {
		select {
		case <-r.done:
		case <-ctx.Done():
			return nil, &qa.UnavailableError{Err: ctx.Err()}
		}
		if r.err != nil {
			return nil, r.err
		}
		out[i] = slices.Clone(r.vector)
	}
	return out, nil
}

// ask returns one request per text, and starts calls of the model as far as they are allowed.
func (k *Kept) ask(ctx context.Context, texts []string) []*request {
	k.mu.Lock()
	defer k.mu.Unlock()
	requests := make([]*request, len(texts))
	for i, text := range texts {
		requests[i] = k.request(text)
	}
	values := context.WithoutCancel(ctx)
	for k.calls < k.config.Calls && len(k.queue) > 0 {
		k.calls++
		first, c := k.next(values)
		k.work.Go(func() { k.run(values, first, c) })
	}
	return requests
}

// request returns the kept or open request for a text, or queues a new one.
func (k *Kept) request(text string) *request {
	if e, ok := k.kept[text]; ok {
		k.recent.MoveToFront(e)
		return e.Value.(*request)
	}
	r, ok := k.open[text]
	if !ok {
		r = &request{text: strings.Clone(text), done: make(chan struct{})} // text may be a part of a long reply
		k.open[r.text] = r
		k.queue = append(k.queue, r)
	}
	r.waiters++
	if r.call != nil {
		r.call.waiters++
	}
	return r
}

// leave withdraws a caller from its requests. Requests that no caller waits for are dropped: from the queue at once, from a
// call with the whole call.
func (k *Kept) leave(requests []*request) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, r := range requests {
		if k.open[r.text] != r {
			continue // done
		}
		r.waiters--
		switch c := r.call; {
		case c != nil:
			k.release(c, 1)
		case r.waiters == 0:
			k.forget([]*request{r})
			k.queue = slices.DeleteFunc(k.queue, func(q *request) bool { return q == r })
		}
	}
}

// release removes waiters from a call, and cancels it without any.
func (k *Kept) release(c *call, waiters int) {
	if c.waiters -= waiters; c.waiters == 0 {
		c.cancel()
		k.forget(c.requests)
	}
}

// forget closes requests to further callers.
func (k *Kept) forget(requests []*request) {
	for _, r := range requests {
		if k.open[r.text] == r {
			delete(k.open, r.text)
		}
	}
}

// next moves a batch from the queue to a new call.
func (k *Kept) next(ctx context.Context) (context.Context, *call) {
	n := min(len(k.queue), k.config.Batch)
	ctx, cancel := context.WithCancel(ctx)
	c := &call{cancel: cancel, requests: slices.Clone(k.queue[:n])}
	k.queue = slices.Delete(k.queue, 0, n)
	for _, r := range c.requests {
		r.call = c
		c.waiters += r.waiters
	}
	return ctx, c
}

// run calls the model until the queue is empty. All calls have the context values of the first caller.
func (k *Kept) run(values, ctx context.Context, c *call) {
	for {
		k.embed(ctx, c.requests)
		k.mu.Lock()
		if len(k.queue) == 0 {
			k.calls--
			k.mu.Unlock()
			return
		}
		ctx, c = k.next(values)
		k.mu.Unlock()
	}
}

// embed ends requests with their vectors or errors.
func (k *Kept) embed(ctx context.Context, requests []*request) {
	texts := make([]string, len(requests))
	for i, r := range requests {
		texts[i] = r.text
	}
	made, err := k.inner.Embed(ctx, texts)
	if err == nil && len(made) != len(texts) {
		err = fmt.Errorf("the embedding model returned %d vectors for %d texts", len(made), len(texts))
	}
	var unavailable *qa.UnavailableError
	if err != nil && len(requests) > 1 && ctx.Err() == nil && !errors.As(err, &unavailable) {
		for i := range requests {
			k.embed(ctx, requests[i:i+1])
		}
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	for i, r := range requests {
		if r.err = err; err == nil {
			r.vector = slices.Clone(made[i]) // a model may return parts of one array
			k.keep(r)
		}
		close(r.done)
		k.forget([]*request{r})
		k.release(r.call, r.waiters)
	}
}

// keep adds a vector, and removes the least recently used ones above the maximum size.
func (k *Kept) keep(r *request) {
	if k.kept[r.text] != nil || r.bytes() > k.config.Bytes {
		return
	}
	k.kept[r.text] = k.recent.PushFront(r)
	for k.size += r.bytes(); k.size > k.config.Bytes; {
		old := k.recent.Remove(k.recent.Back()).(*request)
		delete(k.kept, old.text)
		k.size -= old.bytes()
	}
}

// bytes is the approximate size in memory of a request that is done.
func (r *request) bytes() int { return len(r.text) + 4*len(r.vector) + 256 }
