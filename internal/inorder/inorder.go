// Package inorder works on the values of a stream at the same time and passes the results on in the order of the
// stream. [Map] is the only thing to know.
package inorder

import (
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
	return func(yield func(U, error) bool) {
		var group sync.WaitGroup
		defer group.Wait()
		done := make(chan struct{})
		defer close(done)
		slots := make(chan chan outcome[U], 2*runtime.GOMAXPROCS(0))
		group.Go(func() {
			defer close(slots)
			for v, err := range in {
				slot := make(chan outcome[U], 1)
				select {
				case slots <- slot:
				case <-done:
					return
				}
				if err != nil {
					slot <- outcome[U]{err: err}
					return
				}
				group.Go(func() { slot <- outcome[U]{value: f(v)} })
			}
		})
		for slot := range slots {
			if o := <-slot; !yield(o.value, o.err) || o.err != nil {
				return
			}
		}
	}
}
