package milvus

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"

	"github.com/milvus-io/milvus-sdk-go/v2/merr"

	"airqa/env/vectors"
	"airqa/env/vectors/bm25"
)

// Replace atomically replaces or creates a collection.
func (s *Store) Replace(ctx context.Context, c vectors.Collection, records iter.Seq2[vectors.Record, error]) error {
	return s.ReplaceAll(ctx, c, nil, records)
}

// ReplaceAll is Replace for a BM25 collection with its terms.
func (s *Store) ReplaceAll(ctx context.Context, c vectors.Collection, terms map[string]bm25.Term, records iter.Seq2[vectors.Record, error]) error {
	if err := c.Check(); err != nil {
		return err
	}
	s.write.Lock()
	defer s.write.Unlock()
	defer s.forget(c.Name)
	old, err := s.settle(ctx, c.Name, true)
	next := &entry{info: c, number: 1}
	if old != nil {
		next.number = old.number + 1
	}
	if err == nil {
		err = s.claim(ctx, next)
	}
	if err == nil {
		if err = s.complete(ctx, next, terms, records); err != nil {
			_ = s.dispose(context.WithoutCancel(ctx), next.collection) // on failure, the next change does it
		}
	}
	if err != nil {
		return fmt.Errorf("replace collection %s: %w", c.Name, err)
	}
	if old != nil {
		_ = s.dispose(context.WithoutCancel(ctx), old.collection) // on failure, the next change does it
	}
	return nil
}

// Delete removes the records that pass filter.
func (s *Store) Delete(ctx context.Context, name string, filter vectors.Filter) error {
	if filter.IsZero() {
		return fmt.Errorf("delete from collection %s: %w: the filter is empty", name, vectors.ErrInvalid)
	}
	if err := filter.Check(); err != nil {
		return err
	}
	return s.change(ctx, name, "delete from", func(e *entry) error {
		return s.server.client.Delete(ctx, e.collection, "", expression(filter))
	})
}

// Insert hides the records of a failed insert; the next change removes them.
func (s *Store) Insert(ctx context.Context, name string, records []vectors.Record) error {
	return s.change(ctx, name, "insert into", func(e *entry) error {
		for _, r := range records {
			if err := e.info.CheckRecord(r); err != nil {
				return err
			}
		}
		if len(records) == 0 {
			return nil
		}
		ids := newIDs(len(records))
		note := row{name: name, collection: e.collection, kind: inserting, number: ids.first, body: strconv.FormatInt(ids.count, 10)}
		if err := s.catalog.add(ctx, note); err != nil {
			return err
		}
		if err := s.fill(ctx, e, ids.first, vectors.All(records)); err != nil {
			return err
		}
		return s.catalog.remove(ctx, insertFilter(e.collection, ids))
	})
}

// insertFilter returns the filter for the catalog row of an insert.
func insertFilter(collection string, ids span) string {
	return all(equal(fieldOf, collection), equal(fieldKind, inserting), fmt.Sprintf("%s == %d", fieldNumber, ids.first))
}

// change runs act on a collection while holding the write lock.
func (s *Store) change(ctx context.Context, name, verb string, act func(*entry) error) error {
	s.write.Lock()
	defer s.write.Unlock()
	defer s.forget(name)
	e, err := s.settle(ctx, name, false)
	if err == nil && e == nil {
		err = vectors.ErrNotFound
	}
	if err == nil {
		err = act(e)
	}
	if err != nil {
		return fmt.Errorf("%s collection %s: %w", verb, name, err)
	}
	return nil
}

// settle reads the state of a collection and cleans up after interrupted programs. The entry is nil if there is no
// collection. One whose description cannot be read is an error, or is removed if it is to be replaced.
func (s *Store) settle(ctx context.Context, name string, replace bool) (*entry, error) {
	state, err := s.state(ctx, name)
	if err == nil && !replace {
		err = state.refused
	}
	if err != nil {
		return nil, err
	}
	for _, collection := range state.leftovers {
		if err := s.dispose(ctx, collection); err != nil {
			return nil, err
		}
	}
	e := state.live
	if e == nil {
		return nil, nil
	}
	if err := s.server.refresh(ctx, e.collection); err != nil {
		return nil, err
	}
	for _, ids := range e.hidden {
		if err := s.server.client.Delete(ctx, e.collection, "", ids.inside()); err != nil {
			return nil, err
		}
		if err := s.catalog.remove(ctx, insertFilter(e.collection, ids)); err != nil {
			return nil, err
		}
	}
	return e, nil
}

