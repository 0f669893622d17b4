package dorismae

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"airqa/bench"
	"airqa/env/embed"
	"airqa/qa"
)

// Known is the result of known-item retrieval, from 0 to 1.
type Known struct {
	Method string
	First  float64
	MRR    float64
	N      int
}

// KnownItem retrieves the best abstract of each query among the best abstracts of all: a test that needs no corpus.
func KnownItem(ctx context.Context, best []Best, methods []string, open func() (embed.Embedder, error)) ([]Known, error) {
	if len(best) == 0 {
		return nil, errors.New("known-item retrieval: no best candidates")
	}
	documents, pool := bestAbstracts(best)
	var list []Known
	for _, method := range methods {
		ranker, err := NewRanker(method, documents, open)
		if err != nil {
			return nil, err
		}
		k, first, sum := Known{Method: method, N: len(best)}, 0, 0.0
		for _, b := range best {
			it := bench.Item{Example: qa.Example{UUID: strconv.Itoa(b.Query), Question: strings.ReplaceAll(b.Text, "\n", " "), Pool: pool}}
			r, err := Rank(ctx, ranker, it)
			if err != nil {
				return nil, err
			}
			at := reciprocal(r, map[string]bool{strconv.Itoa(b.Candidate): true})
			if sum += at; at == 1 {
				first++
			}
		}
		k.First, k.MRR = float64(first)/float64(k.N), sum/float64(k.N)
		list = append(list, k)
	}
	return list, nil
}

// bestAbstracts are the distinct abstracts in the order of the file.
func bestAbstracts(best []Best) (documents []bench.Document, ids []string) {
	seen := make(map[int]bool)
	for _, b := range best {
		if seen[b.Candidate] {
			continue
		}
		seen[b.Candidate] = true
		id := strconv.Itoa(b.Candidate)
		documents, ids = append(documents, bench.Document{ID: id, Abstract: b.Abstract}), append(ids, id)
	}
	return documents, ids
}
