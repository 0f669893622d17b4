package paperdb

import (
	"context"
	"fmt"
	"strings"
)

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
