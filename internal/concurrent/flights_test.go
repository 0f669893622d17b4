package concurrent_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"airqa/internal/concurrent"
)

// A caller that stops waiting leaves the call to the others; the leader returns when its own call has.
func TestFlights(t *testing.T) {
	var f concurrent.Flights[int]
	begun, release := make(chan struct{}), make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	var ended atomic.Bool
	var all sync.WaitGroup
	all.Go(func() {
		v, shared, err := f.Do(ctx, "k", func() (int, error) {
			close(begun)
			<-release
			ended.Store(true)
			return 7, nil
		})
		if v != 7 || shared || err != nil || !ended.Load() {
			t.Errorf("the leader got %d, %v, %v before its call ended", v, shared, err)
		}
	})
	<-begun
	never := func() (int, error) { t.Error("called twice"); return 0, nil }
	gone, leave := context.WithCancel(t.Context())
	leave()
	if _, shared, err := f.Do(gone, "k", never); shared || !errors.Is(err, context.Canceled) {
		t.Errorf("who gave up got %v, %v", shared, err)
	}
	follow := make(chan struct{})
	all.Go(func() {
		close(follow)
		if v, shared, err := f.Do(t.Context(), "k", func() (int, error) { return 7, nil }); v != 7 || err != nil {
			t.Errorf("a follower got %d, %v, %v", v, shared, err)
		}
	})
	<-follow
	cancel() // does not end a call that pays no attention
	close(release)
	all.Wait()
	if v, shared, err := f.Do(t.Context(), "k", func() (int, error) { return 8, nil }); v != 8 || shared || err != nil {
		t.Errorf("the next call got %d, %v, %v", v, shared, err)
	}
}
