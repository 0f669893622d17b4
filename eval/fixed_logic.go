package eval

import (
	"context"
	"fmt"

	"airqa/internal/python"
)

// runParts applies part i to element i of the answer and stops once the row is settled. A part that is faulty, or whose
// judge fails, leaves the answer unscored only if the other parts do not settle it.
func (s *Scorer) runParts(ctx context.Context, c *call, prediction python.Value, r row) (outcome, error) {
	said, read := listOf(prediction)
	r.trace.list(said, read, len(c.parts), r.rule())
	if len(said) != len(c.parts) {
		if !read {
			return unread(fmt.Sprintf("the answer is not a list of %d", len(c.parts))), nil
		}
		return outcome{}, nil
	}
	var open error
	for i, part := range c.parts {
		o, err := s.run(ctx, part, r.trace.element(i), said[i])
		if err == nil && r.add(o, nil) {
			break
		}
		if err != nil && open == nil {
			open = fmt.Errorf("part %d, %s: %w", i+1, part.name, err)
		}
		if ctx.Err() != nil {
			break
		}
	}
	if open != nil && !r.settled {
		return outcome{}, open
	}
	return r.out, nil
}
