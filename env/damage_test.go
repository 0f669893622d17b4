package env_test

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"airqa/env"
	"airqa/env/index"
	"airqa/env/paperdb"
	"airqa/env/vectors"
	"airqa/env/vectors/bm25"
	"airqa/env/vectors/flat"
	"airqa/internal/testkit"
	"airqa/internal/testkit/milvustest"
)

// allFiles returns the files below a directory but locks, with their content.
func allFiles(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := make(map[string]string)
	check(t, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || strings.HasSuffix(path, "lock") {
			return err
		}
		raw, err := os.ReadFile(path)
		files[path] = string(raw)
		return err
	}))
	return files
}

// writers are the ways to change a directory.
func writers(model *letters) map[string]func(*testing.T, string) error {
	with := func(cfg env.WriterConfig, do func(*testing.T, *env.Writer) error) func(*testing.T, string) error {
		return func(t *testing.T, dir string) error {
			cfg.Dir, cfg.Embedder = dir, model
			w, err := env.OpenWriter(t.Context(), cfg)
			if err != nil {
				return err
			}
			return errors.Join(do(t, w), w.Finish(t.Context()))
		}
	}
	nothing := func(*testing.T, *env.Writer) error { return nil }
	return map[string]func(*testing.T, string) error{
		"nothing": with(env.WriterConfig{}, nothing),
		"rebuild": with(env.WriterConfig{Rebuild: true}, nothing),
		"add": with(env.WriterConfig{}, func(t *testing.T, w *env.Writer) error {
			return w.Put(t.Context(), resnet, []byte("%PDF"))
		}),
		"remove": with(env.WriterConfig{}, func(t *testing.T, w *env.Writer) error {
			return w.Remove(t.Context(), []env.Removing{{PaperID: bert.Metadata.PaperID}})
		}),
		"enrich": with(env.WriterConfig{}, func(t *testing.T, w *env.Writer) error {
			return w.Enrich(t.Context(), bert.Metadata.PaperID, []paperdb.Fill{{Column: "tldr", Key: bert.Metadata.PaperID, Text: "Short."}})
		}),
	}
}

// No writer makes a new generation of a directory whose database is not that of its current one: it would lack papers.
func TestNoGenerationFromDamage(t *testing.T) {
	testkit.OneGoroutine(t)
	model := &letters{model: "letters"}
	whole := filepath.Join(t.TempDir(), "data")
	cfg := env.WriterConfig{Dir: whole, Embedder: model}
	check(t, fillWith(t, cfg, attention))
	earlier, err := os.ReadFile(filepath.Join(whole, "generations", "1", "papers.duckdb"))
	check(t, err)
	check(t, fillWith(t, cfg, bert))
	const database = "generations/2/papers.duckdb"
	raw, err := os.ReadFile(filepath.Join(whole, database))
	check(t, err)
	info, err := os.ReadFile(filepath.Join(whole, "airqa.json"))
	check(t, err)
	write := func(name string, data []byte) func(string) error {
		return func(dir string) error { return os.WriteFile(filepath.Join(dir, name), data, 0o600) }
	}
	damage := map[string]func(dir string) error{
		"no database":        func(dir string) error { return os.Remove(filepath.Join(dir, database)) },
		"no generation":      func(dir string) error { return os.RemoveAll(filepath.Join(dir, "generations", "2")) },
		"a cut database":     write(database, raw[:len(raw)-1000]),
		"an earlier one":     write(database, earlier),
		"a cut airqa.json":   write("airqa.json", info[:len(info)/2]),
		"no airqa.json":      func(dir string) error { return os.Remove(filepath.Join(dir, "airqa.json")) },
		"another generation": write("airqa.json", []byte(strings.Replace(string(info), `"generation": 2`, `"generation": 3`, 1))),
	}
	for what, spoil := range damage {
		for how, change := range writers(model) {
			t.Run(what+"/"+how, func(t *testing.T) {
				dir := filepath.Join(t.TempDir(), "data")
				check(t, os.CopyFS(dir, os.DirFS(whole)))
				check(t, spoil(dir))
				before := allFiles(t, dir)
				if err := change(t, dir); err == nil {
					t.Error("no error")
				}
				if diff := cmp.Diff(before, allFiles(t, dir)); diff != "" {
					t.Errorf("files (-before +after):\n%.2000s", diff)
				}
			})
		}
	}
}

