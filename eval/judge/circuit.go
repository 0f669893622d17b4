package judge

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"airqa/eval"
)

// ErrStopped is returned by an open [Circuit].
var ErrStopped = errors.New("judge disabled")

// CircuitConfig configures a [Circuit].
type CircuitConfig struct {
	// Limit is the number of consecutive failures of one kind that opens the circuit; it is positive.
	Limit int
	// Kind classifies an error. It returns "" for failures that are not the judge's, such as a cancelled caller or an
	// answer that is too long.
	Kind func(error) string
	// Concurrency is the maximum number of concurrent requests; 0 is unlimited. Requests still waiting when the circuit
	// opens fail.
	Concurrency int
}

// Circuit is a circuit breaker: once a judge has failed in the same way several times in a row, every request fails at
// once. An outage then costs minutes, not hours, and a later invocation can score what is left unscored. Calls may
// overlap if the judge's may.
type Circuit struct {
	inner Source
	c     CircuitConfig
	slots chan struct{} // nil without a bound

	mu      sync.Mutex
	last    string // the kind of the consecutive failures
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

// Judge is [Circuit.Decide] without the cost.
func (c *Circuit) Judge(ctx context.Context, r eval.JudgeRequest) (bool, error) {
	v, err := c.Decide(ctx, r)
	return v.Right, err
}

// Decide asks the judge. Once the circuit is open, errors wrap [ErrStopped] and the last failure.
func (c *Circuit) Decide(ctx context.Context, r eval.JudgeRequest) (Verdict, error) {
	if c.slots != nil {
		select {
		case c.slots <- struct{}{}:
			defer func() { <-c.slots }()
		case <-ctx.Done():
			return Verdict{}, ctx.Err()
		}
	}
	c.mu.Lock()
	stopped := c.stopped
	c.mu.Unlock()
	if stopped != nil {
		return Verdict{}, stopped
	}
	v, err := c.inner.Decide(ctx, r)
	c.note(err)
	return v, err
}

func (c *Circuit) note(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err == nil {
		c.last, c.inRow = "", 0
		return
	}
	kind := "no verdict" // a reply without one is a kind of its own
	if !errors.Is(err, ErrNoVerdict) {
		kind = c.c.Kind(err)
	}
	if kind == "" {
		return
	}
	if kind != c.last {
		c.last, c.inRow = kind, 0
	}
	if c.inRow++; c.inRow >= c.c.Limit && c.stopped == nil {
		c.stopped = fmt.Errorf("%w after %d consecutive failures of the same kind: %w", ErrStopped, c.inRow, err)
	}
}
