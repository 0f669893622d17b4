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

// update updates the outdated collections. It embeds before it changes anything on the server: that may take hours, and
// readers need the collections as they are.
func (ix remoteIndexer) update(ctx context.Context) error {
	sparse, needSparse := ix.outdated(ctx, bm25.Name)
	dense, needDense := ix.outdated(ctx, collectionOf(ix.texts.Info()))
	var change denseChange
	var err error
	if needDense {
		change, err = ix.embedFirst(ctx, dense)
	}
	if err == nil && needSparse {
		err = ix.updateSparse(ctx, sparse)
	}
	if err == nil && needDense {
		err = ix.updateDense(ctx, change)
	}
	return err
}

// outdated reports whether a collection has to change, and returns its description, if there is one.
func (ix remoteIndexer) outdated(ctx context.Context, name string) (vectors.Collection, bool) {
	want := requirements{source: ix.source, model: ix.texts.Info()}
	have, err := checkCollection(ctx, ix.store, name, want)
	return have, err != nil || have.Kind == vectors.Dense && have.Window != want.model.Window || ix.rebuild[name]
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
	err = countWords(builder, counter, ix.db.Cells(ctx, d.missing))
	return builder.Stats(), err
}

// countWords adds passages to the documents of a corpus, and the words of other cells.
func countWords(builder *bm25.Builder, counter *bm25.Counter, cells iter.Seq2[paperdb.Cell, error]) error {
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
	if err := countWords(builder, counter, ix.db.Cells(ctx, nil)); err != nil {
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

// denseChange is an update of the collection of the embedding model.
type denseChange struct {
	difference
	want    vectors.Collection
	inPlace bool // otherwise, the collection is built
}

// embedFirst puts the vectors that an update needs into the cache, which has those of earlier ingests, including
// interrupted ones.
func (ix remoteIndexer) embedFirst(ctx context.Context, have vectors.Collection) (c denseChange, err error) {
	if c.want, err = ix.denseCollection(ctx); err != nil {
		return c, err
	}
	if c.difference, c.inPlace = ix.difference(have, c.want); c.inPlace {
		return c, ix.embedPapers(ctx, c.want, c.missing, c.outdated)
	}
	return c, ix.embedPapers(ctx, c.want, nil, ix.before.all())
}

// updateDense makes an update whose vectors are in the cache.
func (ix remoteIndexer) updateDense(ctx context.Context, c denseChange) error {
	if c.inPlace {
		applied, err := ix.apply(ctx, c.want, c.difference, ix.denseRecords(ctx, c.missing))
		if applied || err != nil {
			return err
		}
		if err := ix.embedPapers(ctx, c.want, nil, ix.before.all()); err != nil {
			return err
		}
	}
	return ix.store.Replace(ctx, c.want, ix.denseRecords(ctx, nil))
}

// embedPapers puts the vectors of some papers, or of all papers if ids is nil, into the cache. Those of the papers known
// may be in the files of the directory: one that kept its vectors there has none in the cache.
func (ix remoteIndexer) embedPapers(ctx context.Context, c vectors.Collection, ids, known []string) error {
	if err := ix.before.vectorsTo(ctx, ix.texts, c, known); err != nil {
		return err
	}
	total, err := ix.countCells(ctx, ids)
	if err != nil {
		return err
	}
	var batch []string
	done := 0
	flush := func() error {
		_, err := ix.texts.Embed(ctx, batch)
		batch = batch[:0]
		ix.progress(done, total)
		return err
	}
	for c, err := range ix.db.Cells(ctx, ids) {
		if err != nil {
			return err
		}
		for _, text := range windowsOf(ix.texts, c) {
			if !ix.texts.Has(text) {
				batch = append(batch, text)
			}
		}
		if done++; len(batch) >= embedBatch {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	return flush()
}

// countCells returns the number of cells of some papers, or of all papers if ids is nil.
func (ix remoteIndexer) countCells(ctx context.Context, ids []string) (int, error) {
	groups, err := ix.db.CellGroups(ctx, ids)
	total := 0
	for _, group := range groups {
		n, err := ix.db.CountCells(ctx, group)
		if err != nil {
			return 0, err
		}
		total += n
	}
	return total, err
}

// denseRecords yields the records of some papers, or of all papers if ids is nil.
func (ix remoteIndexer) denseRecords(ctx context.Context, ids []string) iter.Seq2[vectors.Record, error] {
	return func(yield func(vectors.Record, error) bool) {
		var batch []window
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
			batch = batch[:0]
			return true
		}
		for c, err := range ix.db.Cells(ctx, ids) {
			if err != nil {
				yield(vectors.Record{}, err)
				return
			}
			for _, text := range windowsOf(ix.texts, c) {
				batch = append(batch, window{c, text})
			}
			if len(batch) >= embedBatch && !flush() {
				return
			}
		}
		flush()
	}
}