// A collection that is damaged or of another format is refused by a writer, with the command that makes it again, and keeps what is
// there. The rebuilt one has the same hits. Only the texts of a damaged dense collection are embedded again.
func TestRebuildOfDamage(t *testing.T) {
	testkit.OneGoroutine(t)
	model := &letters{model: "letters", words: 3}
	whole := filepath.Join(t.TempDir(), "data")
	check(t, fillWith(t, env.WriterConfig{Dir: whole, Embedder: model}, attention))
	check(t, fillWith(t, env.WriterConfig{Dir: whole, Embedder: model}, bert))
	all := model.asked
	want := found(t, whole, model)
	flip := func(raw []byte) []byte { raw[len(raw)/3] ^= 1; return raw }
	spoils := []struct {
		what, file string
		spoil      func([]byte) []byte
	}{
		{"manifest", "manifest-2.json", flip},
		{"segment", "000001.vec", flip},
		{"format of the manifest", "manifest-2.json", func(raw []byte) []byte {
			head, _, _ := strings.Cut(strings.Replace(string(raw), `"format":1`, `"format":9`, 1), `,"crc32c":`)
			return fmt.Appendf([]byte(head), ",\"crc32c\":%d}\n", crc32.Checksum([]byte(head), crc32.MakeTable(crc32.Castagnoli)))
		}},
		{"format of the segment", "000001.vec", func(raw []byte) []byte { raw[8] = 9; return raw }},
	}
	for n, name := range []string{"text_letters", bm25.Name} {
		for i, tt := range spoils {
			if (n+i)%2 == 1 && !testkit.IsLong() {
				continue // each damage in one of the indexes
			}
			t.Run(name+"/"+tt.what, func(t *testing.T) {
				dir := filepath.Join(t.TempDir(), "data")
				check(t, os.CopyFS(dir, os.DirFS(whole)))
				path := filepath.Join(dir, "vectors", name, tt.file)
				raw, err := os.ReadFile(path)
				check(t, err)
				check(t, os.WriteFile(path, tt.spoil(raw), 0o600))
				for _, how := range []string{"nothing", "add"} {
					if err := writers(model)[how](t, dir); err == nil || !strings.Contains(err.Error(), "airqa store vectors --rebuild") {
						t.Errorf("%s: %v", how, err)
					}
				}
				check(t, os.RemoveAll(filepath.Join(dir, "generations", "3"))) // the interrupted addition
				model.asked = 0
				check(t, writers(model)["rebuild"](t, dir))
				again := map[string]int{"text_letters": all}[name]
				if model.asked != again {
					t.Errorf("%d texts were embedded, want %d", model.asked, again)
				}
				faultless(t, index.VerifyConfig{Dir: dir, Embedder: model})
				if diff := cmp.Diff(want, found(t, dir, model)); diff != "" {
					t.Errorf("hits (-before +after):\n%s", diff)
				}
			})
		}
	}
}

// found returns hits of dense search and BM25.
func found(t *testing.T, dir string, model *letters) (hits []string) {
	t.Helper()
	s := &served{model: model}
	for _, mode := range []env.Mode{env.Dense, env.BM25} {
		for _, h := range s.search(t, dir, "", mode, []string{"attention layers"})[0] {
			hits = append(hits, h.Text)
		}
	}
	return hits
}

func faultless(t *testing.T, cfg index.VerifyConfig) {
	t.Helper()
	cfg.Deep = true
	list, err := index.Verify(t.Context(), cfg)
	check(t, err)
	for _, v := range list {
		if len(v.Faults) > 0 {
			t.Errorf("%s: %v", v.Name, v.Faults)
		}
	}
}

