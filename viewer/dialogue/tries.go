package dialogue

import (
	"sync"
	"time"
)

const (
	// maxWrong is the number of wrong codes that one address may try in [wrongTime].
	maxWrong  = 10
	wrongTime = time.Minute
)

// tries counts wrong codes by address.
type tries struct {
	now   func() time.Time
	mu    sync.Mutex
	wrong map[string][]time.Time
}

// allowed reports whether an address may try a code.
func (t *tries) allowed(from string) bool {
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
	return len(t.wrong[from]) < maxWrong
}

func (t *tries) failed(from string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.wrong[from] = append(t.wrong[from], t.now())
}
