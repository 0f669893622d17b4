package flat

import (
	"errors"
	"fmt"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"airqa/env/vectors"
	"airqa/internal/testkit"
)

// The collections of the tests of segments.
var (
	chunks      = vectors.Column{Table: "chunks", Column: "text"}
	wordsOf     = vectors.Collection{Name: "w", Kind: vectors.Words, Corpus: chunks}
	denseOf     = vectors.Collection{Name: "d", Kind: vectors.Dense, Dim: 2}
	collections = []vectors.Collection{wordsOf, denseOf}
)

// paperOf draws the records of a paper, of both kinds: few words, keys and numbers, so that equal scores are common. A
// cell may have several records, which are neighbours.
func paperOf(t *rapid.T, id string) map[string][]vectors.Record {
	list := make(map[string][]vectors.Record)
	for i := range rapid.IntRange(1, 6).Draw(t, "cells") {
		o := vectors.Origin{PaperID: id, Page: 1, Table: "chunks", Column: "text", Key: fmt.Sprint(id, i)}
		if rapid.IntRange(0, 2).Draw(t, "page") == 0 {
			o.Table = "pages"
		}
		var bag []vectors.Word
		for _, w := range []string{"a", "b", "c", "d", "e"} {
			if n := rapid.IntRange(0, 3).Draw(t, w); n > 0 {
				bag = append(bag, vectors.Word{Text: w, Count: n + 1})
			}
		}
		list["w"] = append(list["w"], vectors.Record{Origin: o, Vector: vectors.Vector{Words: bag}})
		for range rapid.IntRange(1, 2).Draw(t, "windows") {
			v := []float32{float32(rapid.IntRange(-2, 2).Draw(t, "x")), float32(rapid.IntRange(-2, 2).Draw(t, "y"))}
			list["d"] = append(list["d"], vectors.Record{Origin: o, Vector: vectors.Vector{Dense: v}})
		}
	}
	return list
}

// library is the state that a store should have: the records of each paper.
type library map[string]map[string][]vectors.Record

func (l library) records(name string) iter.Seq2[vectors.Record, error] {
	return func(yield func(vectors.Record, error) bool) {
		for _, id := range slices.Sorted(maps.Keys(l)) {
			for _, r := range l[id][name] {
				if !yield(r, nil) {
					return
				}
			}
		}
	}
}

// change adds, replaces or removes a paper of a store, as an ingest does.
func (l library) change(t *rapid.T, s *Store) {
	id := fmt.Sprint("p", rapid.IntRange(0, 9).Draw(t, "paper"))
	if _, have := l[id]; have {
		for _, c := range collections {
			must(t, s.Delete(t.Context(), c.Name, vectors.Filter{Papers: []string{id}}))
		}
		delete(l, id)
	}
	if rapid.IntRange(0, 4).Draw(t, "remove") == 0 {
		return
	}
	l[id] = paperOf(t, id)
	for _, c := range collections {
		must(t, s.Add(t.Context(), c.Name, l[id][c.Name], map[string]string{id: fmt.Sprint(len(l[id][c.Name]))}))
	}
}

type failer interface{ Fatal(args ...any) }

func must(t failer, err error) {
	if err != nil {
		t.Fatal(err)
	}
}

// Any sequence of additions, replacements, removals and merges, with crashes in between, finds what a rebuilt store finds:
// the same records with the same scores, bit for bit, in the same order.
func TestSegmentsEqualRebuild(t *testing.T) {
	testkit.Checks(t, 10, 100)
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp("", "")
		must(t, err)
		defer func() { _ = os.RemoveAll(dir) }()
		s := openSmall(t, dir)
		for _, c := range collections {
			must(t, s.Replace(t.Context(), c, vectors.All(nil)))
		}
		want := library{}
		for range rapid.IntRange(1, 25).Draw(t, "changes") {
			if rapid.IntRange(0, 5).Draw(t, "crash") == 0 {
				must(t, s.Close())
				want.crash(t, dir)
				s = openSmall(t, dir)
			}
			want.change(t, s)
		}
		equalRebuild(t, s, want)
		must(t, s.Close())
	})
}

