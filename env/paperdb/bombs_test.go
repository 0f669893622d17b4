package paperdb_test

import (
	"strings"
	"time"

	"airqa/env/paperdb"
)

// bombs are statements that the sandbox allows but that exceed the resources.
func bombs() []attack {
	const short = 200 * time.Millisecond
	return []attack{
		{name: "CPU", kinds: []string{paperdb.KindTimeout}, deadline: short, statements: []string{
			"SELECT count(*) FROM range(1000000) a, range(1000000) b, range(1000000) c WHERE a.range + b.range + c.range = -1",
			"SELECT sum(sin(range)) FROM range(100000000000)", "SELECT count(*) FROM range(1000000000000) WHERE range % 7 = 9",
			"WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT max(n) FROM r",
			"WITH RECURSIVE r(n) AS (SELECT 1 UNION SELECT n + 1 FROM r) SELECT count(*) FROM r",
			"WITH RECURSIVE r(a) AS (SELECT 'x' UNION ALL SELECT left(a || 'x', 100) FROM r) SELECT max(a) FROM r",
			// The engine does not check for interrupts within these calls.
			"SELECT levenshtein(repeat('ab', 100000), repeat('ba', 100001))", "SELECT damerau_levenshtein(repeat('ab', 8000), repeat('ba', 8001))",
			"SELECT jaro_winkler_similarity(repeat('ab', 500000), repeat('ba', 500001))",
			"SELECT count(*) FROM range(100000) a, range(100000) b WHERE regexp_matches(a.range::VARCHAR || b.range::VARCHAR, '(1|2|3)*4(5|6)*$')",
			"SELECT length(regexp_replace(repeat('a', 20000000), '(a?){50}b', '', 'g'))", "SELECT lpad('x', 2000000000, 'y')", "SELECT histogram(range) FROM range(100000000)",
			"SELECT list_sum(list_transform(range(10000000), x -> list_sum(range(x))))", "SELECT list_reduce(range(1, 100000000), (a, b) -> a + b)",
			"SELECT count(*) FROM generate_series(TIMESTAMP '0001-01-01', TIMESTAMP '9999-01-01', INTERVAL 1 second)",
			"SELECT * FROM range(10000000000) ORDER BY hash(range) LIMIT 1", "SELECT count(DISTINCT range % 1000) FROM range(100000000000)",
			"SELECT max(x) FROM (SELECT row_number() OVER (PARTITION BY range % 3) AS x FROM range(100000000000) WHERE range < 0)",
			"SELECT a.title FROM metadata a, range(1000000) b, range(1000000) c, range(1000000) d WHERE b.range * c.range = d.range - 5000000",
			"SELECT md5(repeat('x', 900000000))",
		}},
		{name: "memory", kinds: []string{paperdb.KindMemory}, deadline: 20 * time.Second, statements: []string{
			"SELECT repeat('x', 2000000000)", "SELECT length(repeat('x', 4000000000))",
			"SELECT repeat([1], 2000000000)", "SELECT list(a.range) FROM range(100000000) a", "SELECT range(2000000000)", "SELECT list_sort(range(900000000))",
			"SELECT repeat('x', 20000000)", "SELECT string_agg(range::VARCHAR, repeat('y', 1000)) FROM range(10000000)", "SELECT repeat('x', 4000000) FROM range(9)",
			"SELECT array_agg(repeat('x', 1000)) FROM range(10000000)", "SELECT repeat('[', 3000000) || range FROM range(9)",
		}},
		// Whether the deadline or the memory limit comes first depends on the machine.
		{name: "memory or time", kinds: []string{paperdb.KindMemory, paperdb.KindTimeout, paperdb.KindRuntime, paperdb.KindBinder, paperdb.KindSyntax, ok}, deadline: short, statements: []string{
			"SELECT a.range, count(*) FROM range(100000000) a GROUP BY 1 ORDER BY 2", "SELECT * FROM range(100000000) a ORDER BY range DESC",
			"SELECT list_sort(list(a.range)) FROM range(100000000) a", "SELECT count(DISTINCT range) FROM range(1000000000)",
			"WITH RECURSIVE r(a) AS (SELECT 'x' UNION ALL SELECT a || a FROM r) SELECT max(length(a)) FROM r",
			"SELECT * FROM range(100000) a JOIN range(10000000) b ON a.range % 2 = b.range % 2 ORDER BY ALL", "SELECT median(range) FROM range(1000000000)",
			"SELECT mode(range) FROM range(1000000000)", "SELECT range(range) FROM range(100000)", "SELECT unnest(range(1000000000))",
			"SELECT list_distinct(range(100000000))", "SELECT bar(range, 0, 1, 1000000) FROM range(100000)", "SELECT format('{:>1000000000}', 'x')",
			"SELECT printf('%1000000000d', 1)", "SELECT regexp_split_to_array(repeat('a,', 50000000), ',')", "SELECT 10::DECIMAL(38,0)" + strings.Repeat(" * 10", 40),
			"SELECT repeat('a', 100000) LIKE repeat('%a', 3000) || 'b'", "SELECT repeat(repeat('x', 1000000), 1000000)", "SELECT factorial(1000)", "SELECT regexp_matches('x', '((((x{1000}){1000}){1000}){1000})')", "SELECT json(repeat('[', 10000000))",
			"SELECT json_extract(repeat('{\"a\":', 100000), '$..a')", "SELECT (repeat('[', 9000) || repeat(']', 9000))::JSON",
			"SELECT " + strings.Repeat("1+", 5000) + "1", "SELECT " + strings.Repeat("NOT ", 3000) + "true", "SELECT -" + strings.Repeat(" - ", 4000) + "1",
			"SELECT 1" + strings.Repeat(" UNION SELECT 1", 900), "SELECT 1" + strings.Repeat(" AND 1", 2500), "SELECT CASE" + strings.Repeat(" WHEN 1 THEN CASE", 700),
			"SELECT * FROM metadata" + strings.Repeat(", metadata", 1000), "SELECT " + strings.Repeat("1,", 8000) + "1", "SELECT * FROM metadata WHERE title IN (" + strings.Repeat("'x',", 3500) + "'y')",
			"SELECT 1" + strings.Repeat("::VARCHAR::INT", 1000), "SELECT 'x'" + strings.Repeat(" || 'x'", 2000), "SELECT x" + strings.Repeat("[1]", 3000) + " FROM (SELECT [1] AS x)",
			"FROM metadata" + strings.Repeat(" POSITIONAL JOIN metadata", 500), "SELECT title" + strings.Repeat(" COLLATE NOCASE", 900) + " FROM metadata",
			"SELECT count(*) FROM metadata GROUP BY CUBE (" + strings.Repeat("title,", 20) + "title)", "SELECT count(*) FROM chunks GROUP BY ROLLUP (" + strings.Repeat("chunk_id,", 500) + "chunk_id)",
		}},
	}
}
