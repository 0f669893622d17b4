package milvus_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"airqa/env/vectors"
	"airqa/env/vectors/flat"
	"airqa/env/vectors/milvus"
	"airqa/internal/testkit/milvustest"
)

// near makes n dense records around a few centres, so that an index with lists has something to miss.
func near(n int) []vectors.Record {
	random := rand.New(rand.NewPCG(1, 2))
	list := make([]vectors.Record, n)
	for i := range list {
		v := make([]float32, 16)
		for k := range v {
			v[k] = float32(random.NormFloat64())
		}
		list[i] = vectors.Record{
			Origin: vectors.Origin{PaperID: fmt.Sprint("p", i%7), Page: 1, Table: "chunks", Column: "text_content", Key: fmt.Sprintf("%05d", i)},
			Vector: vectors.Vector{Dense: v}, Text: int64(i + 1),
		}
	}
	return list
}

// A collection has the chosen index, with its parameters. An index that the server does not have is an error, and leaves
// everything as it was.
func TestIndex(t *testing.T) {
	server := milvustest.Start(t)
	dense := vectors.Collection{Name: "d", Kind: vectors.Dense, Dim: 16, Model: "m"}
	list := near(1500)
	s := open(t, server, "")
	has := ""
	for _, tt := range []struct{ index, err string }{
		{"IVF_FLAT nlist=64 nprobe=1", ""},
		{"DISKANN search_list=100", "the server refuses index DISKANN search_list=100: milvus at "},
		{"AUTOINDEX", ""},
		{"", ""},
	} {
		next := dense
		next.Index = tt.index
		err := s.Replace(t.Context(), next, stream(list))
		if (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
			t.Errorf("index %q: %v, want %q", tt.index, err, tt.err)
		}
		if err == nil {
			has = tt.index
		}
		for _, reader := range []*milvus.Store{s, open(t, server, "")} {
			info, err := reader.Info(t.Context(), "d")
			check(t, err)
			hits, err := reader.Search(t.Context(), "d", vectors.Query{Vector: vectors.Vector{Dense: list[7].Dense}, K: 5})
			if err != nil || info.Index != has || len(hits) == 0 || hits[0].Key != list[7].Key {
				t.Errorf("index %q, want %q: %v, %v", info.Index, has, hits, err)
			}
		}
	}
}

// With any index, a search within papers returns the hits of the files, in their order, and a search of all papers never returns
// fewer. The lists of the index are many, and a search looks into one.
func TestIndexWithinPapers(t *testing.T) {
	server := milvustest.Start(t)
	dense := vectors.Collection{Name: "d", Kind: vectors.Dense, Dim: 16, Model: "m"}
	list := near(3000)
	for i := range list {
		switch {
		case i%11 == 0 && i > 0: // equal scores
			list[i].Vector = list[i-1].Vector
		case i%5 == 0 && i > 0: // windows of one cell
			list[i].Origin = list[i-1].Origin
		}
	}
	files, err := flat.Open(filepath.Join(t.TempDir(), "vectors"), 0)
	check(t, err)
	check(t, files.Replace(t.Context(), dense, stream(list)))
	for n, index := range []string{"IVF_FLAT nlist=256 nprobe=1", "AUTOINDEX"} {
		t.Run(index, func(t *testing.T) {
			s := open(t, server, fmt.Sprintf("n%d_", n))
			dense.Index = index
			check(t, s.Replace(t.Context(), dense, stream(list[:2000])))
			check(t, s.Insert(t.Context(), "d", list[2000:]))
			check(t, s.Flush(t.Context(), "d"))
			for i, papers := range [][]string{{"p0"}, {"p1", "p4"}, {"p2", "none"}, {"none"}, {"p0", "p1", "p2", "p3", "p4", "p5", "p6"}, nil} {
				for _, k := range []int{1, 5, 400, vectors.MaxK} {
					q := vectors.Query{Vector: vectors.Vector{Dense: list[i*100].Dense}, K: k, Filter: vectors.Filter{Papers: papers, Table: "chunks"}}
					want, err := files.Search(t.Context(), "d", q)
					check(t, err)
					got, err := s.Search(t.Context(), "d", q)
					check(t, err)
					if len(got) != len(want) {
						t.Errorf("%d of %v: %d hits, want %d", k, papers, len(got), len(want))
					}
					if diff := gocmp.Diff(want, got, cmpopts.EquateEmpty()); papers != nil && diff != "" {
						t.Errorf("%d of %v (-files +server):\n%s", k, papers, diff)
					}
				}
			}
		})
	}
}

// The vectors of papers come back as they were, with the hashes of their texts.
func TestVectors(t *testing.T) {
	s := open(t, milvustest.Start(t), "")
	dense := vectors.Collection{Name: "d", Kind: vectors.Dense, Dim: 16, Model: "m"}
	list := near(2000)
	check(t, s.Replace(t.Context(), dense, stream(list[:1000])))
	check(t, s.Insert(t.Context(), "d", list[1000:]))
	seen := make(map[int64]bool)
	check(t, s.Vectors(t.Context(), "d", []string{"p0", "p1"}, func(r vectors.Record) error {
		seen[r.Text] = true
		if diff := gocmp.Diff(list[r.Text-1], r); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		return nil
	}))
	if want := 2*2000/7 + 1; len(seen) != want {
		t.Errorf("%d records, want %d", len(seen), want)
	}
}
