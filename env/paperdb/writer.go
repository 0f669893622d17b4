package paperdb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/marcboeker/go-duckdb/v2"
)

// Writer stores papers in a database. It is safe for concurrent use; papers are written one at a time. If the process
// dies during a Put, the database remains unchanged.
type Writer struct {
	db     *sql.DB
	stored bool       // opened by OpenStored
	mu     sync.Mutex // held by changes
	path   string
	limit  int64 // of the engine's memory in MB; 0 for its own
	// changed reports whether papers were stored whose places are missing.
	changed bool
	// touched are the papers that were stored, changed or removed, failed attempts included.
	touched map[string]bool
	// beforeCommit is called after a paper's rows are written but before they are committed; tests stop there.
	beforeCommit func()
}

// OpenWriter opens the database at path and creates it if it is missing.
func OpenWriter(ctx context.Context, path string) (*Writer, error) {
	have, err := exists(path)
	if err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	if !have {
		if err := create(ctx, path); err != nil {
			return nil, err
		}
	}
	db, err := connectWriter(path)
	if err != nil {
		return nil, err
	}
	w := &Writer{db: db, path: path}
	if err = checkFormat(ctx, db, path); err == nil {
		err = w.fillPlaces(ctx) // which a killed writer has left out
	}
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return w, nil
}

// bound limits the memory of the engine, which otherwise keeps what it has read: in a long import, most of the database.
// What cannot leave the memory fits: the indexes, about an eighth of the file, the 64 MB of changes between checkpoints, and
// a change of this many bytes.
func (w *Writer) bound(ctx context.Context, conn *sql.Conn, change int) error {
	const least, step = 128, 32
	info, err := os.Stat(w.path)
	if err != nil {
		return err
	}
	limit := (least + info.Size()>>20/4 + 8*int64(change)>>20) / step * step
	if limit == w.limit {
		return nil
	}
	if _, err := conn.ExecContext(ctx, fmt.Sprintf("SET memory_limit = '%dMB'", limit)); err != nil {
		return ctx.Err() // more is in use, and a later paper tries again
	}
	w.limit = limit
	return nil
}

// OpenStored opens an existing database for the methods that only read, beside any number of readers; the others fail.
func OpenStored(ctx context.Context, path string) (*Writer, error) {
	db, err := openDatabase(ctx, path, ownMemory)
	if err != nil {
		return nil, err
	}
	return &Writer{db: db, path: path, stored: true}, nil
}

// create makes an empty database.
func create(ctx context.Context, path string) error {
	return replace(path, "create database", func(temporary string) error {
		db, err := connectWriter(temporary)
		if err != nil {
			return err
		}
		_, err = db.ExecContext(ctx, schemaSQL)
		// The driver ignores write errors when it closes the file; the writer's checkpoint returns them.
		return errors.Join(err, (&Writer{db: db}).Close())
	})
}

// connectWriter opens a database for writing. A checkpoint costs more the larger the database is: with 64 MB of changes
// instead of 16 MB there are fewer of them, and the cost of a paper hardly grows.
func connectWriter(path string) (*sql.DB, error) {
	return connect(path, "storage_compatibility_version="+storage+"&wal_autocheckpoint=64MB&autoinstall_known_extensions=false&autoload_known_extensions=false")
}

// Close writes everything to the database file and closes it.
func (w *Writer) Close() error {
	var err error
	if w.changed {
		err = w.fillPlaces(context.Background())
	}
	if !w.stored {
		_, checkpoint := w.db.ExecContext(context.Background(), "CHECKPOINT")
		err = errors.Join(err, checkpoint)
	}
	if err = errors.Join(err, w.db.Close()); err != nil {
		return fmt.Errorf("close database: %w", err)
	}
	return nil
}

