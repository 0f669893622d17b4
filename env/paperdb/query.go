package paperdb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/marcboeker/go-duckdb/v2"
)

// grace is how long a query that was interrupted may take to come to its end.
const grace = 200 * time.Millisecond

// Limits bound one query.
type Limits struct {
	// Rows is the most rows that come back, at least 1.
	Rows int
	// Deadline is the most time it may take, above 0.
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

// Query runs one SELECT that somebody else wrote. What is wrong with it comes back as a [*QueryError], at the
// latest a moment after the deadline: a call that the engine cannot interrupt is left to itself, with its
// connection, until it ends.
func (r *Reader) Query(ctx context.Context, text string, limits Limits) (Result, error) {
	if limits.Rows < 1 || limits.Deadline <= 0 {
		return Result{}, fmt.Errorf("query: limits of %d rows and %v", limits.Rows, limits.Deadline)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limits.Deadline, errTimeout)
	defer cancel()
	done := make(chan answer, 1)
	go func() { done <- r.attempt(ctx, text, limits.Rows) }()
	a, ok := await(ctx, done)
	if ok && a.err == nil {
		return a.result, nil
	}
	if errors.Is(context.Cause(ctx), errTimeout) {
		return Result{}, &QueryError{Kind: KindTimeout, Text: fmt.Sprintf("The query took longer than %v and was stopped. Narrow it down, or ask for less.", limits.Deadline)}
	}
	if !ok || ctx.Err() != nil {
		return Result{}, fmt.Errorf("query: %w", ctx.Err())
	}
	return Result{}, r.explain(a.err)
}

type answer struct {
	result Result
	err    error
}

// await waits for an answer, and after the end of ctx only a moment longer.
func await(ctx context.Context, done <-chan answer) (answer, bool) {
	select {
	case a := <-done:
		return a, true
	case <-ctx.Done():
	}
	select {
	case a := <-done:
		return a, true
	case <-time.After(grace):
		return answer{}, false
	}
}

// attempt runs in a goroutine of its own, where nobody else could catch a panic of the driver.
func (r *Reader) attempt(ctx context.Context, text string, rows int) (a answer) {
	defer func() {
		if p := recover(); p != nil {
			a = answer{err: &QueryError{Kind: KindRuntime, Text: r.clean(fmt.Sprint("the engine failed: ", p))}}
		}
	}()
	canonical, err := r.gate.pass(ctx, text)
	if err != nil {
		return answer{err: err}
	}
	conn, err := r.db.Conn(ctx)
	if err != nil {
		return answer{err: err}
	}
	defer func() { _ = conn.Close() }() // a read loses nothing
	if err := prepare(conn, text); err != nil {
		return answer{err: err}
	}
	result, err := fetch(ctx, conn, canonical, rows)
	return answer{result: result, err: atRunTime(err)}
}

// prepare lets the engine bind the statement as it was written, so that errors show its own text, and asks once
// more what kind of statement it is. Unlike the calls that take a context, Prepare executes nothing.
func prepare(conn *sql.Conn, text string) error {
	return conn.Raw(func(driverConn any) (err error) {
		c, ok := driverConn.(*duckdb.Conn)
		if !ok {
			return fmt.Errorf("prepare query: the connection is a %T", driverConn)
		}
		prepared, err := c.Prepare(text)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, prepared.Close()) }()
		stmt, ok := prepared.(*duckdb.Stmt)
		if !ok {
			return fmt.Errorf("prepare query: the statement is a %T", prepared)
		}
		kind, err := stmt.StatementType()
		if err == nil && kind != duckdb.STATEMENT_TYPE_SELECT {
			return refuse("Only a SELECT can be run.")
		}
		return err
	})
}

// fetch runs the statement in a wrapper that stops the engine after one row more than wanted.
func fetch(ctx context.Context, conn *sql.Conn, canonical string, limit int) (Result, error) {
	rows, err := conn.QueryContext(ctx, fmt.Sprintf("SELECT * FROM (\n%s\n) LIMIT %d", canonical, limit+1))
	if err != nil {
		return Result{}, err
	}
	defer func() { _ = rows.Close() }() // rows.Err below tells
	types, err := rows.ColumnTypes()
	if err != nil {
		return Result{}, err
	}
	var result Result
	for _, t := range types {
		result.Columns = append(result.Columns, t.Name())
	}
	for rows.Next() {
		row, err := scanRow(rows, types)
		if err != nil {
			return Result{}, err
		}
		result.Values = append(result.Values, row)
	}
	if len(result.Values) > limit {
		result.Values, result.More = result.Values[:limit], true
	}
	return result, rows.Err()
}

func scanRow(rows *sql.Rows, types []*sql.ColumnType) ([]any, error) {
	row := make([]any, len(types))
	into := make([]any, len(types))
	for i := range row {
		into[i] = &row[i]
	}
	if err := rows.Scan(into...); err != nil {
		return nil, err
	}
	for i, t := range types {
		row[i] = plain(row[i], t.DatabaseTypeName())
	}
	return row, nil
}

// atRunTime takes the excerpt of the wrapped statement out of an engine's error.
func atRunTime(err error) error {
	var engine *duckdb.Error
	if !errors.As(err, &engine) {
		return err
	}
	return &duckdb.Error{Type: engine.Type, Msg: wrapped.ReplaceAllString(engine.Msg, "")}
}
