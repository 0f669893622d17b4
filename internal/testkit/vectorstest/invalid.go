package vectorstest

import (
	"math"
	"strings"
	"testing"

	"airqa/env/vectors"
)

func testInvalidCollections(t *testing.T, s vectors.Store) {
	for name, c := range map[string]vectors.Collection{
		"no name":           {Kind: vectors.Sparse},
		"a path":            {Name: "../d", Kind: vectors.Sparse},
		"a digit first":     {Name: "0d", Kind: vectors.Sparse},
		"a long name":       {Name: strings.Repeat("d", 300), Kind: vectors.Sparse},
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
	check(t, s.Replace(t.Context(), sparse, vectors.All(nil)))
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	with := func(change func(*vectors.Origin)) vectors.Record {
		r := denseRecord("x", 1, 2)
		change(&r.Origin)
		return r
	}
	tests := []struct {
		name, collection string
		record           vectors.Record
		want             error
	}{
		{"too short", "d", denseRecord("x", 1), vectors.ErrDimension},
		{"too long", "d", denseRecord("x", 1, 2, 3), vectors.ErrDimension},
		{"no vector", "d", denseRecord("x"), vectors.ErrDimension},
		{"NaN", "d", denseRecord("x", 1, nan), vectors.ErrInvalid},
		{"infinite", "d", denseRecord("x", inf, 1), vectors.ErrInvalid},
		{"sparse for dense", "d", sparseRecord("x", 1, 2), vectors.ErrInvalid},
		{"dense for sparse", "s", denseRecord("x", 1, 2), vectors.ErrInvalid},
		{"empty sparse", "s", sparseRecord("x"), vectors.ErrInvalid},
		{"negative weight", "s", sparseRecord("x", 1, -1), vectors.ErrInvalid},
		{"NaN weight", "s", sparseRecord("x", 1, nan), vectors.ErrInvalid},
		{"zero weight", "s", sparseRecord("x", 1, 0), vectors.ErrInvalid},
		{"positions out of order", "s", sparseRecord("x", 2, 1, 1, 1), vectors.ErrInvalid},
		{"a position twice", "s", sparseRecord("x", 2, 1, 2, 1), vectors.ErrInvalid},
		{"no key", "d", with(func(o *vectors.Origin) { o.Key = "" }), vectors.ErrInvalid},
		{"a long key", "d", with(func(o *vectors.Origin) { o.Key = strings.Repeat("é", 257) }), vectors.ErrInvalid},
		{"a broken key", "d", with(func(o *vectors.Origin) { o.Key = "\xff" }), vectors.ErrInvalid},
		{"no table", "d", with(func(o *vectors.Origin) { o.Table = "" }), vectors.ErrInvalid},
		{"a line break in the paper", "d", with(func(o *vectors.Origin) { o.PaperID = "a\nb" }), vectors.ErrInvalid},
		{"page 0", "d", with(func(o *vectors.Origin) { o.Page = 0 }), vectors.ErrInvalid},
		{"page 40000", "d", with(func(o *vectors.Origin) { o.Page = 40000 }), vectors.ErrInvalid},
	}
	good := map[string]vectors.Record{"d": denseRecord("good", 1, 1), "s": sparseRecord("good", 1, 1)}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			wantErr(t, s.Insert(t.Context(), tt.collection, []vectors.Record{good[tt.collection], tt.record}), tt.want)
			count(t, s, tt.collection, vectors.Filter{}, 0)
		})
	}
}

func testInvalidQueries(t *testing.T, s vectors.Store) {
	load(t, s, dense, denseRecord("a", 1, 0))
	load(t, s, sparse, sparseRecord("a", 1, 1))
	nan := float32(math.NaN())
	tests := []struct {
		name, collection string
		query            vectors.Query
		want             error
	}{
		{"k 0", "s", vectors.Query{Vector: terms(1, 1)}, vectors.ErrInvalid},
		{"k -1", "s", vectors.Query{Vector: terms(1, 1), K: -1}, vectors.ErrInvalid},
		{"k over the limit", "s", vectors.Query{Vector: terms(1, 1), K: vectors.MaxK + 1}, vectors.ErrInvalid},
		{"too short", "d", vectors.Query{Vector: vectors.Vector{Dense: []float32{1}}, K: 1}, vectors.ErrDimension},
		{"NaN", "d", vectors.Query{Vector: vectors.Vector{Dense: []float32{1, nan}}, K: 1}, vectors.ErrInvalid},
		{"sparse for dense", "d", vectors.Query{Vector: terms(1, 1), K: 1}, vectors.ErrInvalid},
		{"dense for sparse", "s", vectors.Query{Vector: vectors.Vector{Dense: []float32{1, 1}}, K: 1}, vectors.ErrInvalid},
		{"negative weight", "s", vectors.Query{Vector: terms(1, -1), K: 1}, vectors.ErrInvalid},
		{"control character", "s", vectors.Query{Vector: terms(1, 1), K: 1, Filter: vectors.Filter{Table: "a\x00"}}, vectors.ErrInvalid},
		{"page -2", "s", vectors.Query{Vector: terms(1, 1), K: 1, Filter: vectors.Filter{Page: -2}}, vectors.ErrInvalid},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := s.Search(t.Context(), tt.collection, tt.query)
			wantErr(t, err, tt.want)
		})
	}
	wantErr(t, s.Delete(t.Context(), "s", vectors.Filter{}), vectors.ErrInvalid)
	count(t, s, "s", vectors.Filter{}, 1)
}
