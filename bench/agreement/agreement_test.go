package agreement_test

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"airqa/bench/agreement"
)

func near(t *testing.T, name string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 5e-7) && !(math.IsNaN(got) && math.IsNaN(want)) {
		t.Errorf("%s = %.7f, want %.6f", name, got, want)
	}
}

// The example of Fleiss (1971): ten units, five categories, fourteen raters.
func TestFleiss(t *testing.T) {
	table := [][]int{
		{0, 0, 0, 0, 14},
		{0, 2, 6, 4, 2},
		{0, 0, 3, 5, 6},
		{0, 3, 9, 2, 0},
		{2, 2, 8, 1, 1},
		{7, 7, 0, 0, 0},
		{3, 2, 6, 3, 0},
		{2, 5, 3, 2, 2},
		{6, 5, 2, 1, 0},
		{0, 2, 2, 3, 7},
	}
	near(t, "kappa", agreement.Fleiss(table), 0.209931)
	near(t, "kappa of one category", agreement.Fleiss([][]int{{3, 0}, {3, 0}}), math.NaN())
	near(t, "kappa of nothing", agreement.Fleiss(nil), math.NaN())
}

func raters(t *testing.T, rows ...string) [][]float64 {
	t.Helper()
	list := make([][]float64, len(rows))
	for i, row := range rows {
		for cell := range strings.FieldsSeq(row) {
			v := math.NaN()
			if cell != "." {
				var err error
				if v, err = strconv.ParseFloat(cell, 64); err != nil {
					t.Fatal(err)
				}
			}
			list[i] = append(list[i], v)
		}
	}
	return list
}

// The example of Krippendorff: four coders, twelve units, missing values.
func TestAlpha(t *testing.T) {
	coders := raters(t, "1 2 3 3 2 1 4 1 2 . . .", "1 2 3 3 2 2 4 1 2 5 . 3", ". 3 3 3 2 3 4 2 2 5 1 .", "1 2 3 3 2 4 4 1 2 5 1 .")
	want := map[agreement.Metric]float64{
		agreement.Nominal: 0.743421, agreement.Ordinal: 0.815388, agreement.Interval: 0.849107, agreement.Ratio: 0.797403,
	}
	for _, m := range agreement.Metrics() {
		near(t, string(m), agreement.Alpha(coders, m), want[m])
		near(t, string(m)+" of perfect agreement", agreement.Alpha(raters(t, "0 1 2", "0 1 2"), m), 1)
		near(t, string(m)+" of one value", agreement.Alpha(raters(t, "1 1 .", "1 1 2"), m), math.NaN())
	}
	near(t, "no raters", agreement.Alpha(nil, agreement.Nominal), math.NaN())
}

func TestPairs(t *testing.T) {
	predicted, truth := []float64{0, 1, 2, 1, 0, 2, 1, 1, 0, 2}, []float64{0, 1, 1, 1, 0, 2, 2, 1, 1, 2}
	m := agreement.Macro(predicted, truth)
	near(t, "precision", m.Precision, 0.694444)
	near(t, "recall", m.Recall, 0.755556)
	near(t, "F1", m.F1, 0.711111)
	near(t, "rho", agreement.Spearman(predicted, truth), 0.731925)
	near(t, "exact", agreement.Exact(predicted, truth), 0.7)
}

func TestPairsEdges(t *testing.T) {
	m := agreement.Macro([]string{"a", "a"}, []string{"a", "b"}) // b is never predicted
	near(t, "precision", m.Precision, 0.25)
	near(t, "recall", m.Recall, 0.5)
	near(t, "F1", m.F1, 1./3)
	near(t, "rho of opposites", agreement.Spearman([]float64{1, 2, 3}, []float64{9, 8, -1}), -1)
	near(t, "rho without spread", agreement.Spearman([]float64{1, 1}, []float64{1, 2}), math.NaN())
	near(t, "exact of nothing", agreement.Exact[int](nil, nil), math.NaN())
	near(t, "macro of nothing", agreement.Macro[int](nil, nil).F1, 0)
}
