// Package concurrent has what concurrent work shares: [Map] works on the values of a stream at the same time and passes the
// results on in the order of the stream, [Flights] merges equal calls that overlap, and [Sleep] and [Until] wait no longer than a
// context.
package concurrent

import (
	"context"
	"iter"
	"runtime"
	"sync"
)

// outcome is a result or the error that ends a stream.
type outcome[U any] struct {
	value U
	err   error
}

// Map yields f of each value of in, in the order of in. f runs on all processors: at most 2×GOMAXPROCS+2 values are
// between in and the consumer, whatever their size. An error of in ends the stream; so does a consumer that stops. All
// goroutines have ended when the stream has.
func Map[T, U any](in iter.Seq2[T, error], f func(T) U) iter.Seq2[U, error] {
	return MapWithin(context.Background(), 2*runtime.GOMAXPROCS(0), in, func(_ context.Context, v T) U { return f(v) })
}

// MapWithin is [Map] with a context: its end ends the stream with its cause, and f gets one that ends with the stream. At
// most window calls of f, finished or not, are ahead of the output; f limits how many of them run at once.
func MapWithin[T, U any](ctx context.Context, window int, in iter.Seq2[T, error], f func(context.Context, T) U) iter.Seq2[U, error] {
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
		// A result in flight when the context ended may be wrong, because its call was cancelled.
		if ctx.Err() != nil {
			yield(none, context.Cause(ctx))
			return
		}
		if !open || !yield(o.value, o.err) || o.err != nil {
			return
		}
	}
}
