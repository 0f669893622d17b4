package milvus

import (
	"context"
	"fmt"
)

// Describe changes the source and the encoder of a collection, whose records stay. A nil encoder keeps the present one.
// Readers that open the store later see both changes, or neither of them.
func (s *Store) Describe(ctx context.Context, name, source string, encoder []byte) error {
	return s.change(ctx, name, "describe", func(e *entry) error {
		next := *e
		next.number, next.info.Source = e.number+1, source
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
		if err := s.catalog.addDescription(ctx, &next); err != nil {
			return err
		}
		earlier := fmt.Sprintf("%s < %d", fieldNumber, next.number)
		ctx := context.WithoutCancel(ctx)
		// What is not removed here is ignored, and the next change removes it.
		if s.catalog.remove(ctx, all(equal(fieldOf, e.collection), equal(fieldKind, described), earlier)) == nil && encoder != nil {
			_ = s.catalog.remove(ctx, next.otherParts())
		}
		return nil
	})
}

// Flush lets the server write the records of a collection and index them. Call it once after many changes: servers may
// limit how often it can be called. Changes are durable and visible without it.
func (s *Store) Flush(ctx context.Context, name string) error {
	return s.change(ctx, name, "flush", func(e *entry) error {
		return s.server.client.Flush(ctx, e.collection, true)
	})
}
