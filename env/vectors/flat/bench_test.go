package flat

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"airqa/env/vectors"
)

func random(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }

// many yields n vectors, 600 per paper; each coordinate is the sum of four uniform numbers.
func many(n, dim int) iter.Seq2[vectors.Record, error] {
	r := random(1)
	return func(yield func(vectors.Record, error) bool) {
		v := make([]float32, dim)
		for i := range n {
			for j := range v {
				x := r.Uint64()
				v[j] = float32(int64(x&0xffff+x>>16&0xffff+x>>32&0xffff+x>>48) - 2*0xffff)
			}
			o := vectors.Origin{PaperID: fmt.Sprintf("paper %04d", i/600), Page: 1 + i%20, Table: "chunks", Column: "text_content", Key: fmt.Sprintf("%036d", i)}
			if !yield(vectors.Record{Origin: o, Vector: vectors.Vector{Dense: v}}, nil) {
				return
			}
		}
	}
}

// size is n records, or a hundredth of them with -short.
func size(n int) int {
	if testing.Short() {
		return n / 100
	}
	return n
}

// makeLarge writes a collection of n x 384.
func makeLarge(b *testing.B, n int) (dir string) {
	dir = b.TempDir()
	s, err := Open(dir, 0)
	if err != nil {
		b.Fatal(err)
	}
	c := vectors.Collection{Name: "d", Kind: vectors.Dense, Dim: 384}
	if err := s.Replace(context.Background(), c, many(n, 384)); err != nil {
		b.Fatal(err)
	}
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
	return dir
}

// large opens a collection of 300,000 x 384.
func large(b *testing.B) *collection {
	c, err := openCollection(filepath.Join(makeLarge(b, size(300_000)), "d"), 0)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = c.release() })
	return c
}

func BenchmarkSearch300k(b *testing.B) {
	c := large(b)
	five := vectors.Filter{Papers: []string{"paper 0003", "paper 0100", "paper 0222", "paper 0333", "paper 0499"}}
	runs := []struct {
		name   string
		path   path
		filter vectors.Filter
	}{{"float32", exactOnly, vectors.Filter{}}, {"int8", byCost, vectors.Filter{}}, {"5 papers", byCost, five}, {"by page", byCost, vectors.Filter{Page: 3}}}
	for _, k := range kernels() {
		for _, r := range runs {
			for _, cores := range []int{1, 2} {
				b.Run(fmt.Sprintf("%s/%s/cores=%d", r.name, k.name, cores), func(b *testing.B) {
					searchMany(b, c, engine{kernel: k, gate: make(gate, cores), path: r.path}, r.filter)
				})
			}
		}
	}
}

// BenchmarkSearch32 measures a search with 32 in flight on two cores.
func BenchmarkSearch32(b *testing.B) {
	c := large(b)
	e := engine{kernel: kernels()[0], gate: make(gate, 2)}
	q := questions(b, vectors.Filter{})
	b.ResetTimer()
	b.SetParallelism(max(1, 32/runtime.GOMAXPROCS(0)))
	b.RunParallel(func(pb *testing.PB) {
		for i := 0; pb.Next(); i++ {
			if hits, err := c.search(b.Context(), e, q[i%len(q)]); err != nil || len(hits) != 5 {
				b.Error(hits, err)
				return
			}
		}
	})
}

// questions are vectors that are not in the collection.
func questions(b *testing.B, f vectors.Filter) []vectors.Query {
	var queries []vectors.Query
	for r, err := range many(50, 384) {
		if err != nil {
			b.Fatal(err)
		}
		q := make([]float32, 384)
		for j := range q {
			q[j] = r.Dense[len(q)-1-j]
		}
		queries = append(queries, vectors.Query{Vector: vectors.Vector{Dense: q}, K: 5, Filter: f})
	}
	return queries
}

// searchMany uses a different question each time. The fastest search shows the cost on an idle machine.
func searchMany(b *testing.B, c *collection, e engine, f vectors.Filter) {
	queries := questions(b, f)
	for _, q := range queries[:3] {
		if _, err := c.search(b.Context(), e, q); err != nil {
			b.Fatal(err)
		}
	}
	best := time.Hour
	for i := 0; b.Loop(); i++ {
		start := time.Now()
		if hits, err := c.search(b.Context(), e, queries[i%50]); err != nil || len(hits) != 5 {
			b.Fatal(hits, err)
		}
		best = min(best, time.Since(start))
	}
	b.ReportMetric(float64(best.Nanoseconds()), "best-ns")
}

// BenchmarkOpen measures the time from a closed file to the first result.
func BenchmarkOpen(b *testing.B) {
	papers := vectors.Filter{Papers: []string{"paper 0000"}}
	q := questions(b, vectors.Filter{})[0]
	for _, n := range []int{3000, 30_000, 300_000} {
		n = size(n)
		dir := makeLarge(b, n)
		reopen := func(b *testing.B, use func(*Store) error) {
			for b.Loop() {
				s, err := Open(dir, 0)
				if err == nil {
					err = errors.Join(use(s), s.Close())
				}
				if err != nil {
					b.Fatal(err)
				}
			}
		}
		b.Run(fmt.Sprintf("%d/count", n), func(b *testing.B) {
			reopen(b, func(s *Store) error { _, err := s.Count(b.Context(), "d", papers); return err })
		})
		b.Run(fmt.Sprintf("%d/search", n), func(b *testing.B) {
			reopen(b, func(s *Store) error { _, err := s.Search(b.Context(), "d", q); return err })
		})
	}
}