// Verify finds a wrong number of records behind valid checksums, and a rebuilt collection has them all.
func TestRecount(t *testing.T) {
	testkit.OneGoroutine(t)
	model := &letters{model: "letters"}
	dir := filepath.Join(t.TempDir(), "data")
	cfg := env.WriterConfig{Dir: dir, Embedder: model}
	check(t, fillWith(t, cfg, attention, bert))
	for _, name := range []string{"text_letters", bm25.Name} {
		d, err := os.ReadDir(filepath.Join(dir, "generations"))
		check(t, err)
		store, err := flat.Open(filepath.Join(dir, "vectors"), int(d[0].Name()[0]-'0'))
		check(t, err)
		check(t, store.Delete(t.Context(), name, vectors.Filter{Papers: []string{bert.Metadata.PaperID}, Table: "chunks"}))
		check(t, store.Close())
		miscounted(t, index.VerifyConfig{Dir: dir, Embedder: model}, name)
		check(t, fillWith(t, env.WriterConfig{Dir: dir, Embedder: model, Rebuild: true}))
		faultless(t, index.VerifyConfig{Dir: dir, Embedder: model})
	}
}

func miscounted(t *testing.T, cfg index.VerifyConfig, name string) {
	t.Helper()
	cfg.Deep = true
	list, err := index.Verify(t.Context(), cfg)
	check(t, err)
	for _, v := range list {
		if (len(v.Faults) > 0) != (v.Name == name) {
			t.Errorf("%+v", v)
		}
	}
}

// An ingest that changes nothing does not read large segments. Damage inside one is found by Verify, and gone when the
// collection is rebuilt.
func TestDamageInLargeSegment(t *testing.T) {
	testkit.OneGoroutine(t)
	model := &letters{model: "letters", dim: 30_000}
	dir := filepath.Join(t.TempDir(), "data")
	cfg := env.WriterConfig{Dir: dir, Embedder: model}
	long := attention
	for i := range 120 { // of 150 KB each
		long.Chunks = append(long.Chunks, paperdb.Chunk{ID: uuid.NewString(), PageID: long.Pages[0].ID, Ordinal: 10 + i, Text: fmt.Sprint("layer ", i)})
	}
	check(t, fillWith(t, cfg, long))
	path := filepath.Join(dir, "vectors", "text_letters", "000001.vec")
	raw, err := os.ReadFile(path)
	check(t, err)
	if len(raw) <= 16<<20 {
		t.Fatalf("a segment of %d bytes is small", len(raw))
	}
	raw[len(raw)/2]++
	check(t, os.WriteFile(path, raw, 0o600))
	check(t, fillWith(t, cfg))
	list, err := index.Verify(t.Context(), index.VerifyConfig{Dir: dir, Embedder: model})
	check(t, err)
	if len(list) != 2 || len(list[0].Faults) != 0 || len(list[1].Faults) != 1 || !strings.Contains(list[1].Faults[0], "damaged") {
		t.Errorf("%+v", list)
	}
	cfg.Rebuild = true
	check(t, fillWith(t, cfg))
	faultless(t, index.VerifyConfig{Dir: dir, Embedder: model})
}

// Records and collections on a server can disappear.
func TestRecountOnServer(t *testing.T) {
	server := milvustest.Start(t)
	s := &served{server: server, model: &letters{model: "letters"}, dir: filepath.Join(t.TempDir(), "data")}
	url := "milvus://" + server.Address + "?prefix=changes_&timeout=5s"
	cfg := env.WriterConfig{Dir: s.dir, Embedder: s.model, Vectors: url}
	check(t, fillWith(t, cfg, attention, bert))
	store := s.open(t)
	verify := index.VerifyConfig{Dir: s.dir, Embedder: s.model, Vectors: url}
	cfg.Rebuild = true
	for _, name := range []string{"text_letters", bm25.Name} {
		check(t, store.Delete(t.Context(), name, vectors.Filter{Papers: []string{bert.Metadata.PaperID}}))
		miscounted(t, verify, name)
		check(t, fillWith(t, cfg))
		faultless(t, verify)
	}
}

// The description of the current generation is restored.
func TestSealIsRestored(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	model := &letters{model: "letters"}
	cfg := env.WriterConfig{Dir: dir, Embedder: model}
	check(t, fillWith(t, cfg, attention))
	check(t, os.WriteFile(filepath.Join(dir, "generations", "1", "airqa.json"), []byte("{"), 0o600))
	list, err := index.Verify(t.Context(), index.VerifyConfig{Dir: dir, Embedder: model})
	check(t, err)
	if len(list) != 3 || len(list[0].Faults) != 1 {
		t.Errorf("%+v", list)
	}
	check(t, fillWith(t, cfg))
	faultless(t, index.VerifyConfig{Dir: dir, Embedder: model})
}
