package paperdb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
)

// Schema renders the eight tables of the database as CREATE TABLE statements, with a comment for each table and column.
// The output is deterministic.
func (r *Reader) Schema(ctx context.Context) (string, error) {
	var parts []string
	for _, name := range Tables() {
		part, err := describe(ctx, r.db, name)
		if err != nil {
			return "", fmt.Errorf("describe table %s: %w", name, err)
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, "\n"), nil
}

func describe(ctx context.Context, db *sql.DB, table string) (string, error) {
	var comment string
	err := db.QueryRowContext(ctx, `SELECT COALESCE(comment, '') FROM duckdb_tables()
		WHERE schema_name = 'main' AND table_name = ?`, table).Scan(&comment)
	if err != nil {
		return "", err
	}
	lines, err := columns(ctx, db, table)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("-- %s\nCREATE TABLE %s (\n%s);\n", comment, table, strings.Join(lines, "")), nil
}

// columns renders one line per column. A column that may not be NULL is the primary key: there are no others.
func columns(ctx context.Context, db *sql.DB, table string) (lines []string, err error) {
	rows, err := db.QueryContext(ctx, `SELECT column_name, data_type, COALESCE(comment, ''), NOT is_nullable, column_index = max(column_index) OVER ()
		FROM duckdb_columns() WHERE schema_name = 'main' AND table_name = ? ORDER BY column_index`, table)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var name, kind, comment string
		var key, last bool
		if err := rows.Scan(&name, &kind, &comment, &key, &last); err != nil {
			return nil, err
		}
		if key {
			kind += " PRIMARY KEY"
		}
		comma := ","
		if last {
			comma = ""
		}
		lines = append(lines, fmt.Sprintf("    %s %s%s -- %s\n", name, kind, comma, comment))
	}
	return lines, rows.Err()
}
