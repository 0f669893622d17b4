package bench_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/bench"
	"airqa/internal/stats"
	"airqa/internal/testkit/benchtest"
)

func TestAgreeMisuse(t *testing.T) {
	words := "a,b,c\nyes,no,yes\nno,no,yes\n"
	tests := []struct {
		want, table string
		c           bench.AgreementConfig
	}{
		{`no rater is named "x"; the raters are a, b, c`, words, bench.AgreementConfig{Model: "x", ParityConfig: stats.ParityConfig{Rounds: 1}}},
		{"needs numbers", words, bench.AgreementConfig{Model: "c", Measure: "rho", ParityConfig: stats.ParityConfig{Rounds: 1}}},
		{"--list needs --rater NAME, and numbers", words, bench.AgreementConfig{Model: "c", List: true}},
		{"--list needs --rater NAME, and numbers", "a,b,c\n1,2,3\n", bench.AgreementConfig{List: true}},
		{"needs two others", "a,b\n1,2\n1,1\n", bench.AgreementConfig{Model: "a", ParityConfig: stats.ParityConfig{Rounds: 1}}},
	}
	for _, tt := range tests {
		ratings, err := bench.ReadRatings(benchtest.File(t, "r.csv", tt.table))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := bench.Agree(ratings, tt.c); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v", tt.want, err)
		}
	}
}

// agree measures a table and returns the value of each measure.
func agree(t *testing.T, table string) map[string]*float64 {
	t.Helper()
	r, err := agreeOn(t, table)
	if err != nil {
		t.Fatal(err)
	}
	values := make(map[string]*float64)
	for _, m := range r.Tables[0].Measures {
		values[m.Row] = m.Value
	}
	return values
}

func TestAgree(t *testing.T) {
	// The check values come from Krippendorff's example, transposed so that rows are units.
	four := agree(t, "A,B,C,D\n1,1,.,1\n2,2,3,2\n3,3,3,3\n3,3,3,3\n2,2,2,2\n1,2,3,4\n4,4,4,4\n1,1,2,1\n2,2,2,2\n,5,5,5\n,,1,1\n,3,,\n")
	two := agree(t, "unit,system,true\nx,0,0\ny,1,1\nz,2,1\n4,1,1\n5,0,0\n6,2,2\n7,1,2\n8,1,1\n9,0,1\n10,2,2\n11,,2\n")
	words := agree(t, "a,b\nyes,yes\nno,yes\nno,no\n")
	tests := []struct {
		values  map[string]*float64
		measure string
		want    float64
	}{
		{four, "Krippendorff's alpha, nominal", 0.743421},
		{four, "Krippendorff's alpha, ordinal", 0.815388},
		{four, "Krippendorff's alpha, interval", 0.849107},
		{four, "Krippendorff's alpha, ratio", 0.797403},
		{two, "macro precision, the second being true", 0.694444},
		{two, "macro recall", 0.755556},
		{two, "macro F1", 0.711111},
		{two, "Spearman's rho", 0.731925},
		{two, "exact agreement", 0.7},
		{words, "Cohen's kappa", 0.4},
		{words, "Krippendorff's alpha, nominal", 4. / 9},
		{words, "Fleiss' kappa", 1. / 3},
	}
	for _, tt := range tests {
		if v := tt.values[tt.measure]; v == nil || *v < tt.want-5e-7 || *v > tt.want+5e-7 {
			t.Errorf("%s: want %v", tt.measure, tt.want)
		}
	}
	if _, ok := words["Spearman's rho"]; ok {
		t.Error("words have ranks")
	}
	if v, ok := agree(t, "a,b\n1,1\n1,1\n")["Fleiss' kappa"]; !ok || v != nil {
		t.Error("the kappa of equal values is not undefined")
	}
}

// Units on which a rater differs from most others are first. Missing values differ from nothing.
func TestDifferences(t *testing.T) {
	ratings, err := bench.ReadRatings(benchtest.File(t, "r.csv", "id,a,b,m\nu,1,1,1\nv,1,2,1\nw,0,0,2\nx,,,2\ny,0,1,\nz,2,,1\n"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := bench.Agree(ratings, bench.AgreementConfig{Model: "m", Measure: "exact", List: true, ParityConfig: stats.ParityConfig{Rounds: 1}})
	if err != nil {
		t.Fatal(err)
	}
	table := r.Tables[len(r.Tables)-1]
	var got []string
	for _, m := range table.Measures {
		value := "-"
		if m.Value != nil {
			value = strconv.FormatFloat(*m.Value, 'f', -1, 64)
		}
		got = append(got, m.Row+" "+m.Column+" "+value)
	}
	want := []string{
		"line 4 a 0", "line 4 b 0", "line 4 m 2", "line 4 others that differ 2",
		"line 3 a 1", "line 3 b 2", "line 3 m 1", "line 3 others that differ 1",
		"line 7 a 2", "line 7 b -", "line 7 m 1", "line 7 others that differ 1",
	}
	if diff := cmp.Diff(want, got); diff != "" || table.Title != "Units on which m and others differ: 3 of 6" {
		t.Errorf("%s (-want +got)\n%s", table.Title, diff)
	}
}
