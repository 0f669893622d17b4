package index

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync/atomic"

	"airqa/env/paperdb"
	"airqa/env/vectors"
	"airqa/env/vectors/bm25"
	"airqa/env/vectors/flat"
)

// localIndexer updates the collections in the directory's own files, paper by paper: the version of a paper in a
// collection shows whether its records are up to date.
type localIndexer struct {
	indexer
	store *flat.Store
}

// wordsCollection describes the BM25 collection.
//
// The reference implementation counts the terms of whole pages but searches chunks. Here the statistics, including the
// average length, are those of the searched chunks.
func wordsCollection(source string) vectors.Collection {
	return vectors.Collection{
		Name: bm25.Name, Kind: vectors.Words, Model: "bm25", Source: source,
		Corpus: vectors.Column{Table: PassageTable, Column: PassageColumn},
	}
}

func (ix localIndexer) update(ctx context.Context) error {
	dense, err := ix.denseCollection(ctx, ix.store)
	if err != nil {
		return err
	}
	words := wordsCollection(ix.papers.Fingerprint)
	addWords, err := ix.prepare(ctx, words)
	if err != nil {
		return err
	}
	addDense, err := ix.prepare(ctx, dense)
	if err != nil {
		return err
	}
	if err := ix.add(ctx, dense.Name, addWords, addDense); err != nil {
		return err
	}
	for _, c := range []vectors.Collection{words, dense} {
		if err := ix.describe(ctx, c.Name, ix.papers.Fingerprint); err != nil {
			return err
		}
	}
	return nil
}

// updateWords updates the BM25 collection only. The dense one keeps what it has, as one of no papers, and is completed later.
func (ix localIndexer) updateWords(ctx context.Context) error {
	ix.branched = false // a failed update may have added some papers
	words, dense := wordsCollection(ix.papers.Fingerprint), CollectionOf(ix.texts.Info())
	missing, err := ix.prepare(ctx, words)
	if err != nil {
		return err
	}
	if err := ix.add(ctx, dense, missing, nil); err != nil {
		return err
	}
	if err := ix.describe(ctx, dense, ""); err != nil && !errors.Is(err, vectors.ErrNotFound) {
		return err
	}
	return ix.describe(ctx, words.Name, ix.papers.Fingerprint)
}

// describe sets the papers that a collection is of.
func (ix localIndexer) describe(ctx context.Context, name, source string) error {
	info, err := ix.store.Info(ctx, name)
	if err == nil && info.Source != source {
		err = ix.store.Describe(ctx, name, source)
	}
	return err
}

type papers map[string]bool

// prepare makes a collection ready for additions: it removes outdated papers, and returns the papers to add.
func (ix localIndexer) prepare(ctx context.Context, want vectors.Collection) (papers, error) {
	p, err := ix.plan(ctx, want)
	if err != nil {
		return nil, err
	}
	// Records whose vectors could not be saved stay: their texts would be embedded, and paid for, again.
	if err := ix.saveVectors(ctx, p); err != nil {
		return nil, err
	}
	if p.build {
		err = ix.store.Replace(ctx, want, vectors.All(nil))
	} else if len(p.outdated) > 0 {
		err = ix.store.Delete(ctx, want.Name, vectors.Filter{Papers: p.outdated})
	}
	missing := make(papers)
	for _, id := range p.missing {
		missing[id] = true
	}
	return missing, err
}

// plan compares a collection with the papers. A damaged one is an error: see [Config.Rebuild].
func (ix localIndexer) plan(ctx context.Context, want vectors.Collection) (plan, error) {
	if ix.Rebuild {
		return ix.newPlan(want, nil), nil
	}
	have, err := ix.store.Info(ctx, want.Name)
	if errors.Is(err, vectors.ErrNotFound) || err == nil && !SameContent(have, want) {
		return ix.newPlan(want, nil), nil
	}
	if err != nil {
		return plan{}, err
	}
	if ix.branched && have.Source == ix.before.papers.Fingerprint {
		return ix.changes(want), nil
	}
	versions, err := ix.store.Versions(ctx, want.Name)
	return ix.newPlan(want, versions), err
}

// add indexes papers, a group at a time, which is a segment of its own.
func (ix localIndexer) add(ctx context.Context, dense string, addWords, addDense papers) error {
	all := maps.Clone(addWords)
	maps.Copy(all, addDense)
	ids := slices.Sorted(maps.Keys(all))
	if len(ids) == 0 {
		return nil
	}
	groups, err := ix.db.CellGroups(ctx, ids)
	if err != nil {
		return err
	}
	total := 0
	if len(groups) > 1 {
		if total, err = ix.db.CountCells(ctx, ids); err != nil {
			return err
		}
	}
	a := adder{localIndexer: ix, dense: dense, total: total, counter: bm25.NewCounter(), addWords: addWords, addDense: addDense}
	for _, group := range groups {
		if err := a.addGroup(ctx, group); err != nil {
			return err
		}
	}
	return nil
}

type adder struct {
	localIndexer
	dense              string       // name of the collection
	done               atomic.Int64 // cells that were read
	total              int          // cells
	counter            *bm25.Counter
	addWords, addDense papers
}

func (a *adder) addGroup(ctx context.Context, ids []string) error {
	var words, dense []vectors.Record
	all, err := a.db.GroupCells(ctx, ids)
	if err != nil {
		return err
	}
	a.total = max(a.total, len(all))
	cells := func(yield func(paperdb.Cell, error) bool) { // those to embed; it counts the words on the way
		for _, c := range all {
			if a.addWords[c.PaperID] {
				if bag := a.counter.Words(c.Text); IndexesWords(c, bag) {
					words = append(words, vectors.Record{Origin: c.Origin, Vector: vectors.Vector{Words: bag}})
				}
			}
			if a.addDense[c.PaperID] && !yield(c, nil) {
				return
			}
			a.done.Add(1)
		}
	}
	for block, err := range a.embed(ctx, cells, always) {
		if err != nil {
			return err
		}
		dense = append(dense, block.records()...)
		a.Progress(int(a.done.Load()), a.total)
	}
	a.Progress(int(a.done.Load()), a.total)
	if err := a.store.Add(ctx, bm25.Name, words, a.versionsOf(ids, a.addWords)); err != nil {
		return err
	}
	if len(dense) == 0 {
		return nil
	}
	return a.store.Add(ctx, a.dense, dense, a.versionsOf(ids, a.addDense))
}

func (a *adder) versionsOf(ids []string, which papers) map[string]string {
	versions := make(map[string]string)
	for _, id := range ids {
		if which[id] {
			versions[id] = a.papers.Version(id)
		}
	}
	return versions
}