// Put stores a paper in one transaction and replaces earlier rows with its id. An id that is not a UUID or that belongs
// to another paper is an error and changes nothing.
func (w *Writer) Put(ctx context.Context, p Paper) error {
	rows, err := tableRows(p)
	if err != nil {
		return fmt.Errorf("put paper %s: %w", p.Metadata.PaperID, err)
	}
	return w.change(ctx, "put paper "+p.Metadata.PaperID, func(conn *sql.Conn) error {
		if err := w.bound(ctx, conn, textLength(rows)); err != nil {
			return err
		}
		w.changed = true
		return w.transact(ctx, conn, func() error { return w.replace(ctx, conn, p, rows) })
	})
}

// Remove deletes all rows of papers in one transaction. Unknown ids are ignored; an id that is not a UUID is an error.
func (w *Writer) Remove(ctx context.Context, paperIDs []string) error {
	return w.change(ctx, "remove papers", func(conn *sql.Conn) error {
		w.limit = 0 // a change of any size has no limit
		if _, err := conn.ExecContext(ctx, "RESET memory_limit"); err != nil {
			return err
		}
		return w.transact(ctx, conn, func() error {
			for _, id := range paperIDs {
				rows, err := tableRows(Paper{Metadata: Metadata{PaperID: id}})
				if err == nil {
					err = w.remove(ctx, conn, id, rows)
				}
				if err != nil {
					return fmt.Errorf("paper %s: %w", id, err)
				}
			}
			return nil
		})
	})
}

// change calls do with a connection of its own, one call at a time. act is what it does, for errors.
func (w *Writer) change(ctx context.Context, act string, do func(conn *sql.Conn) error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	conn, err := w.db.Conn(ctx)
	if err == nil {
		defer func() { _ = conn.Close() }() // nothing is lost with it
		err = do(conn)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", act, err)
	}
	return nil
}

func (w *Writer) transact(ctx context.Context, conn *sql.Conn, change func() error) error {
	if _, err := conn.ExecContext(ctx, "BEGIN TRANSACTION"); err != nil {
		return err
	}
	err := change()
	if err == nil {
		if w.beforeCommit != nil {
			w.beforeCommit()
		}
		_, err = conn.ExecContext(ctx, "COMMIT")
	}
	if err == nil {
		return nil
	}
	// The transaction may already be gone after a failed commit; the connection is closed in any case.
	_, _ = conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK")
	return err
}

func (w *Writer) replace(ctx context.Context, conn *sql.Conn, p Paper, rows []table) error {
	if err := w.remove(ctx, conn, p.Metadata.PaperID, rows); err != nil {
		return err
	}
	// Another version of the parser may have read the same file under another id, because it read a different title.
	same, err := sameFile(ctx, conn, p.File)
	if err != nil {
		return err
	}
	for _, o := range same {
		if o.PaperID == p.Metadata.PaperID || o.SHA256 == "" || o.Parser == clean(p.File.Parser) {
			continue
		}
		if err := w.remove(ctx, conn, o.PaperID, rows); err != nil {
			return err
		}
	}
	for _, t := range rows {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := conn.Raw(func(c any) error { return t.append(c.(driver.Conn)) }); err != nil {
			return fmt.Errorf("table %s: %w", t.name(), err)
		}
		if err := t.verify(ctx, conn, p.Metadata.PaperID); err != nil {
			return fmt.Errorf("table %s: %w", t.name(), err)
		}
	}
	return nil
}

// remove deletes the rows of a paper. It skips the tables for a new paper.
func (w *Writer) remove(ctx context.Context, conn *sql.Conn, paperID string, rows []table) error {
	w.touch(paperID)
	var have bool
	err := conn.QueryRowContext(ctx, "SELECT count(*) > 0 FROM airqa.files WHERE paper_id = ?::UUID", paperID).Scan(&have)
	if err != nil || !have {
		return err
	}
	where, err := spanOf(ctx, conn, paperID)
	if err != nil {
		return err
	}
	for _, t := range rows {
		query := fmt.Sprintf("DELETE FROM %s WHERE %s = ?::UUID", t.name(), t.owner)
		if t.schema == "main" {
			query += " AND " + where.in(t.table).String()
		}
		if _, err := conn.ExecContext(ctx, query, paperID); err != nil {
			return err
		}
	}
	_, err = conn.ExecContext(ctx, "DELETE FROM airqa.places WHERE paper_id = ?::UUID", paperID)
	return err
}

