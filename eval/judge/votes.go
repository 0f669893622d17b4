package judge

import (
	"context"
	"slices"
	"sync"

	"airqa/qa"
)

// Votes collects the votes of panels within one context. Start from [WithVotes].
type Votes struct {
	mu   sync.Mutex
	list []qa.Vote
}

type votesKey struct{}

// WithVotes returns a context whose panels record their votes in the second result. Use one context per scored answer.
func WithVotes(ctx context.Context) (context.Context, *Votes) {
	v := &Votes{}
	return context.WithValue(ctx, votesKey{}, v), v
}

// List returns the votes so far: one per judge, in panel order, for each question that a panel was asked. It is nil if
// there was none.
func (v *Votes) List() []qa.Vote {
	v.mu.Lock()
	defer v.mu.Unlock()
	return slices.Clone(v.list)
}
