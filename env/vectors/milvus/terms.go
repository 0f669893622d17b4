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
// query reads only its own. A term has up to two rows: the next version of the statistics takes the place of the older one,
// and so a change that is interrupted leaves the current one.
const (
	fieldPosition = "position"
	fieldDF       = "df"
)

// termRows is the number of terms of a request.
const termRows = batchRows

// maxTerm is the maximum length of a key, in bytes.
const maxTerm = 300

func termsOf(collection string) string { return collection + "__terms" }

func termsSchema(collection string) *entity.Schema {
	number := func(name string) *entity.Field {
		return entity.NewField().WithName(name).WithDataType(entity.FieldTypeInt64)
	}
	return entity.NewSchema().WithName(termsOf(collection)).
		WithField(varchar(fieldID, maxTerm).WithIsPrimaryKey(true)).
		WithField(entity.NewField().WithName(fieldVector).WithDataType(entity.FieldTypeFloatVector).WithDim(2)). // Milvus requires one
		WithField(number(fieldPosition)).WithField(number(fieldDF)).WithField(number(fieldNumber))
}

// termKey is the primary key of a term in one of its two rows. A term has no character but letters, digits, marks, "." and ",".
func termKey(slot int, term string) string {
	if len(term) > maxTerm-2 {
		term = fmt.Sprintf("#%x", sha256.Sum256([]byte(term)))
	}
	return fmt.Sprintf("%d%s", slot, term)
}

// version is a row of a term.
type version struct {
	bm25.Term
	number int64
}

// Terms returns those of the terms that a BM25 collection knows.
func (s *Store) Terms(ctx context.Context, name string, terms []string) (map[string]bm25.Term, error) {
	known := make(map[string]bm25.Term)
	err := s.read(ctx, name, func(e *entry) error {
		for some := range slices.Chunk(terms, termRows) {
			rows, err := s.versions(ctx, e, some)
			if err != nil {
				return err
			}
			for term, both := range rows {
				if slot := e.current(both); slot >= 0 {
					known[term] = both[slot].Term
				}
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read statistics of collection %s: %w", name, err)
	}
	return known, nil
}

// current returns the slot of the row that counts: the latest one that is not newer than the description; -1 if there is none.
// If both are newer, since the description is that of a reader who opened the store long ago, it is the older one.
func (e *entry) current(rows [2]version) int {
	older, newer := 0, 1
	if rows[0].number > rows[1].number {
		older, newer = 1, 0
	}
	switch {
	case rows[newer].number <= e.terms && rows[newer].number > 0:
		return newer
	case rows[older].number > 0:
		return older
	}
	return -1
}

// versions returns the rows of terms.
func (s *Store) versions(ctx context.Context, e *entry, terms []string) (map[string][2]version, error) {
	type place struct {
		term string
		slot int
	}
	places, keys := make(map[string]place), []string{}
	for _, term := range terms {
		for slot := range 2 {
			key := termKey(slot, term)
			places[key], keys = place{term, slot}, append(keys, key)
		}
	}
	set, err := s.server.query(ctx, termsOf(e.collection), oneOf(fieldID, keys), fieldID, fieldPosition, fieldDF, fieldNumber)
	if err != nil {
		return nil, err
	}
	r, rows := reader{set: set}, make(map[string][2]version)
	for i := range r.len(fieldID) {
		at := places[r.text(fieldID, i)]
		both := rows[at.term]
		both[at.slot] = version{
			Term:   bm25.Term{Position: int(r.number(fieldPosition, i)), DF: int(r.number(fieldDF, i))},
			number: r.number(fieldNumber, i),
		}
		rows[at.term] = both
	}
	return rows, r.err
}

// changeTerms writes terms as the next version of the statistics, which counts when next is described.
func (s *Store) changeTerms(ctx context.Context, e, next *entry, terms map[string]bm25.Term) error {
	// A change that was interrupted has left rows.
	if err := s.server.client.Delete(ctx, termsOf(e.collection), "", fmt.Sprintf("%s > %d", fieldNumber, e.terms)); err != nil {
		return err
	}
	next.terms = e.terms + 1
	for some := range slices.Chunk(slices.Sorted(maps.Keys(terms)), termRows) {
		rows, err := s.versions(ctx, e, some)
		if err != nil {
			return err
		}
		columns := termColumns(some, terms, next.terms, func(term string) int {
			return 1 - max(e.current(rows[term]), 0)
		})
		if _, err := s.server.client.Upsert(ctx, termsOf(e.collection), "", columns...); err != nil {
			return err
		}
	}
	return nil
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
	if err := s.server.create(ctx, termsSchema(next.collection), index); err != nil {
		return err
	}
	next.terms = 1
	for some := range slices.Chunk(slices.Sorted(maps.Keys(terms)), termRows) {
		columns := termColumns(some, terms, next.terms, func(string) int { return 0 })
		if _, err := s.server.client.Insert(ctx, name, "", columns...); err != nil {
			return err
		}
	}
	return s.server.client.Flush(ctx, name, true)
}

// termColumns converts terms to rows.
func termColumns(some []string, terms map[string]bm25.Term, number int64, slot func(term string) int) []entity.Column {
	n := len(some)
	keys, vector := make([]string, n), make([][]float32, n)
	positions, counts, numbers := make([]int64, n), make([]int64, n), make([]int64, n)
	for i, term := range some {
		keys[i], vector[i] = termKey(slot(term), term), []float32{1, 0}
		positions[i], counts[i], numbers[i] = int64(terms[term].Position), int64(terms[term].DF), number
	}
	return []entity.Column{
		entity.NewColumnVarChar(fieldID, keys), entity.NewColumnFloatVector(fieldVector, 2, vector),
		entity.NewColumnInt64(fieldPosition, positions), entity.NewColumnInt64(fieldDF, counts), entity.NewColumnInt64(fieldNumber, numbers),
	}
}
