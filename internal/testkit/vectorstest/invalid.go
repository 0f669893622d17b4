package vectorstest

import (
	"math"
	"strings"
	"testing"

	"airqa/env/vectors"
)

func testInvalidCollections(t *testing.T, s vectors.Store) {
	for name, c := range map[string]vectors.Collection{
		"no name":           {Kind: vectors.Dense, Dim: 2},
		"a path":            {Name: "../d", Kind: vectors.Dense, Dim: 2},
		"a digit first":     {Name: "0d", Kind: vectors.Dense, Dim: 2},
		"a long name":       {Name: strings.Repeat("d", 300), Kind: vectors.Dense, Dim: 2},
		"no kind":           {Name: "d"},
		"no dimension":      {Name: "d", Kind: vectors.Dense},
		"a huge dimension":  {Name: "d", Kind: vectors.Dense, Dim: 1 << 20},
		"a window below 0":  {Name: "d", Kind: vectors.Dense, Dim: 2, Window: -1},
		"a dim of a sparse": {Name: "d", Kind: vectors.Sparse, Dim: 2},
	} {
		t.Run(name, func(t *testing.T) {
			wantErr(t, s.Replace(t.Context(), c, stream(nil, nil)), vectors.ErrInvalid)
		})
	}
}

func testInvalidRecords(t *testing.T, s vectors.Store) {
	check(t, s.Replace(t.Context(), dense, vectors.All(nil)))
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	with := func(change func(*vectors.Origin)) vectors.Record {
		r := denseRecord("x", 1, 2)
		change(&r.Origin)
		return r
	}
	wantRefused(t, s, dense.Name, denseRecord("good", 1, 1), []invalid{
		{"too short", denseRecord("x", 1), vectors.ErrDimension},
		{"too long", denseRecord("x", 1, 2, 3), vectors.ErrDimension},
		{"no vector", denseRecord("x"), vectors.ErrDimension},
		{"NaN", denseRecord("x", 1, nan), vectors.ErrInvalid},
		{"infinite", denseRecord("x", inf, 1), vectors.ErrInvalid},
		{"sparse for dense", sparseRecord("x", 1, 2), vectors.ErrInvalid},
		{"no key", with(func(o *vectors.Origin) { o.Key = "" }), vectors.ErrInvalid},
		{"a long key", with(func(o *vectors.Origin) { o.Key = strings.Repeat("é", 257) }), vectors.ErrInvalid},
		{"a broken key", with(func(o *vectors.Origin) { o.Key = "\xff" }), vectors.ErrInvalid},
		{"no table", with(func(o *vectors.Origin) { o.Table = "" }), vectors.ErrInvalid},
		{"a line break in the paper", with(func(o *vectors.Origin) { o.PaperID = "a\nb" }), vectors.ErrInvalid},
		{"page 0", with(func(o *vectors.Origin) { o.Page = 0 }), vectors.ErrInvalid},
		{"page 40000", with(func(o *vectors.Origin) { o.Page = 40000 }), vectors.ErrInvalid},
	})
}

func testInvalidSparse(t *testing.T, s vectors.Store) {
	check(t, s.Replace(t.Context(), sparse, vectors.All(nil)))
	nan := float32(math.NaN())
	wantRefused(t, s, sparse.Name, sparseRecord("good", 1, 1), []invalid{
		{"dense for sparse", denseRecord("x", 1, 2), vectors.ErrInvalid},
		{"empty sparse", sparseRecord("x"), vectors.ErrInvalid},
		{"negative weight", sparseRecord("x", 1, -1), vectors.ErrInvalid},
		{"NaN weight", sparseRecord("x", 1, nan), vectors.ErrInvalid},
		{"zero weight", sparseRecord("x", 1, 0), vectors.ErrInvalid},
		{"positions out of order", sparseRecord("x", 2, 1, 1, 1), vectors.ErrInvalid},
		{"a position twice", sparseRecord("x", 2, 1, 2, 1), vectors.ErrInvalid},
	})
	for _, v := range []vectors.Vector{numbers(1, 1), terms(1, -1)} {
		_, err := s.Search(t.Context(), sparse.Name, vectors.Query{Vector: v, K: 1})
		wantErr(t, err, vectors.ErrInvalid)
	}
}

type invalid struct {
	name   string
	record vectors.Record
	want   error
}

// wantRefused inserts records together with a good one.
func wantRefused(t *testing.T, s vectors.Store, collection string, good vectors.Record, tests []invalid) {
	t.Helper()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			wantErr(t, s.Insert(t.Context(), collection, []vectors.Record{good, tt.record}), tt.want)
			count(t, s, collection, vectors.Filter{}, 0)
		})
	}
}

func testInvalidQueries(t *testing.T, s vectors.Store) {
	load(t, s, dense, denseRecord("a", 1, 0))
	nan := float32(math.NaN())
	tests := []struct {
		name  string
		query vectors.Query
		want  error
	}{
		{"k 0", vectors.Query{Vector: numbers(1, 1)}, vectors.ErrInvalid},
		{"k -1", vectors.Query{Vector: numbers(1, 1), K: -1}, vectors.ErrInvalid},
		{"k over the limit", vectors.Query{Vector: numbers(1, 1), K: vectors.MaxK + 1}, vectors.ErrInvalid},
		{"too short", vectors.Query{Vector: numbers(1), K: 1}, vectors.ErrDimension},
		{"NaN", vectors.Query{Vector: numbers(1, nan), K: 1}, vectors.ErrInvalid},
		{"sparse for dense", vectors.Query{Vector: terms(1, 1), K: 1}, vectors.ErrInvalid},
		{"control character", vectors.Query{Vector: numbers(1, 1), K: 1, Filter: vectors.Filter{Table: "a\x00"}}, vectors.ErrInvalid},
		{"page -2", vectors.Query{Vector: numbers(1, 1), K: 1, Filter: vectors.Filter{Page: -2}}, vectors.ErrInvalid},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := s.Search(t.Context(), "d", tt.query)
			wantErr(t, err, tt.want)
		})
	}
	wantErr(t, s.Delete(t.Context(), "d", vectors.Filter{}), vectors.ErrInvalid)
	count(t, s, "d", vectors.Filter{}, 1)
}