// openSmall opens a store whose segments have at most two records before merges, and sometimes six after one.
func openSmall(t *rapid.T, dir string) *Store {
	s, err := Open(dir, 0)
	must(t, err)
	s.maxSegment = 2
	s.maxMerged = rapid.SampledFrom([]int{6, defaultMaxMerged}).Draw(t, "records of a merge")
	s.engine.path = rapid.SampledFrom([]path{byCost, codesFirst}).Draw(t, "path")
	return s
}

// crash leaves what a writer leaves that is killed during a change: the new files of the change, whole or half written,
// beside the old manifests.
func (l library) crash(t *rapid.T, dir string) {
	lost, err := os.MkdirTemp("", "")
	must(t, err)
	defer func() { _ = os.RemoveAll(lost) }()
	must(t, os.CopyFS(lost, os.DirFS(dir)))
	s := openSmall(t, lost)
	maps.Clone(l).change(t, s)
	must(t, s.Close())
	for _, c := range collections {
		entries, err := os.ReadDir(filepath.Join(lost, c.Name))
		must(t, err)
		for _, e := range entries {
			to := filepath.Join(dir, c.Name, e.Name())
			if _, err := os.Stat(to); err == nil || !segmentName.MatchString(e.Name()) {
				continue
			}
			raw, err := os.ReadFile(filepath.Join(lost, c.Name, e.Name()))
			must(t, err)
			switch rapid.SampledFrom([]string{"none", "half", "whole", "unnamed"}).Draw(t, "leftover") {
			case "half":
				must(t, os.WriteFile(to, raw[:len(raw)/2], 0o644))
			case "whole":
				must(t, os.WriteFile(to, raw, 0o644))
			case "unnamed":
				must(t, os.WriteFile(filepath.Join(dir, c.Name, ".tmp-"+e.Name()), raw[:len(raw)/2], 0o644))
			}
		}
	}
}

func equalRebuild(t *rapid.T, s *Store, want library) {
	dir, err := os.MkdirTemp("", "")
	must(t, err)
	defer func() { _ = os.RemoveAll(dir) }()
	rebuilt, err := Open(dir, 0)
	must(t, err)
	for _, c := range collections {
		must(t, rebuilt.Replace(t.Context(), c, want.records(c.Name)))
		must(t, s.Verify(t.Context(), c.Name))
	}
	for range 8 {
		name, q := queryOf(t)
		got, err := s.Search(t.Context(), name, q)
		must(t, err)
		expected, err := rebuilt.Search(t.Context(), name, q)
		must(t, err)
		if diff := gocmp.Diff(slices.Clip(expected), slices.Clip(got)); diff != "" {
			t.Fatalf("%s %+v: (-rebuilt +segments):\n%s", name, q, diff)
		}
		n, errN := s.Count(t.Context(), name, q.Filter)
		m, errM := rebuilt.Count(t.Context(), name, q.Filter)
		if n != m || errors.Join(errN, errM) != nil {
			t.Fatalf("%s %+v: %d records, rebuilt %d: %v, %v", name, q.Filter, n, m, errN, errM)
		}
	}
	versions, err := s.Versions(t.Context(), "d")
	must(t, err)
	expected := make(map[string]string)
	for id, records := range want {
		expected[id] = fmt.Sprint(len(records["d"]))
	}
	if diff := gocmp.Diff(expected, versions); diff != "" {
		t.Fatalf("versions (-want +got):\n%s", diff)
	}
	must(t, rebuilt.Close())
}

