package paperdb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"

	disk "airqa/internal/files"
	"airqa/internal/ledger"
)

// Combination is a database to make of the rows of others.
type Combination struct {
	// Base is the database that the new one begins as a copy of; empty for none. Removed are the papers of it that are left
	// out.
	Base    string
	Removed []string
	// Parts are the databases whose rows follow, in this order.
	Parts []Part
	// Progress is called with the number of tables that are written; it may be nil.
	Progress func(done, total int)
}

// Part is a database with papers to take. It is opened read-only.
type Part struct {
	Path string
	// Without are the papers that are left out.
	Without []string
}

// Combine writes a database at path, in place of what is there, in one step: after a crash, path is as it was. The rows of
// each part stay in their order. An error, also of a full disk, leaves path as it was.
func Combine(ctx context.Context, path string, c Combination) error {
	return replace(path, "combine databases", func(temporary string) error { return c.write(ctx, temporary) })
}

// replace writes a database beside path and moves it there, so that a crash leaves no part of it at path. act is for errors.
func replace(path, act string, write func(temporary string) error) error {
	temporary := path + ".new"
	err := removeDatabase(temporary) // of a crash
	if err == nil {
		err = write(temporary)
	}
	if err == nil {
		err = os.Rename(temporary, path)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", act, errors.Join(err, removeDatabase(temporary)))
	}
	return nil
}

// removeDatabase removes a database with the files that the engine keeps beside it.
func removeDatabase(path string) error {
	var err error
	for _, suffix := range []string{"", ".wal", ".tmp", ".new", ".new.wal"} {
		err = errors.Join(err, os.RemoveAll(path+suffix))
	}
	return err
}

func (c Combination) write(ctx context.Context, path string) error {
	if c.Base != "" {
		if err := disk.Copy(path, c.Base); err != nil {
			return err
		}
	}
	w, err := OpenWriter(ctx, path)
	if err != nil {
		return err
	}
	if len(c.Removed) > 0 {
		err = w.Remove(ctx, c.Removed)
	}
	if err == nil {
		err = w.take(ctx, c)
	}
	return errors.Join(err, w.Close())
}

// take appends the rows of the parts, table by table: so each table has full row groups.
func (w *Writer) take(ctx context.Context, c Combination) (err error) {
	const noPaper = "00000000-0000-0000-0000-000000000000" // for the list of tables
	conn, err := w.db.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }() // nothing is lost with it
	limit, err := c.memory()
	if err == nil {
		_, err = conn.ExecContext(ctx, fmt.Sprintf("SET memory_limit = '%dMB'; SET threads = %d", limit, runtime.GOMAXPROCS(0)))
	}
	if err != nil {
		return err
	}
	for i, p := range c.Parts {
		if err := attach(ctx, conn, i, p.Path); err != nil {
			return err
		}
	}
	w.changed = true
	rows, err := tableRows(Paper{Metadata: Metadata{PaperID: noPaper}})
	for i, t := range rows {
		if err == nil {
			err = t.take(ctx, conn, c.Parts)
		}
		if err != nil {
			return fmt.Errorf("table %s: %w", t.name(), err)
		}
		if c.Progress != nil {
			c.Progress(i+1, len(rows))
		}
	}
	return err
}

// memory is the limit of the engine's memory in MB: the indexes cannot leave it, see [Writer.bound].
func (c Combination) memory() (int64, error) {
	const combineMemory = 512 // MB beside the indexes; the rest goes into a folder beside the database
	var paths []string
	if c.Base != "" {
		paths = append(paths, c.Base)
	}
	for _, p := range c.Parts {
		paths = append(paths, p.Path)
	}
	size := int64(0)
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return 0, err
		}
		size += info.Size()
	}
	return combineMemory + size>>20/4, nil
}

func partName(i int) string { return fmt.Sprintf("part%d", i) }

func attach(ctx context.Context, conn *sql.Conn, i int, path string) error {
	quoted := strings.ReplaceAll(path, "'", "''")
	if _, err := conn.ExecContext(ctx, fmt.Sprintf("ATTACH '%s' AS %s (READ_ONLY)", quoted, partName(i))); err != nil {
		return openError(path, err)
	}
	var format int
	err := conn.QueryRowContext(ctx, "SELECT format FROM "+partName(i)+".airqa.info").Scan(&format)
	if err == nil {
		err = ledger.CheckFormat(format, Format, again)
	}
	if err != nil {
		return damaged(path, err)
	}
	return nil
}

// take appends the rows of a table, part by part.
func (t table) take(ctx context.Context, conn *sql.Conn, parts []Part) error {
	var selects []string
	var args []any
	for i, p := range parts {
		text := "SELECT * FROM " + partName(i) + "." + t.name()
		if len(p.Without) > 0 {
			text += " WHERE " + t.owner + " NOT IN (SELECT CAST(unnest(?::VARCHAR[]) AS UUID))"
			args = append(args, p.Without)
		}
		selects = append(selects, text)
	}
	if len(selects) == 0 {
		return nil
	}
	_, err := conn.ExecContext(ctx, "INSERT INTO "+t.name()+" "+strings.Join(selects, " UNION ALL "), args...)
	return err
}
