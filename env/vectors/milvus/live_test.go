package milvus_test

import (
	"cmp"
	"fmt"
	"iter"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"airqa/env/vectors"
	"airqa/env/vectors/flat"
	"airqa/internal/testkit/milvustest"
)

var sparse = vectors.Collection{Name: "s", Kind: vectors.Sparse, Model: "bm25", Encoder: []byte("e")}

// records makes n sparse records that all share position 1.
func records(n int) []vectors.Record {
	list := make([]vectors.Record, n)
	for i := range list {
		list[i] = vectors.Record{
			Origin: vectors.Origin{PaperID: fmt.Sprint("p", i%7), Page: 1 + i%5, Table: "chunks", Column: "text_content", Key: fmt.Sprintf("%05d", i)},
			Vector: vectors.Vector{Sparse: []vectors.Term{{Position: 1, Weight: 1}, {Position: uint32(2 + i), Weight: 1}}},
		}
	}
	return list
}

func stream(list []vectors.Record) iter.Seq2[vectors.Record, error] {
	return func(yield func(vectors.Record, error) bool) {
		for _, r := range list {
			if !yield(r, nil) {
				return
			}
		}
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantCount(t *testing.T, s vectors.Store, name string, want int) {
	t.Helper()
	got, err := s.Count(t.Context(), name, vectors.Filter{})
	check(t, err)
	if got != want {
		t.Errorf("collection %s has %d records, want %d", name, got, want)
	}
}

// find returns the keys of the k records nearest to position 1.
func find(t *testing.T, s vectors.Store, name string, k int) []string {
	t.Helper()
	q := vectors.Query{Vector: vectors.Vector{Sparse: []vectors.Term{{Position: 1, Weight: 1}}}, K: k}
	hits, err := s.Search(t.Context(), name, q)
	check(t, err)
	keys := make([]string, len(hits))
	for i, h := range hits {
		keys[i] = h.Key
	}
	return keys
}

// Both stores get the same records and return the same hits; groups of equal scores are compared as sets.
func TestSameAsFlat(t *testing.T) {
	server := milvustest.Start(t)
	ours := open(t, server, "same_")
	other, err := flat.Open(filepath.Join(t.TempDir(), "vectors"), 0)
	check(t, err)
	for _, c := range []vectors.Collection{
		{Name: "dense", Kind: vectors.Dense, Dim: 24},
		{Name: "one", Kind: vectors.Dense, Dim: 1},
	} {
		t.Run(c.Name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(3, 4))
			list := drawAll(r, c, 1200)
			for _, s := range []vectors.Store{ours, other} {
				check(t, s.Replace(t.Context(), c, stream(list[:900])))
				check(t, s.Insert(t.Context(), c.Name, list[900:]))
				check(t, s.Delete(t.Context(), c.Name, vectors.Filter{Papers: []string{"p3"}, Page: 2}))
			}
			for range 60 {
				q := vectors.Query{Vector: drawVector(r, c), K: 1 + r.IntN(20), Filter: drawFilter(r)}
				want, err := other.Search(t.Context(), c.Name, q)
				check(t, err)
				got, err := ours.Search(t.Context(), c.Name, q)
				check(t, err)
				if diff := gocmp.Diff(groups(want), groups(got)); diff != "" {
					t.Fatalf("%+v (-flat +milvus):\n%s", q, diff)
				}
			}
		})
	}
}

func drawAll(r *rand.Rand, c vectors.Collection, n int) []vectors.Record {
	list := records(n)
	for i := range list {
		if i > 0 && r.IntN(3) == 0 { // windows of one cell
			list[i].Origin = list[i-1].Origin
		}
		list[i].Vector = drawVector(r, c)
		if i > 0 && r.IntN(4) == 0 { // equal scores
			list[i].Vector = list[r.IntN(i)].Vector
		}
	}
	return list
}

