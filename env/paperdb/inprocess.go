package paperdb

import (
	"context"
	"errors"
	"fmt"
	"time"

	"airqa/qa"
)

// inProcess runs statements in this process. A call that the engine cannot interrupt is abandoned at the deadline; it
// keeps its connection until it ends.
type inProcess struct{ engine *engine }

func (p inProcess) query(ctx context.Context, text string, limits Limits) (qa.Rows, error) {
	const interruptGrace = 200 * time.Millisecond
	ctx, cancel := context.WithTimeoutCause(ctx, limits.Deadline, errTimeout)
	defer cancel()
	done := make(chan answer, 1)
	go func() {
		result, err := p.engine.run(ctx, text, limits.Rows)
		done <- answer{result, err}
	}()
	var a answer
	select {
	case a = <-done:
	case <-ctx.Done():
		select {
		case a = <-done:
		case <-time.After(interruptGrace):
			a.err = ctx.Err()
		}
	}
	switch {
	case a.err == nil:
		return a.result, nil
	case errors.Is(context.Cause(ctx), errTimeout):
		return qa.Rows{}, tooSlow(limits.Deadline)
	case ctx.Err() != nil:
		return qa.Rows{}, fmt.Errorf("query: %w", ctx.Err())
	}
	return qa.Rows{}, p.engine.explain(a.err)
}

func (p inProcess) close() error { return p.engine.close() }

type answer struct {
	result qa.Rows
	err    error
}
