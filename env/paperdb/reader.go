package paperdb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
)

// Config is how a [Reader] is opened. Path is required; for the rest zero means the default.
type Config struct {
	// Path is the database file.
	Path string
	// Workers is the most processes that run queries at a time; 0 means one a processor, at least two. Each may
	// use 2 GiB of memory.
	Workers int
	// InProcess runs queries in this process instead: for tests, and programs that cannot call [WorkerMain].
	// Readers share an engine then, and with it its memory limit of 256 MB; a call that the engine cannot
	// interrupt goes on after its deadline, and one that exhausts the memory takes the program with it.
	InProcess bool
}

// Reader reads a database. Its methods may be called from several goroutines; a statement of a
// model has a connection or a process of its own, so that none sees what another left behind.
type Reader struct {
	db     *sql.DB
	runner runner
	// chunkText is prepared because every retrieval asks it.
	chunkText *sql.Stmt
}

// chunkTextSQL takes a list of ids.
const chunkTextSQL = `SELECT chunk_id::VARCHAR, text_content FROM chunks WHERE chunk_id IN (SELECT TRY_CAST(unnest(?::VARCHAR[]) AS UUID))`

// idleConnections are kept for the program's own statements, which leave nothing behind; making one takes as long as a
// small query.
const idleConnections = 4

// OpenReader opens the database at path read-only and locks the engine down.
func OpenReader(ctx context.Context, path string) (*Reader, error) {
	return OpenReaderConfig(ctx, Config{Path: path})
}

// OpenReaderConfig opens a database read-only and locks the engine down. It starts no worker yet.
func OpenReaderConfig(ctx context.Context, cfg Config) (*Reader, error) {
	path, err := filepath.Abs(cfg.Path)
	if err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	have, err := exists(path)
	if err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	if !have {
		return nil, fmt.Errorf("open %s: no such file; run: airqa ingest --data DIR paper.pdf", filepath.Base(path))
	}
	db, err := openDatabase(ctx, path)
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
	if r.chunkText, err = db.PrepareContext(ctx, chunkTextSQL); err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", filepath.Base(path), err), r.runner.close(), db.Close())
	}
	return r, nil
}

// Close ends the workers and closes the database. A query in process that was given up at its deadline may still
// hold it for a while.
func (r *Reader) Close() error {
	if err := errors.Join(r.chunkText.Close(), r.runner.close(), r.db.Close()); err != nil {
		return fmt.Errorf("close database: %w", err)
	}
	return nil
}
