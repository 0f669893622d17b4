package index

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"slices"
	"sync/atomic"

	"airqa/env/paperdb"
	"airqa/env/vectors"
	"airqa/env/vectors/bm25"
	"airqa/env/vectors/milvus"
)

// Sizes of the requests of a change.
const (
	// insertRecords is the number of records that are inserted at a time: 6 MB of vectors of 384 numbers.
	insertRecords = 4096
	// deletePapers is the number of papers whose records are deleted at a time.
	deletePapers = 256
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
	dense, updateDense := ix.outdated(ctx, CollectionOf(ix.texts.Info()))
	var densePlan plan
	if updateDense {
		want, err := ix.denseCollection(ctx, ix.store)
		if err != nil {
			return err
		}
		want.Index = ix.store.IndexFor(vectors.Collection{Kind: vectors.Dense, Index: dense.Index})
		densePlan = ix.plan(dense, want)
		if err := ix.embedAdded(ctx, densePlan); err != nil {
			return err
		}
	}
	if err := ix.updateWords(ctx); err != nil {
		return err
	}
	if updateDense {
		return ix.updateDense(ctx, densePlan)
	}
	return nil
}

// updateWords updates the BM25 collection only.
func (ix remoteIndexer) updateWords(ctx context.Context) error {
	have, outdated := ix.outdated(ctx, bm25.Name)
	if !outdated {
		return nil
	}
	return ix.updateSparse(ctx, have)
}

// outdated reports whether a collection has to change, and returns its description, if there is one.
func (ix remoteIndexer) outdated(ctx context.Context, name string) (vectors.Collection, bool) {
	want := Requirements{Source: ix.papers.Fingerprint, Model: ix.texts.Info()}
	have, err := Check(ctx, ix.store, name, want)
	return have, ix.Rebuild || err != nil || !want.SameWindows(have)
}

// plan compares a collection on the server with the papers. It is built if it has no papers, since its index was never
// tried, if it is of other papers, another model or another index than wanted, or if more than half of its papers are
// outdated. So is a BM25 collection whose change was interrupted, since some of its terms may be changed already.
func (ix remoteIndexer) plan(have, want vectors.Collection) plan {
	from := ix.before.papers.Fingerprint
	current := have.Source == from || have.Kind == vectors.Dense && have.Source == Changing(from, ix.papers.Fingerprint)
	if len(ix.before.papers.Files) == 0 || !current || !SameContent(have, want) || have.Index != want.Index || ix.Rebuild {
		return ix.newPlan(want, nil)
	}
	if p := ix.changes(want); 2*len(p.outdated) <= len(ix.before.papers.Files) {
		return p
	}
	return ix.newPlan(want, nil)
}

// updateSparse updates the BM25 collection from its present state.
func (ix remoteIndexer) updateSparse(ctx context.Context, have vectors.Collection) error {
	want := vectors.Collection{Name: bm25.Name, Kind: vectors.Sparse, Model: "bm25", Source: ix.papers.Fingerprint}
	counter := bm25.NewCounter()
	if p := ix.plan(have, want); !p.build {
		stats, err := ix.changedStats(ctx, counter, have, p)
		if err == nil && stats.Drift() <= bm25.MaxDrift {
			p.terms = stats.Terms()
			applied, err := ix.writeSparse(ctx, p, counter, stats)
			if applied || err != nil {
				return err
			}
		}
	}
	// These are two passes over the database, so only a few papers are in memory at a time.
	builder := bm25.NewBuilder()
	if err := countWords(builder, counter, ix.db.Cells(ctx, nil)); err != nil {
		return err
	}
	p, stats := ix.newPlan(want, nil), builder.Stats()
	p.terms = stats.Terms()
	_, err := ix.writeSparse(ctx, p, counter, stats)
	return err
}

// writeSparse applies a plan to the BM25 collection, with these statistics. It skips cells without terms, since no query could
// match them.
func (ix remoteIndexer) writeSparse(ctx context.Context, p plan, counter *bm25.Counter, stats *bm25.Stats) (applied bool, err error) {
	if p.want.Encoder, err = json.Marshal(stats); err != nil {
		return false, err
	}
	return ix.apply(ctx, p, func(yield func(vectors.Record, error) bool) {
		for c, err := range ix.db.Cells(ctx, p.added()) {
			terms := stats.Document(counter.Words(c.Text))
			if err == nil && len(terms) == 0 {
				continue
			}
			if !yield(vectors.Record{Origin: c.Origin, Vector: vectors.Vector{Sparse: terms}}, err) {
				return
			}
		}
	})
}

// changedStats returns the statistics of a BM25 collection after a change.
func (ix remoteIndexer) changedStats(ctx context.Context, counter *bm25.Counter, have vectors.Collection, p plan) (*bm25.Stats, error) {
	old := new(bm25.Stats)
	if err := json.Unmarshal(have.Encoder, old); err != nil {
		return nil, err
	}
	terms, err := ix.changedTerms(ctx, counter, p)
	if err != nil {
		return nil, err
	}
	builder := old.With(terms).Builder()
	for c, err := range ix.before.db.Cells(ctx, p.outdated) {
		if err == nil && IsPassage(c) {
			err = builder.Remove(counter.Words(c.Text))
		}
		if err != nil {
			return nil, err
		}
	}
	err = countWords(builder, counter, ix.db.Cells(ctx, p.missing))
	return builder.Stats(), err
}

