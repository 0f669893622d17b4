package env

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"airqa/env/vectors"
)

// Sizes of the requests of a change.
const (
	// insertRecords is the number of records that are inserted at a time: 6 MB of vectors of 384 numbers.
	insertRecords = 4096
	// deletePapers is the number of papers whose records are deleted at a time.
	deletePapers = 256
)

// changingPrefix begins the source of a collection that is being changed.
const changingPrefix = "changing:"

// changing is the source of a collection while it is changed. If the change is interrupted, the same one can be repeated.
func changing(from, to string) string { return changingPrefix + from + ":" + to }

// difference is the difference of a collection of the current generation to the papers of the next. Both lists are
// sorted and not nil.
type difference struct {
	// from is the source of the collection.
	from string
	// outdated are papers of the current generation that were removed or have another version now.
	outdated []string
	// missing are papers of the next generation that the current one does not have in this version.
	missing []string
}

// difference reports whether a collection can be changed in place, and how. It has to be built if it is of other papers
// or another model, or if more than half of its papers are outdated.
func (ix remoteIndexer) difference(have, want vectors.Collection) (difference, bool) {
	from := ix.before.source()
	if have.Source != from && have.Source != changing(from, ix.source) || !sameContent(have, want) || ix.rebuild[want.Name] {
		return difference{}, false
	}
	earlier := versionsOf(ix.before.files)
	d := difference{from: from, outdated: lacking(earlier, ix.versions), missing: lacking(ix.versions, earlier)}
	return d, ix.before.db != nil && 2*len(d.outdated) <= len(earlier)
}

// lacking returns the papers that others do not have in the same version.
func lacking(versions, others map[string]string) []string {
	ids := []string{}
	for id, version := range versions {
		if others[id] != version {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// apply changes a collection to want, with the records of the missing papers. If it is interrupted, it can be repeated:
// it deletes what was added before. It reports false if the server does not have the expected number of records
// afterwards.
func (ix remoteIndexer) apply(ctx context.Context, want vectors.Collection, d difference, missing iter.Seq2[vectors.Record, error]) (bool, error) {
	if err := ix.store.Describe(ctx, want.Name, changing(d.from, want.Source), nil); err != nil {
		return false, err
	}
	total, err := ix.store.Count(ctx, want.Name, vectors.Filter{})
	if err != nil {
		return false, err
	}
	deleted, err := ix.deletePapers(ctx, want.Name, slices.Compact(slices.Sorted(slices.Values(slices.Concat(d.outdated, d.missing)))))
	if err != nil {
		return false, err
	}
	inserted, err := ix.insert(ctx, want.Name, missing)
	if err != nil {
		return false, err
	}
	n, err := ix.store.Count(ctx, want.Name, vectors.Filter{})
	if err != nil {
		return false, err
	}
	if n != total-deleted+inserted {
		ix.notice(fmt.Sprintf("collection %s on the server has %d records, not %d; it is built again", want.Name, n, total-deleted+inserted))
		return false, nil
	}
	if err := ix.store.Flush(ctx, want.Name); err != nil {
		return false, err
	}
	return true, ix.store.Describe(ctx, want.Name, want.Source, want.Encoder)
}

// deletePapers deletes the records of papers and returns their number.
func (ix remoteIndexer) deletePapers(ctx context.Context, name string, ids []string) (int, error) {
	deleted := 0
	for group := range slices.Chunk(ids, deletePapers) {
		filter := vectors.Filter{Papers: group}
		n, err := ix.store.Count(ctx, name, filter)
		if err == nil && n > 0 {
			err = ix.store.Delete(ctx, name, filter)
		}
		if err != nil {
			return 0, err
		}
		deleted += n
	}
	return deleted, nil
}

// insert inserts records and returns their number.
func (ix remoteIndexer) insert(ctx context.Context, name string, records iter.Seq2[vectors.Record, error]) (int, error) {
	var batch []vectors.Record
	inserted := 0
	flush := func() error {
		if len(batch) == 0 {
			return nil
		}
		err := ix.store.Insert(ctx, name, batch)
		inserted, batch = inserted+len(batch), batch[:0]
		return err
	}
	for r, err := range records {
		if err != nil {
			return 0, err
		}
		if batch = append(batch, r); len(batch) == insertRecords {
			if err := flush(); err != nil {
				return 0, err
			}
		}
	}
	return inserted, flush()
}
