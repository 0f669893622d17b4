package paperdb

import (
	"context"
	"fmt"
	"time"

	"airqa/env/paperdb/sandbox/gate"
)

// Limits bound one query.
type Limits struct {
	// Rows is the most rows that come back, at least 1.
	Rows int
	// Deadline is the most time it may take, above 0. Waiting for a free worker does not count.
	Deadline time.Duration
}

// Result is what a query returned.
type Result struct {
	// Columns are the names, made distinct by the engine: "title", "title_1".
	Columns []string
	// Values holds one slice a row: nil, bool, int64, float64, string, time.Time, []any and map[string]any.
	// Ids are text; integers beyond 64 bits and long decimals too.
	Values [][]any
	// More is true when there are more rows than Limits.Rows.
	More bool
}

// runner is a place where statements of others are run: [inProcess] or [workers].
type runner interface {
	query(ctx context.Context, text string, limits Limits) (Result, error)
	close() error
}

// Query runs one SELECT that somebody else wrote, in a worker process that is killed at the deadline. What is
// wrong with the statement comes back as a [*QueryError]: bad SQL, what the sandbox refuses, a deadline, a result
// of more than 16 MiB, an engine that ran out of memory or broke down. Other errors are the end of ctx (at once),
// and a worker that could not be started.
func (r *Reader) Query(ctx context.Context, text string, limits Limits) (Result, error) {
	if limits.Rows < 1 || limits.Deadline <= 0 {
		return Result{}, fmt.Errorf("query: limits of %d rows and %v", limits.Rows, limits.Deadline)
	}
	if err := gate.CheckText(text); err != nil {
		return Result{}, refused(err)
	}
	return r.runner.query(ctx, text, limits)
}
