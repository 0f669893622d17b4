package collect

import (
	"context"
	"sync"
	"time"
)

const (
	// maxWrong is the number of wrong codes that one address may try in [wrongTime] without waiting.
	maxWrong  = 10
	wrongTime = time.Minute
	// pause is the time of each further try, one after the other, and maxQueue how many may wait for theirs.
	pause    = time.Second
	maxQueue = 10
)

// tries counts wrong codes by address. All participants behind a tunnel have one address, so wrong codes slow down the
// codes of that address and do not keep the right ones out.
type tries struct {
	now   func() time.Time
	mu    sync.Mutex
	wrong map[string][]time.Time
	// queue has an entry for each try that waits, turn for the one that is next.
	queue, turn chan struct{}
}

func newTries(now func() time.Time) tries {
	return tries{now: now, wrong: make(map[string][]time.Time), queue: make(chan struct{}, maxQueue), turn: make(chan struct{}, 1)}
}

// allowed reports whether an address may try a code. After many wrong ones it waits before it does.
func (t *tries) allowed(ctx context.Context, from string) bool {
	if t.recent(from) < maxWrong {
		return true
	}
	select {
	case t.queue <- struct{}{}:
		defer func() { <-t.queue }()
	default:
		return false
	}
	select {
	case t.turn <- struct{}{}:
		defer func() { <-t.turn }()
	case <-ctx.Done():
		return false
	}
	select {
	case <-time.After(pause):
		return true
	case <-ctx.Done():
		return false
	}
}

// recent is the number of wrong codes that an address has tried lately.
func (t *tries) recent(from string) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	past := t.now().Add(-wrongTime)
	for address, times := range t.wrong {
		for len(times) > 0 && times[0].Before(past) {
			times = times[1:]
		}
		if t.wrong[address] = times; len(times) == 0 {
			delete(t.wrong, address)
		}
	}
	return len(t.wrong[from])
}

func (t *tries) failed(from string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.wrong[from] = append(t.wrong[from], t.now())
}
