package stream

import (
	"context"
	"iter"
	"sync"
)

// outcome is a value or the error that ends a stream.
type outcome[T any] struct {
	value T
	err   error
}

// ordered yields f of each value of in, in the order of in. At most window calls of f, finished or not, are ahead of
// the output; f limits how many of them run at once. An error of in, or the end of ctx, ends the stream with an error.
// All goroutines have ended when the stream has.
func ordered[T, U any](ctx context.Context, window int, in iter.Seq2[T, error], f func(context.Context, T) U) iter.Seq2[U, error] {
	return func(yield func(U, error) bool) {
		inner, cancel := context.WithCancel(ctx)
		var group sync.WaitGroup
		defer group.Wait()
		defer cancel()
		slots := make(chan chan outcome[U], window)
		group.Go(func() {
			defer close(slots)
			for v, err := range in {
				slot := make(chan outcome[U], 1)
				select {
				case slots <- slot:
				case <-inner.Done():
					return
				}
				if err != nil {
					slot <- outcome[U]{err: err}
					return
				}
				group.Go(func() { slot <- outcome[U]{value: f(inner, v)} })
			}
		})
		deliver(ctx, slots, yield)
	}
}

// deliver yields the values of slots until an error, or until the consumer stops.
func deliver[U any](ctx context.Context, slots <-chan chan outcome[U], yield func(U, error) bool) {
	var none U
	for {
		var slot chan outcome[U]
		var open bool
		select {
		case slot, open = <-slots:
		case <-ctx.Done():
		}
		var o outcome[U]
		if open {
			select {
			case o = <-slot:
			case <-ctx.Done():
			}
		}
		// A result in flight when the context ended may be wrong, because its judge was cancelled.
		if ctx.Err() != nil {
			yield(none, context.Cause(ctx))
			return
		}
		if !open || !yield(o.value, o.err) || o.err != nil {
			return
		}
	}
}
