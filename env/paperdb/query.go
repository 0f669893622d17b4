package paperdb

import (
	"context"
	"fmt"
	"time"

	"airqa/env/paperdb/sandbox/gate"
)

// Limits apply to one query.
type Limits struct {
	// Rows is the maximum number of rows, at least 1.
	Rows int
	// Deadline is the timeout, above 0. Waiting for an idle worker does not count.
	Deadline time.Duration
}

// Result is the result of a query.
type Result struct {
	// Columns are the names, made unique by the engine: "title", "title_1".
	Columns []string
	// Values has one slice per row with nil, bool, int64, float64, string, time.Time, []any and map[string]any. Ids,
	// integers beyond 64 bits and long decimals are strings.
	Values [][]any
	// More reports whether there are more rows than Limits.Rows.
	More bool
}

// runner runs untrusted statements: [inProcess] or [workers].
type runner interface {
	query(ctx context.Context, text string, limits Limits) (Result, error)
	close() error
}

// Query runs one untrusted SELECT in a worker process that is killed at the deadline. It returns a [*QueryError] if the
// statement is at fault: bad SQL, a refusal of the sandbox, a timeout, a result of more than 16 MiB, an engine that ran
// out of memory or crashed. Any other error means that ctx ended or that no worker could be started.
func (r *Reader) Query(ctx context.Context, text string, limits Limits) (Result, error) {
	if limits.Rows < 1 || limits.Deadline <= 0 {
		return Result{}, fmt.Errorf("query: limits of %d rows and %v", limits.Rows, limits.Deadline)
	}
	if err := gate.CheckText(text); err != nil {
		return Result{}, refused(err)
	}
	return r.runner.query(ctx, text, limits)
}
