package milvus

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// Owner returns the id of the data directory that owns the collections under this prefix, or "" if there is none.
func (s *Store) Owner(ctx context.Context) (string, error) {
	rows, err := s.owners(ctx)
	if err != nil || len(rows) == 0 {
		return "", err
	}
	return rows[0].body, nil
}

func (s *Store) owners(ctx context.Context) ([]row, error) {
	rows, err := s.catalog.rows(ctx, equal(fieldKind, owner))
	if err != nil {
		return nil, fmt.Errorf("read the owner of the collections: %w", err)
	}
	return rows, nil
}

// Claim records the data directory with the given id as the owner of the collections under this prefix. It fails if
// another directory owns them or claims them at the same time.
func (s *Store) Claim(ctx context.Context, id string) error {
	s.write.Lock()
	defer s.write.Unlock()
	if err := s.catalog.ensure(ctx); err != nil {
		return err
	}
	have, err := s.Owner(ctx)
	if err != nil || have == id {
		return err
	}
	if have != "" {
		return errOwned
	}
	if err := s.catalog.add(ctx, row{kind: owner, body: id}); err != nil {
		return err
	}
	rows, err := s.owners(ctx)
	if err != nil {
		return err
	}
	for _, r := range rows {
		if r.body != id {
			return errors.Join(errOwned, s.catalog.remove(ctx, all(equal(fieldKind, owner), equal(fieldBody, id))))
		}
	}
	return nil
}

var errOwned = errors.New("the collections belong to another data directory")

// Writes returns the tokens of [Store.RecordWrite]: that of the last writer, or several if one was interrupted.
func (s *Store) Writes(ctx context.Context) ([]string, error) {
	rows, err := s.catalog.rows(ctx, equal(fieldKind, written))
	if err != nil {
		return nil, fmt.Errorf("read the last writer of the collections: %w", err)
	}
	tokens := make([]string, len(rows))
	for i, r := range rows {
		tokens[i] = r.body
	}
	return tokens, nil
}

// RecordWrite replaces the tokens of earlier writers with a new one. It fails if there are others: then another writer came
// in between.
func (s *Store) RecordWrite(ctx context.Context, token string, earlier []string) error {
	s.write.Lock()
	defer s.write.Unlock()
	if err := s.catalog.add(ctx, row{kind: written, body: token}); err != nil {
		return err
	}
	have, err := s.Writes(ctx)
	if err != nil {
		return err
	}
	for _, other := range have {
		if other != token && !slices.Contains(earlier, other) {
			return errors.Join(errWritten, s.catalog.remove(ctx, all(equal(fieldKind, written), equal(fieldBody, token))))
		}
	}
	return s.catalog.remove(ctx, all(equal(fieldKind, written), fieldBody+" != "+literal(token)))
}

var errWritten = errors.New("another program writes to the collections")
