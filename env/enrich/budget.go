package enrich

import (
	"sync"

	"airqa/internal/tokens"
	"airqa/qa"
)

// replyTokens is set aside for a reply that has not come yet: three times what the prompts ask for.
const replyTokens = 300

// budget bounds calls and tokens. What is under way counts by estimate, so that many workers do not run over together.
type budget struct {
	maxCalls, maxTokens int

	mu       sync.Mutex
	calls    int
	used     qa.Usage
	reserved int
	reached  bool
}

// estimate is what a call may cost; it counts only when tokens are bounded.
func (b *budget) estimate(messages []qa.Message, picture bool) int {
	if b.maxTokens == 0 {
		return 0
	}
	n := replyTokens
	if picture {
		n += pictureTokens
	}
	for _, m := range messages {
		n += tokens.Count(m.Text)
	}
	return n
}

// take sets a call aside; false when that is no more within the budget.
func (b *budget) take(estimate int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	full := b.maxCalls > 0 && b.calls >= b.maxCalls
	dear := b.maxTokens > 0 && b.total()+b.reserved+estimate > b.maxTokens
	if full || dear {
		b.reached = true
		return false
	}
	b.calls++
	b.reserved += estimate
	return true
}

// settle replaces the estimate of a call by what it cost.
func (b *budget) settle(estimate int, used qa.Usage) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.reserved -= estimate
	b.used = b.used.Add(used)
}

// release gives back a call that was not made.
func (b *budget) release(estimate int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.calls--
	b.reserved -= estimate
}

func (b *budget) total() int { return b.used.Prompt + b.used.Completion }
