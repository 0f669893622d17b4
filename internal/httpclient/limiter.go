package httpclient

import (
	"container/list"
	"context"
	"sync"
	"time"
)

// Limiter limits the requests in flight to one endpoint and model. It starts at the ceiling, so that a run without
// refusals never waits, and adapts:
//
//   - a 429 halves the bound, counted from the requests in flight, once for all that started before the halving;
//   - a full window of successes at the bound adds one, or a quarter of the distance to where the refusal was: it grows
//     slowly near that place and fast on either side of it, up to the ceiling;
//   - a server error restarts the window, so that it only delays growth;
//   - a Retry-After stops all new requests until it is over.
//
// Waiting requests are served in the order of their arrival. Calls may overlap.
type Limiter struct {
	ceiling int
	now     func() time.Time

	mu      sync.Mutex
	bound   int
	active  int
	waiting list.List // of chan struct{}
	// halvings counts the halvings; a request remembers the count at its start.
	halvings  int
	successes int
	refused   int       // in flight at the last halving
	closed    time.Time // no request starts before
	timer     *time.Timer
}

// Slot is the permission for one request.
type Slot struct{ halvings int }

// Outcome is the result of a request, as far as a [Limiter] needs it. The zero value is a failure unrelated to the
// load.
type Outcome struct {
	// OK is a success, Refused a 429, Fault a server error.
	OK, Refused, Fault bool
	// RetryAfter is the pause requested by the server, capped at [LongestPause].
	RetryAfter time.Duration
}

// NewLimiter makes a limiter; now is the time.
func NewLimiter(ceiling int, now func() time.Time) *Limiter {
	return &Limiter{ceiling: ceiling, bound: ceiling, now: now}
}

// Acquire waits for a slot and returns the time waited: 0 if one was free. If it has to wait, it calls onWait, and the
// function that onWait returns when the wait is over; both may be nil. It fails with the context's error.
func (l *Limiter) Acquire(ctx context.Context, onWait func() (over func())) (Slot, time.Duration, error) {
	l.mu.Lock()
	if l.waiting.Len() == 0 && l.free() {
		l.active++
		defer l.mu.Unlock()
		return Slot{l.halvings}, 0, nil
	}
	ready := make(chan struct{})
	place := l.waiting.PushBack(ready)
	l.arm()
	l.mu.Unlock()
	start := l.now()
	if onWait != nil {
		defer onWait()()
	}
	select {
	case <-ready:
	case <-ctx.Done():
		if !l.leave(place, ready) {
			return Slot{}, l.now().Sub(start), ctx.Err()
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return Slot{l.halvings}, l.now().Sub(start), nil
}

// leave removes a waiter from the queue. It reports whether the slot was granted in the meantime.
func (l *Limiter) leave(place *list.Element, ready chan struct{}) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-ready:
		return true
	default:
		l.waiting.Remove(place)
		return false
	}
}

// Release returns a slot and learns from the outcome of the request.
func (l *Limiter) Release(s Slot, o Outcome) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if o.RetryAfter > 0 {
		if until := l.now().Add(min(o.RetryAfter, LongestPause)); until.After(l.closed) {
			l.closed = until
		}
	}
	switch {
	case o.Refused:
		if s.halvings == l.halvings {
			l.refused = min(l.bound, l.active)
			l.bound = max(1, l.refused/2)
			l.halvings++
		}
		l.successes = 0
	case o.Fault:
		l.successes = 0
	case o.OK && l.bound < l.ceiling && l.active >= l.bound:
		if l.successes++; l.successes >= l.bound {
			way := max(l.refused-l.bound, l.bound-l.refused)
			l.bound = min(l.bound+max(1, way/4), l.ceiling)
			l.successes = 0
		}
	}
	l.active--
	l.grant()
}

func (l *Limiter) free() bool {
	return l.active < l.bound && (l.closed.IsZero() || !l.now().Before(l.closed))
}

// grant serves waiting requests while there are slots.
func (l *Limiter) grant() {
	for l.waiting.Len() > 0 && l.free() {
		ready, ok := l.waiting.Remove(l.waiting.Front()).(chan struct{})
		if !ok {
			continue
		}
		l.active++
		close(ready)
	}
	l.arm()
}

// arm wakes the queue when its Retry-After is over.
func (l *Limiter) arm() {
	if l.waiting.Len() == 0 || l.timer != nil || l.closed.IsZero() {
		return
	}
	left := l.closed.Sub(l.now())
	if left <= 0 {
		return
	}
	l.timer = time.AfterFunc(left, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.timer = nil
		l.grant()
	})
}
