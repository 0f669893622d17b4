package paperdb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
)

// Reader reads a database. Its methods may be called from several goroutines; each call has a connection of its
// own, so that none sees what another left behind.
type Reader struct {
	db   *sql.DB
	gate *gate
	hide []string // host paths that no error text may show
}

// sandbox are the engine settings, in the only order that works: the one before the last takes the file system
// away, the last forbids changing any of them.
func sandbox() []string {
	return []string{
		"SET threads = 1",
		"SET memory_limit = '256MB'",
		"SET max_temp_directory_size = '0GB'",
		"SET temp_directory = ''",
		"SET autoinstall_known_extensions = false",
		"SET autoload_known_extensions = false",
		"SET allow_community_extensions = false",
		"SET allow_persistent_secrets = false",
		"SET enable_external_access = false",
		"SET lock_configuration = true",
	}
}

// OpenReader opens the database at path read-only and locks the engine down. Readers of one process share an
// engine, and with it its memory limit of 256 MB.
func OpenReader(ctx context.Context, path string) (*Reader, error) {
	have, err := exists(path)
	if err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	if !have {
		return nil, fmt.Errorf("open %s: no such file; run: airqa ingest --data DIR paper.pdf", filepath.Base(path))
	}
	db, err := connect(path, "access_mode=read_only")
	if err != nil {
		return nil, err
	}
	r := &Reader{db: db, hide: []string{path, filepath.Dir(path)}}
	if err := r.prepare(ctx, path); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return r, nil
}

func (r *Reader) prepare(ctx context.Context, path string) error {
	if err := lockDown(ctx, r.db); err != nil {
		return fmt.Errorf("open %s: %w", filepath.Base(path), err)
	}
	if err := checkFormat(ctx, r.db, path); err != nil {
		return err
	}
	var catalog string
	if err := r.db.QueryRowContext(ctx, "SELECT current_database()").Scan(&catalog); err != nil {
		return fmt.Errorf("open %s: %w", filepath.Base(path), err)
	}
	g, err := openGate(ctx, catalog)
	if err != nil {
		return err
	}
	r.gate = g
	return nil
}

// lockDown applies the sandbox. Where another reader of this process did so before, the engine refuses the
// settings; they are in place then.
func lockDown(ctx context.Context, db *sql.DB) error {
	var refused error
	for _, statement := range sandbox() {
		if _, err := db.ExecContext(ctx, statement); err != nil {
			refused = fmt.Errorf("lock down the engine: %w", err)
			break
		}
	}
	var safe bool
	err := db.QueryRowContext(ctx, `SELECT count(*) = 2 FROM duckdb_settings()
		WHERE (name, value) IN (('lock_configuration', 'true'), ('enable_external_access', 'false'))`).Scan(&safe)
	if err != nil {
		return errors.Join(refused, err)
	}
	if !safe {
		return errors.Join(refused, errors.New("lock down the engine: the settings did not hold"))
	}
	return nil
}

// Close closes the database. A query that was given up at its deadline may still hold it for a while.
func (r *Reader) Close() error {
	if err := errors.Join(r.gate.close(), r.db.Close()); err != nil {
		return fmt.Errorf("close database: %w", err)
	}
	return nil
}
