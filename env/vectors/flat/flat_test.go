package flat_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"airqa/env/vectors"
	"airqa/env/vectors/flat"
	"airqa/internal/testkit/vectorstest"
)

func TestConformance(t *testing.T) {
	vectorstest.Run(t, func(t *testing.T, dir string) vectors.Store {
		s, err := flat.Open(filepath.Join(dir, "vectors"), 0)
		if err != nil {
			t.Fatal(err)
		}
		return s
	})
}

// The flat store guarantees more than the contract: it equals a full sort even where K splits a group of equal scores.
func TestSearchEqualsNaive(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		records := rapid.SliceOfN(rapid.Custom(record), 0, 30).Draw(t, "records")
		q := vectors.Query{Vector: rapid.Custom(record).Draw(t, "query").Vector, K: rapid.IntRange(1, 12).Draw(t, "k")}
		if rapid.Bool().Draw(t, "filter") {
			q.Filter.Papers = rapid.SliceOfN(paper, 1, 3).Draw(t, "papers")
		}
		s, err := flat.Open(dir, 0)
		if err != nil {
			t.Fatal(err)
		}
		c := vectors.Collection{Name: "n", Kind: vectors.Dense, Dim: 2}
		if err := s.Replace(t.Context(), c, stream(records)); err != nil {
			t.Fatal(err)
		}
		got, err := s.Search(t.Context(), "n", q)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(naive(records, q), slices.Clip(got)); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
	})
}

func TestNoSparse(t *testing.T) {
	s, err := flat.Open(t.TempDir(), 1)
	if err == nil {
		err = s.Replace(t.Context(), vectors.Collection{Name: "s", Kind: vectors.Sparse}, stream(nil))
	}
	if !errors.Is(err, vectors.ErrInvalid) {
		t.Errorf("got %v", err)
	}
}

var paper = rapid.SampledFrom([]string{"p1", "p2", "p3"})

// record uses few keys and directions, so that equal scores are common. All scores are the same in float32, however they are computed.
func record(t *rapid.T) vectors.Record {
	r := vectors.Record{Origin: vectors.Origin{
		PaperID: paper.Draw(t, "paper"), Page: 1, Table: "chunks", Column: "text_content",
		Key: rapid.StringMatching(`[a-c]{1,2}`).Draw(t, "key"),
	}}
	r.Dense = rapid.SampledFrom([][]float32{{0, 0}, {1, 0}, {0, 2}, {-1, 0}, {3, 4}, {4, -3}}).Draw(t, "vector")
	return r
}

func naive(records []vectors.Record, q vectors.Query) []vectors.Hit {
	var hits []vectors.Hit
	for _, r := range records {
		if score, ok := vectorstest.Score(q.Vector, r.Vector); ok && q.Filter.Match(r.Origin) {
			hits = append(hits, vectors.Hit{Origin: r.Origin, Score: float64(float32(score))})
		}
	}
	slices.SortStableFunc(hits, vectors.Compare)
	seen := make(map[vectors.Origin]bool)
	hits = slices.DeleteFunc(hits, func(h vectors.Hit) bool {
		again := seen[h.Origin]
		seen[h.Origin] = true
		return again
	})
	return hits[:min(q.K, len(hits))]
}

func stream(records []vectors.Record) func(func(vectors.Record, error) bool) {
	return func(yield func(vectors.Record, error) bool) {
		for _, r := range records {
			if !yield(r, nil) {
				return
			}
		}
	}
}

func TestDamagedFile(t *testing.T) {
	tests := []struct {
		name   string
		damage func([]byte) []byte
		want   string
	}{
		{"empty", func([]byte) []byte { return nil }, "damaged"},
		{"truncated", func(b []byte) []byte { return b[:len(b)-1] }, "end of file: the file is damaged"},
		{"half", func(b []byte) []byte { return b[:len(b)/2] }, "end of file: the file is damaged"},
		{"a flipped bit of a vector", func(b []byte) []byte { b[65] ^= 1; return b }, "checksum of section vectors: the file is damaged; airqa store vectors --rebuild"},
		{"a flipped bit of the head", func(b []byte) []byte { b[len(b)-40] ^= 1; return b }, "checksum of the head: the file is damaged"},
		{"a flipped bit of the tail", func(b []byte) []byte { b[len(b)-32] ^= 1; return b }, "end of file: the file is damaged"},
		{"start only", func(b []byte) []byte { return b[:64] }, "end of file: the file is damaged"},
		{"longer", func(b []byte) []byte { return append(b, 0) }, "end of file: the file is damaged"},
		{"the middle gone", func(b []byte) []byte { return append(b[:128], b[192:]...) }, "end of file: the file is damaged"},
		{"another format", func(b []byte) []byte { b[8] = 9; return b }, "segment of format 9, not 1; airqa store"},
		{"another file", func([]byte) []byte { return []byte("%PDF-1.7 and so on") }, "not a vector collection"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			saveOne(t, dir)
			path := filepath.Join(dir, "n", "000001.vec")
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, tt.damage(data), 0o644); err != nil {
				t.Fatal(err)
			}
			again, err := flat.Open(dir, 0)
			if err != nil {
				t.Fatal(err)
			}
			_, err = again.Count(t.Context(), "n", vectors.Filter{})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q in it", err, tt.want)
			}
		})
	}
}

func saveOne(t *testing.T, dir string) {
	t.Helper()
	s, err := flat.Open(dir, 0)
	if err != nil {
		t.Fatal(err)
	}
	r := vectors.Record{
		Origin: vectors.Origin{PaperID: "p", Page: 1, Table: "chunks", Column: "text_content", Key: "k"},
		Vector: vectors.Vector{Dense: []float32{1, 2, 3}},
	}
	c := vectors.Collection{Name: "n", Kind: vectors.Dense, Dim: 3, Encoder: []byte("e")}
	if err := s.Replace(t.Context(), c, stream([]vectors.Record{r})); err != nil {
		t.Fatal(err)
	}
}
