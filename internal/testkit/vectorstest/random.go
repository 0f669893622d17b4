package vectorstest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"airqa/env/vectors"
)

// tolerance is the allowed difference between two stores' scores, relative for scores above 1.
const tolerance = 1e-6

func testRandomDense(t *testing.T, s vectors.Store) {
	c := vectors.Collection{Name: "r", Kind: vectors.Dense, Dim: 8}
	testRandom(t, s, c, func(r *rand.Rand) vectors.Vector {
		v := make([]float32, 8)
		for i := range v {
			v[i] = float32(r.NormFloat64())
		}
		return vectors.Vector{Dense: v}
	})
}

func testRandomSparse(t *testing.T, s vectors.Store) {
	c := vectors.Collection{Name: "r", Kind: vectors.Sparse}
	testRandom(t, s, c, func(r *rand.Rand) vectors.Vector {
		var v vectors.Vector
		for p := uint32(0); p < 40; p += 1 + r.Uint32N(9) {
			v.Sparse = append(v.Sparse, vectors.Term{Position: p, Weight: r.Float32() + 0.1})
		}
		return v
	})
}

// testRandom compares a store with brute force on 500 records.
func testRandom(t *testing.T, s vectors.Store, c vectors.Collection, draw func(*rand.Rand) vectors.Vector) {
	r := rand.New(rand.NewPCG(1, 2))
	records := make([]vectors.Record, 500)
	for i := range records {
		o := vectors.Origin{PaperID: fmt.Sprint("p", r.IntN(9)), Page: 1 + r.IntN(5), Table: "chunks", Column: "text_content", Key: fmt.Sprintf("%03d", i)}
		records[i] = vectors.Record{Origin: o, Vector: draw(r)}
	}
	load(t, s, c, records...)
	for range 50 {
		q := vectors.Query{Vector: draw(r), K: 1 + r.IntN(20)}
		if r.IntN(2) == 0 {
			q.Filter = vectors.Filter{Papers: []string{fmt.Sprint("p", r.IntN(10))}, Page: r.IntN(6)}
		}
		compare(t, records, q, search(t, s, c.Name, q))
	}
}

// compare checks hits against the exact scores of all cells, whose keys differ. A cell within the tolerance of the last
// hit's score may be missing.
func compare(t *testing.T, records []vectors.Record, q vectors.Query, hits []vectors.Hit) {
	t.Helper()
	exact := exactScores(records, q)
	if want := min(q.K, len(exact)); len(hits) != want {
		t.Fatalf("got %d hits, want %d", len(hits), want)
	}
	if !slices.IsSortedFunc(hits, vectors.Compare) {
		t.Errorf("hits are not in order: %v", hits)
	}
	for _, h := range hits {
		score, ok := exact[h.Key]
		if !ok || math.Abs(score-h.Score) > tolerance*max(1, math.Abs(score)) {
			t.Errorf("%s: got score %v, want %v", h.Key, h.Score, score)
		}
		delete(exact, h.Key)
	}
	for key, score := range exact {
		if last := hits[len(hits)-1].Score; score > last+2*tolerance*max(1, math.Abs(score)) {
			t.Errorf("%s with score %v is missing; the last hit has %v", key, score, last)
		}
	}
}

// exactScores computes the score of every matching cell: the score of its best record.
func exactScores(records []vectors.Record, q vectors.Query) map[string]float64 {
	exact := make(map[string]float64)
	for _, r := range records {
		score, ok := Score(q.Vector, r.Vector)
		if best, seen := exact[r.Key]; ok && q.Filter.Match(r.Origin) && (!seen || score > best) {
			exact[r.Key] = score
		}
	}
	return exact
}

// Score is the reference definition: cosine or inner product in float64. It reports false for sparse vectors without a
// common position.
func Score(query, record vectors.Vector) (float64, bool) {
	if query.Dense == nil {
		return inner(query.Sparse, record.Sparse)
	}
	var dot, a, b float64
	for i, x := range query.Dense {
		y := record.Dense[i]
		dot += float64(x) * float64(y)
		a += float64(x) * float64(x)
		b += float64(y) * float64(y)
	}
	if a == 0 || b == 0 {
		return 0, true
	}
	return dot / math.Sqrt(a) / math.Sqrt(b), true
}

func inner(query, record []vectors.Term) (float64, bool) {
	sum, common := 0.0, false
	for _, q := range query {
		for _, r := range record {
			if q.Position == r.Position {
				sum += float64(q.Weight) * float64(r.Weight)
				common = true
			}
		}
	}
	return sum, common
}

// testConcurrent searches while a writer adds to another collection.
func testConcurrent(t *testing.T, s vectors.Store) {
	load(t, s, coded, cells()...)
	check(t, s.Replace(t.Context(), dense, vectors.All(nil)))
	want := search(t, s, "e", vectors.Query{Vector: numbers(1, 0), K: 10})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 25 {
				hits, err := s.Search(t.Context(), "e", vectors.Query{Vector: numbers(1, 0), K: 10})
				if err != nil || !slices.Equal(want, hits) {
					t.Errorf("got %v, %v", hits, err)
				}
			}
		})
	}
	for i := range 10 {
		check(t, s.Insert(t.Context(), "d", []vectors.Record{denseRecord(fmt.Sprint(i), 1, float32(i))}))
	}
	wg.Wait()
	count(t, s, "d", vectors.Filter{}, 10)
}
