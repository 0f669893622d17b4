package ingest_test

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"airqa/env/paperdb"
	"airqa/fixtures"
	"airqa/ingest"
	"airqa/internal/testkit/fixturetest"
)

// BenchmarkIngestPages reads the sample papers, or those of the folder in AIRQA_TEST_PDFS, two at a time, and reports
// pages per second without storing. "best" is the fastest round, which is most reliable on a busy machine.
func BenchmarkIngestPages(b *testing.B) {
	paths := benchPapers(b)
	reader, err := ingest.NewReader(pool)
	if err != nil {
		b.Fatal(err)
	}
	pages, best := 0, 0.0
	ingestAll(b, reader, paths) // starts PDFium, loads the vocabulary
	b.ResetTimer()
	for b.Loop() {
		start := time.Now()
		n := ingestAll(b, reader, paths)
		pages, best = pages+n, max(best, float64(n)/time.Since(start).Seconds())
	}
	b.ReportMetric(float64(pages)/b.Elapsed().Seconds(), "pages/s")
	b.ReportMetric(best, "best-pages/s")
}

func ingestAll(tb testing.TB, reader *ingest.Reader, paths []string) (pages int) {
	tb.Helper()
	summary, err := ingest.Run(context.Background(), ingest.Config{Reader: reader, Store: discard{}}, paths)
	if err != nil || len(summary.Failed) > 0 {
		tb.Fatalf("%+v, %v", summary, err)
	}
	return summary.Pages
}

// discard is a store that keeps nothing.
type discard struct{}

func (discard) Has(context.Context, paperdb.File) (string, bool, error) { return "", false, nil }
func (discard) Put(context.Context, paperdb.Paper, []byte) error        { return nil }
func (discard) Owner(context.Context, string) (paperdb.File, bool, error) {
	return paperdb.File{}, false, nil
}
func (discard) Title(context.Context, string) (string, error) { return "", nil }

// benchPapers returns the papers of the folder in AIRQA_TEST_PDFS, or the sample papers.
func benchPapers(tb testing.TB) []string {
	tb.Helper()
	dir := os.Getenv("AIRQA_TEST_PDFS")
	if dir == "" {
		dir = tb.TempDir()
		for _, slug := range fixturetest.Slugs() {
			data, err := fs.ReadFile(fixtures.Papers(), slug+".pdf")
			if err != nil {
				tb.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, slug+".pdf"), data, 0o600); err != nil {
				tb.Fatal(err)
			}
		}
	}
	paths, err := ingest.Find([]string{dir})
	if err != nil {
		tb.Fatal(err)
	}
	return paths
}
