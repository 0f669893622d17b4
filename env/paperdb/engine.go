package paperdb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"sync"

	"github.com/marcboeker/go-duckdb/v2"
)

// maxResult is the maximum size of a result, in bytes as estimated by cellSize.
const maxResult = 16 << 20

// engine is DuckDB with a locked-down, read-only database, and the parser that guards it.
type engine struct {
	db     *sql.DB
	parser *parser
	passed passed
	hide   []string // host paths to remove from error texts
}

// The memory of an engine in MB: for the statements of a model, for those of the program, and for a database that is
// imported, which is read paper by paper. The engine fills it with what it has read, so each is a part of the size of the
// process.
const (
	modelMemory  = 256
	ownMemory    = 384
	sourceMemory = 128
)

// lockdown returns the engine settings in the only order that works: the second to last disables the file system, the last
// one freezes all settings.
func lockdown(memory int) []string {
	return []string{
		fmt.Sprintf("SET memory_limit = '%dMB'", memory),
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

// openDatabase opens the file at path read-only and locks the engine down, with memory in MB.
func openDatabase(ctx context.Context, path string, memory int) (*sql.DB, error) {
	db, err := connect(path, "access_mode=read_only")
	if err != nil {
		return nil, err
	}
	if err := lockDown(ctx, db, memory); err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", filepath.Base(path), err), db.Close())
	}
	if err := checkFormat(ctx, db, path); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// newEngine adds a parser to a database from [openDatabase], which the engine closes.
func newEngine(ctx context.Context, db *sql.DB, path string) (*engine, error) {
	var catalog string
	if err := db.QueryRowContext(ctx, "SELECT current_database()").Scan(&catalog); err != nil {
		return nil, fmt.Errorf("open %s: %w", filepath.Base(path), err)
	}
	p, err := openParser(ctx, catalog)
	if err != nil {
		return nil, err
	}
	return &engine{db: db, parser: p, hide: []string{path, filepath.Dir(path)}}, nil
}

// lockingDown serialises the lockdown: readers of one file in this process share an engine, and a second one must not
// find it half locked.
var lockingDown sync.Mutex

// lockDown applies these settings. If another reader of this process already has, the engine refuses the settings, which
// are then in effect.
func lockDown(ctx context.Context, db *sql.DB, memory int) error {
	lockingDown.Lock()
	defer lockingDown.Unlock()
	var refused error
	for _, statement := range lockdown(memory) {
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
		return errors.Join(refused, errors.New("lock down the engine: the settings are not in effect"))
	}
	return nil
}

// run runs one statement and returns at most rows rows. It converts a panic of the driver to an error.
func (e *engine) run(ctx context.Context, text string, rows int) (result Result, err error) {
	defer func() {
		if p := recover(); p != nil {
			result, err = Result{}, &QueryError{Kind: KindRuntime, Text: e.clean(fmt.Sprint("the engine failed: ", p))}
		}
	}()
	s, known := e.passed.get(text)
	if !known {
		if s.canonical, s.tables, err = e.parser.pass(ctx, text); err != nil {
			return Result{}, err
		}
	}
	conn, err := e.db.Conn(ctx)
	if err != nil {
		return Result{}, err
	}
	defer func() { _ = conn.Close() }() // a read loses nothing
	if !known {
		if err := prepare(conn, text); err != nil {
			return Result{}, err
		}
		e.passed.keep(text, s)
	}
	result, err = fetch(ctx, conn, s.canonical, rows)
	result.Tables = s.tables
	if fault, ok := errors.AsType[*duckdb.Error](err); ok { // with an excerpt of the wrapped statement
		err = &duckdb.Error{Type: fault.Type, Msg: wrapped.ReplaceAllString(fault.Msg, "")}
	}
	return result, err
}

// prepare binds the statement in its original form, so that errors quote it, and double-checks the kind of statement.
// Unlike the calls that take a context, Prepare executes nothing.
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
			return &QueryError{Kind: KindRefused, Text: "Only a SELECT can be run."}
		}
		return err
	})
}

// fetch runs the statement in a wrapper that stops the engine one row after the limit.
func fetch(ctx context.Context, conn *sql.Conn, canonical string, limit int) (Result, error) {
	rows, err := conn.QueryContext(ctx, fmt.Sprintf("SELECT * FROM (\n%s\n) LIMIT %d", canonical, limit+1))
	if err != nil {
		return Result{}, err
	}
	defer func() { _ = rows.Close() }() // rows.Err below reports errors
	types, err := rows.ColumnTypes()
	if err != nil {
		return Result{}, err
	}
	var result Result
	for _, t := range types {
		result.Columns = append(result.Columns, t.Name())
	}
	size := 0
	for rows.Next() {
		row, err := scanRow(rows, types)
		if err != nil {
			return Result{}, err
		}
		if size += cellSize(row); size > maxResult {
			text := fmt.Sprintf("The result is larger than %d MiB. Ask for fewer rows or columns, or cut long texts with left().", maxResult>>20)
			return Result{}, &QueryError{Kind: KindMemory, Text: text}
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

func (e *engine) close() error { return e.parser.close() }

// cellSize estimates the bytes of a value in memory and in transit.
func cellSize(value any) int {
	const bare = 8
	size := bare
	switch v := value.(type) {
	case string:
		size += len(v)
	case []any:
		for _, item := range v {
			size += cellSize(item)
		}
	case map[string]any:
		for key, item := range v {
			size += len(key) + cellSize(item)
		}
	}
	return size
}
