package env

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"

	"airqa/env/embed"
	"airqa/env/paperdb"
	"airqa/env/vectors"
	"airqa/env/vectors/bm25"
)

// scoreSlack is the tolerance between two stores' scores of one record: both compute in float32, but in a different
// order. The drift of BM25 statistics on a server is added.
const scoreSlack = 1e-4

// CompareConfig selects two vector stores of a data directory. A and B are URLs of Milvus servers; an empty URL means
// the directory's own files.
type CompareConfig struct {
	Dir      string
	A, B     string
	Embedder embed.Embedder
	// Sample is the number of texts to search for in both stores, K the number of hits to compare.
	Sample, K int
}

// Compare lists how the collections of two stores differ: their metadata, the number of records per table and column,
// and the hits for a sample of texts. Hits with equal scores may come in any order. An empty list means that no
// difference was found.
func Compare(ctx context.Context, cfg CompareConfig) (differences []string, err error) {
	dir, db, err := openPapers(ctx, cfg.Dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close(), dir.Release()) }()
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
	texts, err := embed.OpenCache(cachePath(dir, cfg.Embedder.Info()), cfg.Embedder, func(int) {})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, texts.Close()) }()
	return (&comparison{cfg: cfg, db: db, a: a, b: b, texts: texts}).all(ctx)
}

type comparison struct {
	cfg         CompareConfig
	db          *paperdb.Reader
	a, b        vectors.Store
	texts       embed.Embedder
	counted     bool // whether the collections have the same number of records
	differences []string
}

func (c *comparison) differ(format string, args ...any) {
	c.differences = append(c.differences, fmt.Sprintf(format, args...))
}

func (c *comparison) all(ctx context.Context) ([]string, error) {
	for _, name := range []string{bm25.Name, collectionOf(c.texts.Info())} {
		same, err := c.compareInfo(ctx, name)
		if err != nil {
			return nil, err
		}
		if !same {
			continue
		}
		if c.counted {
			err = c.compareCounts(ctx, name)
		}
		if err == nil {
			err = c.compareSearches(ctx, name)
		}
		if err != nil {
			return nil, err
		}
	}
	return c.differences, nil
}

// compareInfo compares the metadata of a collection and reports whether to compare its contents, too.
func (c *comparison) compareInfo(ctx context.Context, name string) (bool, error) {
	a, errA := c.a.Info(ctx, name)
	b, errB := c.b.Info(ctx, name)
	err := errors.Join(errA, errB)
	goneA, goneB := errors.Is(errA, vectors.ErrNotFound), errors.Is(errB, vectors.ErrNotFound)
	switch {
	case goneA && goneB:
		c.differ("%s: in neither store", name)
	case goneA:
		c.differ("%s: only in the second store", name)
	case goneB:
		c.differ("%s: only in the first store", name)
	case err != nil:
		return false, err
	case a.Source != b.Source:
		c.differ("%s: built from different papers", name)
	case a.Model != b.Model || a.ModelHash != b.ModelHash || a.Dim != b.Dim:
		c.differ("%s: built with %s and with %s", name, a.Model, b.Model)
	case a.Window != b.Window:
		c.differ("%s: built with windows of %d and of %d tokens", name, a.Window, b.Window)
	default:
		// A server has no records of passages without words. They match no query in the files, either.
		c.counted = a.Kind == b.Kind
		return true, nil
	}
	return false, nil
}

func (c *comparison) compareCounts(ctx context.Context, name string) error {
	for _, at := range paperdb.Indexed() {
		filter := vectors.Filter{Table: at.Table, Column: at.Column}
		a, errA := c.a.Count(ctx, name, filter)
		b, errB := c.b.Count(ctx, name, filter)
		if err := cmp.Or(errA, errB); err != nil {
			return err
		}
		if a != b {
			c.differ("%s: %d and %d records of %s.%s", name, a, b, at.Table, at.Column)
		}
	}
	return nil
}

// compareSearches compares the hits for every n-th text, which spreads the sample over all papers.
func (c *comparison) compareSearches(ctx context.Context, name string) error {
	total, err := c.db.CountCells(ctx, nil)
	if err != nil {
		return err
	}
	every := max(1, total/max(1, c.cfg.Sample))
	var in [2]queries
	slack := scoreSlack
	for i, store := range []vectors.Store{c.a, c.b} {
		var drift float64
		if in[i], drift, err = c.queries(ctx, store, name); err != nil {
			return err
		}
		slack += drift
	}
	i := 0
	for cell, err := range c.db.Cells(ctx, nil) {
		if err != nil {
			return err
		}
		if i++; i%every != 0 {
			continue
		}
		same, err := c.search(ctx, name, cell, in, slack)
		if err != nil {
			return err
		}
		if !same {
			c.differ("%s: the text of %s.%s %s finds different records", name, cell.Table, cell.Column, cell.Key)
		}
	}
	return nil
}

// queries turns the text of a cell into a query.
type queries func(paperdb.Cell) (vectors.Vector, error)

// queries also returns how far scores may be from the exact ones.
func (c *comparison) queries(ctx context.Context, store vectors.Store, name string) (queries, float64, error) {
	if name != bm25.Name {
		return func(cell paperdb.Cell) (vectors.Vector, error) {
			v, err := c.texts.Embed(ctx, windowsOf(c.texts, cell)[:1]) // a cache hit, at the latest for the second store
			if err != nil {
				return vectors.Vector{}, err
			}
			return vectors.Vector{Dense: v[0]}, nil
		}, 0, nil
	}
	info, err := store.Info(ctx, name)
	if err != nil {
		return nil, 0, err
	}
	k, err := keywordsOf(info)
	if err != nil {
		return nil, 0, err
	}
	return func(cell paperdb.Cell) (vectors.Vector, error) { return k.query(cell.Text), nil }, k.drift(), nil
}

// search reports whether both stores find the same records for a cell.
func (c *comparison) search(ctx context.Context, name string, cell paperdb.Cell, in [2]queries, slack float64) (bool, error) {
	var hits [2][]vectors.Hit
	for i, store := range []vectors.Store{c.a, c.b} {
		v, err := in[i](cell)
		if err != nil {
			return false, err
		}
		if hits[i], err = store.Search(ctx, name, vectors.Query{Vector: v, K: c.cfg.K}); err != nil {
			return false, err
		}
	}
	return sameHits(hits[0], hits[1], slack), nil
}

// sameHits reports whether two lists agree: scores in order that differ by at most slack, relative above 1, and the same
// records. Records that tie with the last score may differ, since a store may return any of them.
func sameHits(a, b []vectors.Hit, slack float64) bool {
	if len(a) != len(b) {
		return false
	}
	known := make(map[vectors.Origin]bool)
	for i := range a {
		if math.Abs(a[i].Score-b[i].Score) > slack*max(1, math.Abs(a[i].Score)) {
			return false
		}
		known[a[i].Origin] = true
	}
	for _, h := range b {
		last := a[len(a)-1].Score
		if !known[h.Origin] && math.Abs(h.Score-last) > slack*max(1, math.Abs(last)) {
			return false
		}
	}
	return true
}
