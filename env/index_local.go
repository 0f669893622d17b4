package env

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

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
		Corpus: vectors.Column{Table: searchTable, Column: searchColumn},
	}
}

func (ix localIndexer) update(ctx context.Context) error {
	dense, err := ix.denseCollection(ctx)
	if err != nil {
		return err
	}
	words := wordsCollection(ix.source)
	needWords, err := ix.prepare(ctx, words)
	if err != nil {
		return err
	}
	needDense, err := ix.prepare(ctx, dense)
	if err != nil {
		return err
	}
	if err := ix.add(ctx, dense.Name, needWords, needDense); err != nil {
		return err
	}
	for _, c := range []vectors.Collection{words, dense} {
		info, err := ix.store.Info(ctx, c.Name)
		if err == nil && info.Source != ix.source {
			err = ix.store.Describe(ctx, c.Name, ix.source)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// papers is a set of paper ids.
type papers map[string]bool

// prepare makes a collection ready for additions: it removes outdated papers and damage, and returns the papers to add.
func (ix localIndexer) prepare(ctx context.Context, want vectors.Collection) (papers, error) {
	if err := ix.settle(ctx, want); err != nil {
		return nil, err
	}
	missing, outdated, err := ix.compare(ctx, want.Name)
	if err == nil && len(missing)+len(outdated) == 0 {
		// Nothing to do but to look for damage.
		if err = ix.store.Verify(ctx, want.Name); err != nil {
			missing, outdated, err = ix.repair(ctx, want, err)
		}
	}
	if err != nil || len(outdated) == 0 {
		return missing, err
	}
	// Records whose vectors could not be saved stay: their texts would be embedded, and paid for, again.
	if err := ix.before.vectorsTo(ctx, ix.texts, want, outdated); err != nil {
		return nil, err
	}
	return missing, ix.store.Delete(ctx, want.Name, vectors.Filter{Papers: outdated})
}

// settle makes a collection that is described as want, empty if the present one is of another kind or cannot be read.
func (ix localIndexer) settle(ctx context.Context, want vectors.Collection) error {
	have, err := ix.store.Info(ctx, want.Name)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	switch {
	case err != nil:
		if _, unrepaired := ix.dropDamage(ctx, want.Name); unrepaired == nil {
			return ix.settleRepaired(ctx, want)
		}
		if err := ix.salvage(ctx, want); err != nil {
			return err
		}
		return ix.store.Replace(ctx, want, none)
	case !sameContent(have, want) || ix.rebuild[want.Name]:
		if err := ix.before.vectorsTo(ctx, ix.texts, want, ix.before.all()); err != nil {
			return err
		}
		return ix.store.Replace(ctx, want, none)
	case have.Source == ix.before.source():
		return ix.adopt(ctx, want.Name)
	}
	return nil
}

// salvage takes the vectors of a dense collection without a manifest from its segments.
func (ix localIndexer) salvage(ctx context.Context, want vectors.Collection) error {
	if want.Kind != vectors.Dense {
		return nil
	}
	found, err := salvage(ctx, ix.texts, ix.db, ix.store, want, ix.versions)
	if found && err == nil {
		ix.notice(fmt.Sprintf("the manifest of collection %s is damaged or missing; it is made again from its segments", want.Name))
	}
	return err
}

func (ix localIndexer) settleRepaired(ctx context.Context, want vectors.Collection) error {
	have, err := ix.store.Info(ctx, want.Name)
	if err == nil && !sameContent(have, want) {
		err = ix.store.Replace(ctx, want, none)
	}
	return err
}

// none yields no records.
func none(func(vectors.Record, error) bool) {}

// sameContent reports whether records of one collection can be added to the other.
func sameContent(a, b vectors.Collection) bool {
	a.Source, b.Source, a.Encoder, b.Encoder = "", "", nil, nil
	return fmt.Sprint(a) == fmt.Sprint(b)
}

// adopt gives a collection the versions of its papers if an earlier version of the program made it without: it matches
// the papers that were there before.
func (ix localIndexer) adopt(ctx context.Context, name string) error {
	have, err := ix.store.Versions(ctx, name)
	if err != nil {
		return nil //nolint:nilerr // repair sees the damage
	}
	for _, version := range have {
		if version == "" {
			return ix.store.Compact(ctx, name, versionsOf(ix.before.files))
		}
	}
	return nil
}

// compare returns the papers that a collection lacks, and those that it should not have as they are.
func (ix localIndexer) compare(ctx context.Context, name string) (missing papers, outdated []string, err error) {
	have, err := ix.store.Versions(ctx, name)
	if err != nil {
		return ix.repair(ctx, vectors.Collection{Name: name}, err)
	}
	missing = make(papers)
	for id, version := range ix.versions {
		if have[id] != version {
			missing[id] = true
		}
	}
	for id, version := range have {
		if ix.versions[id] != version {
			outdated = append(outdated, id)
		}
	}
	slices.Sort(outdated)
	return missing, outdated, nil
}

// repair drops damaged segments and compares again.
func (ix localIndexer) repair(ctx context.Context, want vectors.Collection, fault error) (papers, []string, error) {
	if ctx.Err() != nil {
		return nil, nil, ctx.Err()
	}
	n, err := ix.dropDamage(ctx, want.Name)
	if err != nil {
		return nil, nil, err
	}
	if n == 0 {
		return nil, nil, fault
	}
	return ix.compare(ctx, want.Name)
}

// dropDamage removes damaged segments from a collection, says so, and returns their number.
func (ix localIndexer) dropDamage(ctx context.Context, name string) (int, error) {
	n, err := ix.store.Repair(ctx, name)
	switch {
	case n == 1:
		ix.notice(fmt.Sprintf("1 damaged file of collection %s; its papers are indexed again", name))
	case n > 1:
		ix.notice(fmt.Sprintf("%d damaged files of collection %s; their papers are indexed again", n, name))
	}
	return n, err
}

// add indexes papers, a group at a time, which is a segment of its own.
func (ix localIndexer) add(ctx context.Context, dense string, needWords, needDense papers) error {
	all := maps.Clone(needWords)
	maps.Copy(all, needDense)
	ids := slices.Sorted(maps.Keys(all))
	if len(ids) == 0 {
		return nil
	}
	groups, errGroups := ix.db.CellGroups(ctx, ids)
	total, errTotal := ix.db.CountCells(ctx, ids)
	if err := errors.Join(errGroups, errTotal); err != nil {
		return err
	}
	a := adder{localIndexer: ix, dense: dense, total: total, counter: bm25.NewCounter(), needWords: needWords, needDense: needDense}
	for _, group := range groups {
		if err := a.group(ctx, group); err != nil {
			return err
		}
	}
	return nil
}

// adder adds groups of papers to both collections.
type adder struct {
	localIndexer
	dense                string // name of the collection
	done, total          int    // cells
	counter              *bm25.Counter
	needWords, needDense papers
}

func (a *adder) group(ctx context.Context, ids []string) error {
	var batch []window
	var words, dense []vectors.Record
	flush := func() error {
		records, err := a.embed(ctx, batch)
		dense, batch = append(dense, records...), batch[:0]
		a.progress(a.done, a.total)
		return err
	}
	for c, err := range a.db.Cells(ctx, ids) {
		if err != nil {
			return err
		}
		if a.needWords[c.PaperID] {
			if bag := a.counter.Words(c.Text); indexesWords(c, bag) {
				words = append(words, vectors.Record{Origin: originOf(c), Vector: vectors.Vector{Words: bag}})
			}
		}
		if a.needDense[c.PaperID] {
			for _, text := range windowsOf(a.texts, c) {
				batch = append(batch, window{c, text})
			}
		}
		if a.done++; len(batch) >= embedBatch {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	if err := flush(); err != nil {
		return err
	}
	if err := a.store.Add(ctx, bm25.Name, words, a.versionsOf(ids, a.needWords)); err != nil {
		return err
	}
	return a.store.Add(ctx, a.dense, dense, a.versionsOf(ids, a.needDense))
}

func (a *adder) versionsOf(ids []string, which papers) map[string]string {
	versions := make(map[string]string)
	for _, id := range ids {
		if which[id] {
			versions[id] = a.versions[id]
		}
	}
	return versions
}
