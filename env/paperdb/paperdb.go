// Package paperdb stores the papers in DuckDB; no other package depends on DuckDB. [Writer] stores whole papers.
// [Reader] has typed methods and runs the SQL of a model in a sandbox with [Reader.Query]. The schema is in schema.sql;
// [Reader.Schema] renders it for a prompt.
//
// The database is a single file. A writer excludes the readers of other processes; any number of readers may be open at
// a time. The package neither handles vectors nor reads PDFs.
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

	"airqa/internal/ledger"
)

// Format is the schema version that this program writes and reads.
const Format = 2

// again makes a database of another format again.
const again = "make the data directory again with airqa ingest --data NEW PAPERS"

// storage is the oldest DuckDB version that can read the file; newer engines still write this version.
const storage = "v1.2.0"

//go:embed schema.sql
var schemaSQL string

// Tables returns the names of the eight tables that a model may query.
func Tables() []string {
	return []string{"metadata", "pages", "images", "chunks", "tables", "sections", "equations", "reference"}
}

// handleConflict is the engine's error while another reader of this process is closing the same file. As that takes
// only a moment, opening is retried closingTries times.
const (
	handleConflict = "Unique file handle conflict"
	closingTries   = 100
	closingWait    = 10 * time.Millisecond
)

// connect opens a DuckDB file, or an in-memory database for path "". Connections are not reused, so a statement leaves
// no state behind. The engine has one thread: with more, one of them keeps asking whether the others are done, and most
// statements are short.
func connect(path, options string) (*sql.DB, error) {
	if err := CheckPath(path); err != nil {
		return nil, err
	}
	address := path + "?threads=1&" + options
	connector, err := duckdb.NewConnector(address, nil)
	for try := 0; try < closingTries && err != nil && strings.Contains(err.Error(), handleConflict); try++ {
		time.Sleep(closingWait)
		connector, err = duckdb.NewConnector(address, nil)
	}
	if err != nil {
		return nil, openError(path, err)
	}
	db := sql.OpenDB(connector)
	db.SetMaxIdleConns(-1)
	return db, nil
}

// CheckPath refuses paths that DuckDB's driver, which treats them as URLs, cannot open.
func CheckPath(path string) error {
	if strings.ContainsAny(path, "?#%") {
		return fmt.Errorf("open %s: DuckDB cannot open a path with ?, # or %%; choose another folder", path)
	}
	return nil
}

// openError explains in one line why the file could not be opened.
func openError(path string, err error) error {
	name := filepath.Base(path)
	text := err.Error()
	switch {
	case strings.Contains(text, "Could not set lock"):
		return fmt.Errorf("open %s: another program is using it; wait until it is done", name)
	case strings.Contains(text, "different configuration"), strings.Contains(text, handleConflict):
		return fmt.Errorf("open %s: this program has it open with other settings", name)
	case strings.Contains(text, "in-memory database in read-only mode"): // the engine's misreading of a JSON or CSV file
		return fmt.Errorf("open %s: not a DuckDB database", name)
	}
	return damaged(path, err)
}

// damageMarks are substrings of the engine's errors for a damaged file.
var damageMarks = []string{
	"not a valid DuckDB database file", "Could not read enough bytes", "does not match stored checksum", "Corrupt", "corrupt", "Failed to load metadata", "INTERNAL Error", "FATAL Error",
}

// damaged adds a hint to errors about an unreadable file. It omits the engine's own text, which may be a stack trace.
func damaged(path string, err error) error {
	text := err.Error()
	name := filepath.Base(path)
	if !slices.ContainsFunc(damageMarks, func(mark string) bool { return strings.Contains(text, mark) }) {
		return fmt.Errorf("open %s: %w", name, err)
	}
	return unreadable(path)
}

func unreadable(path string) error {
	return fmt.Errorf("open %s: damaged or not a DuckDB database; restore it from a copy, or move it away and "+
		"repeat the airqa ingest or import that made it", filepath.Base(path))
}

func exists(path string) (bool, error) {
	_, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// checkFormat refuses a database written by another version of the program.
func checkFormat(ctx context.Context, db *sql.DB, path string) error {
	var format int
	if err := db.QueryRowContext(ctx, "SELECT format FROM airqa.info").Scan(&format); err != nil {
		return damaged(path, fmt.Errorf("not a database of papers: %w", err))
	}
	if err := ledger.CheckFormat(format, Format, again); err != nil {
		return fmt.Errorf("open %s: %w", filepath.Base(path), err)
	}
	return checkSize(ctx, db, path)
}

// checkSize refuses a file that was cut: the engine notices it only when it reads what is missing, and a writer would
// put other things there. Of blocks that are not in use, the file may have fewer than its head says.
func checkSize(ctx context.Context, db *sql.DB, path string) error {
	var used int64
	if err := db.QueryRowContext(ctx, "SELECT used_blocks * block_size FROM pragma_database_size()").Scan(&used); err != nil {
		return damaged(path, err)
	}
	const heads = 3 * 4096
	info, err := os.Stat(path)
	if err == nil && info.Size() < heads+used {
		err = unreadable(path)
	}
	return err
}

// Schema renders the eight tables of the database as CREATE TABLE statements, with a comment for each table and column.
// The output is deterministic.
func (r *Reader) Schema(ctx context.Context) (string, error) {
	var parts []string
	for _, name := range Tables() {
		var comment string
		err := r.db.QueryRowContext(ctx, `SELECT COALESCE(comment, '') FROM duckdb_tables()
			WHERE schema_name = 'main' AND table_name = ?`, name).Scan(&comment)
		var lines []string
		if err == nil { // a column that may not be NULL is the primary key: there are no others
			lines, err = list(ctx, r.db, "columns", only[string], `SELECT '    ' || column_name || ' ' || data_type ||
				CASE WHEN is_nullable THEN '' ELSE ' PRIMARY KEY' END ||
				CASE WHEN column_index = max(column_index) OVER () THEN '' ELSE ',' END || ' -- ' || COALESCE(comment, '')
				FROM duckdb_columns() WHERE schema_name = 'main' AND table_name = ? ORDER BY column_index`, name)
		}
		if err != nil {
			return "", fmt.Errorf("describe table %s: %w", name, err)
		}
		parts = append(parts, fmt.Sprintf("-- %s\nCREATE TABLE %s (\n%s\n);\n", comment, name, strings.Join(lines, "\n")))
	}
	return strings.Join(parts, "\n"), nil
}
