package synthesis

import (
	"context"

	"airqa/env"
)

// library is a data directory as the pipeline reads it.
type library struct{ *env.Env }

// Describe returns title and abstract of a paper.
func (l library) Describe(ctx context.Context, paperID string) (string, error) {
	p, err := l.Paper(ctx, paperID)
	return p.Title + "\n" + p.Abstract, err
}
