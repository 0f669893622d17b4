package companion_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"airqa/bench/companion"
	"airqa/env/embed"
	"airqa/report/render"
)

const fixtures = "../../fixtures/"

// call runs a function of a benchmark and returns the values of its tables as "table row column value".
func call(t *testing.T, benchmark, function string, r companion.Request) (values map[string]string, notes string, err error) {
	t.Helper()
	b, err := companion.Find(benchmark)
	if err != nil {
		t.Fatal(err)
	}
	of := map[string]func(context.Context, companion.Request) (*companion.Result, error){"stats": b.Stats, "baseline": b.Baseline, "score": b.Score}
	result, err := of[function](t.Context(), r)
	if err != nil {
		return nil, "", err
	}
	values = make(map[string]string)
	for _, table := range result.Tables {
		for _, m := range table.Measures {
			value := "-"
			if m.Value != nil {
				raw, _ := json.Marshal(*m.Value)
				value = string(raw)
			}
			values[table.Name+" "+m.Row+" "+m.Column] = value
		}
	}
	var out strings.Builder
	if err := result.Write(&out, render.Options{}); err != nil {
		t.Error(err)
	}
	return values, strings.Join(result.Notes, "\n"), nil
}

func TestQASPERAndDORIS(t *testing.T) {
	export := filepath.Join(t.TempDir(), "out.jsonl")
	qasper, doris := fixtures+"qasper/dev.json", fixtures+"doris-mae/dataset.json"
	tests := []struct {
		benchmark, function string
		request             companion.Request
		want                map[string]string
		note                string
	}{
		{"qasper", "stats", companion.Request{Dataset: qasper}, map[string]string{
			"sizes papers number": "2", "means questions per paper value": "3.5", "answers evidence in the text value": "76.92307692307692", "answers several paragraphs, of those with text only value": "0",
		}, "all three splits"},
		{"qasper", "baseline", companion.Request{Dataset: qasper}, map[string]string{
			"scores oracle Answer-F1": "100", "types human lower bound boolean": "-", "script tfidf Evidence-F1": "57.14285714285714",
		}, "seed 31045"},
		{"qasper", "baseline", companion.Request{Dataset: qasper, Method: "tfidf", Export: export}, map[string]string{"scores tfidf Evidence-F1": "85.71428571428571"}, ""},
		{"qasper", "score", companion.Request{Dataset: qasper, Predictions: export, Fixed: true, Bootstrap: 100}, map[string]string{
			"scores predictions Evidence-F1": "85.71428571428571", "types predictions none": "", "first predictions none": "0",
		}, "fixed: evidence is compared as sets"},
		{"doris-mae", "stats", companion.Request{Dataset: doris}, map[string]string{
			"sizes queries number": "3", "relevant all mean": "2.3333333333333335", "relevant CV max": "2", "scores all (paper) max": "1.909", "relevant-2 NLP min": "4",
		}, "at least 1"},
		{"doris-mae", "baseline", companion.Request{Dataset: doris}, map[string]string{"methods tfidf R@5": "100", "methods random R@20": "100"}, "as the authors' code does"},
		{"doris-mae", "baseline", companion.Request{Dataset: doris, Setting: "subquery-2", Method: "bm25", Export: export}, map[string]string{"bm25 R@20 bm25": "100"}, ""},
		{"doris-mae", "score", companion.Request{Dataset: doris, Setting: "subquery-2", Predictions: export, Fixed: true}, map[string]string{
			"rankings R@20 rankings": "100", "methods tfidf MAP": "100", "difference R@20 difference": "0",
		}, "identical to those of bm25"},
		{"doris-mae", "score", companion.Request{Dataset: doris, Predictions: fixtures + "doris-mae/rankings.jsonl", Export: export}, map[string]string{"rankings RP rankings": "100"}, "its ranking lacks, which follow in lexical order: 7"},
		{"doris-mae", "score", companion.Request{Dataset: doris, Predictions: export}, map[string]string{"rankings RP rankings": "100", "methods tfidf RP": "66.66666666666666"}, "as the authors' code does"},
		{"doris-mae", "stats", companion.Request{Dataset: doris, Pools: true}, map[string]string{"pools in the released pool value": "5.666666666666667"}, ""},
		{"doris-mae", "baseline", companion.Request{Dataset: doris, Setting: "aspect", Method: "maxsim-aspects", Embedder: embedder}, map[string]string{"maxsim-aspects R@20 maxsim-aspects": "100"}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.benchmark+" "+tt.function+" "+tt.request.Method+tt.request.Setting, func(t *testing.T) {
			got, notes, err := call(t, tt.benchmark, tt.function, tt.request)
			if err != nil || !strings.Contains(notes, tt.note) {
				t.Fatalf("%v, notes %s", err, notes)
			}
			for key, want := range tt.want {
				if got[key] != want {
					t.Errorf("%s = %q, want %q", key, got[key], want)
				}
			}
		})
	}
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

func TestQASPERAndDORISMisuse(t *testing.T) {
	tests := []struct {
		benchmark, function string
		request             companion.Request
		want                string
	}{
		{"qasper", "baseline", companion.Request{Dataset: fixtures + "qasper/dev.json", Method: "none"}, "unknown baseline"},
		{"qasper", "baseline", companion.Request{Dataset: fixtures + "qasper/dev.json", Export: "x"}, "--export needs --method"},
		{"qasper", "stats", companion.Request{Dataset: fixtures + "qasper/none.json"}, "no such file"},
		{"qasper", "score", companion.Request{Dataset: fixtures + "qasper/dev.json", Predictions: fixtures + "doris-mae/rankings.jsonl"}, "a line needs question_id"},
		{"doris-mae", "baseline", companion.Request{Dataset: fixtures + "doris-mae/dataset.json", Method: "random", Export: "x"}, "--export needs --method"},
		{"doris-mae", "baseline", companion.Request{Dataset: fixtures + "doris-mae/dataset.json", Setting: "subquery-0"}, "unknown setting"},
		{"doris-mae", "baseline", companion.Request{Dataset: fixtures + "doris-mae/dataset.json", Setting: "test", Method: "tfidf"}, ""},
		{"doris-mae", "baseline", companion.Request{Dataset: fixtures + "doris-mae/dataset.json", Setting: "subquery-9"}, "has no query for the setting"},
		{"doris-mae", "baseline", companion.Request{Dataset: fixtures + "doris-mae/dataset.json", Method: "none"}, "unknown ranker"},
		{"doris-mae", "score", companion.Request{Dataset: fixtures + "doris-mae/dataset.json", Predictions: fixtures + "qasper/predictions.jsonl"}, "a line needs query_id"},
		{"doris-mae", "stats", companion.Request{Dataset: fixtures + "qasper/dev.json"}, "no queries"},
	}
	for _, tt := range tests {
		if _, _, err := call(t, tt.benchmark, tt.function, tt.request); tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s %s %+v: %v, want %q", tt.benchmark, tt.function, tt.request, err, tt.want)
		}
	}
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

func TestDORISTexts(t *testing.T) {
	folder := t.TempDir()
	for name, text := range map[string]string{"queries.txt": trees, "best.txt": best, "bad.txt": "Query: 0\nA\nAspects:\n\tx\n"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, _, err := call(t, "doris-mae", "stats", companion.Request{Dataset: folder + "/queries.txt"})
	if err != nil || got["sizes distinct texts number"] != "3" || got["sizes queries that repeat a text number"] != "1" || got["trees 2 aspects"] != "1" {
		t.Errorf("%v, %v", got, err)
	}
	got, _, err = call(t, "doris-mae", "baseline", companion.Request{Dataset: folder + "/best.txt"})
	if err != nil || got["known tfidf R@1"] != "100" {
		t.Errorf("%v, %v", got, err)
	}
	broken := errors.New("no model")
	for _, r := range []companion.Request{{Dataset: folder + "/bad.txt"}, {Dataset: folder + "/best.txt", Method: "maxsim", Embedder: func() (embed.Embedder, error) { return nil, broken }}} {
		function := "baseline"
		if r.Method == "" {
			function = "stats"
		}
		if _, _, err := call(t, "doris-mae", function, r); err == nil {
			t.Errorf("%+v has no error", r)
		}
	}
}
