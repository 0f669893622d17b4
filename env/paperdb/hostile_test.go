package paperdb_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"airqa/env/paperdb"
)

// hostile are statements that must not do what they want, by the kind of error that they must give.
var hostile = map[string][]string{
	paperdb.KindRefused: {
		// files
		"SELECT * FROM read_csv('/etc/passwd')", "SELECT * FROM read_text('/etc/passwd')", "SELECT * FROM read_blob('/etc/passwd')",
		"SELECT * FROM read_parquet('x')", "SELECT * FROM read_json_auto('x')", "SELECT * FROM glob('/*')", "SELECT * FROM sniff_csv('/etc/passwd')",
		"SELECT * FROM '/etc/passwd'", "SELECT * FROM 'x.csv'", "SELECT * FROM 'https://example.org/x.parquet'",
		"SELECT (SELECT content FROM read_text('/etc/passwd'))", "WITH x AS (FROM read_text('/etc/passwd')) FROM x",
		"COPY metadata TO '/tmp/x.csv'", "COPY metadata FROM '/tmp/x.csv'", "EXPORT DATABASE '/tmp/x'", "IMPORT DATABASE '/tmp/x'",
		// other databases and code
		"ATTACH '/tmp/x.db'", "ATTACH ':memory:' AS m", "DETACH papers", "USE papers", "INSTALL httpfs", "LOAD httpfs", "UPDATE EXTENSIONS",
		// the session
		"PRAGMA enable_profiling", "PRAGMA database_list", "PRAGMA table_info('metadata')", "SET memory_limit = '8GB'", "SET VARIABLE a = 1",
		"RESET threads", "BEGIN", "COMMIT", "PREPARE p AS SELECT 1", "EXECUTE p", "DEALLOCATE p", "CHECKPOINT", "VACUUM", "ANALYZE",
		"EXPLAIN SELECT 1", "EXPLAIN ANALYZE SELECT 1", "CALL enable_logging()", "CREATE SECRET s (TYPE s3)", "SHOW TABLES", "SHOW ALL TABLES",
		"SELECT * FROM enable_logging(storage='file', storage_path='/tmp/log')", "SELECT write_log('x')", "SELECT sleep_ms(1000)",
		"SELECT current_setting('temp_directory')", "SELECT getenv('HOME')", "SELECT getvariable('a')", "SELECT setseed(0.5)",
		// SQL within SQL
		"SELECT * FROM query('SELECT 1')", "SELECT * FROM query_table('metadata')", "SELECT json_execute_serialized_sql('{}')",
		"SELECT * FROM json_execute_serialized_sql(json_serialize_sql('SELECT 1'))", "SELECT json_serialize_plan('SELECT 1')",
		// several statements
		"SELECT 1; SELECT 2", "SELECT 1; DROP TABLE metadata", "CREATE TEMP TABLE t AS SELECT 1; SELECT 1",
		// changes
		"INSERT INTO metadata (title) VALUES ('x')", "UPDATE metadata SET title = 'x'", "DELETE FROM metadata", "TRUNCATE metadata",
		"MERGE INTO metadata USING metadata m ON true WHEN MATCHED THEN DELETE", "DROP TABLE metadata", "ALTER TABLE metadata ADD COLUMN x INT",
		"CREATE TABLE t (x INT)", "CREATE VIEW v AS SELECT 1", "CREATE TEMP TABLE t (x INT)", "CREATE MACRO f() AS 1", "CREATE SEQUENCE s",
		"CREATE SCHEMA s", "CREATE INDEX i ON metadata (title)", "COMMENT ON TABLE metadata IS 'x'",
		// system tables and what airqa keeps for itself
		"SELECT * FROM airqa.files", "SELECT * FROM papers.airqa.files", "SELECT * FROM information_schema.tables", "SELECT * FROM pg_catalog.pg_tables",
		"SELECT * FROM duckdb_settings()", "SELECT * FROM duckdb_databases()", "SELECT * FROM duckdb_secrets()", "SELECT * FROM system.main.duckdb_tables",
		"SELECT * FROM pragma_database_size()", "SELECT * FROM pragma_table_info('metadata')", "SELECT * FROM memory.main.metadata",
		"SELECT pg_get_viewdef(1)",
		// parameters, and texts that exhaust a parser
		"SELECT ?", "SELECT $1", "SELECT $name",
		strings.Repeat("(", 200) + "SELECT 1" + strings.Repeat(")", 200),
		strings.Repeat("SELECT (", 200) + "1" + strings.Repeat(")", 200),
		strings.Repeat("WITH a AS (", 20) + "SELECT 1" + strings.Repeat(") SELECT * FROM a", 20),
	},
	paperdb.KindCatalog: {
		"SELECT * FROM duckdb_settings", "SELECT * FROM sqlite_master", "SELECT * FROM files", "SELECT * FROM pg_tables",
		// The inner name must not open the system view outside.
		"WITH x AS (WITH duckdb_settings AS (SELECT 1) FROM duckdb_settings) SELECT * FROM x, duckdb_settings",
		"WITH a AS (FROM pg_tables), pg_tables AS (SELECT 1) FROM a",
		"WITH RECURSIVE duckdb_settings AS (SELECT 1 UNION ALL SELECT 1 FROM sqlite_master) FROM duckdb_settings",
		"WITH RECURSIVE duckdb_settings AS (FROM duckdb_settings UNION FROM duckdb_settings) FROM duckdb_settings",
		"WITH duckdb_settings AS (FROM duckdb_settings) FROM duckdb_settings",
		"WITH RECURSIVE duckdb_settings AS (FROM duckdb_settings) FROM duckdb_settings",
		"SELECT nosuch(1)",
	},
	paperdb.KindSyntax: {
		"", "SELECT", "SELEC 1", "SELECT 'x", "/* open", "'", "SELECT 1) UNION (SELECT 2", "SELECT * FROM metadata) --",
		"\\copy metadata", ".tables", "🙂",
	},
}

