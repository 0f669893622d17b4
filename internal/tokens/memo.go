package tokens

import "sync"

// memoSize is the number of counts after which a [Memo] is cleared.
const memoSize = 2000

// Memo caches the counts of texts: each turn sends the whole conversation again, two messages longer. The zero value is
// ready; it is safe for concurrent use.
type Memo struct {
	mu     sync.Mutex
	counts map[string]int
}

// Count is [Count] with the cache.
func (m *Memo) Count(text string) int {
	m.mu.Lock()
	n, ok := m.counts[text]
	m.mu.Unlock()
	if ok {
		return n
	}
	n = Count(text)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.counts == nil || len(m.counts) >= memoSize {
		m.counts = make(map[string]int)
	}
	m.counts[text] = n
	return n
}
