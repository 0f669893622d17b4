package milvus_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"airqa/env/vectors"
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

// The index of a collection is the chosen one, can be changed in place, is described to every reader, and stays when no
// other is chosen. An index that the server does not have is an error, and leaves everything as it was.
func TestIndex(t *testing.T) {
	server := milvustest.Start(t)
	dense := vectors.Collection{Name: "d", Kind: vectors.Dense, Dim: 16, Model: "m", Index: "IVF_FLAT nlist=64 nprobe=1"}
	list := near(1500)
	s := open(t, server, "")
	missing := dense
	missing.Index = "DISKANN search_list=100"
	const refused = "the server refuses index DISKANN search_list=100, which not every server has"
	if err := s.Replace(t.Context(), missing, stream(list)); err == nil || !strings.Contains(err.Error(), refused) {
		t.Errorf("a missing index: %v", err)
	}
	check(t, s.Replace(t.Context(), dense, stream(list)))
	q := vectors.Query{Vector: vectors.Vector{Dense: list[7].Dense}, K: 5}
	for _, tt := range []struct{ index, has, err string }{
		{"", "", ""},
		{missing.Index, "", refused},
		{"AUTOINDEX", "AUTOINDEX", ""},
		{"HNSW m=16 ef_construction=200 ef=64", "AUTOINDEX", "refuses index HNSW"},
		{dense.Index, dense.Index, ""},
	} {
		err := s.Reindex(t.Context(), "d", tt.index)
		if (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
			t.Errorf("index %q: %v, want %q", tt.index, err, tt.err)
		}
		for _, reader := range []*milvus.Store{s, open(t, server, "")} {
			info, err := reader.Info(t.Context(), "d")
			check(t, err)
			hits, err := reader.Search(t.Context(), "d", q)
			if err != nil || info.Index != tt.has || len(hits) == 0 || hits[0].Key != list[7].Key {
				t.Errorf("index %q, want %q: %v, %v", info.Index, tt.has, hits, err)
			}
		}
		if have, err := connect(t, server).DescribeIndex(t.Context(), "d", "vector"); err != nil || len(have) != 1 ||
			string(have[0].IndexType()) != cmp.Or(strings.Fields(tt.has + " FLAT")[0], "FLAT") {
			t.Errorf("the server has %v, want %s; %v", have, tt.has, err)
		}
	}
	recall := vectors.Recall{At1: 1, At5: 0.9, At10: 0.8, Queries: 10, Records: 1500}
	check(t, s.SetRecall(t.Context(), "d", recall))
	have, err := s.List(t.Context())
	check(t, err)
	dense.Recall = &recall
	if diff := gocmp.Diff([]vectors.Collection{dense}, have); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
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
	if ok, err := s.Rereadable(t.Context(), "d"); !ok || err != nil {
		t.Errorf("rereadable: %v, %v", ok, err)
	}
}
