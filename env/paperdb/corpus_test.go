package paperdb_test

import (
	"slices"
	"strings"
	"time"

	"airqa/env/paperdb"
)

// attack is a group of statements that must not succeed.
type attack struct {
	name string
	// kinds are the acceptable kinds of error; "" is a result.
	kinds []string
	// timeout of each statement; 0 means that of limits
	deadline   time.Duration
	statements []string
}

// repeatable is false if the kind depends on timing.
func (a attack) repeatable() bool { return len(a.kinds) == 1 }

const ok = ""

// attacks is the corpus. The name of a group is its goal, kinds is the actual result.
func attacks() []attack {
	return slices.Concat(refusedAttacks(), readerAttacks(), bombs())
}

func refusedAttacks() []attack {
	refused := []string{paperdb.KindRefused}
	return []attack{
		{name: "files", kinds: refused, statements: []string{
			"SELECT * FROM read_csv('/etc/passwd')", "SELECT * FROM read_csv_auto('/etc/passwd')", "SELECT * FROM read_text('/etc/passwd')",
			"SELECT * FROM read_blob('/etc/passwd')", "SELECT * FROM read_parquet('x')", "SELECT * FROM parquet_scan('x')",
			"SELECT * FROM parquet_metadata('x')", "SELECT * FROM read_json('x')", "SELECT * FROM read_json_auto('x')", "SELECT * FROM read_ndjson('x')",
			"SELECT * FROM read_duckdb('x')", "SELECT * FROM glob('/*')", "SELECT * FROM sniff_csv('/etc/passwd')",
			"SELECT * FROM '/etc/passwd'", "SELECT * FROM \"/etc/passwd\"", "SELECT * FROM 'x.csv'", "SELECT * FROM '/proc/self/environ'",
			"SELECT * FROM 'file:///etc/passwd'", "SELECT * FROM '../papers.duckdb'", "SELECT * FROM '*.parquet'", `SELECT * FROM 'C:\x.csv'`,
			"SELECT (SELECT content FROM read_text('/etc/passwd'))", "WITH x AS (FROM read_text('/etc/passwd')) FROM x",
			"SELECT 1 WHERE EXISTS (FROM read_text('/etc/passwd'))", "SELECT * FROM metadata, LATERAL (SELECT * FROM read_text(title))",
			"SELECT 1 UNION ALL (SELECT 2 FROM glob('*'))", "SELECT * FROM (VALUES (1)) t(x) WHERE x IN (SELECT 1 FROM glob('*'))",
			"DESCRIBE SELECT * FROM read_csv('/etc/passwd')", "SUMMARIZE 'x.csv'", "DESCRIBE '/etc/passwd'",
			"SELECT * FROM metadata ORDER BY (SELECT 1 FROM read_text('/etc/passwd'))", "SELECT * FROM metadata LIMIT (SELECT 1 FROM glob('*'))",
			"COPY metadata TO '/tmp/x.csv'", "COPY metadata FROM '/tmp/x.csv'", "COPY (SELECT 1) TO '/dev/stdout'", "COPY (SELECT 1) TO PROGRAM 'sh'",
			"EXPORT DATABASE '/tmp/x'", "IMPORT DATABASE '/tmp/x'", "COPY FROM DATABASE papers TO memory",
		}},
		{name: "network", kinds: refused, statements: []string{
			"SELECT * FROM 'https://example.org/x.parquet'", "SELECT * FROM 's3://bucket/x'", "SELECT * FROM read_csv('http://169.254.169.254/latest')",
			"SELECT * FROM 'hf://datasets/x'", "ATTACH 'https://example.org/x.db'", "INSTALL httpfs FROM 'http://example.org'",
			"SELECT * FROM http_get('http://example.org')", "SELECT * FROM postgres_scan('host=localhost', 'public', 't')", "SELECT * FROM sqlite_scan('x', 't')",
		}},
		{name: "other databases and code", kinds: refused, statements: []string{
			"ATTACH '/tmp/x.db'", "ATTACH ':memory:' AS m", "ATTACH IF NOT EXISTS 'x' (TYPE sqlite)", "DETACH papers", "DETACH DATABASE IF EXISTS papers",
			"USE papers", "USE memory", "INSTALL httpfs", "FORCE INSTALL httpfs FROM community", "LOAD httpfs", "LOAD '/tmp/evil.duckdb_extension'", "UPDATE EXTENSIONS",
		}},
		{name: "the session", kinds: refused, statements: []string{
			"PRAGMA enable_profiling", "PRAGMA enable_profiling='json'", "PRAGMA profiling_output='/tmp/x'", "PRAGMA database_list", "PRAGMA version",
			"PRAGMA table_info('metadata')", "PRAGMA memory_limit='8GB'", "PRAGMA disable_optimizer", "SET memory_limit = '8GB'", "SET threads = 64",
			"SET GLOBAL lock_configuration = false", "SET enable_external_access = true", "SET temp_directory = '/tmp'", "SET VARIABLE a = 1",
			"SET search_path = 'airqa'", "SET SESSION schema = 'airqa'", "RESET threads", "RESET ALL", "BEGIN", "BEGIN TRANSACTION READ ONLY", "COMMIT", "ROLLBACK", "ABORT",
			"PREPARE p AS SELECT 1", "EXECUTE p", "DEALLOCATE p", "CHECKPOINT", "FORCE CHECKPOINT", "VACUUM", "ANALYZE",
			"EXPLAIN SELECT 1", "EXPLAIN ANALYZE SELECT 1", "SHOW TABLES", "SHOW ALL TABLES", "SHOW DATABASES",
			"SELECT current_setting('temp_directory')", "SELECT getenv('HOME')", "SELECT getvariable('a')", "SELECT setseed(0.5)",
		}},
		{name: "secrets and logging", kinds: refused, statements: []string{
			"CREATE SECRET s (TYPE s3)", "CREATE PERSISTENT SECRET s (TYPE s3)", "DROP SECRET s", "SELECT * FROM duckdb_secrets()", "SELECT * FROM which_secret('s3://x', 's3')",
			"CALL enable_logging()", "SELECT * FROM enable_logging(storage='file', storage_path='/tmp/log')", "CALL disable_logging()", "SELECT * FROM disable_logging()",
			"SELECT * FROM duckdb_logs()", "CALL truncate_duckdb_logs()", "SELECT write_log('x')", "SELECT sleep_ms(1000)", "CALL force_checkpoint()", "SELECT * FROM checkpoint()",
		}},
		{name: "SQL within SQL", kinds: refused, statements: []string{
			"SELECT * FROM query('SELECT 1')", "SELECT * FROM query_table('metadata')", "SELECT * FROM query_table(['metadata'])", "SELECT json_execute_serialized_sql('{}')",
			"SELECT * FROM json_execute_serialized_sql(json_serialize_sql('SELECT 1'))", "SELECT json_serialize_plan('SELECT 1')", "SELECT json_deserialize_sql('{}')",
			"SELECT * FROM QUERY('SELECT 1')", "SELECT * FROM \"query\"('SELECT 1')", "SELECT * FROM main.query('SELECT 1')",
			"SELECT * FROM metadata WHERE json_execute_serialized_sql('{}') IS NULL", "SELECT list_transform([1], x -> json_serialize_sql('SELECT 1'))",
		}},
		{name: "several statements", kinds: refused, statements: []string{
			"SELECT 1; SELECT 2", "SELECT 1; DROP TABLE metadata", "CREATE TEMP TABLE t AS SELECT 1; SELECT 1", "SELECT 1;;SELECT 2", "SELECT 1; -- x\nSELECT 2",
			"SELECT 1; SET threads = 8", "SELECT ';'; SELECT 2", "SELECT 1 /* ; */; SELECT 2", "DROP TABLE metadata; SELECT 1", "PIVOT metadata ON title USING count(*)",
		}},
		{name: "changes", kinds: refused, statements: []string{
			"INSERT INTO metadata (title) VALUES ('x')", "INSERT INTO metadata SELECT * FROM metadata", "UPDATE metadata SET title = 'x'", "DELETE FROM metadata",
			"TRUNCATE metadata", "MERGE INTO metadata USING metadata m ON true WHEN MATCHED THEN DELETE", "DROP TABLE metadata", "DROP SCHEMA main CASCADE",
			"ALTER TABLE metadata ADD COLUMN x INT", "ALTER TABLE metadata RENAME TO x", "CREATE TABLE t (x INT)", "CREATE OR REPLACE TABLE metadata AS SELECT 1",
			"CREATE VIEW v AS SELECT 1", "CREATE TEMP TABLE t (x INT)", "CREATE TEMP VIEW metadata AS SELECT 1", "CREATE MACRO f() AS 1", "CREATE TEMP MACRO upper(x) AS 'x'",
			"CREATE FUNCTION f() AS TABLE FROM metadata", "CREATE SEQUENCE s", "CREATE SCHEMA s", "CREATE TYPE t AS ENUM ('a')", "CREATE INDEX i ON metadata (title)",
			"COMMENT ON TABLE metadata IS 'x'", "WITH x AS (SELECT 1) INSERT INTO metadata (title) FROM x", "SELECT nextval('s')", "SELECT currval('s')",
		}},
		{name: "system tables", kinds: refused, statements: []string{
			"SELECT * FROM airqa.files", "SELECT * FROM papers.airqa.files", "SELECT * FROM airqa.info", "SELECT * FROM \"AIRQA\".\"FILES\"",
			"SELECT * FROM information_schema.tables", "SELECT * FROM pg_catalog.pg_tables", "SELECT * FROM temp.main.metadata",
			"SELECT * FROM duckdb_settings()", "SELECT * FROM duckdb_databases()", "SELECT * FROM duckdb_functions()", "SELECT * FROM duckdb_memory()",
			"SELECT * FROM duckdb_temporary_files()", "SELECT * FROM system.main.duckdb_tables", "SELECT * FROM pragma_database_size()", "SELECT * FROM pragma_show('metadata')",
			"SELECT * FROM pragma_storage_info('metadata')", "SELECT * FROM pragma_table_info('metadata')", "SELECT * FROM memory.main.metadata", "SELECT pg_get_viewdef(1)",
			"SELECT * FROM test_all_types()", "SELECT * FROM seq_scan('metadata')", "SELECT * FROM arrow_scan(1, 2, 3)", "SELECT * FROM pandas_scan(1)",
			"SELECT * FROM repeat('x', 3)", "SELECT * FROM summary((SELECT 1))", "SELECT * FROM index_scan()",
		}},
		{name: "parameters", kinds: refused, statements: []string{"SELECT ?", "SELECT $1", "SELECT $name", "SELECT * FROM metadata WHERE title = ?", "SELECT * FROM range(?)"}},
		{name: "texts that exhaust a parser", kinds: refused, statements: []string{
			strings.Repeat("(", 200) + "SELECT 1" + strings.Repeat(")", 200), strings.Repeat("SELECT (", 200) + "1" + strings.Repeat(")", 200),
			strings.Repeat("WITH a AS (", 20) + "SELECT 1" + strings.Repeat(") SELECT * FROM a", 20), "SELECT " + strings.Repeat("[", 5000),
			"SELECT " + strings.Repeat("{'a':", 2000) + "1" + strings.Repeat("}", 2000), "SELECT '" + strings.Repeat("x", 1<<20) + "'",
			"SELECT 1 /*" + strings.Repeat("*", 1<<20) + "*/", strings.Repeat("SELECT 1;", 1000), strings.Repeat("-- x\n", 1<<18) + "SELECT 1",
			"SELECT 1 " + strings.Repeat(" ", 1<<20), "SELECT " + strings.Repeat("f(", 150) + "1" + strings.Repeat(")", 150),
		}},
	}
}

