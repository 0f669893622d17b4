package paperdb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/marcboeker/go-duckdb/v2"

	"airqa/qa"
)

// maxResult is the maximum size of a result in bytes: of its texts, and bareCell for each cell.
const (
	maxResult = 16 << 20
	bareCell  = 8
)

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

// lockDown applies the engine's settings. If another reader of this process already has, the engine refuses the settings, which
// are then in effect.
func lockDown(ctx context.Context, db *sql.DB, memory int) error {
	lockingDown.Lock()
	defer lockingDown.Unlock()
	var refused error
	for _, statement := range []string{ // the second to last disables the file system, the last one freezes all settings
		fmt.Sprintf("SET memory_limit = '%dMB'", memory),
		"SET max_temp_directory_size = '0GB'",
		"SET temp_directory = ''",
		"SET autoinstall_known_extensions = false",
		"SET autoload_known_extensions = false",
		"SET allow_community_extensions = false",
		"SET allow_persistent_secrets = false",
		"SET enable_external_access = false",
		"SET lock_configuration = true",
	} {
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

// run runs one statement and returns at most rows rows. A panic of the driver is a fault of the statement.
func (e *engine) run(ctx context.Context, text string, rows int) (result qa.Rows, err error) {
	defer func() {
		if recover() != nil {
			result, err = qa.Rows{}, brokeDown()
		}
	}()
	s, known := e.passed.get(text)
	if !known {
		if s, err = e.parser.pass(ctx, text); err != nil {
			return qa.Rows{}, err
		}
	}
	conn, err := e.db.Conn(ctx)
	if err != nil {
		return qa.Rows{}, err
	}
	defer func() { _ = conn.Close() }() // a read loses nothing
	if !known {
		if err := prepare(conn, s.text); err != nil {
			return qa.Rows{}, err
		}
		e.passed.keep(text, s)
	}
	result, err = fetch(ctx, conn, s.text, rows)
	result.Tables = s.tables
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

// fetch runs the statement in a wrapper that stops the engine one row after the limit. A row has the engine's own text
// of each value, and then their types.
func fetch(ctx context.Context, conn *sql.Conn, text string, limit int) (qa.Rows, error) {
	const wrapper = "SELECT CAST(COLUMNS(*) AS VARCHAR), typeof(COLUMNS(*)) FROM (\n%s\n) LIMIT %d"
	rows, err := conn.QueryContext(ctx, fmt.Sprintf(wrapper, text, limit+1))
	if err != nil {
		return qa.Rows{}, unwrapped(err)
	}
	defer func() { _ = rows.Close() }() // rows.Err below reports errors
	names, err := rows.Columns()
	if err != nil {
		return qa.Rows{}, err
	}
	width := len(names) / 2
	result := qa.Rows{Columns: names[:width]}
	cells, into := make([]sql.NullString, len(names)), make([]any, len(names))
	for i := range cells {
		into[i] = &cells[i]
	}
	size := 0
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return qa.Rows{}, err
		}
		row := make([]any, width)
		for i := range row {
			if size += bareCell + len(cells[i].String); cells[i].Valid {
				row[i] = value(cells[i].String, cells[width+i].String)
			}
		}
		if size > maxResult {
			text := fmt.Sprintf("The result is larger than %d MiB. Ask for fewer rows or columns, or cut long texts with left().", maxResult>>20)
			return qa.Rows{}, &QueryError{Kind: KindMemory, Text: text}
		}
		result.Values = append(result.Values, row)
	}
	if len(result.Values) > limit {
		result.Values, result.More = result.Values[:limit], true
	}
	return result, unwrapped(rows.Err())
}

// unwrapped makes the place in an error one of the statement without the wrapper, which has the first line.
func unwrapped(err error) error {
	fault, ok := errors.AsType[*duckdb.Error](err)
	if !ok {
		return err
	}
	const mark = "\nLINE "
	at := strings.LastIndex(fault.Msg, mark)
	if at < 0 {
		return err
	}
	number, excerpt, _ := strings.Cut(fault.Msg[at+len(mark):], ":")
	line, _ := strconv.Atoi(number)
	before := strconv.Itoa(line - 1)
	if len(before) < len(number) { // the line below points to a column
		excerpt = strings.Replace(excerpt, "\n ", "\n", 1)
	}
	message := fault.Msg[:at]
	if line > 1 {
		message += mark + before + ":" + excerpt
	}
	return &duckdb.Error{Type: fault.Type, Msg: message}
}

func (e *engine) close() error { return e.parser.close() }
