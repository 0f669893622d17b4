package paperdb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
)

// verify reads the rows of a paper back before they are committed, and compares their number and total text length with the
// input. The engine finds them without reading the table.
func (t table) verify(ctx context.Context, conn *sql.Conn, paperID string) (err error) {
	const uncommitted = 1 << 54 // below the row ids that a transaction has added and not yet committed, and above all others
	rows, err := conn.QueryContext(ctx, fmt.Sprintf("SELECT * FROM %s WHERE rowid > %d AND %s = ?::UUID", t.name(), uncommitted, t.owner), paperID)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	stored, length := 0, 0
	for rows.Next() {
		row, into := make([]any, len(t.rows[0])), make([]any, len(t.rows[0]))
		for i := range row {
			into[i] = &row[i]
		}
		if err := rows.Scan(into...); err != nil {
			return err
		}
		stored, length = stored+1, length+textLength(row)
	}
	sent := textLength(t.rows)
	if stored != len(t.rows) || length != sent {
		return fmt.Errorf("stored %d rows with %d bytes of text, sent %d rows with %d bytes", stored, length, len(t.rows), sent)
	}
	return rows.Err()
}

// textLength sums the bytes of strings in rows, lists of strings and lists of either.
func textLength[T any](list []T) int {
	n := 0
	for _, value := range list {
		switch v := any(value).(type) {
		case string:
			n += len(v)
		case []string:
			n += textLength(v)
		case []any:
			n += textLength(v)
		case []driver.Value:
			n += textLength(v)
		case table:
			n += textLength(v.rows)
		}
	}
	return n
}
