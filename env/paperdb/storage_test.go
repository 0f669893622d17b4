package paperdb

import (
	"path/filepath"
	"testing"
)

// A newer engine must keep writing the same version of its file format.
func TestStorageIsPinned(t *testing.T) {
	path := filepath.Join(t.TempDir(), "papers.duckdb")
	w, err := OpenWriter(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	var got string
	err = w.db.QueryRowContext(t.Context(), "SELECT tags['storage_version'] FROM duckdb_databases() WHERE database_name = 'papers'").Scan(&got)
	if want := storage + "+"; got != want || err != nil {
		t.Errorf("storage version %q, %v, want %q", got, err, want)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}
