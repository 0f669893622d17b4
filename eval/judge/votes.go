package judge

import (
	"context"
	"slices"
	"sync"

	"airqa/qa"
)

// Votes gathers what the judges of panels say within one context. Start from [WithVotes].
type Votes struct {
	mu   sync.Mutex
	list []qa.Vote
}

type votesKey struct{}

// WithVotes returns a context whose panels note their votes in the second result: one context for each answer that is
// scored.
func WithVotes(ctx context.Context) (context.Context, *Votes) {
	v := &Votes{}
	return context.WithValue(ctx, votesKey{}, v), v
}

// List returns the votes so far: for each question that a panel was asked, one of each judge, in the order of the
// panel. It is nil when no panel was asked.
func (v *Votes) List() []qa.Vote {
	v.mu.Lock()
	defer v.mu.Unlock()
	return slices.Clone(v.list)
}

// noteVotes adds the votes on one question, when someone wants them.
func noteVotes(ctx context.Context, votes []qa.Vote) {
	v, ok := ctx.Value(votesKey{}).(*Votes)
	if !ok {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.list = append(v.list, votes...)
}
