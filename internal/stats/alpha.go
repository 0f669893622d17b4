package stats

import (
	"fmt"
	"maps"
	"math"
	"slices"
)

// Level is the level of measurement of [KrippendorffAlpha]: how far apart two values are.
type Level string

// The levels, from the lowest.
const (
	NominalLevel  Level = "nominal"
	OrdinalLevel  Level = "ordinal"
	IntervalLevel Level = "interval"
	RatioLevel    Level = "ratio"
)

// Levels returns all levels.
func Levels() []Level { return []Level{NominalLevel, OrdinalLevel, IntervalLevel, RatioLevel} }

// KrippendorffAlpha is 1 - Do/De of the coincidence matrix: 1 for perfect agreement, 0 for chance. Each rater has a value
// for every unit; NaN is a missing one. Units with fewer than two values are left out. It is NaN if all values are equal,
// or there are none. It panics if raters have different numbers of units.
func KrippendorffAlpha(raters [][]float64, l Level) float64 {
	matrix, n := coincidences(raters)
	values := slices.Sorted(maps.Keys(n))
	total := 0.0
	for _, v := range values {
		total += n[v]
	}
	var observed, expected float64
	for i, c := range values {
		for _, k := range values[i+1:] {
			d := l.squared(c, k, values, n)
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
func (l Level) squared(c, k float64, values []float64, n map[float64]float64) float64 {
	d := 1.0
	switch l {
	case NominalLevel:
	case OrdinalLevel:
		d = -(n[c] + n[k]) / 2
		for _, v := range values {
			if c <= v && v <= k {
				d += n[v]
			}
		}
	case IntervalLevel:
		d = k - c
	case RatioLevel:
		d = (k - c) / (k + c)
	default:
		panic(fmt.Sprintf("stats: unknown level %q", l))
	}
	return d * d
}
