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
	data, export, again := folder+"dataset.json", filepath.Join(t.TempDir(), "out.jsonl"), filepath.Join(t.TempDir(), "again.jsonl")
	benchtest.Check(t, dorismae.Benchmark(), []benchtest.Case{
		{Function: "stats", Request: bench.Request{Dataset: data}, Want: map[string]string{
			"sizes queries number": "3", "relevant all mean": "2.3333333333333335", "relevant CV max": "2", "scores all (paper) max": "1.909",
			"relevant-2 NLP min": "4", "relevant AI (paper) mean": "11.6", "relevant-2 ML (paper) max": "105", "scores Composite (paper) std": "0.332",
			"scores-2 CV max": "1", "scores-2 all (paper) mean": "0.61", "pool all (paper) max": "138",
		}, Note: "at least 1"},
		{Function: "compare", Request: bench.Request{Dataset: data}, Want: map[string]string{
			"scores tfidf R@5": "100", "scores random R@20": "100", "scores ada-002 (paper) R@5": "15.38",
			"scores RocketQA-v2, sentences (paper) MAP": "40.25",
		}, Note: "as the authors' code does"},
		{
			Function: "compare", Request: bench.Request{Dataset: data, Method: "bm25", Choice: bench.Choice{Setting: "subquery-2"}, Export: export},
			Want: map[string]string{"bm25 R@20 bm25": "100"},
		},
		{
			Function: "compare", Request: bench.Request{Dataset: data, Choice: bench.Choice{Setting: "subquery-2"}, Fixed: true}, Predictions: export, Want: map[string]string{
				"predictions R@20 predictions": "100", "scores tfidf MAP": "100", "difference of predictions R@20 difference": "0",
			}, Note: "identical to those of bm25",
		},
		{
			Function: "compare", Request: bench.Request{Dataset: data, Export: again}, Predictions: folder + "rankings.jsonl",
			Want: map[string]string{"predictions RP predictions": "100"}, Note: "its ranking lacks, which follow in lexical order: 7",
		},
		{Function: "compare", Request: bench.Request{Dataset: data}, Predictions: again, Want: map[string]string{
			"predictions RP predictions": "100", "scores tfidf RP": "66.66666666666666",
		}, Note: "as the authors' code does"},
		{Function: "stats", Request: bench.Request{Dataset: data, Pools: true}, Want: map[string]string{"pools in the released pool value": "5.666666666666667"}},
		{
			Function: "compare", Request: bench.Request{Dataset: data, Method: "maxsim-aspects", Embedder: embedder, Choice: bench.Choice{Setting: "aspect"}},
			Want: map[string]string{"maxsim-aspects R@20 maxsim-aspects": "100"},
		},
		{Function: "compare", Request: bench.Request{Dataset: data, Method: "tfidf", Choice: bench.Choice{Setting: "test"}}, Note: "as the authors' code does"},
		{Function: "compare", Request: bench.Request{Dataset: data, Method: "random", Export: "x"}, Err: "--export needs one --run, or one --method that gives answers"},
		{Function: "compare", Request: bench.Request{Dataset: data, Choice: bench.Choice{Setting: "subquery-0"}}, Err: "unknown setting"},
		{Function: "compare", Request: bench.Request{Dataset: data, Choice: bench.Choice{Setting: "subquery-9"}}, Err: "has no query for the setting"},
		{Function: "compare", Request: bench.Request{Dataset: data, Method: "none"}, Err: "unknown ranker"},
		{
			Function: "compare", Request: bench.Request{Dataset: data}, Predictions: benchtest.File(t, "p.jsonl", `{"question_id":"q0"}`),
			Err: `field "query_id", the id of an item, is missing`,
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
	got, _, err = benchtest.Call(t, dorismae.Benchmark(), "compare", bench.Request{Dataset: folder + "/best.txt"})
	if err != nil || got["scores tfidf RP"] != "100" {
		t.Errorf("%v, %v", got, err)
	}
	broken := errors.New("no model")
	for _, r := range []bench.Request{{Dataset: folder + "/bad.txt"}, {Dataset: folder + "/best.txt", Method: "maxsim", Embedder: func() (embed.Embedder, error) { return nil, broken }}} {
		function := "compare"
		if r.Method == "" {
			function = "stats"
		}
		if _, _, err := benchtest.Call(t, dorismae.Benchmark(), function, r); err == nil {
			t.Errorf("%+v has no error", r)
		}
	}
}
