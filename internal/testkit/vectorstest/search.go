package vectorstest

import (
	"errors"
	"strings"
	"testing"

	"airqa/env/vectors"
)

func testEmpty(t *testing.T, s vectors.Store) {
	check(t, s.Replace(t.Context(), dense, vectors.All(nil)))
	same(t, []vectors.Hit{}, search(t, s, "d", vectors.Query{Vector: numbers(1, 0), K: 5}))
	count(t, s, "d", vectors.Filter{}, 0)
	check(t, s.Delete(t.Context(), "d", vectors.Filter{Table: "chunks"}))
	check(t, s.Insert(t.Context(), "d", nil))
}

func testDense(t *testing.T, s vectors.Store) {
	load(t, s, dense, denseRecord("east", 2, 0), denseRecord("north", 0, 3), denseRecord("west", -1, 0), denseRecord("zero", 0, 0))
	query := func(k int, v ...float32) []vectors.Hit {
		return search(t, s, "d", vectors.Query{Vector: numbers(v...), K: k})
	}
	same(t, []vectors.Hit{hit("east", 0.8), hit("north", 0.6), hit("zero", 0), hit("west", -0.8)}, query(10, 4, 3))
	same(t, []vectors.Hit{hit("east", 0.8), hit("north", 0.6)}, query(2, 4, 3))
	same(t, []vectors.Hit{hit("east", 0), hit("north", 0), hit("west", 0), hit("zero", 0)}, query(10, 0, 0))
}

func testSparse(t *testing.T, s vectors.Store) {
	check(t, s.Replace(t.Context(), sparse, vectors.All(nil)))
	same(t, []vectors.Hit{}, search(t, s, "s", vectors.Query{Vector: terms(1, 1), K: 5}))
	info, err := s.Info(t.Context(), "s")
	check(t, err)
	same(t, sparse, info)
	load(t, s, sparse, sparseRecord("a", 1, 2, 7, 1), sparseRecord("b", 7, 3), sparseRecord("c", 9, 1), sparseRecord("d", 4294967, 5))
	query := func(k int, v vectors.Vector) []vectors.Hit { return search(t, s, "s", vectors.Query{Vector: v, K: k}) }
	same(t, []vectors.Hit{hit("b", 6), hit("a", 4)}, query(10, terms(1, 1, 7, 2)))
	same(t, []vectors.Hit{hit("b", 6)}, query(1, terms(1, 1, 7, 2)))
	same(t, []vectors.Hit{hit("d", 2.5)}, query(10, terms(2, 1, 4294967, 0.5)))
	same(t, []vectors.Hit{}, query(10, terms(2, 1)))
	same(t, []vectors.Hit{}, query(10, terms()))
	same(t, []vectors.Hit{}, query(10, vectors.Vector{}))
}

// testTies uses only groups that K does not split.
func testTies(t *testing.T, s vectors.Store) {
	other := denseRecord("b", 3, 4)
	other.Column = "page_content"
	load(t, s, dense, denseRecord("c", 3, 4), denseRecord("b", 3, 4), denseRecord("z", 1, 0), denseRecord("a", 3, 4), other)
	want := []vectors.Hit{hit("z", 1), hit("a", 0.6), {Origin: other.Origin, Score: 0.6}, hit("b", 0.6), hit("c", 0.6)}
	for range 3 {
		same(t, want, search(t, s, "d", vectors.Query{Vector: numbers(1, 0), K: 5}))
	}
}

// cells returns records that differ in every property that a filter can test.
func cells() []vectors.Record {
	var records []vectors.Record
	add := func(key, paper, table, column string, page int) {
		r := denseRecord(key, 1, 0)
		r.Origin = vectors.Origin{PaperID: paper, Page: page, Table: table, Column: column, Key: key}
		records = append(records, r)
	}
	add("a", "p1", "chunks", "text_content", 1)
	add("b", "p1", "chunks", "text_content", 2)
	add("c", "p1", "sections", "section_content", -1)
	add("d", "p2", "chunks", "text_content", 1)
	add("e", `p"3'\ é`, "pages", "page_content", 7)
	return records
}

func testFilters(t *testing.T, s vectors.Store) {
	load(t, s, dense, cells()...)
	tests := []struct {
		name   string
		filter vectors.Filter
		want   string
	}{
		{"zero", vectors.Filter{}, "abcde"},
		{"one paper", vectors.Filter{Papers: []string{"p1"}}, "abc"},
		{"two papers", vectors.Filter{Papers: []string{"p2", "p1"}}, "abcd"},
		{"a paper twice", vectors.Filter{Papers: []string{"p2", "p2"}}, "d"},
		{"unknown paper", vectors.Filter{Papers: []string{"p9"}}, ""},
		{"quotes and accents", vectors.Filter{Papers: []string{`p"3'\ é`}}, "e"},
		{"table", vectors.Filter{Table: "chunks"}, "abd"},
		{"column", vectors.Filter{Column: "section_content"}, "c"},
		{"page", vectors.Filter{Page: 1}, "ad"},
		{"page unknown", vectors.Filter{Page: -1}, "c"},
		{"all parts", vectors.Filter{Papers: []string{"p1"}, Table: "chunks", Column: "text_content", Page: 2}, "b"},
		{"upper case", vectors.Filter{Table: "CHUNKS"}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			count(t, s, "d", tt.filter, len(tt.want))
			var keys strings.Builder
			for _, h := range search(t, s, "d", vectors.Query{Vector: numbers(1, 0), K: 10, Filter: tt.filter}) {
				keys.WriteString(h.Key)
			}
			same(t, tt.want, keys.String())
		})
	}
}

func testDelete(t *testing.T, s vectors.Store) {
	load(t, s, dense, cells()...)
	for _, step := range []struct {
		filter vectors.Filter
		left   int
	}{
		{vectors.Filter{Papers: []string{"p9"}}, 5},
		{vectors.Filter{Papers: []string{"p1"}, Table: "chunks"}, 3},
		{vectors.Filter{Page: -1}, 2},
		{vectors.Filter{Papers: []string{"p2"}}, 1},
	} {
		check(t, s.Delete(t.Context(), "d", step.filter))
		count(t, s, "d", vectors.Filter{}, step.left)
	}
	check(t, s.Insert(t.Context(), "d", cells()[:1]))
	hits := search(t, s, "d", vectors.Query{Vector: numbers(1, 0), K: 10})
	if len(hits) != 2 || hits[0].Key != "a" || hits[1].Key != "e" {
		t.Errorf("after delete and insert: got %v", hits)
	}
}

func testReplace(t *testing.T, s vectors.Store) {
	load(t, s, dense, denseRecord("old", 1, 0))
	stop := errors.New("stop")
	wantErr(t, s.Replace(t.Context(), dense, stream([]vectors.Record{denseRecord("half", 1, 0)}, stop)), stop)
	wantErr(t, s.Replace(t.Context(), dense, stream([]vectors.Record{denseRecord("short", 1)}, nil)), vectors.ErrDimension)
	same(t, []vectors.Hit{hit("old", 1)}, search(t, s, "d", vectors.Query{Vector: numbers(1, 0), K: 9}))

	wider := dense
	wider.Dim, wider.Source = 3, "newer"
	load(t, s, wider, denseRecord("new", 0, 0, 1))
	info, err := s.Info(t.Context(), "d")
	check(t, err)
	same(t, wider, info)
	same(t, []vectors.Hit{hit("new", 1)}, search(t, s, "d", vectors.Query{Vector: numbers(0, 0, 2), K: 9}))
}
