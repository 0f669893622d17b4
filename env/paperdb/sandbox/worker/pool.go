package worker

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"time"
)

// ErrDeadline is returned for a request that took longer than it may.
var ErrDeadline = errors.New("deadline of the request")

// Died is the error of a request whose worker came to an end before it answered.
type Died struct {
	// Memory is true when it ran out of memory, Killed when something else killed it: the system, to free memory, or a person.
	Memory, Killed bool
	// Text is what the process said at last, for a log; it may hold host paths and addresses.
	Text string
}

// Error implements error.
func (d *Died) Error() string { return "the worker died: " + d.Text }

// Config is how the workers of a [Pool] are started.
type Config struct {
	// Name is what the program's main gives to [Main]. It is the name of the process in a listing.
	Name string
	// Setup is what each worker's Opener gets.
	Setup []byte
	// Max is the most workers at a time; 0 means one a processor, but at least two, so that a slow request does
	// not hold up all others.
	Max int
}

// Pool starts workers when they are needed and keeps those that are free for the next request. Its methods may be
// called from several goroutines.
type Pool struct {
	cfg    Config
	slots  chan struct{} // one token a worker in use or on its way out
	mu     sync.Mutex
	idle   []*process
	closed bool
	owners sync.WaitGroup // of the goroutines that wait for processes
}

// New makes a pool. It starts no process.
func New(cfg Config) *Pool {
	if cfg.Max <= 0 {
		cfg.Max = max(2, runtime.GOMAXPROCS(0))
	}
	return &Pool{cfg: cfg, slots: make(chan struct{}, cfg.Max)}
}

// Call sends a request to a worker and returns its reply. The deadline counts from when a worker is ready, the
// wait for one is bounded by ctx alone. A worker that does not answer in time is killed: the error is
// [ErrDeadline] then, or ctx.Err(). It is a [*Died] when the worker ended by itself, and any other error when
// there is no starting one.
func (p *Pool) Call(ctx context.Context, deadline time.Duration, request []byte) ([]byte, error) {
	w, err := p.take(ctx)
	if err != nil {
		return nil, err
	}
	reply, reuse, err := w.call(ctx, deadline, request)
	if err != nil || !reuse {
		p.discard(w)
		return reply, err
	}
	p.put(w)
	return reply, nil
}

// Close ends all workers and waits until they are gone. No call may follow or be under way.
func (p *Pool) Close() {
	p.mu.Lock()
	idle := p.idle
	p.idle, p.closed = nil, true
	p.mu.Unlock()
	for _, w := range idle {
		w.kill()
	}
	p.owners.Wait()
}

// take waits for a slot and fills it with a worker, a free one if there is any.
func (p *Pool) take(ctx context.Context) (*process, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	select {
	case p.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	for w := p.pop(); w != nil; w = p.pop() {
		if w.alive() {
			return w, nil
		}
		w.kill()
	}
	w, err := p.start(ctx)
	if err == nil {
		return w, nil
	}
	if w == nil {
		<-p.slots
	} else {
		p.discard(w)
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	// Not wrapped: no deadline and no death of the start is one of the request.
	return nil, errors.New("start a worker: " + err.Error())
}

// pop takes the worker that was used last; nil when none is free.
func (p *Pool) pop() *process {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := len(p.idle)
	if n == 0 {
		return nil
	}
	w := p.idle[n-1]
	p.idle = p.idle[:n-1]
	return w
}

func (p *Pool) put(w *process) {
	p.mu.Lock()
	closed := p.closed
	if !closed {
		p.idle = append(p.idle, w)
	}
	p.mu.Unlock()
	if closed {
		p.discard(w)
		return
	}
	<-p.slots
}

// discard kills a worker. Its slot is free when it is gone, so that there are never more than Max.
func (p *Pool) discard(w *process) {
	w.kill()
	p.owners.Go(func() {
		<-w.gone
		<-p.slots
	})
}
