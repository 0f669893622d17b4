package sandbox

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"time"
)

// ErrDeadline is returned for a request that exceeds its deadline.
var ErrDeadline = errors.New("deadline of the request")

// Died is the error of a request whose worker terminated before it responded.
type Died struct {
	// Memory means that the worker ran out of memory, Killed that something else killed it, such as the system to free
	// memory.
	Memory, Killed bool
	// Text is the last output of the process, for a log; it may contain host paths and addresses.
	Text string
}

func (d *Died) Error() string { return "the worker died: " + d.Text }

// Config configures the workers of a [Pool].
type Config struct {
	// Name is the name that the program's main passes to [Main]. Process listings show it.
	Name string
	// Setup is passed to each worker's Opener.
	Setup []byte
	// Max is the maximum number of workers; 0 means one per processor, but at least two, so that a slow request does
	// not block all others.
	Max int
}

// Pool starts workers on demand and reuses idle ones. It is safe for concurrent use.
type Pool struct {
	cfg    Config
	slots  chan struct{} // one token per worker in use or terminating
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

// Call sends a request to a worker and returns its reply. The deadline starts once a worker is ready; only ctx limits
// the wait for one. A worker that does not respond in time is killed, and the error is [ErrDeadline] or ctx.Err(). If
// the worker terminated by itself, the error is a [*Died]. Any other error means that no worker could be started.
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
	p.mu.Lock()
	closed := p.closed
	if !closed {
		p.idle = append(p.idle, w)
	}
	p.mu.Unlock()
	if closed {
		p.discard(w)
	} else {
		<-p.slots
	}
	return reply, nil
}

// Close kills all workers and waits until they are gone. It must not overlap with or precede other calls.
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

// take waits for a slot and returns a worker for it, an idle one if possible.
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
		select {
		case <-w.gone:
			w.kill()
		default:
			return w, nil
		}
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
	// Not wrapped: a deadline or death during the start is not one of the request.
	return nil, errors.New("start a worker: " + err.Error())
}

// pop returns the most recently used idle worker, or nil.
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

// discard kills a worker. Its slot becomes free only when the process is gone, so there are never more than Max.
func (p *Pool) discard(w *process) {
	w.kill()
	p.owners.Go(func() {
		<-w.gone
		<-p.slots
	})
}
