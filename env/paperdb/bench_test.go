package paperdb_test

import (
	"errors"
	"path/filepath"
	"testing"

	"airqa/env/paperdb"
)

// A typical model query over a few hundred chunks.
const typical = "SELECT m.title, p.page_number, c.text_content FROM chunks c JOIN pages p ON p.page_id = c.ref_page_id " +
	"JOIN metadata m ON m.paper_id = c.ref_paper_id WHERE c.text_content LIKE '%chunk%' ORDER BY ALL LIMIT 10"

func benchReader(b *testing.B, inProcess bool) *paperdb.Reader {
	b.Helper()
	path := filepath.Join(b.TempDir(), "papers.duckdb")
	w, err := paperdb.OpenWriter(b.Context(), path)
	if err != nil {
		b.Fatal(err)
	}
	err = errors.Join(w.Put(b.Context(), paper("attention")), w.Put(b.Context(), paper("bert")), w.Close())
	if err != nil {
		b.Fatal(err)
	}
	r, err := paperdb.OpenReader(b.Context(), paperdb.Config{Path: path, InProcess: inProcess})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = r.Close() })
	return r
}

func benchQuery(b *testing.B, inProcess bool, sql string) {
	b.Helper()
	r := benchReader(b, inProcess)
	for b.Loop() {
		if _, err := r.Query(b.Context(), sql, paperdb.Limits{Rows: 1000, Deadline: limits.Deadline}); err != nil {
			b.Fatal(err)
		}
	}
}

// The difference between these two is the cost of a warm worker.
func BenchmarkQueryInProcess(b *testing.B) { benchQuery(b, true, typical) }
func BenchmarkQueryWorker(b *testing.B)    { benchQuery(b, false, typical) }

// A thousand rows of ten values measure the transfer of a large result.
const wide = "SELECT range, range + 1, range * 1.5, 'some text of a cell ' || range, true, NULL, [range, 2], range % 7, 'x', range::VARCHAR FROM range(1000)"

func BenchmarkWideInProcess(b *testing.B) { benchQuery(b, true, wide) }
func BenchmarkWideWorker(b *testing.B)    { benchQuery(b, false, wide) }

// BenchmarkQueryCold starts a worker for each query.
func BenchmarkQueryCold(b *testing.B) {
	r := benchReader(b, false)
	for b.Loop() {
		// A query that fails at run time costs its worker.
		var fault *paperdb.QueryError
		if _, err := r.Query(b.Context(), "SELECT CAST(title AS INTEGER) FROM metadata", limits); !errors.As(err, &fault) {
			b.Fatal(err)
		}
	}
}
