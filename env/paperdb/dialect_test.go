package paperdb_test

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/env/paperdb"
)

// Statements of the engine's dialect give the rows that the engine itself gives in a copy of the database.
func TestDialect(t *testing.T) {
	path := library(t, paper("attention"), paper("bert"))
	raw, err := os.ReadFile(path)
	check(t, err)
	aside := filepath.Join(t.TempDir(), "papers.duckdb")
	check(t, os.WriteFile(aside, raw, 0o600))
	db, err := sql.Open("duckdb", aside)
	check(t, err)
	defer func() { check(t, db.Close()) }()
	_, err = db.ExecContext(t.Context(), "SET threads = 1") // rows without an order are compared, too
	check(t, err)
	r := reader(t, path)
	text, err := os.ReadFile("testdata/dialect.sql")
	check(t, err)
	bounds := paperdb.Limits{Rows: 1000, Deadline: limits.Deadline}
	feature, total := "", 0
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(line, "-- "); ok {
			feature = name
			continue
		}
		total++
		t.Run(feature, func(t *testing.T) {
			columns, rows := storedRows(t, db, line)
			got, err := r.Query(t.Context(), line, bounds)
			if err != nil {
				t.Fatalf("%s\n%v", line, err)
			}
			if diff := cmp.Diff(columns, got.Columns); diff != "" {
				t.Errorf("%s\ncolumns (-want +got):\n%s", line, diff)
			}
			if diff := cmp.Diff(rows, got.Values); diff != "" {
				t.Errorf("%s\n(-want +got):\n%s", line, diff)
			}
		})
	}
	if total < 300 {
		t.Errorf("only %d statements", total)
	}
}

// storedRows runs a statement, stores its rows, and returns the columns and each value as the reader shows it.
func storedRows(t *testing.T, db *sql.DB, text string) (columns []string, values [][]any) {
	t.Helper()
	var types []string
	const describe = "SELECT column_name, column_type FROM (DESCRIBE FROM (\n%s\n))"
	for _, c := range texts(t, db, fmt.Sprintf(describe, text)) {
		columns, types = append(columns, c[0].String), append(types, c[1].String)
	}
	const store = "WITH r AS MATERIALIZED (FROM (\n%s\n)) SELECT CAST(COLUMNS(*) AS VARCHAR) FROM r"
	for _, cells := range texts(t, db, fmt.Sprintf(store, text)) {
		row := make([]any, len(cells))
		for i, c := range cells {
			row[i] = shown(c, types[i])
		}
		values = append(values, row)
	}
	return columns, values
}

// texts returns the rows of a query of texts.
func texts(t *testing.T, db *sql.DB, query string) (list [][]sql.NullString) {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), query)
	if err != nil {
		t.Fatalf("not of the dialect: %s\n%v", query, err)
	}
	defer func() { check(t, rows.Close()) }()
	names, err := rows.Columns()
	check(t, err)
	for rows.Next() {
		cells, into := make([]sql.NullString, len(names)), make([]any, len(names))
		for i := range cells {
			into[i] = &cells[i]
		}
		check(t, rows.Scan(into...))
		list = append(list, cells)
	}
	check(t, rows.Err())
	return list
}
