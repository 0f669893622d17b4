package milvus

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/milvus-io/milvus-sdk-go/v2/client"
	"github.com/milvus-io/milvus-sdk-go/v2/entity"

	"airqa/env/vectors"
)

// Search fetches more records than requested, because Milvus ranks records rather than cells and leaves equal scores
// unordered. It stops when there are K cells and the group of equal scores at the cut is complete. Only if that group
// exceeds [vectors.MaxK], the choice is the server's.
func (s *Store) Search(ctx context.Context, name string, q vectors.Query) (hits []vectors.Hit, err error) {
	err = s.read(ctx, name, "search", func(e *entry) (err error) {
		if err = e.info.CheckQuery(q); err == nil {
			hits, err = s.nearest(ctx, e, q)
		}
		return err
	})
	return hits, err
}

// nearest returns the first K cells. Only FLAT and sparse indexes are exact under a filter: others compare the query with what
// they meet on their way, of which few records may pass, and return some of them, or none. With such an index:
//   - Within papers, the vectors of the records that pass are read and ranked here, exactly, if they take up to maxRead.
//   - Where they take more, the index is searched with its widest parameters.
//   - Without papers, the index is searched as the URL says.
//   - In both cases, a search that returns fewer records than it should is repeated (see [Store.fetch]).
func (s *Store) nearest(ctx context.Context, e *entry, q vectors.Query) ([]vectors.Hit, error) {
	const maxRead = 32 << 20 // bytes: 21,845 vectors of 384 numbers
	if e.info.Kind == vectors.Sparse && len(q.Sparse) == 0 {
		return nil, nil
	}
	if !e.approximate() || len(q.Filter.Papers) == 0 {
		return s.byIndex(ctx, e, q)
	}
	expr := e.visible(q.Filter)
	n, err := s.count(ctx, e, expr)
	if err != nil {
		return nil, err
	}
	if n*4*e.info.Dim > maxRead {
		return s.byIndex(ctx, e, q)
	}
	found, err := s.rank(ctx, e, q.Vector, expr, n)
	return cut(e.info.Kind, cellsOf(found), q.K), err
}

// byIndex fetches hits until the first K cells are certain.
func (s *Store) byIndex(ctx context.Context, e *entry, q vectors.Query) ([]vectors.Hit, error) {
	for limit := min(2*q.K+16, vectors.MaxK); ; limit = min(8*limit, vectors.MaxK) {
		found, err := s.fetch(ctx, e, q, everyID, limit)
		if err != nil {
			return nil, err
		}
		cells := cellsOf(found)
		switch {
		case len(found) < limit, len(cells) >= q.K && (limit == vectors.MaxK || !tied(cells[q.K-1], found[limit-1].Hit)):
			return cut(e.info.Kind, cells, q.K), nil
		case limit == vectors.MaxK:
			cells, err = s.split(ctx, e, q, everyID, found)
			return cut(e.info.Kind, cells, q.K), err
		}
	}
}

// bounds is a range of ids, both inclusive.
type bounds struct{ from, to int64 }

func (b bounds) String() string {
	return fmt.Sprintf("%s >= %d and %s <= %d", fieldID, b.from, fieldID, b.to)
}

var everyID = bounds{0, math.MaxInt64}

// split handles more windows than the server returns in one response. It recursively searches both halves of the id
// range b, whose nearest records are found, until each part is complete or has K cells.
func (s *Store) split(ctx context.Context, e *entry, q vectors.Query, b bounds, found []ranked) ([]vectors.Hit, error) {
	ids := make([]int64, len(found))
	for i, f := range found {
		ids[i] = f.id
	}
	slices.Sort(ids)
	middle := ids[len(ids)/2]
	var hits []ranked
	for _, half := range []bounds{{b.from, middle - 1}, {middle, b.to}} {
		found, err := s.fetch(ctx, e, q, half, vectors.MaxK)
		if err != nil {
			return nil, err
		}
		cells := cellsOf(found)
		if len(found) == vectors.MaxK && len(cells) < q.K {
			if cells, err = s.split(ctx, e, q, half, found); err != nil {
				return nil, err
			}
		}
		for _, h := range cells {
			hits = append(hits, ranked{Hit: h})
		}
	}
	slices.SortStableFunc(hits, func(a, b ranked) int { return cmp.Compare(b.Score, a.Score) })
	return cellsOf(hits), nil
}

// cellsOf keeps the best hit of each cell. The hits are ordered, best first.
func cellsOf(found []ranked) []vectors.Hit {
	seen := make(map[vectors.Origin]bool, len(found))
	cells := make([]vectors.Hit, 0, len(found))
	for _, f := range found {
		if !seen[f.Origin] {
			seen[f.Origin] = true
			cells = append(cells, f.Hit)
		}
	}
	return cells
}

// tied reports whether two hits may belong to one group of equal scores.
func tied(a, b vectors.Hit) bool {
	const tolerance = 1e-6 // between scores of equal vectors, relative for scores above 1
	return a.Score-b.Score <= tolerance*max(1, math.Abs(a.Score))
}

// cut sorts hits and returns the first k.
func cut(kind vectors.Kind, hits []vectors.Hit, k int) []vectors.Hit {
	if kind == vectors.Sparse { // a record without a common position is not a hit
		hits = slices.DeleteFunc(hits, func(h vectors.Hit) bool { return h.Score <= 0 })
	}
	slices.SortFunc(hits, vectors.Compare)
	return hits[:min(k, len(hits))]
}

type ranked struct {
	vectors.Hit
	id int64
}

