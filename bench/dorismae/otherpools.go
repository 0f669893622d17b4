package dorismae

import (
	"context"
	"fmt"
	"slices"

	"airqa/bench"
	"airqa/env/datadir"
	"airqa/env/embed"
	"airqa/env/vectors"
	"airqa/qa"
)

// The second pools of the paper: for the first 50 queries, 75 abstracts by each of two models (C.6).
const firstQueries, poolOfModel = 50, 75

// poolFile is a file of pools that take the place of the dataset's: ids of abstracts by the number of the query. By are the models
// that chose them, in this order; none if they were built by words and citations.
type poolFile struct {
	Format int           `json:"format"`
	By     []string      `json:"by,omitempty"`
	Pools  map[int][]int `json:"pools"`
}

// otherPools replaces the pools of the queries by the pools of a file, and drops queries without one there.
func (r *loader) otherPools() error {
	var f poolFile
	if err := datadir.ReadRecord(r.options.Pools, &f); err != nil {
		return err
	}
	r.Queries = slices.DeleteFunc(r.Queries, func(q Query) bool { return f.Pools[q.Number] == nil })
	if len(r.Queries) == 0 || len(r.Queries) < len(f.Pools) {
		return fmt.Errorf("%s has %d pools, %d of them of queries of %s; airqa bench stats doris-mae --pools-out FILE writes pools",
			r.options.Pools, len(f.Pools), len(r.Queries), r.path)
	}
	for i := range r.Queries {
		r.Queries[i].Pool = f.Pools[r.Queries[i].Number]
		for _, id := range r.Queries[i].Pool {
			r.wanted[id] = true
		}
	}
	r.skipped = true // the corpus may have been read before
	return nil
}

// writePools writes pools that were built. With a model, it adds to the pools of PoolsFrom the abstracts nearest to each query that
// neither they nor the dataset's pools have.
func writePools(ctx context.Context, r bench.Request, d *Dataset, built map[int][]int) error {
	f := poolFile{Format: 1, Pools: built}
	if r.Model != "" {
		f.Pools = make(map[int][]int)
		if err := datadir.ReadRecord(r.PoolsFrom, &f); r.PoolsFrom != "" && err != nil {
			return err
		}
		if err := f.addNearest(ctx, r, d); err != nil {
			return err
		}
	}
	return datadir.WriteRecord(r.PoolsOut, f)
}

func (f *poolFile) addNearest(ctx context.Context, r bench.Request, d *Dataset) error {
	e, err := r.Embedder()
	if err != nil {
		return err
	}
	var corpus [][]float32
	stage := r.Progress.Stage("embed", len(d.Corpus))
	defer stage.Close("corpus")
	for block := range slices.Chunk(d.Corpus, 4096) {
		made, err := e.Embed(ctx, qa.Map(block, func(a Abstract) string { return Clean(a.Text) }))
		if err != nil {
			return err
		}
		corpus = append(corpus, made...)
		stage.Set(len(corpus), "")
	}
	f.By = append(f.By, r.Model)
	for _, q := range d.Queries {
		if q.Number >= firstQueries {
			break
		}
		asked, err := embed.Queries(e).Embed(ctx, []string{q.Text})
		if err != nil {
			return err
		}
		f.extend(q, d.Corpus, bench.Order(qa.Map(corpus, func(v []float32) float64 { return vectors.Cosine(asked[0], v) })))
	}
	return nil
}

// extend adds the first abstracts of an order that are in no pool of a query.
func (f *poolFile) extend(q Query, corpus []Abstract, order []int) {
	pool, left := f.Pools[q.Number], poolOfModel
	for _, i := range order {
		if id := corpus[i].ID; left > 0 && !slices.Contains(q.Pool, id) && !slices.Contains(pool, id) {
			pool, left = append(pool, id), left-1
		}
	}
	f.Pools[q.Number] = pool
}

// comparePools compares the highest normalized scores of queries in the dataset's pools and in others (C.6). Queries without
// annotations of the other pool do not count.
func comparePools(r bench.Request, other *Dataset, result *bench.Result) error {
	own, err := Load(r.Dataset, LoadOptions{})
	if err != nil {
		return err
	}
	best := make(map[string]float64)
	for _, it := range own.Items {
		best[it.UUID] = slices.Max(normalized(it))
	}
	var m bench.Means
	const first, second, better, by = "best score in the dataset's pool", "best score in the other pool", "better in the other pool, %", "by, % of the score"
	for i, it := range other.Items {
		if other.bare[other.Queries[i].Number] {
			continue
		}
		a, b := best[it.UUID], slices.Max(normalized(it))
		m.Of(first).Add(a)
		m.Of(second).Add(b)
		if m.Of(better).Count(b > a); b > a && a > 0 {
			m.Of(by).Add(100 * (b/a - 1))
		}
	}
	higher := 100 * (m.Of(first).Value()/m.Of(second).Value() - 1)
	result.Tables = append(result.Tables, bench.Table{
		Name: "pools-best", Title: "Highest normalized scores of annotated queries in two pools (C.6)", Label: "mean of queries", Decimals: 3,
		Measures: []bench.Measure{
			m.Row(first), m.Row(second), bench.Value("higher in the dataset's pool by, %", "value", higher).Paper(4), m.Row(better).Paper(30), m.Row(by).Paper(12),
		},
	})
	return nil
}
