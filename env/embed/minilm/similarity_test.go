package minilm_test

import (
	"cmp"
	"encoding/json"
	"math"
	"os"
	"slices"
	"testing"

	"airqa/env/embed/minilm"
	"airqa/internal/testkit"
)

// similarity has 60 passages and, for each of 30 queries, the five nearest ones according to sentence-transformers.
type similarity struct {
	Passages []string `json:"passages"`
	Queries  []struct {
		Query string `json:"query"`
		Top5  []struct {
			Passage int     `json:"passage"`
			Cosine  float64 `json:"cosine"`
		} `json:"top5"`
	} `json:"queries"`
}

// found counts the queries that agree with the reference.
type found struct{ first, set, order int }

func search(t *testing.T, m *minilm.Model, furthest float64) found {
	t.Helper()
	var s similarity
	data, err := os.ReadFile("testdata/similarity.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &s); err != nil {
		t.Fatal(err)
	}
	passages := embed(t, m, s.Passages...)
	var n found
	for _, q := range s.Queries {
		v := embed(t, m, q.Query)[0]
		got := nearest5(v, passages)
		var want []int
		for _, hit := range q.Top5 {
			want = append(want, hit.Passage)
			if d := math.Abs(dot(v, passages[hit.Passage]) - hit.Cosine); !(d <= furthest) {
				t.Errorf("cosine of %q and passage %d is off by %v", q.Query, hit.Passage, d)
			}
		}
		n.count(got, want)
	}
	return n
}

func (n *found) count(got, want []int) {
	if got[0] == want[0] {
		n.first++
	}
	if slices.Equal(got, want) {
		n.order++
	}
	slices.Sort(got)
	slices.Sort(want)
	if slices.Equal(got, want) {
		n.set++
	}
}

func nearest5(v []float32, passages [][]float32) []int {
	order := make([]int, len(passages))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(dot(v, passages[b]), dot(v, passages[a])) })
	return order[:5]
}

func TestSimilarityCarried(t *testing.T) {
	for _, k := range used(minilm.Kernels()) {
		t.Run(k, func(t *testing.T) {
			orders, furthest := 26, 0.0042
			if bytesKernel(k) {
				orders, furthest = 26, 0.006
			}
			got := search(t, open(t, minilm.Config{Kernel: k}), furthest)
			t.Logf("of 30 queries: %+v", got)
			if got.first != 30 || got.set < 29 || got.order < orders {
				t.Errorf("of 30 queries %+v, want 30 first hits, 29 sets, about %d orders", got, orders+1)
			}
		})
	}
}

func TestSimilarityFull(t *testing.T) {
	testkit.Long(t, "many texts, one call at a time")
	dir := fullDir(t)
	for _, k := range used(fullKernels()) {
		t.Run(k, func(t *testing.T) {
			orders, furthest := 30, 2e-6
			if k == "vnni" || k == "madd" {
				orders, furthest = 29, 2e-4 // two passages are 3.1e-5 apart: too close for integer products
			}
			got := search(t, open(t, minilm.Config{Dir: dir, Kernel: k}), furthest)
			if got.first != 30 || got.set != 30 || got.order < orders {
				t.Errorf("of 30 queries %+v, want all (orders: %d)", got, orders)
			}
		})
	}
}
