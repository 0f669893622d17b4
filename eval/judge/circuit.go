package judge

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"airqa/eval"
)

// ErrStopped is returned by a [Circuit] that asks no more.
var ErrStopped = errors.New("the judge is not asked any more")

// CircuitConfig says when a [Circuit] stops.
type CircuitConfig struct {
	// Limit is how many failures of one kind in a row stop it; it is above 0.
	Limit int
	// Kind names what went wrong. It is empty for failures that say nothing of the judge: a caller who gave up, an answer
	// that is too long.
	Kind func(error) string
	// Concurrency is the largest number of requests at once; 0 sets no bound. Who still waits for a turn when the circuit
	// stops is not let through any more.
	Concurrency int
}

// Circuit asks a judge until it has failed in the same way several times in a row; from then on every request fails at
// once. An outage so costs minutes, not hours, and what it leaves unscored can be scored by another start of the program.
// Calls may overlap if those of the judge may.
type Circuit struct {
	inner Source
	c     CircuitConfig
	slots chan struct{} // nil without a bound

	mu      sync.Mutex
	last    string // the kind of the failures in a row
	inRow   int
	stopped error
}

// NewCircuit returns a circuit around a judge.
func NewCircuit(inner Source, c CircuitConfig) *Circuit {
	circuit := &Circuit{inner: inner, c: c}
	if c.Concurrency > 0 {
		circuit.slots = make(chan struct{}, c.Concurrency)
	}
	return circuit
}

// Judge implements [eval.Judge].
func (c *Circuit) Judge(ctx context.Context, r eval.JudgeRequest) (bool, error) {
	v, err := c.Decide(ctx, r)
	return v.Right, err
}

// Decide implements [Source]. After the last failure its error wraps [ErrStopped] and that failure.
func (c *Circuit) Decide(ctx context.Context, r eval.JudgeRequest) (Verdict, error) {
	if c.slots != nil {
		select {
		case c.slots <- struct{}{}:
			defer func() { <-c.slots }()
		case <-ctx.Done():
			return Verdict{}, ctx.Err()
		}
	}
	if err := c.broken(); err != nil {
		return Verdict{}, err
	}
	v, err := c.inner.Decide(ctx, r)
	c.note(err)
	return v, err
}

func (c *Circuit) broken() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.stopped
}

func (c *Circuit) note(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err == nil {
		c.last, c.inRow = "", 0
		return
	}
	kind := c.kindOf(err)
	if kind == "" {
		return
	}
	if kind != c.last {
		c.last, c.inRow = kind, 0
	}
	if c.inRow++; c.inRow >= c.c.Limit && c.stopped == nil {
		c.stopped = fmt.Errorf("%w, after %d equal failures in a row: %w", ErrStopped, c.inRow, err)
	}
}

// kindOf tells a judge that answers without verdicts from one that cannot be reached.
func (c *Circuit) kindOf(err error) string {
	if errors.Is(err, ErrNoVerdict) {
		return "no verdict"
	}
	return c.c.Kind(err)
}
