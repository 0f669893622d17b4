// Package asking asks a model about many items, with several workers. Start from [Batch].
package asking

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"sync"

	"airqa/qa"
)

// maxInRow is the number of consecutive failures that end a batch. It avoids a thousand requests with a rejected key or to
// an endpoint that is down.
const maxInRow = 10

// DownError ends a batch after too many consecutive failures.
type DownError struct {
	// InRow is the number of failures, Last the last of them.
	InRow int
	Last  error
}

func (e *DownError) Error() string {
	return fmt.Sprintf("the model failed %d times in a row; last error: %v", e.InRow, e.Last)
}

func (e *DownError) Unwrap() error { return e.Last }

// Batch configures [Batch.Run].
type Batch[T any] struct {
	// Workers is the number of concurrent calls, at least 1.
	Workers int
	// Drain is closed to stop after the calls in flight; nil never is.
	Drain <-chan struct{}
	// Ask asks about an item and keeps the reply; calls overlap. failed concerns this item only, and the next invocation
	// retries it; end ends the batch, like a budget that refuses the call or a reply that cannot be kept.
	Ask func(ctx context.Context, item T) (failed, end error)
}

// Run asks about the items in their order. It returns nil if it asked about all of them, and otherwise why it did not: the
// end of Ask, a [*DownError], the cause of ctx, an error of the items, or [qa.ErrInterrupted] for a drain. Calls in flight
// finish, unless ctx ends or Ask ends the batch with an error other than a [*qa.SuspendedError].
func (b Batch[T]) Run(ctx context.Context, items iter.Seq2[T, error]) error {
	calls, cancel := context.WithCancel(ctx)
	defer cancel()
	more, stop := context.WithCancelCause(calls) // ends when no other call may start
	defer stop(nil)
	var (
		queue   = make(chan T)
		workers sync.WaitGroup
		mu      sync.Mutex
		inRow   int
	)
	count := func(failed error) {
		mu.Lock()
		defer mu.Unlock()
		if inRow++; failed == nil {
			inRow = 0
		}
		if inRow == maxInRow {
			stop(&DownError{inRow, failed})
		}
	}
	for range b.Workers {
		workers.Go(func() {
			for item := range queue {
				if more.Err() != nil {
					continue
				}
				failed, end := b.Ask(calls, item)
				if end == nil {
					count(failed)
					continue
				}
				if stop(end); qa.Suspension(end) == "" {
					cancel()
				}
			}
		})
	}
	err := b.feed(more, items, queue)
	close(queue)
	workers.Wait()
	return cmp.Or(context.Cause(more), err)
}

// feed passes the items to the workers.
func (b Batch[T]) feed(ctx context.Context, items iter.Seq2[T, error], queue chan<- T) error {
	for item, err := range items {
		if err != nil {
			return err
		}
		select { // a drain takes precedence over an idle worker
		case <-b.Drain:
			return qa.ErrInterrupted
		default:
		}
		select {
		case queue <- item:
		case <-b.Drain:
			return qa.ErrInterrupted
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}
