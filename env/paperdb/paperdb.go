// Package paperdb keeps the papers in DuckDB and is the only package that knows it. [Writer] puts the rows of a
// paper in, whole papers at a time; [Reader] reads them back by typed methods, and runs the SQL of a model in a
// sandbox with [Reader.Query]. The schema is in schema.sql; [Reader.Schema] renders it for a prompt.
//
// The database is one file. One writer excludes all readers of other processes; any number of readers may be
// open at a time. The package finds no vectors and reads no PDF.
package paperdb

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/marcboeker/go-duckdb/v2"
)

// Format is the number of the schema that this program makes and reads.
const Format = 1

// storage is the oldest DuckDB that can read the file; a later engine writes no newer one.
const storage = "v1.2.0"

//go:embed schema.sql
var schemaSQL string

// Tables returns the names of the eight tables that a model may query.
func Tables() []string {
	return []string{"metadata", "pages", "images", "chunks", "tables", "sections", "equations", "reference"}
}

// handleConflict is in the error of the engine when another reader of this process is about to close the same file. That
// takes a moment: opening is tried again closingTries times.
const (
	handleConflict = "Unique file handle conflict"
	closingTries   = 100
	closingWait    = 10 * time.Millisecond
)

// connect opens a DuckDB file, or an in-memory database for path "". No connection is kept for a second use:
// whatever a statement leaves behind in it is gone.
func connect(path, options string) (*sql.DB, error) {
	if err := CheckPath(path); err != nil {
		return nil, err
	}
	connector, err := duckdb.NewConnector(path+"?"+options, nil)
	for range closingTries {
		if err == nil || !strings.Contains(err.Error(), handleConflict) {
			break
		}
		time.Sleep(closingWait)
		connector, err = duckdb.NewConnector(path+"?"+options, nil)
	}
	if err != nil {
		return nil, openError(path, err)
	}
	db := sql.OpenDB(connector)
	db.SetMaxIdleConns(-1)
	return db, nil
}

// CheckPath refuses the paths that DuckDB's driver, which takes them for URLs, cannot open.
func CheckPath(path string) error {
	if strings.ContainsAny(path, "?#%") {
		return fmt.Errorf("open %s: DuckDB cannot open a path with ?, # or %%; choose another folder", path)
	}
	return nil
}

// openError says in a line why the file could not be opened.
func openError(path string, err error) error {
	name := filepath.Base(path)
	text := err.Error()
	switch {
	case strings.Contains(text, "Could not set lock"):
		return fmt.Errorf("open %s: another program is using it; wait until it is done", name)
	case strings.Contains(text, "different configuration"), strings.Contains(text, handleConflict):
		return fmt.Errorf("open %s: this program has it open in another way", name)
	case strings.Contains(text, "in-memory database in read-only mode"): // which the engine takes a JSON or CSV file for
		return fmt.Errorf("open %s: it is not a DuckDB database", name)
	}
	return damaged(path, err)
}

// marks of a damaged file in the engine's errors.
var marks = []string{
	"not a valid DuckDB database file", "Could not read enough bytes", "does not match stored checksum", "Corrupt", "corrupt", "Failed to load metadata", "INTERNAL Error", "FATAL Error",
}

// damaged says what to do about a file that cannot be read. The engine's own words, which may be a trace of its functions,
// are left out.
func damaged(path string, err error) error {
	text := err.Error()
	name := filepath.Base(path)
	if !slices.ContainsFunc(marks, func(mark string) bool { return strings.Contains(text, mark) }) {
		return fmt.Errorf("open %s: %w", name, err)
	}
	return fmt.Errorf("open %s: the file is damaged or is not a DuckDB database; restore it from a copy, or move it away and "+
		"repeat the airqa ingest or import that made it", name)
}

// exists tells whether there is a file at path.
func exists(path string) (bool, error) {
	_, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// checkFormat refuses a database that another version of the program made.
func checkFormat(ctx context.Context, db *sql.DB, path string) error {
	var format int
	if err := db.QueryRowContext(ctx, "SELECT format FROM airqa.info").Scan(&format); err != nil {
		return damaged(path, fmt.Errorf("it is no database of papers: %w", err))
	}
	if format != Format {
		return fmt.Errorf("open %s: made by format %d; this program reads %d", filepath.Base(path), format, Format)
	}
	return nil
}
