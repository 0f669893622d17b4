package index

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"

	"airqa/env/datadir"
	"airqa/env/embed"
	"airqa/env/paperdb"
	"airqa/env/vectors"
	"airqa/env/vectors/bm25"
	"airqa/env/vectors/milvus"
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

// Comparison is the result of [Compare].
type Comparison struct {
	// Differences has a line for each difference that was found.
	Differences []string
	// Approximate is the description of the collection with an approximate index, with its Recall; nil if both are exact.
	Approximate *vectors.Collection
}

// Compare finds how the collections of two stores differ: their metadata, the number of records per table and column,
// and the hits for a sample of texts. Hits with equal scores may come in any order. If one of the stores has an approximate
// index, its recall is measured, and recorded with the collection.
func Compare(ctx context.Context, cfg CompareConfig) (result Comparison, err error) {
	dir, db, err := OpenPapers(ctx, cfg.Dir)
	if err != nil {
		return result, err
	}
	defer func() { err = errors.Join(err, db.Close(), dir.Release()) }()
	a, err := OpenStore(ctx, dir, cfg.A)
	if err != nil {
		return result, err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	b, err := OpenStore(ctx, dir, cfg.B)
	if err != nil {
		return result, err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	c := &comparison{cfg: cfg, dir: dir, db: db, a: a, b: b}
	err = c.all(ctx)
	return c.Comparison, err
}

type comparison struct {
	Comparison
	cfg     CompareConfig
	dir     *datadir.Dir
	db      *paperdb.Reader
	a, b    vectors.Store
	counted bool // whether the collections have the same number of records
	// approximate is a store with an approximate index, and exact the other one; nil if both are exact.
	approximate *milvus.Store
	exact       vectors.Store
}

func (c *comparison) differ(format string, args ...any) {
	c.Differences = append(c.Differences, fmt.Sprintf(format, args...))
}

func (c *comparison) all(ctx context.Context) error {
	for _, name := range []string{bm25.Name, CollectionOf(c.cfg.Embedder.Info())} {
		same, err := c.compareInfo(ctx, name)
		if err != nil {
			return err
		}
		if !same {
			continue
		}
		if c.counted {
			err = c.compareCounts(ctx, name)
		}
		if err == nil && c.approximate != nil {
			err = c.recall(ctx, name)
		} else if err == nil {
			err = c.compareSearches(ctx, name)
		}
		if err != nil {
			return err
		}
	}
	return nil
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
		return c.chooseExact(a, b), nil
	}
	return false, nil
}

// chooseExact finds the store with an approximate index. It reports false if both have one.
func (c *comparison) chooseExact(a, b vectors.Collection) bool {
	switch {
	case a.Index != "" && b.Index != "":
		c.differ("%s: both stores have an approximate index; compare each with one that is exact", a.Name)
		return false
	case a.Index != "":
		c.approximate, c.exact = c.a.(*milvus.Store), c.b
	case b.Index != "":
		c.approximate, c.exact = c.b.(*milvus.Store), c.a
	}
	return true
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
	var in [2]queries
	slack := scoreSlack
	for i, store := range []vectors.Store{c.a, c.b} {
		var drift float64
		var err error
		if in[i], drift, err = c.queries(ctx, store, name); err != nil {
			return err
		}
		slack += drift
	}
	for cell, err := range c.sample(ctx) {
		if err != nil {
			return err
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

// sample yields every n-th cell.
func (c *comparison) sample(ctx context.Context) iter.Seq2[paperdb.Cell, error] {
	return func(yield func(paperdb.Cell, error) bool) {
		total, err := c.db.CountCells(ctx, nil)
		if err != nil {
			yield(paperdb.Cell{}, err)
			return
		}
		i, every := 0, max(1, total/max(1, c.cfg.Sample))
		for cell, err := range c.db.Cells(ctx, nil) {
			if i++; (err != nil || i%every == 0) && !yield(cell, err) {
				return
			}
		}
	}
}

// queries turns the text of a cell into a query.
type queries func(paperdb.Cell) (vectors.Vector, error)

// queries also returns how far scores may be from the exact ones.
func (c *comparison) queries(ctx context.Context, store vectors.Store, name string) (queries, float64, error) {
	if name != bm25.Name {
		return func(cell paperdb.Cell) (vectors.Vector, error) { return c.vector(ctx, name, cell) }, 0, nil
	}
	info, err := store.Info(ctx, name)
	if err != nil {
		return nil, 0, err
	}
	k, err := KeywordsOf(info, store)
	if err != nil {
		return nil, 0, err
	}
	return func(cell paperdb.Cell) (vectors.Vector, error) { return k.Query(ctx, cell.Text) }, k.drift(), nil
}

// vector returns a stored vector of a cell, so that nothing is embedded. Only servers of earlier versions of the program have
// none to return.
func (c *comparison) vector(ctx context.Context, name string, cell paperdb.Cell) (v vectors.Vector, err error) {
	for _, store := range []vectors.Store{c.a, c.b} {
		err := store.(interface {
			Vectors(ctx context.Context, name string, papers []string, use func(vectors.Record) error) error
		}).Vectors(ctx, name, []string{cell.PaperID}, func(r vectors.Record) error {
			if v.Dense == nil && r.Origin == OriginOf(cell) {
				v.Dense = slices.Clone(r.Dense)
			}
			return nil
		})
		if v.Dense != nil || err != nil {
			return v, err
		}
	}
	made, err := c.cfg.Embedder.Embed(ctx, WindowsOf(c.cfg.Embedder, cell)[:1])
	if err != nil {
		return v, err
	}
	return vectors.Vector{Dense: made[0]}, nil
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
