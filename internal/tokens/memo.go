package tokens

import "sync"

// memoSize is how many counts a [Memo] holds before it forgets them all.
const memoSize = 2000

// Memo counts texts and remembers the counts: a conversation is sent again, and grows by two messages, at every turn.
// The zero value is ready; its methods may be called by several goroutines.
type Memo struct {
	mu     sync.Mutex
	counts map[string]int
}

// Count returns what [Count] does.
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