func TestHostileStatements(t *testing.T) {
	path := library(t, paper("attention"))
	before := content(t, path)
	r := reader(t, path)
	for kind, statements := range hostile {
		for _, sql := range statements {
			name := sql[:min(len(sql), 40)]
			_, err := r.Query(t.Context(), sql, limits)
			var got *paperdb.QueryError
			if !errors.As(err, &got) || got.Kind != kind {
				t.Errorf("%s: got %v, want kind %s", name, err, kind)
				continue
			}
			if len(got.Text) > 500 || strings.Contains(got.Text, filepath.Dir(path)) || strings.Contains(got.Text, "0x") {
				t.Errorf("%s: text %q", name, got.Text)
			}
			if result := query(t, r, "SELECT title FROM metadata"); len(result.Values) != 1 {
				t.Errorf("after %s: got %v", name, result)
			}
		}
	}
	if diff := cmp.Diff(before, content(t, path)); diff != "" {
		t.Errorf("the folder changed (-before +after):\n%s", diff)
	}
}

// Statements that only cost: whatever comes back, the next query must work.
func TestCostlyStatements(t *testing.T) {
	r := reader(t, library(t, paper("attention")))
	for _, sql := range []string{
		"SELECT " + strings.Repeat("1+", 5000) + "1",
		"SELECT " + strings.Repeat("NOT ", 3000) + "true",
		"SELECT " + strings.Repeat("-", 1) + strings.Repeat(" - ", 4000) + "1",
		"SELECT 1" + strings.Repeat(" UNION SELECT 1", 900),
		"SELECT 1" + strings.Repeat(" AND 1", 2500),
		"SELECT CASE" + strings.Repeat(" WHEN 1 THEN CASE", 700),
		"SELECT * FROM metadata" + strings.Repeat(", metadata", 1000),
		"SELECT list_sort(list(a.range)) FROM range(100000000) a",
		"SELECT a.range, count(*) FROM range(100000000) a GROUP BY 1 ORDER BY 2",
		"SELECT * FROM range(100000000) a ORDER BY range DESC",
	} {
		_, err := r.Query(t.Context(), sql, paperdb.Limits{Rows: 5, Deadline: time.Second})
		var fault *paperdb.QueryError
		if err != nil && !errors.As(err, &fault) {
			t.Errorf("%.40s: %v", sql, err)
		}
		query(t, r, "SELECT 1")
	}
}

// content maps the files beside path to what is in them.
func content(t *testing.T, path string) map[string]string {
	t.Helper()
	files := make(map[string]string)
	entries, err := os.ReadDir(filepath.Dir(path))
	check(t, err)
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(filepath.Dir(path), e.Name()))
		check(t, err)
		files[e.Name()] = string(data)
	}
	return files
}
