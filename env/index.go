package env

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"path/filepath"

	"airqa/env/datadir"
	"airqa/env/embed"
	"airqa/env/embed/cache"
	"airqa/env/paperdb"
	"airqa/env/vectors"
	"airqa/env/vectors/bm25"
)

// embedBatch is the number of windows per embedding request: enough to use both cores, and little work to lose at an
// interruption.
const embedBatch = 256

// indexer updates the collections of a store to match the papers in the database.
type indexer struct {
	db       *paperdb.Reader
	store    vectors.Store
	source   string
	texts    embed.Embedder
	progress func(done, total int)
}

// reindex updates the collections and airqa.json to match the papers in the database.
func reindex(ctx context.Context, dir *datadir.Dir, cfg WriterConfig) (err error) {
	db, err := paperdb.OpenReader(ctx, paperdb.Config{Path: dir.Database()})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	source, papers, err := fingerprint(ctx, db)
	if err != nil {
		return err
	}
	store, err := openStore(ctx, dir, cfg.Vectors)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	if err := claimStore(ctx, dir, store, source); err != nil {
		return err
	}
	path := cachePath(dir, cfg.Embedder.Info())
	texts, err := cache.Open(path, cfg.Embedder)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, texts.Close()) }()
	switch n := texts.Damaged(); n {
	case 0:
	case 1:
		cfg.Notice("1 damaged record in embeddings/" + filepath.Base(path) + "; its text is embedded again")
	default:
		cfg.Notice(fmt.Sprintf("%d damaged records in embeddings/%s; their texts are embedded again", n, filepath.Base(path)))
	}
	ix := indexer{db: db, store: store, source: source, texts: texts, progress: cfg.Progress}
	if err := ix.rebuildAll(ctx); err != nil {
		return fmt.Errorf("build search index: %w", err)
	}
	info, err := dir.Identified()
	if err != nil {
		return err
	}
	info.Fingerprint, info.Papers = source, papers
	if info.Index, err = recordOf(cfg.Embedder.Info(), cfg.Vectors); err != nil {
		return err
	}
	return dir.WriteInfo(info)
}

// rebuildAll rebuilds the outdated collections.
func (ix indexer) rebuildAll(ctx context.Context) error {
	want := requirements{source: ix.source, model: ix.texts.Info()}
	for name, rebuild := range map[string]func(context.Context) error{bm25.Name: ix.buildSparse, collectionOf(want.model): ix.buildDense} {
		// Rebuilding fixes any fault of a collection, including damage.
		have, err := checkCollection(ctx, ix.store, name, want)
		if err == nil {
			err = verifyChecksums(ctx, ix.store, name)
		}
		if err == nil && (have.Kind == vectors.Sparse || have.Window == want.model.Window) {
			continue
		}
		if err := rebuild(ctx); err != nil {
			return err
		}
		if err := verifyChecksums(ctx, ix.store, name); err != nil {
			return fmt.Errorf("read back after writing: %w", err)
		}
	}
	return nil
}

// buildSparse builds the BM25 collection. It counts the terms of all chunks, then makes the vectors of all cells. These are
// two passes over the database, so only a few papers are in memory at a time.
//
// The reference implementation counts the terms of whole pages but searches chunks. Here the statistics, including the
// average length, are those of the searched chunks.
func (ix indexer) buildSparse(ctx context.Context) error {
	stats, err := bm25.Fit(func(yield func(string, error) bool) {
		for p, err := range ix.db.Chunks(ctx) {
			if !yield(p.Text, err) {
				return
			}
		}
	})
	if err != nil {
		return err
	}
	encoder, err := json.Marshal(stats)
	if err != nil {
		return err
	}
	c := vectors.Collection{Name: bm25.Name, Kind: vectors.Sparse, Model: "bm25", Source: ix.source, Encoder: encoder}
	return ix.store.Replace(ctx, c, sparseRecords(ix.db.Cells(ctx), stats))
}

// sparseRecords skips cells without terms, since no query could match them.
func sparseRecords(cells iter.Seq2[paperdb.Cell, error], stats *bm25.Stats) iter.Seq2[vectors.Record, error] {
	return func(yield func(vectors.Record, error) bool) {
		for c, err := range cells {
			terms := stats.Document(c.Text)
			if err == nil && len(terms) == 0 {
				continue
			}
			if !yield(vectors.Record{Origin: originOf(c), Vector: vectors.Vector{Sparse: terms}}, err) {
				return
			}
		}
	}
}

func originOf(c paperdb.Cell) vectors.Origin {
	return vectors.Origin{PaperID: c.PaperID, Page: c.Page, Table: c.Table, Column: c.Column, Key: c.Key}
}

// buildDense embeds all cells. The cache provides the vectors of earlier ingests, including interrupted ones.
func (ix indexer) buildDense(ctx context.Context) error {
	total, err := countCells(ctx, ix.db)
	if err != nil {
		return err
	}
	info := ix.texts.Info()
	if info.Dim == 0 {
		// The first vector from an endpoint reveals its dimension.
		probe, err := ix.texts.Embed(ctx, []string{"dimension"})
		if err != nil {
			return err
		}
		info.Dim = len(probe[0])
	}
	c := vectors.Collection{
		Name: collectionOf(info), Kind: vectors.Dense, Dim: info.Dim, Model: info.Model, ModelHash: info.Hash,
		Window: info.Window, Source: ix.source,
	}
	return ix.store.Replace(ctx, c, ix.denseRecords(ctx, total))
}

func countCells(ctx context.Context, db *paperdb.Reader) (n int, err error) {
	for _, err := range db.Cells(ctx) {
		if err != nil {
			return 0, err
		}
		n++
	}
	return n, nil
}

// window is a part of a cell's text with its own vector.
type window struct {
	paperdb.Cell
	text string
}

// windowsOf splits the text of a cell for embedding. Passages, which Retrieve searches, are split into windows. Other
// cells, such as pages and sections, repeat the text of the passages: the model reads only their beginning, since
// windows would more than double the cost of an ingest.
func windowsOf(model embed.Embedder, c paperdb.Cell) []string {
	if c.Table == searchTable && c.Column == searchColumn {
		return model.Windows(c.Text)
	}
	return []string{c.Text}
}

func (ix indexer) denseRecords(ctx context.Context, total int) iter.Seq2[vectors.Record, error] {
	return func(yield func(vectors.Record, error) bool) {
		var batch []window
		done := 0
		flush := func() bool {
			records, err := ix.embed(ctx, batch)
			if err != nil {
				yield(vectors.Record{}, err)
				return false
			}
			for _, r := range records {
				if !yield(r, nil) {
					return false
				}
			}
			ix.progress(done, total)
			batch = batch[:0]
			return true
		}
		for c, err := range ix.db.Cells(ctx) {
			if err != nil {
				yield(vectors.Record{}, err)
				return
			}
			for _, text := range windowsOf(ix.texts, c) {
				batch = append(batch, window{c, text})
			}
			if done++; len(batch) >= embedBatch && !flush() {
				return
			}
		}
		flush()
	}
}

func (ix indexer) embed(ctx context.Context, windows []window) ([]vectors.Record, error) {
	texts := make([]string, len(windows))
	for i, w := range windows {
		texts[i] = w.text
	}
	dense, err := ix.texts.Embed(ctx, texts)
	if err != nil {
		return nil, err
	}
	records := make([]vectors.Record, len(windows))
	for i, w := range windows {
		records[i] = vectors.Record{Origin: originOf(w.Cell), Vector: vectors.Vector{Dense: dense[i]}}
	}
	return records, nil
}
