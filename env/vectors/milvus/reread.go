package milvus

import (
	"context"
	"fmt"
	"slices"

	"github.com/milvus-io/milvus-sdk-go/v2/entity"

	"airqa/env/vectors"
)

// Vectors calls use with the dense records of some papers, with the hashes of their texts, in any order.
func (s *Store) Vectors(ctx context.Context, name string, papers []string, use func(vectors.Record) error) error {
	err := s.read(ctx, name, func(e *entry) error {
		expr := e.visible(vectors.Filter{Papers: papers})
		return s.reread(ctx, e, expr, everyID, func(_ int64, r vectors.Record) error { return use(r) })
	})
	if err != nil {
		return fmt.Errorf("read vectors of collection %s: %w", name, err)
	}
	return nil
}

// reread calls use with the dense records that match expr and have ids within b, batch by batch. Servers may end a
// response at about [vectors.MaxK] rows, without an error: of many, it reads one half and then the other.
func (s *Store) reread(ctx context.Context, e *entry, expr string, b bounds, use func(id int64, r vectors.Record) error) error {
	set, err := s.server.query(ctx, e.collection, all(expr, b.String()), fieldID)
	if err != nil {
		return err
	}
	r := reader{set: set}
	ids := make([]int64, r.len(fieldID))
	for i := range ids {
		ids[i] = r.number(fieldID, i)
	}
	if slices.Sort(ids); r.err == nil && len(ids) > vectors.MaxK/2 {
		middle := ids[len(ids)/2]
		if err := s.reread(ctx, e, expr, bounds{b.from, middle - 1}, use); err != nil {
			return err
		}
		return s.reread(ctx, e, expr, bounds{middle, b.to}, use)
	}
	for some := range slices.Chunk(ids, batchRows) {
		if err := s.readBatch(ctx, e, all(expr, bounds{some[0], some[len(some)-1]}.String()), use); err != nil {
			return err
		}
	}
	return r.err
}

func (s *Store) readBatch(ctx context.Context, e *entry, expr string, use func(id int64, r vectors.Record) error) error {
	set, err := s.server.query(ctx, e.collection, expr, append(slices.Clone(originFields), fieldID, fieldText, fieldVector)...)
	if err != nil {
		return err
	}
	column, ok := set.GetColumn(fieldVector).(*entity.ColumnFloatVector)
	if !ok {
		return fmt.Errorf("the response has no column %s", fieldVector)
	}
	r := reader{set: set}
	for i, v := range column.Data() {
		record := vectors.Record{Origin: r.origin(i), Text: r.number(fieldText, i), Vector: vectors.Vector{Dense: v[:e.info.Dim]}}
		id := r.number(fieldID, i)
		if r.err != nil {
			return r.err
		}
		if err := use(id, record); err != nil {
			return err
		}
	}
	return nil
}
