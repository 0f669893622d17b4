package env

import (
	"context"
	"encoding/json"
	"iter"
	"slices"

	"airqa/env/paperdb"
	"airqa/env/vectors"
	"airqa/env/vectors/bm25"
)

// remoteIndexer replaces the outdated collections of a vector server.
type remoteIndexer struct {
	indexer
	store vectors.Store
}

// rebuildAll rebuilds the outdated collections.
func (ix remoteIndexer) rebuildAll(ctx context.Context) error {
	want := requirements{source: ix.source, model: ix.texts.Info()}
	for name, rebuild := range map[string]func(context.Context) error{bm25.Name: ix.buildSparse, collectionOf(want.model): ix.buildDense} {
		have, err := checkCollection(ctx, ix.store, name, want)
		if err == nil && (have.Kind == vectors.Sparse || have.Window == want.model.Window) {
			continue
		}
		if err := rebuild(ctx); err != nil {
			return err
		}
	}
	return nil
}

// buildSparse builds the BM25 collection. It counts the terms of all chunks, then makes the vectors of all cells. These are
// two passes over the database, so only a few papers are in memory at a time.
func (ix remoteIndexer) buildSparse(ctx context.Context) error {
	stats, err := bm25.Fit(func(yield func(string, error) bool) {
		for c, err := range ix.db.Cells(ctx, nil) {
			if err == nil && (c.Table != searchTable || c.Column != searchColumn) {
				continue
			}
			if !yield(c.Text, err) {
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
	return ix.store.Replace(ctx, c, sparseRecords(ix.db.Cells(ctx, nil), stats))
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

// buildDense embeds all cells. The cache provides the vectors of earlier ingests, including interrupted ones.
func (ix remoteIndexer) buildDense(ctx context.Context) error {
	c, err := ix.denseCollection(ctx)
	if err != nil {
		return err
	}
	groups, err := ix.db.CellGroups(ctx, nil)
	if err != nil {
		return err
	}
	// A directory that kept its vectors in files has none in the cache.
	if err := ix.before.vectorsTo(ctx, ix.texts, c, slices.Concat(groups...)); err != nil {
		return err
	}
	total := 0
	for _, group := range groups {
		n, err := ix.db.CountCells(ctx, group)
		if err != nil {
			return err
		}
		total += n
	}
	return ix.store.Replace(ctx, c, ix.denseRecords(ctx, total))
}

func (ix remoteIndexer) denseRecords(ctx context.Context, total int) iter.Seq2[vectors.Record, error] {
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
		for c, err := range ix.db.Cells(ctx, nil) {
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
