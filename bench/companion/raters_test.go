package companion_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"airqa/bench/companion"
)

const dorisFixture = "../../fixtures/doris-mae/dataset.json"

func value(t *testing.T, r *companion.Result, table, row, column string) float64 {
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
	r, err := companion.Agree(companion.AgreeRequest{File: dorisFixture, Measure: "all", Margin: 0.05, Rounds: 200, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
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
	r, err = companion.Agree(companion.AgreeRequest{File: dorisFixture, Annotations: other, Measure: "exact", Rounds: 10})
	if err != nil {
		t.Fatal(err)
	}
	for _, tb := range r.Tables {
		if tb.Name == "parity" && (len(tb.Measures) != 6 || *tb.Measures[2].N > 2) {
			t.Errorf("parity %+v", tb.Measures)
		}
	}
}

func TestAgreeMisuse(t *testing.T) {
	dir := t.TempDir()
	csv := func(text string) string {
		path := filepath.Join(dir, "r.csv")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	empty := filepath.Join(dir, "empty.json")
	if err := os.WriteFile(empty, []byte(`{"Query": [{"query_text": "q"}], "Test_set": []}`), 0o600); err != nil {
		t.Fatal(err)
	}
	words := "a,b,c\nyes,no,yes\nno,no,yes\n"
	tests := []struct {
		want string
		r    companion.AgreeRequest
	}{
		{`no rater is named "x"; the raters are a, b, c`, companion.AgreeRequest{File: csv(words), Model: "x", Rounds: 1}},
		{"needs numbers", companion.AgreeRequest{File: csv(words), Model: "c", Measure: "rho", Rounds: 1}},
		{"--margin must not be negative", companion.AgreeRequest{File: csv(words), Model: "c", Measure: "exact"}},
		{"--annotations needs", companion.AgreeRequest{File: csv(words), Annotations: "x"}},
		{"no Test_set", companion.AgreeRequest{File: empty}},
	}
	for _, tt := range tests {
		if _, err := companion.Agree(tt.r); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v", tt.want, err)
		}
	}
	if _, err := companion.Agree(companion.AgreeRequest{File: csv("a,b\n1,2\n1,1\n"), Model: "a", Rounds: 1}); err == nil || !strings.Contains(err.Error(), "needs two others") {
		t.Errorf("two raters: %v", err)
	}
}