func (w *Writer) touch(paperID string) {
	if w.touched == nil {
		w.touched = make(map[string]bool)
	}
	w.touched[paperID] = true
}

// Touched returns the ids of all papers that may have changed since the database was opened, sorted, each in the form in which
// the database returns it.
func (w *Writer) Touched(ctx context.Context) ([]string, error) {
	w.mu.Lock()
	ids := slices.Collect(maps.Keys(w.touched))
	w.mu.Unlock()
	if len(ids) == 0 {
		return nil, nil
	}
	return list(ctx, w.db, "ids", only[string], `SELECT DISTINCT id::VARCHAR
		FROM (SELECT TRY_CAST(unnest(?::VARCHAR[]) AS UUID) AS id) WHERE id IS NOT NULL ORDER BY 1`, ids)
}

// FilesOf returns the source files of some papers, ordered by paper id. Papers that are not there are left out.
func (w *Writer) FilesOf(ctx context.Context, ids []string) ([]Owned, error) {
	return files(ctx, w.db, "WHERE paper_id IN (SELECT TRY_CAST(unnest(?::VARCHAR[]) AS UUID))", ids)
}

func (t table) append(conn driver.Conn) error {
	a, err := duckdb.NewAppenderFromConn(conn, t.schema, t.table)
	if err != nil {
		return err
	}
	for _, row := range t.rows {
		if err := a.AppendRow(row...); err != nil {
			return errors.Join(err, a.Close())
		}
	}
	return a.Close()
}

// Has reports whether the same PDF with the same metadata was already read by the same parser. It returns the paper's
// id.
func (w *Writer) Has(ctx context.Context, f File) (paperID string, ok bool, err error) {
	same, err := sameFile(ctx, w.db, f)
	if err != nil {
		return "", false, fmt.Errorf("look up file %s: %w", f.Name, err)
	}
	for _, o := range same {
		if o.Parser == f.Parser {
			return o.PaperID, true, nil
		}
	}
	return "", false, nil
}

// sameFile returns the papers that were read from a PDF with its metadata, ordered by id, each with the parser that read it.
// The query has one condition, since the engine uses no index for two.
func sameFile(ctx context.Context, db querier, f File) ([]Owned, error) {
	list, err := files(ctx, db, "WHERE sha256 = ?", clean(f.SHA256))
	list = slices.DeleteFunc(list, func(o Owned) bool { return o.MetadataSHA256 != clean(f.MetadataSHA256) })
	for i := range list {
		list[i].Parser, _, _ = strings.Cut(list[i].Parser, enrichedMark)
	}
	return list, err
}

// Owner returns the file of a paper, with the parser that read it; false if the database has no such paper.
func (w *Writer) Owner(ctx context.Context, paperID string) (File, bool, error) {
	f, ok, err := fileOf(ctx, w.db, paperID)
	f.Parser, _, _ = strings.Cut(f.Parser, enrichedMark)
	return f, ok, err
}

// Title returns the title of a paper, or "" if the database has no such paper.
func (w *Writer) Title(ctx context.Context, paperID string) (title string, err error) {
	row := w.db.QueryRowContext(ctx, "SELECT COALESCE(title, '') FROM metadata WHERE paper_id = TRY_CAST(? AS UUID)", paperID)
	if err = row.Scan(&title); err != nil && !errors.Is(err, sql.ErrNoRows) {
		return "", fmt.Errorf("title of paper %s: %w", paperID, err)
	}
	return title, nil
}
