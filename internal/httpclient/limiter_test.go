package httpclient

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"
)

var limited, success = Outcome{Refused: true}, Outcome{OK: true}

func take(t *testing.T, l *Limiter, n int) []Slot {
	t.Helper()
	var slots []Slot
	for range n {
		s, waited, err := l.Acquire(t.Context(), nil)
		if err != nil || waited != 0 {
			t.Fatalf("slot %d: waited %v, %v", len(slots)+1, waited, err)
		}
		slots = append(slots, s)
	}
	return slots
}

func TestLimiterLearns(t *testing.T) {
	l := NewLimiter(16, time.Now)
	for _, s := range take(t, l, 12) { // one burst, all refused: halved once, from those in flight
		l.Release(s, limited)
	}
	if l.bound != 6 {
		t.Fatalf("bound %d, want 6", l.bound)
	}
	slots := take(t, l, 6)
	l.Release(slots[0], Outcome{Fault: true})
	l.Release(slots[1], success) // not at the bound any more: nothing is learnt
	if l.bound != 6 || l.successes != 0 {
		t.Errorf("bound %d after %d successes, want 6 after 0", l.bound, l.successes)
	}
	slots = append(slots[2:], take(t, l, 2)...)
	for range 6 { // a window of successes at the bound
		l.Release(slots[0], success)
		slots = append(slots[1:], take(t, l, 1)...)
	}
	if l.bound != 7 {
		t.Errorf("bound %d, want 7", l.bound)
	}
	l.Release(slots[0], limited)
	if l.bound != 3 {
		t.Errorf("bound %d after another 429, want 3", l.bound)
	}
}

// TestLimiterComesBack shows the bound after each window of successes behind a single refusal.
func TestLimiterComesBack(t *testing.T) {
	l := NewLimiter(256, time.Now)
	slots := take(t, l, 256)
	l.Release(slots[0], limited)
	got := []int{l.bound}
	slots = slots[1:]
	for l.bound < 250 {
		for before := l.bound; l.bound == before; {
			l.Release(slots[0], success)
			slots = slots[1:]
			if len(slots) < l.bound {
				slots = append(slots, take(t, l, l.bound-len(slots))...)
			}
		}
		got = append(got, l.bound)
	}
	if text := fmt.Sprint(got); text != "[128 160 184 202 215 225 232 238 242 245 247 249 250]" {
		t.Errorf("bounds %s", text)
	}
}

func TestLimiterFloorAndCeiling(t *testing.T) {
	l := NewLimiter(2, time.Now)
	for range 3 {
		l.Release(take(t, l, 1)[0], limited)
	}
	if l.bound != 1 {
		t.Fatalf("bound %d, want 1", l.bound)
	}
	for range 10 {
		l.Release(take(t, l, 1)[0], success)
	}
	if l.bound != 2 {
		t.Errorf("bound %d, want 2", l.bound)
	}
}

func TestLimiterIsFair(t *testing.T) {
	l := NewLimiter(1, time.Now)
	first := take(t, l, 1)[0]
	var mu sync.Mutex
	var order []int
	var wg sync.WaitGroup
	for i := range 5 {
		wg.Go(func() {
			s, _, err := l.Acquire(t.Context(), nil)
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			order = append(order, i)
			mu.Unlock()
			l.Release(s, success)
		})
		for queued(l) <= i {
			time.Sleep(time.Millisecond)
		}
	}
	l.Release(first, success)
	wg.Wait()
	if got := fmt.Sprint(order); got != "[0 1 2 3 4]" {
		t.Errorf("order %s", got)
	}
}

func queued(l *Limiter) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.waiting.Len()
}

func TestLimiterWaitIsCancelled(t *testing.T) {
	l := NewLimiter(1, time.Now)
	first := take(t, l, 1)[0]
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := l.Acquire(ctx, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if queued(l) != 0 {
		t.Error("the one who left is still in the queue")
	}
	l.Release(first, success)
	take(t, l, 1)
}

func TestRetryAfterStopsTheLimiter(t *testing.T) {
	const pause = 50 * time.Millisecond
	l := NewLimiter(4, time.Now)
	l.Release(take(t, l, 1)[0], Outcome{Refused: true, RetryAfter: pause})
	begin := time.Now()
	_, waited, err := l.Acquire(t.Context(), nil)
	if took := time.Since(begin); err != nil || took < pause*9/10 || waited < pause*9/10 {
		t.Errorf("waited %v of %v, %v", waited, took, err)
	}
}

func BenchmarkLimiter(b *testing.B) {
	l := NewLimiter(64, time.Now)
	for b.Loop() {
		s, _, err := l.Acquire(b.Context(), nil)
		if err != nil {
			b.Fatal(err)
		}
		l.Release(s, success)
	}
}
