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
	rows, err := db.QueryContext(t.Context(), "SELECT column_name, column_type FROM (DESCRIBE FROM (\n"+text+"\n))")
	if err != nil {
		t.Fatalf("not of the dialect: %s\n%v", text, err)
	}
	var types []string
	for rows.Next() {
		var name, typeName string
		check(t, rows.Scan(&name, &typeName))
		columns, types = append(columns, name), append(types, typeName)
	}
	check(t, rows.Err())
	const query = "WITH r AS MATERIALIZED (FROM (\n%s\n)) SELECT CAST(COLUMNS(*) AS VARCHAR) FROM r"
	rows, err = db.QueryContext(t.Context(), fmt.Sprintf(query, text))
	check(t, err)
	for rows.Next() {
		cells, into := make([]sql.NullString, len(columns)), make([]any, len(columns))
		for i := range cells {
			into[i] = &cells[i]
		}
		check(t, rows.Scan(into...))
		row := make([]any, len(columns))
		for i, c := range cells {
			row[i] = shown(c, types[i])
		}
		values = append(values, row)
	}
	check(t, rows.Err())
	return columns, values
}