// fetch returns the top records with ids within b, best first; fewer than limit only if no more pass. If an approximate index
// finds fewer, it is searched with its widest parameters, and if that is not enough, the records are read and ranked.
func (s *Store) fetch(ctx context.Context, e *entry, q vectors.Query, b bounds, limit int) ([]ranked, error) {
	expr := e.visible(q.Filter)
	if b != everyID {
		expr = all(expr, b.String())
	}
	for wide := len(q.Filter.Papers) > 0; ; wide = true {
		found, err := s.search(ctx, e, q.Vector, expr, limit, wide)
		if err != nil && !wide || len(found) >= limit || !e.approximate() {
			return found, err
		}
		if n, err := s.count(ctx, e, expr); err != nil || len(found) >= n {
			return found, err
		}
		if wide {
			return s.rank(ctx, e, q.Vector, expr, limit)
		}
	}
}

// rank reads the dense records that match expr, and returns the best of them, with the scores of the files.
func (s *Store) rank(ctx context.Context, e *entry, v vectors.Vector, expr string, limit int) ([]ranked, error) {
	var found []ranked
	best := func() []ranked {
		slices.SortFunc(found, func(a, b ranked) int { return vectors.Compare(a.Hit, b.Hit) })
		return found[:min(limit, len(found))]
	}
	err := s.reread(ctx, e, expr, everyID, func(id int64, r vectors.Record) error {
		score := float64(float32(vectors.Cosine(v.Dense, r.Dense)))
		if found = append(found, ranked{vectors.Hit{Origin: r.Origin, Score: score}, id}); len(found) > 2*limit {
			found = best()
		}
		return nil
	})
	return best(), err
}

// search returns what the server finds, best first.
func (s *Store) search(ctx context.Context, e *entry, v vectors.Vector, expr string, limit int, wide bool) ([]ranked, error) {
	query, metric, param, err := searchOf(e.info, v, limit, wide)
	if err != nil {
		return nil, err
	}
	var results []client.SearchResult
	err = s.server.loaded(ctx, e.collection, func() (err error) {
		results, err = s.server.client.Search(ctx, e.collection, nil, expr, originFields,
			[]entity.Vector{query}, fieldVector, metric, limit, param, strong)
		return err
	})
	if err != nil || len(results) == 0 || results[0].ResultCount == 0 { // an empty result has an error of its own
		return nil, err
	}
	return hitsOf(e.info.Kind, results[0])
}

// searchOf returns the query, the metric and the parameters of a search: those of the index, of which the server takes the ones
// that it knows. A graph is refused a list of candidates shorter than the limit. If wide, as much of the index is read as the
// server allows, by the parameter of any kind: of lists, of graphs in memory, of graphs on disk.
func searchOf(c vectors.Collection, v vectors.Vector, limit int, wide bool) (entity.Vector, entity.MetricType, entity.SearchParam, error) {
	if c.Kind != vectors.Dense {
		query, err := sparseVector(v.Sparse)
		if err != nil {
			return nil, "", nil, err
		}
		param, err := entity.NewIndexSparseInvertedSearchParam(0)
		return query, entity.IP, param, err
	}
	const widest = 65_535 // that servers accept; what an index has, such as lists, is less
	params := make(searchParam)
	_, given := splitIndex(c.Index)
	for name, value := range given {
		params[name], _ = strconv.Atoi(value) // is checked
	}
	for _, name := range []string{"ef", "search_list"} {
		if n, ok := params[name].(int); ok {
			params[name] = max(n, limit)
		}
	}
	if wide && c.Index != "" {
		params["nprobe"], params["ef"], params["search_list"] = widest, widest, widest
	}
	return denseVector(v.Dense), entity.COSINE, params, nil
}

func hitsOf(kind vectors.Kind, result client.SearchResult) ([]ranked, error) {
	if result.Err != nil {
		return nil, result.Err
	}
	r := reader{set: result.Fields}
	hits := make([]ranked, result.ResultCount)
	for i := range hits {
		score := float64(result.Scores[i])
		if kind == vectors.Dense { // servers may return 1.0000001
			score = max(-1, min(score, 1))
		}
		hits[i].Hit = vectors.Hit{Score: score, Origin: r.origin(i)}
		id, err := result.IDs.GetAsInt64(i)
		if err != nil {
			return nil, fmt.Errorf("ids of the response: %w", err)
		}
		hits[i].id = id
	}
	return hits, r.err
}

// visible formats a filter that also excludes hidden records.
func (e *entry) visible(f vectors.Filter) string {
	parts := []string{expression(f)}
	for _, ids := range e.hidden {
		parts = append(parts, ids.outside())
	}
	return all(parts...)
}

// Count returns the number of records that pass filter.
func (s *Store) Count(ctx context.Context, name string, filter vectors.Filter) (n int, err error) {
	if err := filter.Check(); err != nil {
		return 0, err
	}
	err = s.read(ctx, name, "count", func(e *entry) (err error) {
		n, err = s.count(ctx, e, e.visible(filter))
		return err
	})
	return n, err
}

func (s *Store) count(ctx context.Context, e *entry, expr string) (int, error) {
	const count = "count(*)"
	set, err := s.server.query(ctx, e.collection, expr, count)
	if err != nil {
		return 0, err
	}
	r := reader{set: set}
	return int(r.number(count, 0)), r.err
}

// Vectors calls use with the dense records of some papers, with the hashes of their texts, in any order.
func (s *Store) Vectors(ctx context.Context, name string, papers []string, use func(vectors.Record) error) error {
	return s.read(ctx, name, "read vectors of", func(e *entry) error {
		expr := e.visible(vectors.Filter{Papers: papers})
		return s.reread(ctx, e, expr, everyID, func(_ int64, r vectors.Record) error { return use(r) })
	})
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
