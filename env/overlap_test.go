package env_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"airqa/env"
	"airqa/env/embed"
	"airqa/env/embed/minilm"
	"airqa/env/pdf"
	"airqa/ingest"
)

// BenchmarkReadAndEmbed reads the papers of AIRQA_TEST_PDFS on one core, embeds their texts on one core, and does both
// at once.
func BenchmarkReadAndEmbed(b *testing.B) {
	papers := os.Getenv("AIRQA_TEST_PDFS")
	if testing.Short() {
		papers = "../fixtures/papers"
	}
	files, _ := filepath.Glob(filepath.Join(papers, "*.pdf"))
	if len(files) == 0 {
		b.Skip("AIRQA_TEST_PDFS names no folder with papers")
	}
	model, err := minilm.Open(minilm.Config{Threads: 1})
	if err != nil {
		b.Fatal(err)
	}
	pool, err := pdf.NewPool(pdf.Config{MaxInstances: 1})
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = pool.Close() }()
	reader, err := ingest.NewReader(pool)
	if err != nil {
		b.Fatal(err)
	}
	// timed reads papers with a model and returns the seconds of reading and of all.
	timed := func(b *testing.B, dir string, texts embed.Embedder, files []string) {
		w, err := env.OpenWriter(b.Context(), env.WriterConfig{Dir: dir, Embedder: texts})
		if err == nil {
			_, err = ingest.Run(b.Context(), ingest.Config{Reader: reader, Store: w, Workers: 1}, files)
		}
		if err == nil {
			err = w.Finish(b.Context())
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	for range b.N {
		dir := filepath.Join(b.TempDir(), "data")
		begin := time.Now()
		timed(b, dir, cheap{}, files)
		read := time.Since(begin)
		begin = time.Now()
		timed(b, dir, model, files) // the papers are there: another model only embeds
		embed := time.Since(begin)
		begin = time.Now()
		timed(b, filepath.Join(b.TempDir(), "both"), model, files)
		both := time.Since(begin)
		b.ReportMetric(read.Seconds(), "s/read")
		b.ReportMetric(embed.Seconds(), "s/embed")
		b.ReportMetric(both.Seconds(), "s/both")
		b.ReportMetric(both.Seconds()/max(read, embed).Seconds(), "both/slower")
	}
}
