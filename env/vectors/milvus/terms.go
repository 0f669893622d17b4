package milvus

import (
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"

	"github.com/milvus-io/milvus-sdk-go/v2/entity"

	"airqa/env/vectors/bm25"
)

// The terms of a BM25 collection have a collection of their own, so that a change writes only those that it concerns, and a
// query reads only its own.
const (
	fieldPosition = "position"
	fieldDF       = "df"
)

// termRows is the number of terms of a request.
const termRows = batchRows

// maxTerm is the maximum length of a key, in bytes.
const maxTerm = 300

func termsOf(collection string) string { return collection + "__terms" }

// termKey is the primary key of a term, which has no character but letters, digits, marks, "." and ",".
func termKey(term string) string {
	if len(term) > maxTerm {
		return fmt.Sprintf("#%x", sha256.Sum256([]byte(term)))
	}
	return term
}

// Terms returns those of the terms that a BM25 collection knows.
func (s *Store) Terms(ctx context.Context, name string, terms []string) (map[string]bm25.Term, error) {
	known := make(map[string]bm25.Term)
	err := s.read(ctx, name, "read statistics of", func(e *entry) error {
		for some := range slices.Chunk(terms, termRows) {
			byKey := make(map[string]string)
			for _, term := range some {
				byKey[termKey(term)] = term
			}
			set, err := s.server.query(ctx, termsOf(e.collection), oneOf(fieldID, slices.Collect(maps.Keys(byKey))), fieldID, fieldPosition, fieldDF)
			if err != nil {
				return err
			}
			r := reader{set: set}
			for i := range r.len(fieldID) {
				known[byKey[r.text(fieldID, i)]] = bm25.Term{Position: int(r.number(fieldPosition, i)), DF: int(r.number(fieldDF, i))}
			}
			if r.err != nil {
				return r.err
			}
		}
		return nil
	})
	return known, err
}

// fillTerms makes the collection of the terms of a new collection.
func (s *Store) fillTerms(ctx context.Context, next *entry, terms map[string]bm25.Term) error {
	if terms == nil {
		return nil
	}
	index, err := entity.NewIndexFlat(entity.COSINE)
	if err != nil {
		return err
	}
	name := termsOf(next.collection)
	number := func(name string) *entity.Field {
		return entity.NewField().WithName(name).WithDataType(entity.FieldTypeInt64)
	}
	schema := entity.NewSchema().WithName(name).
		WithField(varchar(fieldID, maxTerm).WithIsPrimaryKey(true)).
		WithField(entity.NewField().WithName(fieldVector).WithDataType(entity.FieldTypeFloatVector).WithDim(2)). // Milvus requires one
		WithField(number(fieldPosition)).WithField(number(fieldDF))
	if err := s.server.create(ctx, schema, index); err != nil {
		return err
	}
	for some := range slices.Chunk(slices.Sorted(maps.Keys(terms)), termRows) {
		if _, err := s.server.client.Insert(ctx, name, "", termColumns(some, terms)...); err != nil {
			return err
		}
	}
	return s.server.client.Flush(ctx, name, true)
}

func termColumns(some []string, terms map[string]bm25.Term) []entity.Column {
	n := len(some)
	keys, vector := make([]string, n), make([][]float32, n)
	positions, counts := make([]int64, n), make([]int64, n)
	for i, term := range some {
		keys[i], vector[i] = termKey(term), []float32{1, 0}
		positions[i], counts[i] = int64(terms[term].Position), int64(terms[term].DF)
	}
	return []entity.Column{
		entity.NewColumnVarChar(fieldID, keys), entity.NewColumnFloatVector(fieldVector, 2, vector),
		entity.NewColumnInt64(fieldPosition, positions), entity.NewColumnInt64(fieldDF, counts),
	}
}
