package embed

import (
	"cmp"
	"container/list"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"airqa/qa"
)

// KeptConfig configures a [Kept]. Zero values mean the default.
type KeptConfig struct {
	Bytes int // maximum size of texts and vectors in memory; 0 means 64 MiB
	Calls int // maximum number of concurrent calls of the model; 0 means 1
}

// Kept is an embedder for queries. It keeps the vectors of the most recently used texts in memory. Concurrent requests
// for the same text share one call of the model. It is safe for concurrent use.
type Kept struct {
	inner Embedder
	bytes int
	slots chan struct{} // an entry for each running call
	work  sync.WaitGroup

	mu     sync.Mutex
	kept   map[string]*list.Element
	recent list.List           // of *request, most recently used first
	size   int                 // of kept, in bytes
	open   map[string]*request // with callers that wait
}

// request is a text to embed. The mutex of Kept guards waiters. The result is constant once done is closed.
type request struct {
	text    string
	waiters int
	cancel  context.CancelFunc
	done    chan struct{}
	vector  []float32
	err     error
}

// NewKept returns an embedder with the vectors of inner.
func NewKept(inner Embedder, c KeptConfig) *Kept {
	return &Kept{
		inner: inner, bytes: cmp.Or(c.Bytes, 64<<20), slots: make(chan struct{}, cmp.Or(c.Calls, 1)),
		kept: make(map[string]*list.Element), open: make(map[string]*request),
	}
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
// since the model was too slow or kept failing; the embedding continues for other callers. Failures are not kept.
func (k *Kept) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	requests := make([]*request, len(texts))
	for i, text := range texts {
		requests[i] = k.request(ctx, text)
	}
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

// request returns the kept or open request for a text, or starts a new one with the context values of its first caller.
func (k *Kept) request(ctx context.Context, text string) *request {
	k.mu.Lock()
	defer k.mu.Unlock()
	if e, ok := k.kept[text]; ok {
		k.recent.MoveToFront(e)
		return e.Value.(*request)
	}
	r := k.open[text]
	if r == nil {
		r = &request{text: strings.Clone(text), done: make(chan struct{})} // text may be a part of a long reply
		ctx, r.cancel = context.WithCancel(context.WithoutCancel(ctx))
		k.open[r.text] = r
		k.work.Go(func() { k.run(ctx, r) })
	}
	r.waiters++
	return r
}

// leave withdraws a caller from its requests, and ends those that no caller waits for.
func (k *Kept) leave(requests []*request) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, r := range requests {
		if k.open[r.text] != r {
			continue // done
		}
		if r.waiters--; r.waiters == 0 {
			r.cancel()
			delete(k.open, r.text)
		}
	}
}

// run ends a request with its vector or an error, as soon as another call of the model is allowed.
func (k *Kept) run(ctx context.Context, r *request) {
	defer r.cancel()
	select {
	case k.slots <- struct{}{}:
		defer func() { <-k.slots }()
	case <-ctx.Done():
		return
	}
	made, err := k.inner.Embed(ctx, []string{r.text})
	if err == nil && len(made) != 1 {
		err = fmt.Errorf("the embedding model returned %d vectors for a text", len(made))
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if r.err = err; err == nil {
		r.vector = slices.Clone(made[0]) // a model may return a part of a larger array
		k.keep(r)
	}
	close(r.done)
	if k.open[r.text] == r {
		delete(k.open, r.text)
	}
}

// keep adds a vector, and removes the least recently used ones above the maximum size.
func (k *Kept) keep(r *request) {
	if k.kept[r.text] != nil || r.bytes() > k.bytes {
		return
	}
	k.kept[r.text] = k.recent.PushFront(r)
	for k.size += r.bytes(); k.size > k.bytes; {
		old := k.recent.Remove(k.recent.Back()).(*request)
		delete(k.kept, old.text)
		k.size -= old.bytes()
	}
}

// bytes is the approximate size in memory of a request that is done.
func (r *request) bytes() int { return len(r.text) + 4*len(r.vector) + 256 }
