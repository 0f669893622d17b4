package eval

import (
	"context"
	"fmt"

	"airqa/internal/pyliteral"
)

func fixedConjunction(ctx context.Context, s *Scorer, prediction pyliteral.Value, c *call) (outcome, error) {
	return s.runParts(ctx, c, prediction, false)
}

func fixedDisjunction(ctx context.Context, s *Scorer, prediction pyliteral.Value, c *call) (outcome, error) {
	return s.runParts(ctx, c, prediction, true)
}

// fixedNegation passes what was read and is wrong. What could not be read is neither.
func fixedNegation(ctx context.Context, s *Scorer, prediction pyliteral.Value, c *call) (outcome, error) {
	o, err := s.run(ctx, c.parts[0], prediction)
	if err != nil || o.unread != "" {
		return o, err
	}
	return passed(!o.pass), nil
}

// runParts gives element i of the answer to part i, and stops at the first that passes (or fails) as stop says. A part
// that is faulty, or whose judge fails, leaves the answer unscored only where the others do not settle it.
func (s *Scorer) runParts(ctx context.Context, c *call, prediction pyliteral.Value, stop bool) (outcome, error) {
	said, read := listOf(prediction)
	if len(said) != len(c.parts) {
		if !read {
			return unread(fmt.Sprintf("the answer is not a list of %d", len(c.parts))), nil
		}
		return outcome{}, nil
	}
	last := passed(!stop)
	var open error
	for i, part := range c.parts {
		o, err := s.run(ctx, part, said[i])
		if err == nil && o.pass == stop {
			return o, nil
		}
		if err != nil && open == nil {
			open = fmt.Errorf("part %d, %s: %w", i+1, part.name, err)
		}
		if ctx.Err() != nil {
			break
		}
		last = o
	}
	if open != nil {
		return outcome{}, open
	}
	return last, nil
}
