package session

import (
	"context"

	"airqa/env"
)

// Remove removes papers from a data directory and brings its search index up to date. A second Ctrl-C stops that; the next
// writer completes it.
func (s Session) Remove(to env.WriterConfig, papers []env.Removing) error {
	ctx, _, stop := s.Interrupts()
	defer stop()
	return s.Write(ctx, to, "embed", func(store *env.Writer) error { return store.Remove(ctx, papers) })
}

// CompleteRemoval completes an interrupted removal of papers, if there is one.
func (s Session) CompleteRemoval(ctx context.Context, to env.WriterConfig) error {
	if !env.RemovalPending(to.Dir) {
		return nil
	}
	s.Notify.Notef("completing the interrupted removal of papers from %s", to.Dir)
	return s.Write(ctx, to, "embed", func(*env.Writer) error { return nil })
}