// changedTerms returns the statistics of the terms of the papers that change.
func (ix remoteIndexer) changedTerms(ctx context.Context, counter *bm25.Counter, p plan) (map[string]bm25.Term, error) {
	terms := make(map[string]bool)
	for _, cells := range []iter.Seq2[paperdb.Cell, error]{ix.before.db.Cells(ctx, p.outdated), ix.db.Cells(ctx, p.missing)} {
		for c, err := range cells {
			if err != nil {
				return nil, err
			}
			for _, w := range counter.Words(c.Text) {
				terms[w.Text] = true
			}
		}
	}
	return ix.store.Terms(ctx, bm25.Name, slices.Collect(maps.Keys(terms)))
}

// countWords adds passages to the documents of a corpus, and the words of other cells.
func countWords(builder *bm25.Builder, counter *bm25.Counter, cells iter.Seq2[paperdb.Cell, error]) error {
	for c, err := range cells {
		if err != nil {
			return err
		}
		if words := counter.Words(c.Text); IsPassage(c) {
			builder.Add(words)
		} else {
			builder.Learn(words)
		}
	}
	return nil
}

// updateDense applies a plan whose vectors are in the cache to the collection of the embedding model.
func (ix remoteIndexer) updateDense(ctx context.Context, p plan) error {
	applied, err := ix.apply(ctx, p, ix.denseRecords(ctx, p.added()))
	if applied || err != nil {
		return err
	}
	p = ix.newPlan(p.want, nil)
	if err := ix.embedAdded(ctx, p); err != nil {
		return err
	}
	_, err = ix.apply(ctx, p, ix.denseRecords(ctx, nil))
	return err
}

// embedAdded puts the vectors of the papers that a plan adds into the cache, which has those of interrupted ingests. Vectors
// of earlier ingests are copied from the server or the files.
func (ix remoteIndexer) embedAdded(ctx context.Context, p plan) error {
	if err := ix.saveVectors(ctx, p); err != nil {
		return err
	}
	total, err := ix.db.CountCells(ctx, p.added())
	if err != nil {
		return err
	}
	var done atomic.Int64
	cells := func(yield func(paperdb.Cell, error) bool) {
		for c, err := range ix.db.Cells(ctx, p.added()) {
			if !yield(c, err) {
				return
			}
			done.Add(1)
		}
	}
	for _, err := range ix.embed(ctx, cells, ix.lacks) {
		if err != nil {
			return err
		}
		ix.Progress(int(done.Load()), total)
	}
	ix.Progress(int(done.Load()), total)
	return nil
}

func (ix remoteIndexer) lacks(text string) (bool, error) {
	has, err := ix.texts.Has(text)
	return !has, err
}

// denseRecords yields the records of some papers, or of all papers if ids is nil.
func (ix remoteIndexer) denseRecords(ctx context.Context, ids []string) iter.Seq2[vectors.Record, error] {
	return func(yield func(vectors.Record, error) bool) {
		for block, err := range ix.embed(ctx, ix.db.Cells(ctx, ids), always) {
			if err != nil {
				yield(vectors.Record{}, err)
				return
			}
			for _, r := range block.records() {
				if !yield(r, nil) {
					return
				}
			}
		}
	}
}

// apply makes a collection as planned, with the records of the papers to add. A change of a dense collection in place that is
// interrupted can be repeated: it deletes what was added before. It reports false if the server does not have the expected
// number of records afterwards.
func (ix remoteIndexer) apply(ctx context.Context, p plan, added iter.Seq2[vectors.Record, error]) (bool, error) {
	name := p.want.Name
	if p.build {
		return true, ix.store.ReplaceAll(ctx, p.want, p.terms, added)
	}
	if err := ix.store.Describe(ctx, name, Changing(ix.before.papers.Fingerprint, p.want.Source), nil, nil); err != nil {
		return false, err
	}
	total, err := ix.store.Count(ctx, name, vectors.Filter{})
	if err != nil {
		return false, err
	}
	deleted, err := ix.deletePapers(ctx, name, slices.Compact(slices.Sorted(slices.Values(slices.Concat(p.outdated, p.missing)))))
	if err != nil {
		return false, err
	}
	inserted := 0
	for batch, err := range batches(insertRecords, added) {
		if err != nil {
			return false, err
		}
		if err := ix.store.Insert(ctx, name, batch); err != nil {
			return false, err
		}
		inserted += len(batch)
	}
	n, err := ix.store.Count(ctx, name, vectors.Filter{})
	if err != nil {
		return false, err
	}
	if n != total-deleted+inserted {
		ix.Notice(fmt.Sprintf("collection %s on the server has %d records, not %d; it is built again", name, n, total-deleted+inserted))
		return false, nil
	}
	if err := ix.store.Flush(ctx, name); err != nil {
		return false, err
	}
	return true, ix.store.Describe(ctx, name, p.want.Source, p.want.Encoder, p.terms)
}

// deletePapers deletes the records of papers and returns their number.
func (ix remoteIndexer) deletePapers(ctx context.Context, name string, ids []string) (int, error) {
	deleted := 0
	for group := range slices.Chunk(ids, deletePapers) {
		filter := vectors.Filter{Papers: group}
		n, err := ix.store.Count(ctx, name, filter)
		if err != nil {
			return 0, err
		}
		if n == 0 {
			continue
		}
		if err := ix.store.Delete(ctx, name, filter); err != nil {
			return 0, err
		}
		deleted += n
	}
	return deleted, nil
}
