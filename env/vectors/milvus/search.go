package milvus

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/milvus-io/milvus-sdk-go/v2/client"
	"github.com/milvus-io/milvus-sdk-go/v2/entity"

	"airqa/env/vectors"
)

// tolerance is what the scores of equal vectors may differ by, relative to scores above 1.
const tolerance = 1e-6

// Search implements [vectors.Store]. Milvus has no order among equal scores, so more hits are fetched than asked
// for until the group that K cuts is complete, and ordered here. Only in a group that goes beyond
// [vectors.MaxK] the choice is the server's.
func (s *Store) Search(ctx context.Context, name string, q vectors.Query) ([]vectors.Hit, error) {
	var hits []vectors.Hit
	err := s.read(ctx, name, func(e *entry) (err error) {
		if err = e.info.CheckQuery(q); err == nil {
			hits, err = s.nearest(ctx, e, q)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("search collection %s: %w", name, err)
	}
	return hits, nil
}

// nearest fetches hits until the first K of them are certain.
func (s *Store) nearest(ctx context.Context, e *entry, q vectors.Query) ([]vectors.Hit, error) {
	if e.info.Kind == vectors.Sparse && len(q.Sparse) == 0 {
		return nil, nil
	}
	for limit := min(2*q.K+16, vectors.MaxK); ; limit = min(8*limit, vectors.MaxK) {
		hits, err := s.fetch(ctx, e, q, limit)
		if err != nil {
			return nil, err
		}
		if len(hits) < limit || limit == vectors.MaxK || !level(hits[q.K-1], hits[limit-1]) {
			return cut(e.info.Kind, hits, q.K), nil
		}
	}
}

// level tells whether two hits may belong to one group of equal scores.
func level(a, b vectors.Hit) bool {
	return a.Score-b.Score <= tolerance*max(1, math.Abs(a.Score))
}

// cut puts hits in order and leaves the first k.
func cut(kind vectors.Kind, hits []vectors.Hit, k int) []vectors.Hit {
	if kind == vectors.Sparse { // what shares no position with the query is no hit
		hits = slices.DeleteFunc(hits, func(h vectors.Hit) bool { return h.Score <= 0 })
	}
	slices.SortFunc(hits, vectors.Compare)
	return hits[:min(k, len(hits))]
}

// fetch returns the server's first hits, best first.
func (s *Store) fetch(ctx context.Context, e *entry, q vectors.Query, limit int) ([]vectors.Hit, error) {
	query, metric, param, err := searchOf(e.info.Kind, q.Vector)
	if err != nil {
		return nil, err
	}
	var results []client.SearchResult
	err = s.server.loaded(ctx, e.collection, func() (err error) {
		results, err = s.server.client.Search(ctx, e.collection, nil, e.visible(q.Filter), originFields,
			[]entity.Vector{query}, fieldVector, metric, limit, param, strong)
		return err
	})
	if err != nil || len(results) == 0 || results[0].ResultCount == 0 { // an empty result carries an error of its own
		return nil, err
	}
	return hitsOf(e.info.Kind, results[0])
}

func searchOf(kind vectors.Kind, v vectors.Vector) (entity.Vector, entity.MetricType, entity.SearchParam, error) {
	if kind == vectors.Dense {
		param, err := entity.NewIndexFlatSearchParam()
		return denseVector(v.Dense), entity.COSINE, param, err
	}
	query, err := sparseVector(v.Sparse)
	if err != nil {
		return nil, "", nil, err
	}
	param, err := entity.NewIndexSparseInvertedSearchParam(0)
	return query, entity.IP, param, err
}

func hitsOf(kind vectors.Kind, result client.SearchResult) ([]vectors.Hit, error) {
	if result.Err != nil {
		return nil, result.Err
	}
	r := reader{set: result.Fields}
	hits := make([]vectors.Hit, result.ResultCount)
	for i := range hits {
		score := float64(result.Scores[i])
		if kind == vectors.Dense { // servers return 1.0000001
			score = max(-1, min(score, 1))
		}
		hits[i] = vectors.Hit{Score: score, Origin: vectors.Origin{
			PaperID: r.text(fieldPaper, i), Page: int(r.number(fieldPage, i)),
			Table: r.text(fieldTable, i), Column: r.text(fieldColumn, i), Key: r.text(fieldKey, i),
		}}
	}
	return hits, r.err
}

// visible prints a filter that also leaves out what is hidden.
func (e *entry) visible(f vectors.Filter) string {
	parts := []string{expression(f)}
	for _, ids := range e.hidden {
		parts = append(parts, ids.outside())
	}
	return all(parts...)
}

// Count implements [vectors.Store].
func (s *Store) Count(ctx context.Context, name string, filter vectors.Filter) (int, error) {
	if err := filter.Check(); err != nil {
		return 0, err
	}
	const count = "count(*)"
	var n int64
	err := s.read(ctx, name, func(e *entry) error {
		set, err := s.server.query(ctx, e.collection, e.visible(filter), count)
		if err != nil {
			return err
		}
		r := reader{set: set}
		n = r.number(count, 0)
		return r.err
	})
	if err != nil {
		return 0, fmt.Errorf("count collection %s: %w", name, err)
	}
	return int(n), nil
}
