package env

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"airqa/env/embed"
	"airqa/env/embed/cache"
	"airqa/env/paperdb"
	"airqa/env/vectors"
	"airqa/env/vectors/bm25"
)

// scoreSlack is how far two stores' scores of one record may differ: both compute in float32, in another order.
const scoreSlack = 1e-4

// CompareConfig says which two stores of a data directory to compare: its own files, or Milvus servers by URL.
type CompareConfig struct {
	Dir      string
	A, B     string
	Embedder embed.Embedder
	// Sample is how many texts are searched in both; K how many hits are compared.
	Sample, K int
}

// Compare lists how the collections of two stores differ: their descriptions, how many records each table and column
// has, and what a sample of the texts finds. Hits of equal score may come in any order. An empty list means that both
// hold the same as far as was looked.
func Compare(ctx context.Context, cfg CompareConfig) (differences []string, err error) {
	dir, db, err := openPapers(ctx, cfg.Dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	a, err := openStore(ctx, dir, cfg.A)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	b, err := openStore(ctx, dir, cfg.B)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	texts, err := cache.Open(cachePath(dir, cfg.Embedder.Info()), cfg.Embedder)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, texts.Close()) }()
	c := comparison{cfg: cfg, db: db, a: a, b: b, texts: texts}
	return c.all(ctx)
}

type comparison struct {
	cfg         CompareConfig
	db          *paperdb.Reader
	a, b        vectors.Store
	texts       embed.Embedder
	differences []string
}

func (c *comparison) differ(format string, args ...any) {
	c.differences = append(c.differences, fmt.Sprintf(format, args...))
}

func (c *comparison) all(ctx context.Context) ([]string, error) {
	for _, name := range []string{bm25.Name, collectionOf(c.texts.Info())} {
		same, err := c.described(ctx, name)
		if err != nil {
			return nil, err
		}
		if !same {
			continue
		}
		if err := c.counts(ctx, name); err != nil {
			return nil, err
		}
		if err := c.searches(ctx, name); err != nil {
			return nil, err
		}
	}
	return c.differences, nil
}

// described compares the descriptions; false means that there is nothing further to compare.
func (c *comparison) described(ctx context.Context, name string) (bool, error) {
	a, errA := c.a.Info(ctx, name)
	b, errB := c.b.Info(ctx, name)
	goneA, goneB := errors.Is(errA, vectors.ErrNotFound), errors.Is(errB, vectors.ErrNotFound)
	switch {
	case goneA && goneB:
		c.differ("%s: in neither store", name)
	case goneA:
		c.differ("%s: only in the second store", name)
	case goneB:
		c.differ("%s: only in the first store", name)
	case errA != nil || errB != nil:
		return false, errors.Join(errA, errB)
	default:
		return c.alike(a, b), nil
	}
	return false, nil
}

// alike compares two descriptions of a collection that both stores have.
func (c *comparison) alike(a, b vectors.Collection) bool {
	switch {
	case a.Source != b.Source:
		c.differ("%s: made of other papers", a.Name)
	case a.Model != b.Model || a.ModelHash != b.ModelHash || a.Dim != b.Dim:
		c.differ("%s: made by %s and by %s", a.Name, a.Model, b.Model)
	case a.Window != b.Window:
		c.differ("%s: made with windows of %d and of %d tokens", a.Name, a.Window, b.Window)
	default:
		return true
	}
	return false
}

// counts compares the number of records of each table and column.
func (c *comparison) counts(ctx context.Context, name string) error {
	for _, at := range paperdb.Indexed() {
		filter := vectors.Filter{Table: at.Table, Column: at.Column}
		a, err := c.a.Count(ctx, name, filter)
		if err != nil {
			return err
		}
		b, err := c.b.Count(ctx, name, filter)
		if err != nil {
			return err
		}
		if a != b {
			c.differ("%s: %d and %d records of %s.%s", name, a, b, at.Table, at.Column)
		}
	}
	return nil
}

// searches compares what every n-th text finds, so that the sample is spread over all papers.
func (c *comparison) searches(ctx context.Context, name string) error {
	total := 0
	for _, err := range c.db.Cells(ctx) {
		if err != nil {
			return err
		}
		total++
	}
	every := max(1, total/max(1, c.cfg.Sample))
	query, err := c.queries(ctx, name)
	if err != nil {
		return err
	}
	i := 0
	for cell, err := range c.db.Cells(ctx) {
		if err != nil {
			return err
		}
		if i++; i%every != 0 {
			continue
		}
		q, err := query(cell)
		if err != nil {
			return err
		}
		if err := c.search(ctx, name, cell, q); err != nil {
			return err
		}
	}
	return nil
}

// queries returns what turns the text of a cell into a query of a collection.
func (c *comparison) queries(ctx context.Context, name string) (func(paperdb.Cell) (vectors.Vector, error), error) {
	if name != bm25.Name {
		return func(cell paperdb.Cell) (vectors.Vector, error) {
			v, err := c.texts.Embed(ctx, windowsOf(c.texts, cell)[:1]) // is in the cache
			if err != nil {
				return vectors.Vector{}, err
			}
			return vectors.Vector{Dense: v[0]}, nil
		}, nil
	}
	info, err := c.a.Info(ctx, name)
	if err != nil {
		return nil, err
	}
	stats := new(bm25.Stats)
	err = json.Unmarshal(info.Encoder, stats)
	return func(cell paperdb.Cell) (vectors.Vector, error) {
		return vectors.Vector{Sparse: stats.Query(cell.Text)}, nil
	}, err
}

func (c *comparison) search(ctx context.Context, name string, cell paperdb.Cell, v vectors.Vector) error {
	q := vectors.Query{Vector: v, K: c.cfg.K}
	a, err := c.a.Search(ctx, name, q)
	if err != nil {
		return err
	}
	b, err := c.b.Search(ctx, name, q)
	if err != nil {
		return err
	}
	if !sameHits(a, b) {
		c.differ("%s: the text of %s.%s %s finds other records", name, cell.Table, cell.Column, cell.Key)
	}
	return nil
}

// sameHits tells whether two lists agree: the same scores in order, and the same records but for those that tie with the
// last score, of which a store may return any.
func sameHits(a, b []vectors.Hit) bool {
	if len(a) != len(b) {
		return false
	}
	scores := make(map[vectors.Origin]float64)
	for i := range a {
		if math.Abs(a[i].Score-b[i].Score) > scoreSlack*max(1, math.Abs(a[i].Score)) {
			return false
		}
		scores[a[i].Origin] = a[i].Score
	}
	for _, h := range b {
		_, found := scores[h.Origin]
		last := a[len(a)-1].Score
		if !found && math.Abs(h.Score-last) > scoreSlack*max(1, math.Abs(last)) {
			return false
		}
	}
	return true
}
