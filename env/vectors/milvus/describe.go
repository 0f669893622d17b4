package milvus

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"airqa/env/vectors/bm25"
)

// Describe changes the source and the encoder of a collection, whose records stay, and some terms of a BM25 collection. A nil
// encoder keeps the present one. Readers that open the store later see both or none of source and encoder; terms are changed
// before, one after the other.
func (s *Store) Describe(ctx context.Context, name, source string, encoder []byte, terms map[string]bm25.Term) error {
	return s.change(ctx, name, "describe", func(e *entry) error {
		next := *e
		next.number, next.info.Source = e.number+1, source
		for some := range slices.Chunk(slices.Sorted(maps.Keys(terms)), termRows) {
			if _, err := s.server.client.Upsert(ctx, termsOf(e.collection), "", termColumns(some, terms)...); err != nil {
				return err
			}
		}
		if encoder != nil {
			// A change that was interrupted here has left pieces.
			if err := s.catalog.remove(ctx, e.otherParts()); err != nil {
				return err
			}
			next.first, next.info.Encoder = e.first+int64(e.pieces), encoder
			if err := s.catalog.addEncoder(ctx, &next); err != nil {
				return err
			}
		}
		return s.catalog.succeed(ctx, &next)
	})
}

// succeed makes next the description of its collection. What it does not remove is ignored, and the next change removes it.
func (c *catalog) succeed(ctx context.Context, next *entry) error {
	if err := c.addDescription(ctx, next); err != nil {
		return err
	}
	ctx = context.WithoutCancel(ctx)
	earlier := fmt.Sprintf("%s < %d", fieldNumber, next.number)
	if c.remove(ctx, all(equal(fieldOf, next.collection), equal(fieldKind, described), earlier)) == nil {
		_ = c.remove(ctx, next.otherParts())
	}
	return nil
}

// Flush lets the server write the records of a collection and index them. Call it once after many changes: servers may
// limit how often it can be called. Changes are durable and visible without it.
func (s *Store) Flush(ctx context.Context, name string) error {
	return s.change(ctx, name, "flush", func(e *entry) error {
		return s.server.client.Flush(ctx, e.collection, true)
	})
}
