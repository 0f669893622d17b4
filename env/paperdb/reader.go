package paperdb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"airqa/env/paperdb/sandbox"
	"airqa/qa"
)

// Config configures a [Reader]. Path is required; other zero values mean the default.
type Config struct {
	// Path is the database file.
	Path string
	// Workers is the maximum number of worker processes; 0 means one per processor, at least two. Each may use 2 GiB of
	// memory.
	Workers int
	// InProcess runs queries in this process instead, for tests and for programs that cannot call [WorkerMain]. All readers
	// of a file in this process, and their own statements, then share one engine. The reader that opened it first sets its
	// memory: 256 MB if in process, as for queries, 384 MB with workers. A call that the engine cannot
	// interrupt continues after its deadline, and one that exhausts memory crashes the program.
	InProcess bool
}

// Reader reads a database. It is safe for concurrent use. Each statement of a model has its own connection or process,
// so statements cannot affect each other.
type Reader struct {
	db     *sql.DB
	runner runner
}

// idleConnections are kept for the program's own statements, which leave no state behind; opening one takes as long as
// a small query.
const idleConnections = 4

// OpenReader opens a database read-only and locks the engine down. It starts no worker yet.
func OpenReader(ctx context.Context, cfg Config) (*Reader, error) {
	path, err := filepath.Abs(cfg.Path)
	if err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	have, err := exists(path)
	if err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	if !have {
		return nil, fmt.Errorf("open %s: %w; run: airqa ingest --data DIR paper.pdf", filepath.Base(path), fs.ErrNotExist)
	}
	memory := ownMemory
	if cfg.InProcess {
		memory = modelMemory
	}
	db, err := openDatabase(ctx, path, memory)
	if err != nil {
		return nil, err
	}
	r := &Reader{db: db, runner: newWorkers(path, cfg.Workers)}
	if cfg.InProcess {
		e, err := newEngine(ctx, db, path)
		if err != nil {
			return nil, errors.Join(err, db.Close())
		}
		r.runner = inProcess{e}
	} else {
		db.SetMaxIdleConns(idleConnections)
	}
	return r, nil
}

// Close ends the workers and closes the database. An in-process query that exceeded its deadline may keep it open for a
// while.
func (r *Reader) Close() error {
	if err := errors.Join(r.runner.close(), r.db.Close()); err != nil {
		return fmt.Errorf("close database: %w", err)
	}
	return nil
}

// Limits apply to one query.
type Limits struct {
	// Rows is the maximum number of rows, at least 1.
	Rows int
	// Deadline is the timeout, above 0. Waiting for an idle worker does not count.
	Deadline time.Duration
}

// runner runs untrusted statements: [inProcess] or [workers].
type runner interface {
	query(ctx context.Context, text string, limits Limits) (qa.Rows, error)
	close() error
}

// Query runs one untrusted SELECT in a worker process that is killed at the deadline. It returns a [*QueryError] if the
// statement is at fault: bad SQL, a refusal of the sandbox, a timeout, a result of more than 16 MiB, an engine that ran
// out of memory or crashed. Any other error means that ctx ended or that no worker could be started.
//
// The columns have names that the engine made unique: "title", "title_1". VARCHAR and JSON values are as they are; nested
// values, decimals, dates, ids and integers beyond 64 bits are cast to VARCHAR.
func (r *Reader) Query(ctx context.Context, text string, limits Limits) (qa.Rows, error) {
	if limits.Rows < 1 || limits.Deadline <= 0 {
		return qa.Rows{}, fmt.Errorf("query: limits of %d rows and %v", limits.Rows, limits.Deadline)
	}
	if err := sandbox.CheckText(text); err != nil {
		return qa.Rows{}, refused(err)
	}
	return r.runner.query(ctx, text, limits)
}
