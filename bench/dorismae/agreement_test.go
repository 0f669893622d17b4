package dorismae_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"airqa/bench"
	"airqa/bench/dorismae"
	"airqa/internal/stats"
	"airqa/internal/testkit/benchtest"
)

// agreeOnTestSet measures the ratings of DORIS-MAE's test set, with other annotations if there are any.
func agreeOnTestSet(t *testing.T, annotations string, c bench.AgreementConfig) *bench.Result {
	t.Helper()
	ratings, err := dorismae.Benchmark().Ratings(folder+"dataset.json", annotations)
	if err != nil {
		t.Fatal(err)
	}
	c.Model = bench.ModelRater
	r, err := bench.Agree(ratings, c)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func value(t *testing.T, r *bench.Result, table, row, column string) float64 {
	t.Helper()
	for _, tb := range r.Tables {
		for _, m := range tb.Measures {
			if tb.Name == table && m.Row == row && m.Column == column && m.Value != nil {
				return *m.Value
			}
		}
	}
	t.Fatalf("%s has no %s of %s", table, column, row)
	return 0
}

func TestAgreeOfTestSet(t *testing.T) {
	r := agreeOnTestSet(t, "", bench.AgreementConfig{Measure: "all", ParityConfig: stats.ParityConfig{Margin: 0.05, Rounds: 200, Seed: 1}})
	mean := 0.0
	for _, who := range []string{"1", "2", "3"} {
		mean += value(t, r, "pairs", "annotator_"+who+", model", "exact") / 3
	}
	if got := value(t, r, "parity", "exact", "model"); got-mean > 1e-9 || mean-got > 1e-9 {
		t.Errorf("mean agreement %v, of the pairs %v", got, mean)
	}
	sum := 0.0
	for _, label := range []string{"0", "1", "2"} {
		sum += value(t, r, "labels", "annotator_2", label)
	}
	if sum < 1-1e-9 || sum > 1+1e-9 || len(r.Faults) > 0 {
		t.Errorf("shares add up to %v; faults %v", sum, r.Faults)
	}
	for _, m := range []string{"exact", "macro-f1", "kappa", "rho", "alpha"} {
		if p := value(t, r, "parity", m, "p"); p <= 0 || p > 1 {
			t.Errorf("p of %s is %v", m, p)
		}
	}
	// Only annotated pairs count for another model.
	other := filepath.Join(t.TempDir(), "a.json")
	if err := os.WriteFile(other, []byte(`[{"aspect_id": "0", "abstract_id": 0, "score": 2}, {"aspect_id": "0", "abstract_id": 2, "score": 2}]`), 0o600); err != nil {
		t.Fatal(err)
	}
	r = agreeOnTestSet(t, other, bench.AgreementConfig{Measure: "exact", ParityConfig: stats.ParityConfig{Rounds: 10}})
	for _, tb := range r.Tables {
		if tb.Name == "parity" && (len(tb.Measures) != 6 || *tb.Measures[2].N > 2) {
			t.Errorf("parity %+v", tb.Measures)
		}
	}
}

func TestNoTestSet(t *testing.T) {
	empty := benchtest.File(t, "empty.json", `{"Query": [{"query_text": "q"}], "Test_set": []}`)
	if _, err := dorismae.Benchmark().Ratings(empty, ""); err == nil || !strings.Contains(err.Error(), "no Test_set") {
		t.Errorf("no test set: %v", err)
	}
}
