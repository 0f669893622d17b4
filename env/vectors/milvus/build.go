package milvus

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/milvus-io/milvus-sdk-go/v2/merr"

	"airqa/env/vectors"
	"airqa/env/vectors/bm25"
)

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
