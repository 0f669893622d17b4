package main

import (
	"context"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"airqa/env"
	"airqa/env/embed"
	"airqa/env/embed/minilm"
	"airqa/env/paperdb"
	"airqa/env/pdf"
	"airqa/ingest"
	"airqa/tools"
)

// Pieces of passages that are searched for: how many, their length in characters, and at which rank they count as found.
const (
	recallPieces = 1000
	recallLength = 200
	recallRank   = 2
)

// leastRecall is the share of pieces, in percent, whose passage must be found.
const leastRecall = 95

// BenchmarkPassageRecall takes 200-character pieces from random positions of the passages of real papers and searches for
// them among all passages. It reports how many percent find their own passage first or second, by where the piece was:
// in the first, second or last third of its passage. "beginnings" embeds no more of a passage than the model reads at once.
func BenchmarkPassageRecall(b *testing.B) {
	papers := os.Getenv("AIRQA_TEST_PDFS")
	if testing.Short() {
		papers = "../../fixtures/papers"
	}
	if papers == "" {
		b.Skip("AIRQA_TEST_PDFS names no folder of papers")
	}
	model, err := minilm.Open(minilm.Config{})
	if err != nil {
		b.Fatal(err)
	}
	for _, e := range []struct {
		name     string
		embedder embed.Embedder
		least    float64
	}{{"windows", model, leastRecall}, {"beginnings", beginnings{model}, 0}} {
		b.Run(e.name, func(b *testing.B) {
			for b.Loop() {
				if all := measureRecall(b, papers, e.embedder); all < e.least {
					b.Errorf("%.1f %% of the pieces are found, want %.1f %%", all, e.least)
				}
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

// beginnings embeds each text as one window, of which the model reads the beginning.
type beginnings struct{ embed.Embedder }

func (beginnings) Windows(text string) []string { return []string{text} }

func (e beginnings) Info() embed.Info {
	info := e.Embedder.Info()
	info.Window = 0
	return info
}

func measureRecall(b *testing.B, papers string, model embed.Embedder) float64 {
	b.Helper()
	dir := filepath.Join(b.TempDir(), "data")
	ingestAll(b, dir, papers, model)
	world, err := env.Open(b.Context(), env.Config{Dir: dir, Embedder: model, QueryRows: 1 << 20})
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = world.Close() }()
	passages, err := world.Query(b.Context(), "SELECT text_content FROM chunks ORDER BY chunk_id")
	if err != nil {
		b.Fatal(err)
	}
	texts := make([][]rune, len(passages.Values))
	for i, row := range passages.Values {
		texts[i] = []rune(fmt.Sprint(row[0]))
	}
	var found, tried [3]int
	r := rand.New(rand.NewPCG(10, 2))
	for range recallPieces {
		piece, third := drawPiece(r, texts)
		tried[third]++
		if finds(b, world, piece) {
			found[third]++
		}
	}
	for i, name := range []string{"head-%", "middle-%", "tail-%"} {
		b.ReportMetric(100*float64(found[i])/float64(tried[i]), name)
	}
	all := 100 * float64(found[0]+found[1]+found[2]) / recallPieces
	b.ReportMetric(all, "all-%")
	return all
}

// drawPiece takes a piece from a random position: every position of all passages is equally likely.
func drawPiece(r *rand.Rand, texts [][]rune) (piece string, third int) {
	positions := 0
	for _, text := range texts {
		positions += max(0, len(text)-recallLength+1)
	}
	at := r.IntN(positions)
	for _, text := range texts {
		n := max(0, len(text)-recallLength+1)
		if at < n {
			return string(text[at : at+recallLength]), 3 * at / n
		}
		at -= n
	}
	panic("no position left")
}

// finds reports whether a passage that holds the piece, word for word, is among the first hits.
func finds(b *testing.B, world *env.Env, piece string) bool {
	b.Helper()
	hits, err := world.Retrieve(b.Context(), piece, recallRank, tools.Scope{})
	if err != nil {
		b.Fatal(err)
	}
	for _, h := range hits {
		if strings.Contains(h.Text, piece) {
			return true
		}
	}
	return false
}

// passagesOnly leaves out the texts that Retrieve does not search, to save the time for their vectors.
type passagesOnly struct{ *env.Writer }

func (w passagesOnly) Put(ctx context.Context, p paperdb.Paper, pdf []byte) error {
	for i := range p.Pages {
		p.Pages[i].Content = ""
	}
	for i := range p.Sections {
		p.Sections[i].Content = ""
	}
	p.References, p.Tables, p.Images, p.Equations = nil, nil, nil, nil
	return w.Writer.Put(ctx, p, pdf)
}

// ingestAll fills a data directory with the papers below a folder.
func ingestAll(b *testing.B, dir, papers string, model embed.Embedder) {
	b.Helper()
	pool, err := pdf.NewPool(pdf.Config{MaxInstances: 2})
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = pool.Close() }()
	reader, err := ingest.NewReader(pool)
	if err != nil {
		b.Fatal(err)
	}
	var paths []string
	err = filepath.WalkDir(papers, func(path string, d fs.DirEntry, err error) error {
		if strings.HasSuffix(path, ".pdf") {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	store, err := env.OpenWriter(b.Context(), env.WriterConfig{Dir: dir, Embedder: model})
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = store.Close() }()
	sum, err := ingest.Run(b.Context(), ingest.Config{Reader: reader, Store: passagesOnly{store}}, paths)
	if err != nil || len(sum.Failed) > 0 {
		b.Fatal(sum.Failed, err)
	}
	if err := store.Finish(b.Context()); err != nil {
		b.Fatal(err)
	}
}
