package dorismae_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"airqa/bench"
	"airqa/bench/dorismae"
	"airqa/env/embed"
	"airqa/internal/testkit/benchtest"
)

func TestTables(t *testing.T) {
	data, export := folder+"dataset.json", filepath.Join(t.TempDir(), "out.jsonl")
	benchtest.Check(t, dorismae.Benchmark(), []benchtest.Case{
		{Function: "stats", Request: bench.Request{Dataset: data}, Want: map[string]string{
			"sizes queries number": "3", "relevant all mean": "2.3333333333333335", "relevant CV max": "2", "scores all (paper) max": "1.909",
			"relevant-2 NLP min": "4", "relevant AI (paper) mean": "11.6", "relevant-2 ML (paper) max": "105", "scores Composite (paper) std": "0.332",
			"scores-2 CV max": "1", "scores-2 all (paper) mean": "0.61", "pool all (paper) max": "138",
		}, Note: "at least 1"},
		{Function: "baseline", Request: bench.Request{Dataset: data}, Want: map[string]string{
			"methods tfidf R@5": "100", "methods random R@20": "100", "methods ada-002 (paper) R@5": "15.38",
			"methods RocketQA-v2, sentences (paper) MAP": "40.25",
		}, Note: "as the authors' code does"},
		{
			Function: "baseline", Request: bench.Request{Dataset: data, Method: "bm25", Rules: bench.Rules{Setting: "subquery-2", Export: export}},
			Want: map[string]string{"bm25 R@20 bm25": "100"},
		},
		{
			Function: "score", Request: bench.Request{Dataset: data, Predictions: export, Rules: bench.Rules{Setting: "subquery-2", Fixed: true}}, Want: map[string]string{
				"rankings R@20 rankings": "100", "methods tfidf MAP": "100", "difference R@20 difference": "0",
			}, Note: "identical to those of bm25",
		},
		{
			Function: "score", Request: bench.Request{Dataset: data, Predictions: folder + "rankings.jsonl", Rules: bench.Rules{Export: export}},
			Want: map[string]string{"rankings RP rankings": "100"}, Note: "its ranking lacks, which follow in lexical order: 7",
		},
		{Function: "score", Request: bench.Request{Dataset: data, Predictions: export}, Want: map[string]string{
			"rankings RP rankings": "100", "methods tfidf RP": "66.66666666666666",
		}, Note: "as the authors' code does"},
		{Function: "stats", Request: bench.Request{Dataset: data, Pools: true}, Want: map[string]string{"pools in the released pool value": "5.666666666666667"}},
		{
			Function: "baseline", Request: bench.Request{Dataset: data, Method: "maxsim-aspects", Embedder: embedder, Rules: bench.Rules{Setting: "aspect"}},
			Want: map[string]string{"maxsim-aspects R@20 maxsim-aspects": "100"},
		},
		{Function: "baseline", Request: bench.Request{Dataset: data, Method: "tfidf", Rules: bench.Rules{Setting: "test"}}, Note: "as the authors' code does"},
		{Function: "baseline", Request: bench.Request{Dataset: data, Method: "random", Rules: bench.Rules{Export: "x"}}, Err: "random has no ranking to export"},
		{Function: "baseline", Request: bench.Request{Dataset: data, Rules: bench.Rules{Setting: "subquery-0"}}, Err: "unknown setting"},
		{Function: "baseline", Request: bench.Request{Dataset: data, Rules: bench.Rules{Setting: "subquery-9"}}, Err: "has no query for the setting"},
		{Function: "baseline", Request: bench.Request{Dataset: data, Method: "none"}, Err: "unknown ranker"},
		{
			Function: "score", Request: bench.Request{Dataset: data, Predictions: benchtest.File(t, "p.jsonl", `{"question_id":"q0"}`)},
			Err: "a line needs query_id",
		},
		{Function: "stats", Request: bench.Request{Dataset: benchtest.File(t, "d.json", `{"1":{"title":"T"}}`)}, Err: "no queries"},
	})
}

// embedder has a vector with the length of a text.
func embedder() (embed.Embedder, error) { return lengths{}, nil }

type lengths struct{ embed.Embedder }

func (lengths) Embed(_ context.Context, texts []string) ([][]float32, error) {
	var list [][]float32
	for _, s := range texts {
		list = append(list, []float32{float32(len(s)), 1})
	}
	return list, nil
}

const trees = `Query: 0

First sentence.
Second sentence.

Aspects:

1. One.
	a. Part.
	b. One.

2. Two.

==================================================
`

const best = `Query id: 0
About graphs.

Best Candidate ID: 7, Best Candidate Averaged Relevance Score: 1.500

Best Candidate:
We search
graphs.

==========
Query id: 1
About tides.

Best Candidate ID: 8, Best Candidate Averaged Relevance Score: 1.000

Best Candidate:
Predicting tides.

==========
`

func TestTexts(t *testing.T) {
	folder := t.TempDir()
	for name, text := range map[string]string{"queries.txt": trees, "best.txt": best, "bad.txt": "Query: 0\nA\nAspects:\n\tx\n"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, _, err := benchtest.Call(t, dorismae.Benchmark(), "stats", bench.Request{Dataset: folder + "/queries.txt"})
	if err != nil || got["sizes distinct texts number"] != "3" || got["sizes queries that repeat a text number"] != "1" || got["trees 2 aspects"] != "1" {
		t.Errorf("%v, %v", got, err)
	}
	got, _, err = benchtest.Call(t, dorismae.Benchmark(), "baseline", bench.Request{Dataset: folder + "/best.txt"})
	if err != nil || got["known tfidf R@1"] != "100" {
		t.Errorf("%v, %v", got, err)
	}
	broken := errors.New("no model")
	for _, r := range []bench.Request{{Dataset: folder + "/bad.txt"}, {Dataset: folder + "/best.txt", Method: "maxsim", Embedder: func() (embed.Embedder, error) { return nil, broken }}} {
		function := "baseline"
		if r.Method == "" {
			function = "stats"
		}
		if _, _, err := benchtest.Call(t, dorismae.Benchmark(), function, r); err == nil {
			t.Errorf("%+v has no error", r)
		}
	}
}
