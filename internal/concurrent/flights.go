package concurrent

import (
	"context"
	"sync/atomic"

	"golang.org/x/sync/singleflight"
)

// Flights merges equal calls that overlap. The zero value is ready for use.
type Flights[V any] struct{ group singleflight.Group }

// The states of a caller of Do.
const (
	waiting int32 = iota
	leading       // fn runs on behalf of this caller
	gone          // the context ended while it waited
)

// Do returns the result of fn, or waits for that of another caller with the same key; shared reports which. A caller
// whose context ends stops waiting, but not while its own fn runs: fn has to watch the context itself.
func (f *Flights[V]) Do(ctx context.Context, key string, fn func() (V, error)) (value V, shared bool, err error) {
	var none V
	var state atomic.Int32
	done := f.group.DoChan(key, func() (any, error) {
		if !state.CompareAndSwap(waiting, leading) {
			return none, ctx.Err()
		}
		return fn()
	})
	var r singleflight.Result
	select {
	case r = <-done:
	case <-ctx.Done():
		if state.CompareAndSwap(waiting, gone) {
			return none, false, ctx.Err()
		}
		r = <-done
	}
	return r.Val.(V), state.Load() != leading, r.Err
}
