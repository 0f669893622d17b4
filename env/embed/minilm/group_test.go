package minilm

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
)

// Callers at the same time share the cores.
func TestCoresAreShared(t *testing.T) {
	c := make(cores, 2)
	var running, most, calls atomic.Int64
	var callers sync.WaitGroup
	for range 4 {
		callers.Go(func() {
			_ = c.each(context.Background(), 50, func(int) {
				calls.Add(1)
				now := running.Add(1)
				for old := most.Load(); now > old && !most.CompareAndSwap(old, now); old = most.Load() {
				}
				running.Add(-1)
			})
		})
	}
	callers.Wait()
	if most.Load() > 2 || calls.Load() != 200 {
		t.Errorf("%d calls, up to %d at once, want 200 and at most 2", calls.Load(), most.Load())
	}
}
