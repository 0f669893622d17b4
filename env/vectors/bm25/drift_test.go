package bm25_test

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"airqa/env/vectors"
	"airqa/env/vectors/bm25"
)

// Rankings with an average length that is almost MaxDrift away from the true one differ little from exact ones.
func TestRanksWithDrift(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	text := func(words int) string {
		list := make([]string, words)
		for i := range list {
			list[i] = fmt.Sprint("w", int(3000*math.Pow(r.Float64(), 3)))
		}
		return strings.Join(list, " ")
	}
	var texts []string
	for range 600 {
		texts = append(texts, text(20+r.IntN(400)))
	}
	old := fit(texts...)
	b := old.Builder()
	for range 25 {
		texts = append(texts, text(270))
		b.Add(words(texts[len(texts)-1]))
	}
	changed, fresh := b.Stats(), fit(texts...)
	if d := changed.Drift(); d < 0.8*bm25.MaxDrift || d > bm25.MaxDrift {
		t.Fatalf("drift %v", d)
	}
	before, now := documentsOf(old, texts), documentsOf(fresh, texts)
	const k, queries = 10, 200
	same, first, most := 0, 0, 0.0
	for range queries {
		query := words(text(6))
		want, got := ranked(fresh.Query(query), now), ranked(changed.Query(query), before)
		for i, h := range want[:k] {
			if h.document == got[i].document {
				same++
				if i == 0 {
					first++
				}
			}
			most = max(most, math.Abs(h.score-got[i].score)/h.score)
		}
	}
	t.Logf("drift %.4f: %d of %d places and %d of %d first places are the same, scores differ by at most %.4f",
		changed.Drift(), same, k*queries, first, queries, most)
	if same < k*queries*95/100 || first < queries*98/100 || most > changed.Drift() || most == 0 {
		t.Error("the rankings differ more than expected, or not at all")
	}
}

// documentsOf returns the vectors of texts.
func documentsOf(s *bm25.Stats, texts []string) [][]vectors.Term {
	list := make([][]vectors.Term, len(texts))
	counter := bm25.NewCounter()
	for i, text := range texts {
		list[i] = s.Document(counter.Words(text))
	}
	return list
}

// hit is the number of a document, with its score.
type hit struct {
	document int
	score    float64
}

// ranked ranks documents.
func ranked(query []vectors.Term, documents [][]vectors.Term) []hit {
	hits := make([]hit, len(documents))
	for i, d := range documents {
		hits[i] = hit{i, product(query, d)}
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Compare(b.score, a.score) })
	return hits
}
