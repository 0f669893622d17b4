package paperdb_test

import (
	"errors"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"airqa/env/paperdb"
)

// FuzzQuery runs arbitrary text. It must yield a result or a QueryError with a short text, and the database must still
// answer.
func FuzzQuery(f *testing.F) {
	path := filepath.Join(f.TempDir(), "papers.duckdb")
	w, err := paperdb.OpenWriter(f.Context(), path)
	if err != nil {
		f.Fatal(err)
	}
	if err := errors.Join(w.Put(f.Context(), paper("attention")), w.Close()); err != nil {
		f.Fatal(err)
	}
	r, err := paperdb.OpenReader(f.Context(), paperdb.Config{Path: path})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = r.Close() })
	for _, a := range slices.Concat(refusedAttacks(), readerAttacks()) {
		for _, sql := range a.statements {
			f.Add(sql)
		}
	}
	f.Fuzz(func(t *testing.T, sql string) {
		_, err := r.Query(t.Context(), sql, paperdb.Limits{Rows: 3, Deadline: time.Second})
		var fault *paperdb.QueryError
		if err != nil && (!errors.As(err, &fault) || fault.Text == "" || len(fault.Text) > 500) {
			t.Fatalf("got %v", err)
		}
		if _, err := r.Query(t.Context(), "SELECT title FROM metadata", limits); err != nil {
			t.Fatal(err)
		}
	})
}
