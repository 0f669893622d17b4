package milvus

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/milvus-io/milvus-sdk-go/v2/entity"

	"airqa/env/vectors"
)

// Vectors calls use with the dense records of some papers, with the hashes of their texts, in any order.
func (s *Store) Vectors(ctx context.Context, name string, papers []string, use func(vectors.Record) error) error {
	err := s.read(ctx, name, func(e *entry) error {
		ids, err := s.ids(ctx, e, vectors.Filter{Papers: papers})
		if err != nil {
			return err
		}
		for some := range slices.Chunk(ids, batchRows) {
			if err := s.reread(ctx, e, some, use); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("read vectors of collection %s: %w", name, err)
	}
	return nil
}

// ids returns the ids of the records that pass a filter.
func (s *Store) ids(ctx context.Context, e *entry, filter vectors.Filter) ([]string, error) {
	set, err := s.server.query(ctx, e.collection, e.visible(filter), fieldID)
	if err != nil {
		return nil, err
	}
	r := reader{set: set}
	ids := make([]string, r.len(fieldID))
	for i := range ids {
		ids[i] = strconv.FormatInt(r.number(fieldID, i), 10)
	}
	return ids, r.err
}

// reread calls use with the records of some ids.
func (s *Store) reread(ctx context.Context, e *entry, ids []string, use func(vectors.Record) error) error {
	expr := fieldID + " in [" + strings.Join(ids, ", ") + "]"
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
		if r.err != nil {
			return r.err
		}
		if err := use(record); err != nil {
			return err
		}
	}
	return nil
}
