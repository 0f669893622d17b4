package qasper_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"airqa/bench"
	"airqa/bench/qasper"
	"airqa/internal/testkit/benchtest"
)

func TestTables(t *testing.T) {
	data, export := folder+"dev.json", filepath.Join(t.TempDir(), "out.jsonl")
	benchtest.Check(t, qasper.Benchmark(), []benchtest.Case{
		{Function: "stats", Request: bench.Request{Dataset: data}, Want: map[string]string{
			"sizes papers number": "2", "means questions per paper value": "3.5", "answers evidence in the text value": "76.92307692307692",
			"answers several paragraphs, of those with text only value": "0",
		}, Note: "all three splits"},
		{Function: "baseline", Request: bench.Request{Dataset: data}, Want: map[string]string{
			"scores oracle Answer-F1": "100", "types human lower bound boolean": "-", "script tfidf Evidence-F1": "57.14285714285714",
		}, Note: "seed 31045"},
		{Function: "baseline", Request: bench.Request{Dataset: data, Method: "tfidf", Rules: bench.Rules{Export: export}}, Want: map[string]string{
			"scores tfidf Evidence-F1": "85.71428571428571",
		}},
		{Function: "score", Request: bench.Request{Dataset: data, Predictions: export, Bootstrap: 100, Rules: bench.Rules{Fixed: true}}, Want: map[string]string{
			"scores predictions Evidence-F1": "85.71428571428571", "types predictions none": "", "first predictions none": "0",
		}, Note: "fixed: evidence is compared as sets"},
		{Function: "baseline", Request: bench.Request{Dataset: data, Method: "none"}, Err: "unknown baseline"},
		{Function: "stats", Request: bench.Request{Dataset: folder + "none.json"}, Err: "no such file"},
		{
			Function: "score", Request: bench.Request{Dataset: data, Predictions: benchtest.File(t, "r.jsonl", `{"query_id":"q0","index_rank":[3]}`)},
			Err: "a line needs question_id",
		},
	})
}

// A wrong type in one annotation of a paper leaves all questions in the score, and the result names the annotation.
func TestFaultyAnnotation(t *testing.T) {
	raw, err := os.ReadFile(folder + "dev.json")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(raw), `"yes_no": false`, `"yes_no": "yes"`, 1)
	r, err := qasper.Benchmark().Baseline(t.Context(), bench.Request{Dataset: benchtest.File(t, "dev.json", text), Method: "echo"})
	if err != nil {
		t.Fatal(err)
	}
	if m := r.Tables[0].Measures[0]; *m.N != 7 {
		t.Errorf("%d questions are scored, not 7", *m.N)
	}
	if len(r.Faults) != 1 || !strings.Contains(r.Faults[0], "yes_no is a string, not true or false; the annotation is skipped") {
		t.Errorf("faults %q", r.Faults)
	}
	if r.Notes[0] != "Left out because of faults: 1 annotation." {
		t.Errorf("notes %q", r.Notes)
	}
}
