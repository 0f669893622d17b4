package paperdb_test

import (
	"context"
	"errors"
	"flag"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"airqa/env/paperdb"
	"airqa/internal/testkit"
	"airqa/qa"
)

var update = flag.Bool("update", false, "rewrite golden files")

var limits = paperdb.Limits{Rows: 10, Deadline: 30 * time.Second}

func query(t *testing.T, r *paperdb.Reader, sql string) qa.Rows {
	t.Helper()
	result, err := r.Query(t.Context(), sql, limits)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return result
}

func TestSchema(t *testing.T) {
	got, err := reader(t, library(t)).Schema(t.Context())
	check(t, err)
	const golden = "testdata/schema.golden"
	if *update {
		check(t, os.WriteFile(golden, []byte(got), 0o644))
	}
	want, err := os.ReadFile(golden)
	check(t, err)
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestQuery(t *testing.T) {
	a := paper("attention")
	r := reader(t, library(t, a, paper("bert")))
	id := a.Metadata.PaperID
	tests := []struct {
		name, sql string
		columns   []string
		values    [][]any
	}{
		{"ids as text", "SELECT paper_id, [paper_id] AS ids FROM metadata WHERE title = 'attention';", []string{"paper_id", "ids"}, [][]any{{id, "[" + id + "]"}}},
		{"box", "SELECT bounding_box FROM images LIMIT 1", []string{"bounding_box"}, [][]any{{"[1, 2, 3, 4]"}}},
		{"numbers", "SELECT 1::TINYINT a, 1.5 b, 2::FLOAT c, sum(ordinal) d, 0.1::FLOAT e, -1e300 f FROM chunks", []string{"a", "b", "c", "d", "e", "f"}, [][]any{{int64(1), "1.5", 2.0, int64(20), 0.1, -1e300}}},
		{"long numbers", "SELECT 18446744073709551615::UBIGINT a, 12345678901234567890.5 b, 2::UHUGEINT c, 7::BIGNUM d, repeat('9', 60)::BIGNUM e", []string{"a", "b", "c", "d", "e"}, [][]any{{"18446744073709551615", "12345678901234567890.5", int64(2), int64(7), strings.Repeat("9", 60)}}},
		{"no numbers", "SELECT 'nan'::DOUBLE a, '-inf'::FLOAT b, [1 / 0] c", []string{"a", "b", "c"}, [][]any{{"nan", "-inf", "[inf]"}}},
		{
			"nested", "SELECT NULL n, true b, {'k': [1, NULL]} s, MAP {'x': 1} m, 'a\\x5Cb'::BLOB x, (1, 'y') AS u, MAP {[1]: 'nan'::FLOAT} k",
			[]string{"n", "b", "s", "m", "x", "u", "k"},
			[][]any{{nil, true, "{'k': [1, NULL]}", "{x=1}", `a\x5Cb`, "(1, y)", "{[1]=nan}"}},
		},
		{"JSON", `SELECT '{"b": NaN,  "a": 12345678901234567890123}'::JSON j, '[1]' t, json_object('x', 'inf'::DOUBLE) o`, []string{"j", "t", "o"}, [][]any{{`{"b": NaN,  "a": 12345678901234567890123}`, "[1]", `{"x":Infinity}`}}},
		{"date", "SELECT DATE '2023-07-09' d, '0044-03-15 (BC)'::DATE b, 'infinity'::DATE i", []string{"d", "b", "i"}, [][]any{{"2023-07-09", "0044-03-15 (BC)", "infinity"}}},
		{"dates and times", "SELECT [DATE '2023-07-09'] a, TIME '01:02:03.4' b, TIMESTAMP '2023-07-09 01:02:03' c, INTERVAL 40 DAY d", []string{"a", "b", "c", "d"}, [][]any{{"[2023-07-09]", "01:02:03.4", "2023-07-09 01:02:03", "40 days"}}},
		{"odd names", `SELECT 1 AS " ", 2 AS "a""b", 3 AS "x'y", rank() OVER "my w" AS r FROM (SELECT 4 AS n) AS "t 1"("i i") WINDOW "my w" AS (ORDER BY "i i")`, []string{" ", `a"b`, "x'y", "r"}, [][]any{{int64(1), int64(2), int64(3), int64(1)}}},
		{"semicolons", "; ;SELECT ';' AS a /* ; */, 1 AS \";\" ;; -- ;", []string{"a", ";"}, [][]any{{";", int64(1)}}},
		{"same names", "SELECT m.title, m.title FROM metadata m ORDER BY 1 LIMIT 1", []string{"title", "title_1"}, [][]any{{"attention", "attention"}}},
		{"order is kept", "SELECT title FROM metadata ORDER BY title DESC", []string{"title"}, [][]any{{"bert"}, {"attention"}}},
		{"comments", "-- first\nSELECT 1 AS x /* ; */ ; -- done", []string{"x"}, [][]any{{int64(1)}}},
		{"with", "WITH n AS (SELECT 2 AS x), m AS (SELECT x FROM n) SELECT * FROM m, n AS k", []string{"x", "x_1"}, [][]any{{int64(2), int64(2)}}},
		{"recursive", "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 3) SELECT max(n) AS n FROM r", []string{"n"}, [][]any{{int64(3)}}},
		{"from first", "FROM metadata SELECT count(*) AS n", []string{"n"}, [][]any{{int64(2)}}},
		{"names of keywords", "SELECT count(*) AS n FROM reference, tables", []string{"n"}, [][]any{{int64(8)}}},
		{"qualified", "SELECT count(*) AS n FROM main.pages JOIN papers.main.sections ON true JOIN papers.images ON true", []string{"n"}, [][]any{{int64(32)}}},
		{"describe", "DESCRIBE reference", []string{"column_name", "column_type", "null", "key", "default", "extra"}, [][]any{
			{"reference_id", "UUID", "NO", "PRI", nil, nil},
			{"reference_content", "VARCHAR", "YES", nil, nil, nil},
			{"ordinal", "INTEGER", "YES", nil, nil, nil},
			{"ref_paper_id", "UUID", "YES", nil, nil, nil},
			{"ref_page_id", "UUID", "YES", nil, nil, nil},
		}},
		{"unnest", "SELECT unnest(page_numbers) AS p, x FROM sections, unnest([7]) t(x) ORDER BY ALL LIMIT 1", []string{"p", "x"}, [][]any{{int64(1), int64(7)}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := query(t, r, tt.sql)
			if diff := cmp.Diff(qa.Rows{Columns: tt.columns, Values: tt.values, Tables: got.Tables}, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestQueryTables(t *testing.T) {
	tests := []struct {
		name, sql string
		want      []string
	}{
		{"none", "SELECT 1", nil},
		{"joined, each once", "SELECT 1 FROM pages p JOIN metadata m ON true JOIN pages q ON true", []string{"metadata", "pages"}},
		{"a WITH name is none", "WITH chunks AS (SELECT * FROM reference) SELECT * FROM chunks", []string{"reference"}},
		{"in a condition", "SELECT 1 FROM metadata WHERE paper_id IN (SELECT ref_paper_id FROM papers.main.Images)", []string{"images", "metadata"}},
	}
	r := reader(t, library(t))
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, query(t, r, tt.sql).Tables); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestQueryStopsAtRowCap(t *testing.T) {
	r := reader(t, library(t))
	for rows, more := range map[string]bool{"9": false, "10": false, "11": true, "1000000000000": true} {
		result := query(t, r, "SELECT * FROM range("+rows+")")
		if result.More != more || len(result.Values) > 10 {
			t.Errorf("%s: got %d rows, more %v", rows, len(result.Values), result.More)
		}
	}
	if got := query(t, r, "SELECT title FROM metadata"); got.Values != nil || got.More || len(got.Columns) != 1 {
		t.Errorf("no rows: got %+v", got)
	}
}

func TestQueryErrors(t *testing.T) {
	testkit.OneGoroutine(t)
	path := library(t, paper("attention"))
	tests := []struct{ name, sql, kind, want string }{
		{"syntax", "SELECT title\nFORM metadata WHERE x", paperdb.KindSyntax, `syntax error at or near "metadata" at line 2, column 6: FORM metadata WHERE x`},
		{"empty", " ; -- nothing", paperdb.KindSyntax, "no SQL statement"},
		{"not UTF-8", "SELECT '\xff'", paperdb.KindSyntax, "no text"},
		{"NUL", "SELECT '\x00'", paperdb.KindSyntax, "no text"},
		{"table", "SELECT * FROM papers", paperdb.KindCatalog, "There is no table papers: the tables are metadata, pages, images, chunks, tables, sections, equations, reference."},
		{"column", "SELECT titel FROM metadata", paperdb.KindBinder, `"titel" not found`},
		{"function", "SELECT levenstein(title, 'x') FROM metadata", paperdb.KindCatalog, "levenshtein"},
		{"types", "SELECT title + 1 FROM metadata", paperdb.KindBinder, "You might need to add explicit type casts"},
		{"cast", "SELECT CAST('abc' AS INTEGER)", paperdb.KindRuntime, "Could not convert string 'abc'"},
		{"uuid", "SELECT * FROM metadata WHERE paper_id = 'x'", paperdb.KindRuntime, "Could not convert string 'x' to UUID/INT128"},
		{"shortened id", "SELECT * FROM pages WHERE ref_paper_id IN ('3f2a9c64')", paperdb.KindRuntime, "'3f2a9c64' is not an id: ids are uuids of 36 characters, such as 3f2a9c64-5d1e-4b7a-8c20-91d4e6f0a2b3. Write the whole id."},
		{"bad literal", "SELECT 'a\\b'::BLOB", paperdb.KindRuntime, "Invalid hex escape code"},
		{"place", "SELECT title,\n  (title || 'x')::INT AS n\nFROM metadata;", paperdb.KindRuntime, "\n\nLINE 2:   (title || 'x')::INT AS n\n                        ^"},
		{"place in an error that quotes one", "SELECT (title || '\n\nLINE 7: x')::INT FROM metadata", paperdb.KindRuntime, "'attention\n\nLINE 7: x' to INT32\n\nLINE 3: LINE 7: x')::INT FROM metadata\n                   ^"},
		{"no place", "SELECT sum(ordinal) EXPORT_STATE FROM chunks", paperdb.KindRuntime, "Cannot cast AGGREGATE_STATE to anything but BLOB"},
		{"place in line nine", strings.Repeat("\n", 8) + "SELECT (title || 'x')::INT FROM metadata", paperdb.KindRuntime, "\n\nLINE 9: SELECT (title || 'x')::INT FROM metadata\n                             ^"},
		{"place after a semicolon", ";\n; SELECT titel FROM metadata;", paperdb.KindBinder, "LINE 2:   SELECT titel FROM metadata \n                 ^"},
		{"memory", "SELECT list(a.range) FROM range(100000000) a", paperdb.KindMemory, "more memory than it may have"},
		{"advice", "SELECT (SELECT unnest([1, 2]))", paperdb.KindRuntime, "can only return a single row."},
		{"long", "SELECT '" + strings.Repeat("x", 20000) + "'", paperdb.KindRefused, "too long"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			texts := make(map[string]bool)
			for range testkit.Rounds(2, 3) {
				r, err := paperdb.OpenReader(t.Context(), paperdb.Config{Path: path})
				check(t, err)
				_, err = r.Query(t.Context(), tt.sql, limits)
				var got *paperdb.QueryError
				if !errors.As(err, &got) || got.Kind != tt.kind || !strings.Contains(got.Text, tt.want) {
					t.Fatalf("got %#v (%v), want kind %s and %q", got, err, tt.kind, tt.want)
				}
				texts[got.Text] = true
				check(t, r.Close())
			}
			if len(texts) != 1 {
				t.Errorf("the text changes: %v", texts)
			}
		})
	}
}

func TestQueryTimeout(t *testing.T) {
	r := reader(t, library(t))
	tests := []struct{ name, sql string }{
		{"interruptible", "SELECT count(*) FROM range(1000000) a, range(1000000) b, range(1000000) c WHERE a.range + b.range + c.range = -1"},
		// The engine does not check for interrupts within this call.
		{"not interruptible", "SELECT levenshtein(repeat('ab', 10000), repeat('ba', 10001))"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			started := time.Now()
			_, err := r.Query(t.Context(), tt.sql, paperdb.Limits{Rows: 1, Deadline: 100 * time.Millisecond})
			var got *paperdb.QueryError
			if !errors.As(err, &got) || got.Kind != paperdb.KindTimeout || !strings.Contains(got.Text, "longer than 100ms") || !strings.Contains(got.Text, "by ref_paper_id") {
				t.Errorf("got %v", err)
			}
			if took := time.Since(started); took > 20*time.Second {
				t.Errorf("came back after %v", took)
			}
			query(t, r, "SELECT 1")
		})
	}
}

func TestQueryCancelled(t *testing.T) {
	r := reader(t, library(t))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := r.Query(ctx, "SELECT 1", limits)
	var fault *paperdb.QueryError
	if !errors.Is(err, context.Canceled) || errors.As(err, &fault) {
		t.Errorf("got %v", err)
	}
}

func TestConcurrentQueries(t *testing.T) {
	path := library(t, paper("attention"))
	first, second := reader(t, path), reader(t, path)
	var wg sync.WaitGroup
	for _, r := range []*paperdb.Reader{first, second, first, second} {
		wg.Go(func() {
			for range 5 {
				result, err := r.Query(t.Context(), "WITH x AS (SELECT title FROM metadata) FROM x", limits)
				if diff := cmp.Diff([][]any{{"attention"}}, result.Values); diff != "" || err != nil {
					t.Errorf("%v (-want +got):\n%s", err, diff)
				}
				if _, err := r.Query(t.Context(), "SELECT nothing FROM metadata", limits); err == nil {
					t.Error("no error")
				}
			}
		})
	}
	wg.Wait()
}

// Readers of one file that are opened concurrently are all locked down, and none sees a partial lockdown.
func TestOpenedAtOnce(t *testing.T) {
	path := library(t, paper("attention"))
	for range 20 {
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				r, err := paperdb.OpenReader(t.Context(), paperdb.Config{Path: path})
				if err != nil {
					t.Error(err)
					return
				}
				if err := r.Close(); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
	}
}
