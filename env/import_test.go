package env_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"airqa/env"
	"airqa/env/datadir"
	"airqa/env/paperdb"
	"airqa/ingest/sources"
	"airqa/internal/testkit"
)

// BenchmarkImport measures an import of another data directory, and the same import again, for each paper.
func BenchmarkImport(b *testing.B) {
	for _, n := range sizes() {
		b.Run(fmt.Sprint("papers=", n), func(b *testing.B) {
			for range b.N {
				from := env.WriterConfig{Dir: filepath.Join(b.TempDir(), "from"), Embedder: cheap{}}
				grow(b, from, 0, n)
				to := env.WriterConfig{Dir: filepath.Join(b.TempDir(), "to"), Embedder: cheap{}}
				for _, unit := range []string{"cpu-ms/import", "cpu-ms/skip"} {
					begin := cpu()
					copyPapers(b, from.Dir, to)
					b.ReportMetric((cpu()-begin)/float64(n), unit)
				}
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

// copyPapers imports a data directory into another one.
func copyPapers(b *testing.B, dir string, to env.WriterConfig) {
	b.Helper()
	d, err := datadir.Open(dir)
	if err != nil {
		b.Fatal(err)
	}
	if err := d.Hold(""); err != nil {
		b.Fatal(err)
	}
	from, err := paperdb.OpenReleased(b.Context(), d.Database())
	if err != nil {
		b.Fatal(err)
	}
	w, err := env.OpenWriter(b.Context(), to)
	if err != nil {
		b.Fatal(err)
	}
	target, err := datadir.Open(to.Dir)
	if err == nil {
		_, err = sources.Import(b.Context(), sources.ImportConfig{From: from, Name: "from", Store: w, Path: d.Database(), Dir: target})
	}
	if err == nil {
		err = w.Finish(b.Context())
	}
	if err != nil {
		b.Fatal(err)
	}
	if err := from.Close(); err != nil {
		b.Fatal(err)
	}
	if err := d.Release(); err != nil {
		b.Fatal(err)
	}
}

// counted counts the papers that are read.
type counted struct {
	*paperdb.Released
	read int
}

func (c *counted) Paper(ctx context.Context, id string) (paperdb.Paper, error) {
	c.read++
	return c.Released.Paper(ctx, id)
}

// An import of an unchanged database reads no paper. A paper that was removed, and a database that has changed, are read.
func TestImportUnchanged(t *testing.T) {
	testkit.OneGoroutine(t)
	from, to := filepath.Join(t.TempDir(), "from.duckdb"), env.WriterConfig{Dir: filepath.Join(t.TempDir(), "to"), Embedder: cheap{}}
	add := func(seed int) {
		w, err := paperdb.OpenWriter(t.Context(), from)
		check(t, err)
		check(t, w.Put(t.Context(), invented(seed)))
		check(t, w.Close())
	}
	run := func() (read int, sum sources.ImportSummary) {
		released, err := paperdb.OpenReleased(t.Context(), from)
		check(t, err)
		source := &counted{Released: released}
		w, err := env.OpenWriter(t.Context(), to)
		check(t, err)
		dir, err := datadir.Open(to.Dir)
		check(t, err)
		sum, err = sources.Import(t.Context(), sources.ImportConfig{From: source, Name: "x", Store: w, Path: from, Dir: dir})
		check(t, err)
		check(t, w.Finish(t.Context()))
		check(t, released.Close())
		return source.read, sum
	}
	add(1)
	add(2)
	for _, want := range []struct{ read, added, skipped int }{{2, 2, 0}, {0, 0, 2}} {
		if read, sum := run(); read != want.read || sum.Added != want.added || sum.Skipped != want.skipped {
			t.Errorf("%d papers read, %+v, want %+v", read, sum, want)
		}
	}
	held, err := holdings(t.Context(), to.Dir)
	check(t, err)
	w, err := env.OpenWriter(t.Context(), to)
	check(t, err)
	check(t, w.Remove(t.Context(), []env.Removing{{PaperID: held[0].PaperID}}))
	check(t, w.Finish(t.Context()))
	if read, sum := run(); read != 2 || sum.Added != 1 {
		t.Errorf("after a removal: %d papers read, %+v", read, sum)
	}
	add(3)
	if read, sum := run(); read != 3 || sum.Added != 1 {
		t.Errorf("after a change: %d papers read, %+v", read, sum)
	}
	if read, _ := run(); read != 0 {
		t.Errorf("%d papers of an unchanged database read", read)
	}
}
