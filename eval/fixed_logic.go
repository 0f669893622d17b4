package eval

import (
	"context"
	"fmt"

	"airqa/internal/python"
)

func fixedConjunction(ctx context.Context, s *Scorer, t *Comparison, prediction python.Value, c *call) (outcome, error) {
	return s.runParts(ctx, c, prediction, needAll(t))
}

func fixedDisjunction(ctx context.Context, s *Scorer, t *Comparison, prediction python.Value, c *call) (outcome, error) {
	return s.runParts(ctx, c, prediction, needOne(t))
}

// fixedNegation passes what was read and is wrong. What could not be read is neither.
func fixedNegation(ctx context.Context, s *Scorer, t *Comparison, prediction python.Value, c *call) (outcome, error) {
	o, err := s.run(ctx, c.parts[0], t.whole(), prediction)
	t.negated(" and the answer can be read")
	if err != nil || o.unread != "" {
		return o, err
	}
	return passed(!o.pass), nil
}

// runParts gives element i of the answer to part i, and stops where the row of them is settled. A part that is faulty, or
// whose judge fails, leaves the answer unscored only where the others do not settle it.
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