// dispose removes a collection from the server. It removes the claim last, so that it can be retried.
func (s *Store) dispose(ctx context.Context, collection string) error {
	of := equal(fieldOf, collection)
	if err := s.catalog.remove(ctx, all(of, fieldKind+" != "+literal(claimed))); err != nil {
		return err
	}
	for _, name := range []string{collection, termsOf(collection)} {
		if err := s.server.client.DropCollection(ctx, name); err != nil && !errors.Is(err, merr.ErrCollectionNotFound) {
			return err
		}
	}
	return s.catalog.remove(ctx, of)
}

// claim finds an unused name on the server and records it in the catalog.
func (s *Store) claim(ctx context.Context, next *entry) error {
	if err := s.catalog.ensure(ctx); err != nil {
		return err
	}
	for ; ; next.number++ {
		next.collection = s.prefix + next.info.Name[:min(len(next.info.Name), 160)]
		if next.number > 1 {
			next.collection = fmt.Sprintf("%s__%d", next.collection, next.number)
		}
		taken, err := s.server.client.HasCollection(ctx, next.collection)
		if err == nil && !taken {
			taken, err = s.server.client.HasCollection(ctx, termsOf(next.collection))
		}
		if err != nil {
			return err
		}
		if !taken {
			break
		}
	}
	return s.catalog.add(ctx, row{name: next.info.Name, collection: next.collection, kind: claimed, number: next.number})
}

// complete creates, fills and publishes a collection.
func (s *Store) complete(ctx context.Context, next *entry, terms map[string]bm25.Term, records iter.Seq2[vectors.Record, error]) error {
	index, err := indexOf(next.info)
	if err != nil {
		return err
	}
	if err := s.server.create(ctx, schemaOf(next.collection, next.info), index); err != nil {
		return refused(ctx, next.info, err)
	}
	if err := s.fill(ctx, next, newIDs(0).first, records); err != nil {
		return err
	}
	if err := s.server.client.Flush(ctx, next.collection, true); err != nil {
		return err
	}
	if err := s.probe(ctx, next); err != nil {
		return err
	}
	if err := s.fillTerms(ctx, next, terms); err != nil {
		return err
	}
	if err := s.catalog.addEncoder(ctx, next); err != nil {
		return err
	}
	return s.catalog.addDescription(ctx, next) // the last row that it writes makes the collection current
}

// fill writes records in batches, with ids starting at first.
func (s *Store) fill(ctx context.Context, e *entry, first int64, records iter.Seq2[vectors.Record, error]) error {
	var batch []vectors.Record
	size := 0
	for r, err := range records {
		if err != nil {
			return err
		}
		if err := e.info.CheckRecord(r); err != nil {
			return err
		}
		r.Dense, r.Sparse = slices.Clone(r.Dense), slices.Clone(r.Sparse)
		batch = append(batch, r)
		size += 4*len(r.Dense) + 8*len(r.Sparse) + len(r.PaperID) + len(r.Table) + len(r.Column) + len(r.Key) + 16 // about, in a message
		if len(batch) == batchRows || size >= batchBytes {
			if err := s.insert(ctx, e, first, batch); err != nil {
				return err
			}
			first, batch, size = first+int64(len(batch)), batch[:0], 0
		}
	}
	return s.insert(ctx, e, first, batch)
}

func (s *Store) insert(ctx context.Context, e *entry, first int64, batch []vectors.Record) error {
	if len(batch) == 0 {
		return nil
	}
	columns, err := e.columnsOf(batch, first)
	if err != nil {
		return err
	}
	_, err = s.server.client.Insert(ctx, e.collection, "", columns...)
	return err
}