func queryOf(t *rapid.T) (name string, q vectors.Query) {
	q.K = rapid.IntRange(1, 12).Draw(t, "k")
	if rapid.Bool().Draw(t, "filter") {
		q.Filter.Papers = rapid.SliceOfN(rapid.SampledFrom([]string{"p0", "p1", "p2", "p3"}), 1, 3).Draw(t, "papers")
	}
	if rapid.Bool().Draw(t, "column") {
		q.Filter.Table, q.Filter.Column = "chunks", "text"
	}
	if rapid.Bool().Draw(t, "dense") {
		q.Dense = []float32{1, float32(rapid.IntRange(-2, 2).Draw(t, "y"))}
		return "d", q
	}
	for _, w := range []string{"a", "b", "c", "d", "e", "missing"} {
		if n := rapid.IntRange(0, 2).Draw(t, w); n > 0 {
			q.Words = append(q.Words, vectors.Word{Text: w, Count: n})
		}
	}
	return "w", q
}

// The number of segments grows with the logarithm of the number of additions.
func TestFewSegments(t *testing.T) {
	s, err := Open(t.TempDir(), 0)
	must(t, err)
	must(t, s.Replace(t.Context(), denseOf, vectors.All(nil)))
	for i := range 200 {
		o := vectors.Origin{PaperID: fmt.Sprint(i), Page: 1, Table: "chunks", Column: "text", Key: "k"}
		r := vectors.Record{Origin: o, Vector: vectors.Vector{Dense: []float32{1, float32(i)}}}
		must(t, s.Add(t.Context(), "d", []vectors.Record{r}, nil))
		must(t, s.with("d", func(c *collection) error {
			n, err := c.count(vectors.Filter{})
			if len(c.parts) > fanout || n != i+1 {
				t.Fatalf("%d additions: %d segments, %d records", i+1, len(c.parts), n)
			}
			return err
		}))
	}
	entries, err := os.ReadDir(s.folder("d"))
	must(t, err)
	if len(entries) > fanout+1 {
		t.Errorf("%d files; those of merged segments should be gone", len(entries))
	}
	must(t, s.Close())
}

// A generation keeps its records while the next one changes, and its files until it is removed.
func TestGenerations(t *testing.T) {
	dir := t.TempDir()
	first, err := Open(dir, 1)
	must(t, err)
	must(t, first.Replace(t.Context(), denseOf, vectors.All(nil)))
	add := func(s *Store, id string) {
		o := vectors.Origin{PaperID: id, Page: 1, Table: "chunks", Column: "text", Key: "k"}
		must(t, s.Add(t.Context(), "d", []vectors.Record{{Origin: o, Vector: vectors.Vector{Dense: []float32{1, 2}}}}, nil))
	}
	count := func(generation, want int) {
		t.Helper()
		s, err := Open(dir, generation)
		must(t, err)
		if n, err := s.Count(t.Context(), "d", vectors.Filter{}); err != nil || n != want {
			t.Errorf("generation %d has %d records, want %d: %v", generation, n, want, err)
		}
		must(t, s.Verify(t.Context(), "d"))
		must(t, s.Close())
	}
	add(first, "a")
	second, err := Open(dir, 2)
	must(t, err)
	branch := func(want bool) {
		t.Helper()
		kept, err := second.Branch(1)
		if must(t, err); kept != want {
			t.Errorf("kept %t", kept)
		}
	}
	branch(false)
	for i := range 20 { // merges the segment of the first generation away
		add(second, fmt.Sprint("b", i))
	}
	must(t, second.Delete(t.Context(), "d", vectors.Filter{Papers: []string{"a"}}))
	count(1, 1)
	count(2, 20)
	branch(true) // as after an interrupted change: what is there stays
	count(2, 20)
	must(t, second.Keep(func(n int) bool { return n == 2 }))
	count(2, 20)
	again, err := Open(dir, 1)
	must(t, err)
	if _, err := again.Info(t.Context(), "d"); !errors.Is(err, vectors.ErrNotFound) {
		t.Errorf("a removed generation: %v", err)
	}
}
