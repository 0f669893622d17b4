package bigpapers_test

import (
	"path/filepath"
	"testing"

	"airqa/env"
	"airqa/env/embed/minilm"
	"airqa/env/index"
	"airqa/env/paperdb"
	"airqa/internal/testkit/bigpapers"
	"airqa/tools"
)

// TestMain makes the test binary a query worker when it is started as one.
func TestMain(m *testing.M) {
	paperdb.WorkerMain()
	m.Run()
}

// The program reads the directories like those of an ingest.
func TestDirectories(t *testing.T) {
	model, err := minilm.Open(minilm.Config{})
	if err != nil {
		t.Fatal(err)
	}
	dir, all := t.TempDir(), bigpapers.Papers{First: 7, Count: 20}
	database := filepath.Join(dir, "papers.duckdb")
	if err := bigpapers.WriteDatabase(t.Context(), database, all); err != nil {
		t.Fatal(err)
	}
	info := model.Info()
	m := bigpapers.Model{
		Name: info.Model, Hash: info.Hash, Embedder: index.DefaultEmbedder, Collection: index.MiniLM, Dim: info.Dim, Window: info.Window,
	}
	for name, write := range map[string]func(string) error{
		"own":    func(path string) error { return bigpapers.Write(t.Context(), path, database, all, m) },
		"linked": func(path string) error { return bigpapers.Link(t.Context(), path, database, all, 5, m) },
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(dir, name)
			if err := write(path); err != nil {
				t.Fatal(err)
			}
			e, err := env.Open(t.Context(), env.Config{Dir: path, Mode: env.Hybrid, Embedder: model})
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = e.Close() }()
			hits, err := e.Retrieve(t.Context(), "a text", 5, tools.Scope{})
			if err != nil || len(hits) != 5 {
				t.Errorf("%d hits, %v", len(hits), err)
			}
			list, err := index.Verify(t.Context(), index.VerifyConfig{Dir: path, Embedder: model})
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range list {
				if want := map[string]int{index.MiniLM: 20 * bigpapers.Records, "bm25": 20 * 168}[c.Name]; want != 0 && c.Records != want {
					t.Errorf("collection %s has %d records, not %d", c.Name, c.Records, want)
				}
			}
		})
	}
}
