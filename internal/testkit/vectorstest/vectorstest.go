// Package vectorstest is the conformance suite for implementations of [vectors.Store]. Start from [Run]. It expects
// exact search, with a tolerance of 1e-6 on scores, and accepts any choice among records whose scores differ by less.
package vectorstest

import (
	"errors"
	"iter"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"airqa/env/vectors"
)

// Opener opens the store that belongs to dir, which is initially empty. After the store is closed, a second call with
// the same dir opens it again.
type Opener func(t *testing.T, dir string) vectors.Store

type test struct {
	name string
	run  func(t *testing.T, s vectors.Store)
}

// Run runs the suite on dense collections. Each subtest has its own store.
func Run(t *testing.T, open Opener) {
	runAll(t, open, []test{
		{"describe", testDescribe},
		{"unknown collection", testUnknown},
		{"invalid collections", testInvalidCollections},
		{"invalid records", testInvalidRecords},
		{"invalid queries", testInvalidQueries},
		{"empty collection", testEmpty},
		{"dense scores", testDense},
		{"ties", testTies},
		{"windows", testWindows},
		{"windows of few cells", testFewCells},
		{"windows and filters", testWindowFilters},
		{"filters", testFilters},
		{"delete", testDelete},
		{"replace", testReplace},
		{"random dense", testRandomDense},
		{"random windows", testRandomWindows},
		{"concurrent searches", testConcurrent},
	})
	t.Run("reopen", func(t *testing.T) { testReopen(t, open) })
}

// RunSparse runs the tests of sparse collections.
func RunSparse(t *testing.T, open Opener) {
	runAll(t, open, []test{
		{"scores of sparse vectors", testSparse},
		{"invalid sparse vectors", testInvalidSparse},
		{"random sparse vectors", testRandomSparse},
	})
}

func runAll(t *testing.T, open Opener, tests []test) {
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := open(t, t.TempDir())
			tt.run(t, s)
			check(t, s.Close())
		})
	}
}

var (
	dense  = vectors.Collection{Name: "d", Kind: vectors.Dense, Dim: 2, Model: "m", ModelHash: "h", Window: 254, Source: "f"}
	coded  = vectors.Collection{Name: "e", Kind: vectors.Dense, Dim: 2, Model: "m", Encoder: []byte{0, 1, 255}}
	sparse = vectors.Collection{Name: "s", Kind: vectors.Sparse, Model: "bm25", Encoder: []byte{0, 1, 255}}
)

func testDescribe(t *testing.T, s vectors.Store) {
	for _, c := range []vectors.Collection{coded, dense} {
		check(t, s.Replace(t.Context(), c, vectors.All(nil)))
		info, err := s.Info(t.Context(), c.Name)
		check(t, err)
		same(t, c, info)
	}
	list, err := s.List(t.Context())
	check(t, err)
	if diff := cmp.Diff([]vectors.Collection{dense, coded}, list, cmpopts.IgnoreFields(vectors.Collection{}, "Encoder")); diff != "" {
		t.Errorf("list (-want +got):\n%s", diff)
	}
}

func testUnknown(t *testing.T, s vectors.Store) {
	for _, name := range []string{"no", "", "../d", "d/e", "0"} {
		_, err := s.Info(t.Context(), name)
		wantErr(t, err, vectors.ErrNotFound)
		_, err = s.Search(t.Context(), name, vectors.Query{K: 1})
		wantErr(t, err, vectors.ErrNotFound)
		_, err = s.Count(t.Context(), name, vectors.Filter{})
		wantErr(t, err, vectors.ErrNotFound)
		wantErr(t, s.Insert(t.Context(), name, nil), vectors.ErrNotFound)
		wantErr(t, s.Delete(t.Context(), name, vectors.Filter{Table: "chunks"}), vectors.ErrNotFound)
	}
}

func testReopen(t *testing.T, open Opener) {
	dir := t.TempDir()
	s := open(t, dir)
	load(t, s, coded, denseRecord("a", 3, 4))
	load(t, s, dense, denseRecord("a", 1, 0))
	check(t, s.Insert(t.Context(), dense.Name, []vectors.Record{denseRecord("b", 0, 1)}))
	check(t, s.Delete(t.Context(), dense.Name, vectors.Filter{Papers: []string{"paper a"}}))
	check(t, s.Close())

	s = open(t, dir)
	for _, c := range []vectors.Collection{coded, dense} {
		info, err := s.Info(t.Context(), c.Name)
		check(t, err)
		same(t, c, info)
	}
	same(t, []vectors.Hit{hit("b", 1)}, search(t, s, "d", vectors.Query{Vector: numbers(0, 3), K: 9}))
	same(t, []vectors.Hit{hit("a", 0.6)}, search(t, s, "e", vectors.Query{Vector: numbers(1, 0), K: 9}))
	check(t, s.Close())
}

// origin returns the cell of the record with the given key; its paper is "paper " and the key.
func origin(key string) vectors.Origin {
	return vectors.Origin{PaperID: "paper " + key, Page: 1, Table: "chunks", Column: "text_content", Key: key}
}

func numbers(v ...float32) vectors.Vector { return vectors.Vector{Dense: v} }

func denseRecord(key string, v ...float32) vectors.Record {
	return vectors.Record{Origin: origin(key), Vector: numbers(v...)}
}

func sparseRecord(key string, pairs ...float32) vectors.Record {
	return vectors.Record{Origin: origin(key), Vector: terms(pairs...)}
}

// terms makes a sparse vector from pairs of position and weight.
func terms(pairs ...float32) vectors.Vector {
	v := vectors.Vector{Sparse: []vectors.Term{}}
	for i := 0; i < len(pairs); i += 2 {
		v.Sparse = append(v.Sparse, vectors.Term{Position: uint32(pairs[i]), Weight: pairs[i+1]})
	}
	return v
}

func hit(key string, score float64) vectors.Hit {
	return vectors.Hit{Origin: origin(key), Score: score}
}

// load makes a collection of records.
func load(t *testing.T, s vectors.Store, c vectors.Collection, records ...vectors.Record) {
	t.Helper()
	check(t, s.Replace(t.Context(), c, stream(records, nil)))
}

// stream yields records, then err unless it is nil.
func stream(records []vectors.Record, err error) iter.Seq2[vectors.Record, error] {
	return func(yield func(vectors.Record, error) bool) {
		for _, r := range records {
			if !yield(r, nil) {
				return
			}
		}
		if err != nil {
			yield(vectors.Record{}, err)
		}
	}
}

func search(t *testing.T, s vectors.Store, name string, q vectors.Query) []vectors.Hit {
	t.Helper()
	hits, err := s.Search(t.Context(), name, q)
	check(t, err)
	return hits
}

func count(t *testing.T, s vectors.Store, name string, f vectors.Filter, want int) {
	t.Helper()
	got, err := s.Count(t.Context(), name, f)
	check(t, err)
	if got != want {
		t.Errorf("count with %+v: got %d, want %d", f, got, want)
	}
}

// same compares with a tolerance on scores and treats nil as empty.
func same(t *testing.T, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.EquateApprox(1e-6, 1e-6), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantErr(t *testing.T, got, want error) {
	t.Helper()
	if !errors.Is(got, want) {
		t.Errorf("got error %v, want %v", got, want)
	}
}
