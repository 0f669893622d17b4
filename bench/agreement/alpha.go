package agreement

import (
	"fmt"
	"maps"
	"math"
	"slices"
)

// Metric is the level of measurement of [Alpha]: how far apart two values are.
type Metric string

// The metrics of Krippendorff's alpha.
const (
	Nominal  Metric = "nominal"
	Ordinal  Metric = "ordinal"
	Interval Metric = "interval"
	Ratio    Metric = "ratio"
)

// Metrics returns all metrics.
func Metrics() []Metric { return []Metric{Nominal, Ordinal, Interval, Ratio} }

// Alpha is Krippendorff's alpha, 1 - Do/De of the coincidence matrix: 1 for perfect agreement, 0 for chance. Each rater
// has a value for every unit; NaN is a missing one. Units with fewer than two values are left out. It is NaN if all
// values are equal, or there are none. It panics if raters have different numbers of units.
func Alpha(raters [][]float64, m Metric) float64 {
	matrix, n := coincidences(raters)
	values := slices.Sorted(maps.Keys(n))
	total := 0.0
	for _, v := range values {
		total += n[v]
	}
	var observed, expected float64
	for i, c := range values {
		for _, k := range values[i+1:] {
			d := m.squared(c, k, values, n)
			observed += matrix[[2]float64{c, k}] * d
			expected += n[c] * n[k] * d
		}
	}
	if expected == 0 {
		return math.NaN()
	}
	return 1 - (total-1)*observed/expected
}

// coincidences counts the pairs of values within units, each pair weighing 1/(values of the unit - 1), and the values
// in such pairs.
func coincidences(raters [][]float64) (matrix map[[2]float64]float64, n map[float64]float64) {
	matrix, n = make(map[[2]float64]float64), make(map[float64]float64)
	if len(raters) == 0 {
		return matrix, n
	}
	for unit := range raters[0] {
		var given []float64
		for _, values := range raters {
			if v := same(values, raters[0])[unit]; !math.IsNaN(v) {
				given = append(given, v)
			}
		}
		if len(given) < 2 {
			continue
		}
		for i, a := range given {
			n[a]++
			for j, b := range given {
				if i != j {
					matrix[[2]float64{a, b}] += 1 / float64(len(given)-1)
				}
			}
		}
	}
	return matrix, n
}

// squared is the squared difference of c and k, c < k; n counts each of the ascending values.
func (m Metric) squared(c, k float64, values []float64, n map[float64]float64) float64 {
	d := 1.0
	switch m {
	case Nominal:
	case Ordinal:
		d = -(n[c] + n[k]) / 2
		for _, v := range values {
			if c <= v && v <= k {
				d += n[v]
			}
		}
	case Interval:
		d = k - c
	case Ratio:
		d = (k - c) / (k + c)
	default:
		panic(fmt.Sprintf("agreement: unknown metric %q", m))
	}
	return d * d
}
