package llm

import (
	"container/list"
	"context"
	"errors"
	"sync"
	"time"

	"airqa/qa"
)

// limiter bounds the requests under way at one endpoint and model. It begins at the ceiling, so that a run that meets no
// limit never waits, and learns downwards:
//
//   - a 429 halves the bound, counted from what was under way, once for all requests that started before the halving;
//   - a full window of successes while the bound was reached adds one, or a quarter of the way back to where the refusal
//     was: near that place it feels its way, far from it, on either side, it hurries, up to the ceiling;
//   - a fault of the server's starts the window anew, so that it only delays growth;
//   - a Retry-After stops all new requests until it is over.
//
// Waiting requests go in the order of their arrival. Calls may overlap.
type limiter struct {
	ceiling int
	now     func() time.Time

	mu      sync.Mutex
	bound   int
	active  int
	waiting list.List // of chan struct{}
	// halvings counts; a request knows the count of its start.
	halvings  int
	successes int
	refused   int       // how many were under way at the last halving
	closed    time.Time // no request starts before
	timer     *time.Timer
}

// slot is the right to one request.
type slot struct{ halvings int }

func newLimiter(ceiling int, now func() time.Time) *limiter {
	return &limiter{ceiling: ceiling, bound: ceiling, now: now}
}

// acquire waits for a slot and returns how long it took: 0 when one was free. It fails with the context's error.
func (l *limiter) acquire(ctx context.Context) (slot, time.Duration, error) {
	return l.acquireTold(ctx, func() func() { return func() {} })
}

// acquireTold calls onWait when it has to wait, and what that returns when it does no more.
func (l *limiter) acquireTold(ctx context.Context, onWait func() func()) (slot, time.Duration, error) {
	l.mu.Lock()
	if l.waiting.Len() == 0 && l.free() {
		l.active++
		defer l.mu.Unlock()
		return slot{l.halvings}, 0, nil
	}
	ready := make(chan struct{})
	place := l.waiting.PushBack(ready)
	l.arm()
	l.mu.Unlock()
	start := l.now()
	defer onWait()()
	select {
	case <-ready:
	case <-ctx.Done():
		if !l.leave(place, ready) {
			return slot{}, l.now().Sub(start), ctx.Err()
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return slot{l.halvings}, l.now().Sub(start), nil
}

// leave gives up a place in the queue. It reports true when the slot had been granted in the meantime.
func (l *limiter) leave(place *list.Element, ready chan struct{}) bool {
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

// release gives a slot back and learns from how the request ended.
func (l *limiter) release(s slot, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.learn(s, err)
	l.active--
	l.grant()
}

func (l *limiter) learn(s slot, err error) {
	var status *HTTPError
	if errors.As(err, &status) && status.RetryAfter > 0 {
		if until := l.now().Add(min(status.RetryAfter, maxRetryAfter)); until.After(l.closed) {
			l.closed = until
		}
	}
	switch class := Classify(err); {
	case class == qa.FailRateLimit:
		if s.halvings == l.halvings {
			l.refused = min(l.bound, l.active)
			l.bound = max(1, l.refused/2)
			l.halvings++
		}
		l.successes = 0
	case class == qa.FailServer:
		l.successes = 0
	case err == nil && l.bound < l.ceiling && l.active >= l.bound:
		l.grow()
	}
}

func (l *limiter) grow() {
	if l.successes++; l.successes < l.bound {
		return
	}
	way := max(l.refused-l.bound, l.bound-l.refused)
	l.bound = min(l.bound+max(1, way/4), l.ceiling)
	l.successes = 0
}

func (l *limiter) free() bool {
	return l.active < l.bound && (l.closed.IsZero() || !l.now().Before(l.closed))
}

// grant lets those who wait go on while there are slots.
func (l *limiter) grant() {
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

// arm sees to it that a queue behind a Retry-After wakes when it is over.
func (l *limiter) arm() {
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
