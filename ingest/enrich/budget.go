package enrich

import (
	"sync"

	"airqa/internal/tokens"
	"airqa/qa"
)

// budget limits calls and tokens. Calls in flight count with their estimate, so that concurrent workers do not exceed
// it together.
type budget struct {
	maxCalls, maxTokens int

	mu       sync.Mutex
	calls    int
	used     qa.Usage
	reserved int
}

// estimate returns the maximum cost of a call; it is only needed if tokens are limited.
func (b *budget) estimate(messages []qa.Message, hasImage bool) int {
	// By OpenAI's rule for GPT-4o: 8 tiles of 170 plus 85. The reply reports the actual cost.
	const imageTokens = 85 + 8*170
	if b.maxTokens == 0 {
		return 0
	}
	n := 300 // three times the length requested by the prompts
	if hasImage {
		n += imageTokens
	}
	for _, m := range messages {
		n += tokens.Count(m.Text)
	}
	return n
}

// reserve reserves a call; it returns false if the budget does not allow it.
func (b *budget) reserve(estimate int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	full := b.maxCalls > 0 && b.calls >= b.maxCalls
	dear := b.maxTokens > 0 && b.total()+b.reserved+estimate > b.maxTokens
	if full || dear {
		return false
	}
	b.calls++
	b.reserved += estimate
	return true
}

// settle replaces the estimate of a call with its actual cost.
func (b *budget) settle(estimate int, used qa.Usage) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.reserved -= estimate
	b.used = b.used.Add(used)
}

// release cancels the reservation of a call that was not made.
func (b *budget) release(estimate int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.calls--
	b.reserved -= estimate
}

func (b *budget) total() int { return b.used.Prompt + b.used.Completion }