// readerAttacks resemble wrong or harmless statements.
func readerAttacks() []attack {
	return []attack{
		{name: "tables that are not there", kinds: []string{paperdb.KindCatalog}, statements: []string{
			"SELECT * FROM duckdb_settings", "SELECT * FROM sqlite_master", "SELECT * FROM files", "SELECT * FROM pg_tables", "SELECT * FROM pg_user",
			// The inner name must not unlock the system view outside.
			"WITH x AS (WITH duckdb_settings AS (SELECT 1) FROM duckdb_settings) SELECT * FROM x, duckdb_settings",
			"WITH a AS (FROM pg_tables), pg_tables AS (SELECT 1) FROM a",
			"WITH RECURSIVE duckdb_settings AS (SELECT 1 UNION ALL SELECT 1 FROM sqlite_master) FROM duckdb_settings",
			"WITH RECURSIVE duckdb_settings AS (FROM duckdb_settings UNION FROM duckdb_settings) FROM duckdb_settings",
			"WITH duckdb_settings AS (FROM duckdb_settings) FROM duckdb_settings",
			"WITH RECURSIVE duckdb_settings AS (FROM duckdb_settings) FROM duckdb_settings",
			"SELECT nosuch(1)", "SELECT @@version", "SELECT system('id')", "SELECT shell('id')", "SELECT exec('id')", "SELECT load_file('/etc/passwd')", "SELECT xp_cmdshell('dir')",
			"SELECT * FROM ｍetadata", "SELECT * FROM metadаta", "SELECT * FROM \"metadata \"", "SELECT * FROM \"meta\u200bdata\"",
		}},
		{name: "columns that are not there", kinds: []string{paperdb.KindBinder}, statements: []string{
			"SELECT rowid2 FROM metadata", "SELECT * FROM metadata WHERE title = ‘x’", "SELECT metadata.airqa FROM metadata", "SELECT title FROM metadata GROUP BY ()",
			"SELECT * EXCLUDE (nosuch) FROM metadata", "SELECT COLUMNS('nosuch.*') FROM metadata", "SELECT [1, 2][[1]]",
		}},
		{name: "no SQL", kinds: []string{paperdb.KindSyntax}, statements: []string{
			"", " ", ";", "--", "-- only a comment", "/* a */", "SELECT", "SELEC 1", "SELECT 'x", "/* open", "'", "\"", "$$", "SELECT $$x", "SELECT E'\\",
			"SELECT 1) UNION (SELECT 2", "SELECT * FROM metadata) --", "SELECT * FROM metadata) LIMIT 100000 --", "\\copy metadata", ".tables", ".shell id", "!ls", "🙂",
			"\u202eSELECT 1", "SELECT\u2028FROM", "ＳＥＬＥＣＴ 1",
		}},
		{name: "no text", kinds: []string{paperdb.KindSyntax}, statements: []string{
			"SELECT '\x00'", "SELECT 1\x00; DROP TABLE metadata", "\x00", "SELECT '\xff'", "\xef\xbb\xbf\xfe", "SELECT '\xed\xa0\x80'", "SELECT \xc0\xaf",
		}},
		{name: "harmless after all", kinds: []string{ok}, statements: []string{
			"SELECT 1 -- ; DROP TABLE metadata", "SELECT /* ; DROP TABLE metadata; */ 1", "SELECT 1;", "SELECT 1;;;", "SELECT /* /* */ 1 */ 2", "-- COPY metadata TO 'x'\nSELECT 1",
			"SELECT 1 /* a */ -- b", "SELECT 'ATTACH ''x'''", "SELECT $$; DROP TABLE metadata$$", "SELECT \"title\" FROM \"metadata\"", "SELECT title AS \"; DROP\" FROM metadata",
			"sElEcT TITLE fRoM MetaData", "SELECT 1 LIMIT 9223372036854775807", "SELECT * FROM range(1000000000000)", "SELECT chr(0)", "SELECT '\u202etxet'",
			"SELECT 'nan'::DOUBLE, 'inf'::DOUBLE, '-inf'::DOUBLE", "SELECT 170141183460469231731687303715884105727::HUGEINT", "SELECT DATE '290309-12-22 (BC)'",
			"SELECT title FROM metadata WHERE title = '' OR 1=1", "SELECT * FROM metadata LIMIT 0", "SUMMARIZE SELECT 1 AS x", "VALUES (1), (2)", "FROM metadata",
			"SELECT unnest(range(1000000))", "SELECT '" + strings.Repeat("[", 3000) + strings.Repeat("]", 3000) + "'::VARCHAR",
		}},
	}
}