func drawVector(r *rand.Rand, c vectors.Collection) (v vectors.Vector) {
	for range c.Dim {
		v.Dense = append(v.Dense, float32(r.NormFloat64()))
	}
	return v
}

func drawFilter(r *rand.Rand) (f vectors.Filter) {
	for range r.IntN(3) {
		f.Papers = append(f.Papers, fmt.Sprint("p", r.IntN(8)))
	}
	f.Page = r.IntN(3)
	if r.IntN(2) == 0 {
		f.Table = "chunks"
	}
	return f
}

// groups returns the keys of each group of scores within the tolerance. Of the group that K splits, both stores return
// the smallest keys.
func groups(hits []vectors.Hit) [][]string {
	var list [][]string
	for i := 0; i < len(hits); {
		end := i + 1
		for end < len(hits) && hits[i].Score-hits[end].Score <= 2e-6 {
			end++
		}
		var keys []string
		for _, h := range hits[i:end] {
			keys = append(keys, h.Key)
		}
		slices.Sort(keys)
		list = append(list, keys)
		i = end
	}
	return list
}

// Where K splits a group of equal scores, the order of keys decides, however large the group is.
func TestTiesAreOrdered(t *testing.T) {
	s := open(t, milvustest.Start(t), "")
	list := records(700)
	rand.New(rand.NewPCG(5, 6)).Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	check(t, s.Replace(t.Context(), sparse, stream(list)))
	if diff := gocmp.Diff([]string{"00000", "00001", "00002"}, find(t, s, "s", 3)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := find(t, s, "s", vectors.MaxK); len(got) != 700 || !slices.IsSorted(got) {
		t.Errorf("all of them: got %d, in order %v", len(got), slices.IsSorted(got))
	}
}

// Hostile text in records and filters is compared with vectors.Filter.Match.
func TestHostileTexts(t *testing.T) {
	s := open(t, milvustest.Start(t), "")
	texts := []string{
		`"`, `""`, `'`, `\`, `\\`, `\"`, `\'`, `a" or id >= 0 or pdf_id == "`, `a' or 1 == 1 or '`, `\" or id >= 0 or \"`,
		`a\" or id >= 0 or pdf_id == \"b`, `%`, `_`, `100\%`, `\u0061`, `\n`, `{}`, `$meta`, `id`, `] or id >= 0 or pdf_id in [`,
		`é`, "e\u0301", `日本`, "\u202e", `🙂`, ` a `, `;drop`, `--`, `a and b`, `not "a"`, strings.Repeat(`\`, 255), strings.Repeat(`"`, 255),
	}
	list := records(len(texts))
	for i, text := range texts {
		list[i].PaperID, list[i].Table, list[i].Column, list[i].Key = text, text, text, text
	}
	check(t, s.Replace(t.Context(), sparse, stream(list)))
	text := rapid.SampledFrom(texts)
	filter := rapid.Custom(func(t *rapid.T) vectors.Filter {
		return vectors.Filter{
			Papers: rapid.SliceOfN(text, 0, 3).Draw(t, "papers"),
			Table:  rapid.OneOf(rapid.Just(""), text).Draw(t, "table"),
			Column: rapid.OneOf(rapid.Just(""), text, rapid.StringN(1, 20, 200)).Draw(t, "column"),
		}
	})
	rapid.Check(t, func(rt *rapid.T) {
		f := filter.Draw(rt, "filter")
		if f.Check() != nil {
			rt.Skip("the contract refuses it")
		}
		want := 0
		for _, r := range list {
			if f.Match(r.Origin) {
				want++
			}
		}
		got, err := s.Count(t.Context(), "s", f)
		if err != nil || got != want {
			rt.Fatalf("%+v passes %d (%v), want %d", f, got, err, want)
		}
	})
	for i, text := range texts { // the last record remains, unless a filter deletes too much
		wantCount(t, s, "s", len(texts)-i)
		check(t, s.Delete(t.Context(), "s", vectors.Filter{Papers: []string{text}, Table: text, Column: text}))
	}
	wantCount(t, s, "s", 0)
}

func TestExtremes(t *testing.T) {
	s := open(t, milvustest.Start(t), "")
	const dim = 256 // Milvus Lite needs 14 s and 4 GB for a collection of MaxDim
	long := strings.Repeat("n", vectors.MaxName)
	wide := vectors.Collection{
		Name: long, Kind: vectors.Dense, Dim: dim,
		Encoder: []byte(strings.Repeat("\x00\xffencoder", 300_000)), Model: long, ModelHash: long, Source: long,
	}
	v := make([]float32, dim)
	v[0] = 1
	full := vectors.Record{
		Origin: vectors.Origin{PaperID: long, Page: 32767, Table: long, Column: long, Key: strings.Repeat("é", vectors.MaxKey/2)},
		Vector: vectors.Vector{Dense: v},
	}
	check(t, s.Replace(t.Context(), wide, stream([]vectors.Record{full, full, full})))
	info, err := s.Info(t.Context(), long)
	check(t, err)
	if diff := gocmp.Diff(wide, info); diff != "" {
		t.Error("the description differs")
	}
	hits, err := s.Search(t.Context(), long, vectors.Query{Vector: vectors.Vector{Dense: v}, K: 1})
	check(t, err)
	if diff := gocmp.Diff([]vectors.Hit{{Origin: full.Origin, Score: 1}}, hits); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}

	list := records(2)
	list[0].Sparse = []vectors.Term{{Position: 0, Weight: 1e-30}, {Position: 1<<22 - 2, Weight: 1e30}}
	check(t, s.Replace(t.Context(), sparse, stream(list)))
	q := vectors.Query{Vector: vectors.Vector{Sparse: []vectors.Term{{Position: 1<<22 - 2, Weight: 1}}}, K: 5}
	hits, err = s.Search(t.Context(), "s", q)
	check(t, err)
	if len(hits) != 1 || cmp.Compare(hits[0].Score, float64(float32(1e30))) != 0 {
		t.Errorf("a high position: got %v", hits)
	}
}

// The best cells do not crowd out the next cells, even with more windows than the server returns at once.
func TestMoreWindowsThanTheServerReturns(t *testing.T) {
	s := open(t, milvustest.Start(t), "")
	c := vectors.Collection{Name: "d", Kind: vectors.Dense, Dim: 2}
	var list []vectors.Record
	for i, r := range records(vectors.MaxK + 4000) {
		r.Origin = records(3)[i%3].Origin
		r.Vector = vectors.Vector{Dense: []float32{1, float32(i) / 1e5}}
		list = append(list, r)
	}
	for i, r := range records(6)[3:] {
		r.Vector = vectors.Vector{Dense: []float32{1, float32(i + 1)}}
		list = append(list, r)
	}
	papers := []string{"p0", "p1", "p2", "p3", "p4", "p5"}
	for _, c.Index = range []string{"IVF_FLAT nprobe=1", ""} {
		check(t, s.Replace(t.Context(), c, stream(list)))
		hits, err := s.Search(t.Context(), "d", vectors.Query{Vector: vectors.Vector{Dense: []float32{1, 0}}, K: 5, Filter: vectors.Filter{Papers: papers}})
		check(t, err)
		var keys []string
		for _, h := range hits {
			keys = append(keys, h.Key)
		}
		if diff := gocmp.Diff([]string{"00000", "00001", "00002", "00003", "00004"}, keys); diff != "" {
			t.Errorf("index %q (-want +got):\n%s", c.Index, diff)
		}
	}
	n := 0
	check(t, s.Vectors(t.Context(), "d", papers, func(vectors.Record) error { n++; return nil }))
	if n != len(list) {
		t.Errorf("%d vectors were read back, want %d", n, len(list))
	}
}
