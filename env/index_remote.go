package env

import (
	"context"
	"encoding/json"
	"iter"

	"airqa/env/paperdb"
	"airqa/env/vectors"
	"airqa/env/vectors/bm25"
	"airqa/env/vectors/milvus"
)

// remoteIndexer updates the collections of a vector server. The server has one version of them: a collection of the
// current generation is changed in place, any other is replaced.
type remoteIndexer struct {
	indexer
	store *milvus.Store
}

// update updates the outdated collections.
func (ix remoteIndexer) update(ctx context.Context) error {
	want := requirements{source: ix.source, model: ix.texts.Info()}
	for _, of := range []struct {
		name   string
		update func(context.Context, vectors.Collection) error
	}{{bm25.Name, ix.updateSparse}, {collectionOf(want.model), ix.updateDense}} {
		have, err := checkCollection(ctx, ix.store, of.name, want)
		if err == nil && (have.Kind == vectors.Sparse || have.Window == want.model.Window) {
			continue
		}
		if err := of.update(ctx, have); err != nil {
			return err
		}
	}
	return nil
}

// updateSparse updates the BM25 collection from its present state.
func (ix remoteIndexer) updateSparse(ctx context.Context, have vectors.Collection) error {
	want := vectors.Collection{Name: bm25.Name, Kind: vectors.Sparse, Model: "bm25", Source: ix.source}
	counter := bm25.NewCounter()
	if d, ok := ix.difference(have, want); ok {
		stats, err := ix.changedStats(ctx, counter, have, d)
		if err == nil && stats.Drift() <= bm25.MaxDrift {
			if want.Encoder, err = json.Marshal(stats); err != nil {
				return err
			}
			applied, err := ix.apply(ctx, want, d, sparseRecords(ix.db.Cells(ctx, d.missing), counter, stats))
			if applied || err != nil {
				return err
			}
		}
	}
	return ix.buildSparse(ctx, want, counter)
}

// changedStats returns the statistics of a BM25 collection after a change.
func (ix remoteIndexer) changedStats(ctx context.Context, counter *bm25.Counter, have vectors.Collection, d difference) (*bm25.Stats, error) {
	old := new(bm25.Stats)
	if err := json.Unmarshal(have.Encoder, old); err != nil {
		return nil, err
	}
	builder, err := old.Builder()
	if err != nil {
		return nil, err
	}
	for c, err := range ix.before.db.Cells(ctx, d.outdated) {
		if err == nil && isPassage(c) {
			err = builder.Remove(counter.Words(c.Text))
		}
		if err != nil {
			return nil, err
		}
	}
	err = countCells(builder, counter, ix.db.Cells(ctx, d.missing))
	return builder.Stats(), err
}

// countCells adds passages to the documents of a corpus, and the words of other cells.
func countCells(builder *bm25.Builder, counter *bm25.Counter, cells iter.Seq2[paperdb.Cell, error]) error {
	for c, err := range cells {
		if err != nil {
			return err
		}
		if words := counter.Words(c.Text); isPassage(c) {
			builder.Add(words)
		} else {
			builder.Learn(words)
		}
	}
	return nil
}

// buildSparse builds the BM25 collection. It counts the terms of all cells, then makes their vectors. These are two
// passes over the database, so only a few papers are in memory at a time.
func (ix remoteIndexer) buildSparse(ctx context.Context, c vectors.Collection, counter *bm25.Counter) error {
	builder := bm25.NewBuilder()
	if err := countCells(builder, counter, ix.db.Cells(ctx, nil)); err != nil {
		return err
	}
	stats := builder.Stats()
	var err error
	if c.Encoder, err = json.Marshal(stats); err != nil {
		return err
	}
	return ix.store.Replace(ctx, c, sparseRecords(ix.db.Cells(ctx, nil), counter, stats))
}

// sparseRecords skips cells without terms, since no query could match them.
func sparseRecords(cells iter.Seq2[paperdb.Cell, error], counter *bm25.Counter, stats *bm25.Stats) iter.Seq2[vectors.Record, error] {
	return func(yield func(vectors.Record, error) bool) {
		for c, err := range cells {
			terms := stats.Document(counter.Words(c.Text))
			if err == nil && len(terms) == 0 {
				continue
			}
			if !yield(vectors.Record{Origin: originOf(c), Vector: vectors.Vector{Sparse: terms}}, err) {
				return
			}
		}
	}
}

// updateDense updates the collection of the embedding model from its present state. It embeds the cells of missing
// papers; if the collection has to be built, those of all papers. The cache provides the vectors of earlier ingests,
// including interrupted ones.
func (ix remoteIndexer) updateDense(ctx context.Context, have vectors.Collection) error {
	want, err := ix.denseCollection(ctx)
	if err != nil {
		return err
	}
	if d, ok := ix.difference(have, want); ok {
		records, err := ix.denseRecords(ctx, want, d.missing, d.outdated)
		if err != nil {
			return err
		}
		applied, err := ix.apply(ctx, want, d, records)
		if applied || err != nil {
			return err
		}
	}
	records, err := ix.denseRecords(ctx, want, nil, ix.before.all())
	if err != nil {
		return err
	}
	return ix.store.Replace(ctx, want, records)
}

// denseRecords returns the records of some papers, or of all papers if ids is nil. The vectors of the papers known may be
// in the files of the directory: one that kept its vectors there has none in the cache.
func (ix remoteIndexer) denseRecords(ctx context.Context, c vectors.Collection, ids, known []string) (iter.Seq2[vectors.Record, error], error) {
	if err := ix.before.vectorsTo(ctx, ix.texts, c, known); err != nil {
		return nil, err
	}
	groups, err := ix.db.CellGroups(ctx, ids)
	if err != nil {
		return nil, err
	}
	total := 0
	for _, group := range groups {
		n, err := ix.db.CountCells(ctx, group)
		if err != nil {
			return nil, err
		}
		total += n
	}
	return ix.embedded(ctx, ix.db.Cells(ctx, ids), total), nil
}

// embedded yields the records of cells, whose number is total.
func (ix remoteIndexer) embedded(ctx context.Context, cells iter.Seq2[paperdb.Cell, error], total int) iter.Seq2[vectors.Record, error] {
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
		for c, err := range cells {
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
