package judge

import (
	"sync"

	"airqa/qa"
)

// Spent is the cost of judging.
type Spent struct {
	// Calls counts model replies, Failed the calls without one.
	Calls  int `json:"calls"`
	Failed int `json:"failed"`
	// Known counts cached verdicts.
	Known int `json:"known"`
	// Usage sums the tokens of the replies.
	Usage qa.Usage `json:"usage"`
}

// Meter counts the requests of judges. The zero value is ready, calls may overlap, and a nil meter counts nothing.
type Meter struct {
	mu    sync.Mutex
	spent Spent
}

// Spent returns the counts so far.
func (m *Meter) Spent() Spent {
	if m == nil {
		return Spent{}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.spent
}

func (m *Meter) add(s Spent) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.spent.Calls += s.Calls
	m.spent.Failed += s.Failed
	m.spent.Known += s.Known
	m.spent.Usage = m.spent.Usage.Add(s.Usage)
}
