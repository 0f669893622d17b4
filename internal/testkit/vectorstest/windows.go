package vectorstest

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"airqa/env/vectors"
)

// testWindows checks that a cell with several records is returned once, with its best record, regardless of the
// insertion order.
func testWindows(t *testing.T, s vectors.Store) {
	load(t, s, dense, denseRecord("a", 3, 4), denseRecord("a", 3, 4), denseRecord("b", 4, 3))
	check(t, s.Insert(t.Context(), "d", []vectors.Record{denseRecord("a", 1, 0), denseRecord("c", 3, 4)}))
	count(t, s, "d", vectors.Filter{}, 5)
	query := vectors.Query{Vector: numbers(1, 0), K: 9}
	same(t, []vectors.Hit{hit("a", 1), hit("b", 0.8), hit("c", 0.6)}, search(t, s, "d", query))
	query.K = 2
	same(t, []vectors.Hit{hit("a", 1), hit("b", 0.8)}, search(t, s, "d", query))
	check(t, s.Delete(t.Context(), "d", vectors.Filter{Papers: []string{"paper a"}}))
	count(t, s, "d", vectors.Filter{}, 2)
	same(t, []vectors.Hit{hit("b", 0.8), hit("c", 0.6)}, search(t, s, "d", query))

	// Cells that differ in one part of their origin are different cells.
	column, page := denseRecord("a", 4, 3), denseRecord("a", 4, 3)
	column.Column, page.Page = "page_content", 2
	load(t, s, dense, denseRecord("a", 4, 3), denseRecord("a", 0, 1), column, page, denseRecord("b", 0, 1))
	hits := search(t, s, "d", vectors.Query{Vector: numbers(4, 3), K: 9})
	if len(hits) != 4 || hits[2].Score < 1-tolerance || hits[3].Key != "b" {
		t.Errorf("got %v", hits)
	}
}

// testFewCells checks that many windows of the best cells do not crowd out the next cells, even if there are more than
// a store fetches at once.
func testFewCells(t *testing.T, s vectors.Store) {
	var records []vectors.Record
	for i := range 400 {
		records = append(records, denseRecord(fmt.Sprint(i%4), 1, float32(i)/1e4))
	}
	records = append(records, denseRecord("far", 0, 1), denseRecord("farther", -1, 0))
	load(t, s, dense, records...)
	for _, k := range []int{1, 2, 5, 6, 9} {
		hits := search(t, s, "d", vectors.Query{Vector: numbers(1, 0), K: k})
		var keys []string
		for _, h := range hits {
			keys = append(keys, h.Key)
		}
		want := []string{"0", "1", "2", "3", "far", "farther"}
		same(t, want[:min(k, len(want))], keys)
	}
}

func testWindowFilters(t *testing.T, s vectors.Store) {
	var records []vectors.Record
	for _, r := range cells() {
		records = append(records, r, r, r)
	}
	load(t, s, dense, records...)
	filter := vectors.Filter{Table: "chunks"}
	count(t, s, "d", filter, 9)
	var keys []string
	for _, h := range search(t, s, "d", vectors.Query{Vector: numbers(1, 0), K: 10, Filter: filter}) {
		keys = append(keys, h.Key)
	}
	same(t, "abd", strings.Join(keys, ""))
}

// testRandomWindows compares a store with brute force on cells of 1 to 12 records, some of them close together.
func testRandomWindows(t *testing.T, s vectors.Store) {
	c := vectors.Collection{Name: "r", Kind: vectors.Dense, Dim: 8}
	r := rand.New(rand.NewPCG(3, 4))
	draw := func(around []float32, width float64) vectors.Vector {
		v := make([]float32, 8)
		for i := range v {
			v[i] = float32(width * r.NormFloat64())
			if around != nil {
				v[i] += around[i]
			}
		}
		return vectors.Vector{Dense: v}
	}
	var records []vectors.Record
	for i := range 300 {
		o := vectors.Origin{PaperID: fmt.Sprint("p", r.IntN(9)), Page: 1 + r.IntN(5), Table: "chunks", Column: "text_content", Key: fmt.Sprintf("%03d", i)}
		first := draw(nil, 1)
		for range 1 + r.IntN(12) {
			records = append(records, vectors.Record{Origin: o, Vector: draw(first.Dense, 0.3)})
		}
	}
	r.Shuffle(len(records), func(i, j int) { records[i], records[j] = records[j], records[i] })
	load(t, s, c, records...)
	for range 50 {
		q := vectors.Query{Vector: draw(nil, 1), K: 1 + r.IntN(20)}
		switch r.IntN(3) {
		case 0:
			q.Filter = vectors.Filter{Papers: []string{fmt.Sprint("p", r.IntN(10))}, Page: r.IntN(6)}
		case 1:
			q.K = 400
		}
		compare(t, records, q, search(t, s, c.Name, q))
	}
}
