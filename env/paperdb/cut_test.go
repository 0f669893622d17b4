package paperdb_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"

	"airqa/env/paperdb"
	"airqa/internal/testkit"
)

// A database that was cut anywhere is refused: of what is missing, the engine would only notice what it reads.
func TestCutDatabase(t *testing.T) {
	testkit.OneGoroutine(t)
	dir := t.TempDir()
	path := filepath.Join(dir, "papers.duckdb")
	w, err := paperdb.OpenWriter(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for i := range 40 {
		id := uuid.NewSHA1(uuid.Nil, []byte{byte(i)}).String()
		p := paperdb.Paper{Metadata: paperdb.Metadata{PaperID: id, Title: "Title"}, File: paperdb.File{SHA256: id}}
		for k := range 20 {
			text := strings.Repeat(fmt.Sprint(id, k, " "), 300)
			section := uuid.NewSHA1(uuid.Nil, []byte{byte(i), byte(k)}).String()
			p.Sections = append(p.Sections, paperdb.Section{ID: section, Title: "S", Content: text})
		}
		if err := w.Put(t.Context(), p); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	cut := filepath.Join(dir, "cut.duckdb")
	for n := 0; n < len(raw); n += 100_000 {
		if err := os.WriteFile(cut, raw[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		if err := opens(t, cut); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%d of %d bytes: %v", n, len(raw), err)
		}
	}
	// Removals leave free blocks, of which the file may have fewer than its head says.
	for len(ids) > 0 {
		w, err := paperdb.OpenWriter(t.Context(), path)
		if err == nil {
			err = w.Remove(t.Context(), ids[:8])
		}
		if err == nil {
			err = w.Close()
		}
		if err == nil {
			err = opens(t, path)
		}
		if err != nil {
			t.Fatalf("%d papers: %v", len(ids)-8, err)
		}
		ids = ids[8:]
	}
}

func opens(t *testing.T, path string) error {
	t.Helper()
	w, err := paperdb.OpenStored(t.Context(), path)
	if err == nil {
		err = w.Close()
	}
	return err
}
