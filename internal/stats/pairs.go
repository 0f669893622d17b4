package stats

import (
	"cmp"
	"maps"
	"math"
	"slices"
)

// ExactAgreement is the share of equal values; NaN without any. It panics if the lists differ in length, as do [Spearman] and
// [MacroScores].
func ExactAgreement[T comparable](a, b []T) float64 {
	equal := 0
	for i := range same(a, b) {
		if a[i] == b[i] {
			equal++
		}
	}
	return float64(equal) / float64(len(a))
}

func same[T any](a, b []T) []T {
	if len(a) != len(b) {
		panic("stats: lists of different lengths")
	}
	return a
}

// Macro are unweighted means over classes, from 0 to 1.
type Macro struct {
	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"`
	F1        float64 `json:"f1"`
}

// MacroScores averages precision, recall and F1 over the classes that occur in either list. A class without predictions, or
// without true cases, counts 0.
func MacroScores[T cmp.Ordered](predicted, truth []T) Macro {
	hits, given, wanted := make(map[T]float64), make(map[T]float64), make(map[T]float64)
	for i, p := range same(predicted, truth) {
		given[p]++
		wanted[truth[i]]++
		given[truth[i]], wanted[p] = given[truth[i]]+0, wanted[p]+0 // every class is a key of both
		if p == truth[i] {
			hits[p]++
		}
	}
	var m Macro
	n := float64(len(given))
	for _, class := range slices.Sorted(maps.Keys(given)) {
		m.Precision += share(hits[class], given[class]) / n
		m.Recall += share(hits[class], wanted[class]) / n
		m.F1 += share(2*hits[class], given[class]+wanted[class]) / n
	}
	return m
}

func share(part, whole float64) float64 {
	if whole == 0 {
		return 0
	}
	return part / whole
}

// Spearman is the rank correlation of two lists: Pearson's of their ranks, tied values having the average rank. NaN if
// a list has fewer than two different values.
func Spearman(a, b []float64) float64 {
	a, b = ranks(same(a, b)), ranks(b)
	n := float64(len(a))
	var sumA, sumB float64
	for i := range a {
		sumA, sumB = sumA+a[i], sumB+b[i]
	}
	var ab, aa, bb float64
	for i := range a {
		x, y := a[i]-sumA/n, b[i]-sumB/n
		ab, aa, bb = ab+float64(x*y), aa+float64(x*x), bb+float64(y*y)
	}
	return ab / math.Sqrt(aa*bb)
}

// ranks start from 1.
func ranks(values []float64) []float64 {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(values[i], values[j]) })
	list := make([]float64, len(values))
	for from := 0; from < len(order); {
		to := from
		for to < len(order) && values[order[to]] == values[order[from]] {
			to++
		}
		for _, i := range order[from:to] {
			list[i] = float64(from+to+1) / 2
		}
		from = to
	}
	return list
}
