package qa

import (
	"cmp"
	"context"
	"errors"
	"fmt"
)

// MaxInRow is the number of consecutive failures that end a batch. It avoids a thousand requests with a rejected key or to an
// endpoint that is down.
const MaxInRow = 10

// DownError ends a batch after [MaxInRow] consecutive failures, of which Last is the last.
type DownError struct{ Last error }

func (e *DownError) Error() string {
	return fmt.Sprintf("the model failed %d times in a row; last error: %v", MaxInRow, e.Last)
}

func (e *DownError) Unwrap() error { return e.Last }

// IsStop reports whether an error stops a batch that the next invocation can resume: a budget is spent, the endpoint is down,
// or the user stops the program. Others are errors of the data or of the disk.
func IsStop(err error) bool {
	var down *DownError
	return Suspension(err) != "" || errors.As(err, &down) || errors.Is(err, ErrInterrupted) || errors.Is(err, context.Canceled)
}

// Streak counts consecutive failures.
type Streak struct{ failures int }

// Count counts a call. failed is nil for one with a usable reply. The error is a [*DownError].
func (s *Streak) Count(failed error) error {
	if failed == nil {
		s.failures = 0
		return nil
	}
	if s.failures++; s.failures < MaxInRow {
		return nil
	}
	return &DownError{failed}
}

// Batch asks a model about many items, several at a time; it configures [Batch.Run]. T is an item, R the result of asking about it.
type Batch[T, R any] struct {
	// Workers is the maximum number of concurrent calls, at least 1.
	Workers int
	// Drain is closed to stop after the calls in flight; nil never is.
	Drain <-chan struct{}
	// Next returns the next item, or false if there is none before another result. [iter.Pull2] makes one of an iterator.
	Next func() (item T, err error, ok bool)
	// Ask asks about an item and keeps the reply. Calls overlap. An error ends the batch, like a budget that refuses the call
	// or a reply that cannot be written; a failure that concerns only this item is part of the result.
	Ask func(ctx context.Context, item T) (R, error)
	// Done takes a result. Calls of Done and Next do not overlap. An error ends the batch.
	Done func(T, R) error
}

// Run asks until Next has no item and no call is in flight. If the batch ends early, the error is the cause of ctx, the first
// error of the three functions, or [ErrInterrupted] for a drain. Calls in flight finish and are taken, but after an error
// of Ask or Done that is no stop they are cancelled, see [IsStop].
func (b Batch[T, R]) Run(ctx context.Context) error {
	calls, cancel := context.WithCancel(ctx)
	defer cancel()
	r, broken := &batchRun[T, R]{Batch: b, done: make(chan func() error)}, false
	for {
		for r.start(calls) {
		}
		if r.inFlight == 0 {
			return cmp.Or(context.Cause(ctx), r.ended)
		}
		if r.ended != nil {
			r.Drain = nil
		}
		select {
		case done := <-r.done:
			if r.inFlight--; broken {
				continue
			}
			err := done()
			r.end(err)
			if broken = err != nil && !IsStop(err); broken {
				cancel()
			}
		case <-r.Drain:
			r.end(ErrInterrupted)
		}
	}
}

// batchRun is a batch that runs.
type batchRun[T, R any] struct {
	Batch[T, R]
	inFlight int
	done     chan func() error
	// ended is why no other call starts.
	ended error
}

// start starts the next call. It reports false if none may start now.
func (r *batchRun[T, R]) start(ctx context.Context) bool {
	if r.inFlight == r.Workers || r.ended != nil || ctx.Err() != nil {
		return false
	}
	select {
	case <-r.Drain:
		r.end(ErrInterrupted)
		return false
	default:
	}
	item, err, ok := r.Next()
	if r.end(err); !ok || err != nil {
		return false
	}
	r.inFlight++
	go func() {
		result, err := r.Ask(ctx, item)
		r.done <- func() error {
			if err != nil {
				return err
			}
			return r.Done(item, result)
		}
	}()
	return true
}

// end ends the batch with the first error, but with a stop rather than a drain, and with any other error rather than a stop.
func (r *batchRun[T, R]) end(err error) {
	if err != nil && (r.ended == nil || errors.Is(r.ended, ErrInterrupted) || !IsStop(err)) {
		r.ended = err
	}
}
