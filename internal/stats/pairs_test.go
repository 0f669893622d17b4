package stats_test

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"airqa/internal/stats"
)

func checkNear(t *testing.T, name string, got, want float64) {
	t.Helper()
	if !near(got, want, 5e-7) {
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
	var votes [][]int
	for _, counts := range table {
		var unit []int
		for category, n := range counts {
			unit = append(unit, slices.Repeat([]int{category}, n)...)
		}
		votes = append(votes, unit)
	}
	checkNear(t, "kappa", stats.FleissKappa(votes), 0.209931)
	checkNear(t, "kappa of one category", stats.FleissKappa([][]int{{0, 0, 0}, {0, 0, 0}}), math.NaN())
	checkNear(t, "kappa of nothing", stats.FleissKappa[int](nil), math.NaN())
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
	want := map[stats.Level]float64{
		stats.NominalLevel: 0.743421, stats.OrdinalLevel: 0.815388, stats.IntervalLevel: 0.849107, stats.RatioLevel: 0.797403,
	}
	for _, m := range stats.Levels() {
		checkNear(t, string(m), stats.KrippendorffAlpha(coders, m), want[m])
		checkNear(t, string(m)+" of perfect agreement", stats.KrippendorffAlpha(raters(t, "0 1 2", "0 1 2"), m), 1)
		checkNear(t, string(m)+" of one value", stats.KrippendorffAlpha(raters(t, "1 1 .", "1 1 2"), m), math.NaN())
	}
	checkNear(t, "no raters", stats.KrippendorffAlpha(nil, stats.NominalLevel), math.NaN())
}

func TestPairs(t *testing.T) {
	predicted, truth := []float64{0, 1, 2, 1, 0, 2, 1, 1, 0, 2}, []float64{0, 1, 1, 1, 0, 2, 2, 1, 1, 2}
	m := stats.MacroScores(predicted, truth)
	checkNear(t, "precision", m.Precision, 0.694444)
	checkNear(t, "recall", m.Recall, 0.755556)
	checkNear(t, "F1", m.F1, 0.711111)
	checkNear(t, "rho", stats.Spearman(predicted, truth), 0.731925)
	checkNear(t, "exact", stats.ExactAgreement(predicted, truth), 0.7)
}

func TestPairsEdges(t *testing.T) {
	m := stats.MacroScores([]string{"a", "a"}, []string{"a", "b"}) // b is never predicted
	checkNear(t, "precision", m.Precision, 0.25)
	checkNear(t, "recall", m.Recall, 0.5)
	checkNear(t, "F1", m.F1, 1./3)
	checkNear(t, "rho of opposites", stats.Spearman([]float64{1, 2, 3}, []float64{9, 8, -1}), -1)
	checkNear(t, "rho without spread", stats.Spearman([]float64{1, 1}, []float64{1, 2}), math.NaN())
	checkNear(t, "exact of nothing", stats.ExactAgreement[int](nil, nil), math.NaN())
	checkNear(t, "macro of nothing", stats.MacroScores[int](nil, nil).F1, 0)
}
