// Package stats holds the statistics of scores: intervals of shares and means ([Wilson], [ClusterBootstrap]) and
// their standard errors ([StandardError]), tests of two systems on the same questions ([McNemarMid]) and how many questions such a test needs ([PairedQuestions]), agreement
// of judges ([CohenKappa], [FleissKappa]) and success over repeats ([PassAtK], [PassHatK]). It knows no score and no
// question: numbers in, numbers out, the same ones every time.
//
// What has no value is NaN, which encoding/json refuses: ask math.IsNaN before one is written.
package stats

import "math"

// Interval is a confidence interval in the unit of what it is of.
type Interval struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Scale returns the interval with both ends times a positive factor: shares as percent.
func (i Interval) Scale(by float64) Interval { return Interval{i.Low * by, i.High * by} }

// NormalQuantile is the x below which a standard normal variable lies with probability p, in 0..1: -Inf for 0, +Inf for
// 1, NaN outside. Nine digits are right in the far tails, all of them elsewhere.
func NormalQuantile(p float64) float64 { return -math.Sqrt2 * math.Erfcinv(2*p) }

// Wilson is the score interval of a share, in 0..1, after k successes of n (Wilson 1927, without correction for
// continuity). level is such as 0.95. Nothing is known of a share without trials: n = 0 gives 0..1. NaN for k outside 0..n
// or a level outside 0..1.
func Wilson(k, n int, level float64) Interval {
	switch {
	case k < 0 || n < k || level < 0 || level > 1 || math.IsNaN(level):
		return Interval{math.NaN(), math.NaN()}
	case n == 0 || level == 1:
		return Interval{0, 1}
	}
	z, size := NormalQuantile((1+level)/2), float64(n)
	share := float64(k) / size
	centre := share + z*z/(2*size)
	half := z * math.Sqrt((share*(1-share)+z*z/(4*size))/size)
	i := Interval{max(0, (centre-half)/(1+z*z/size)), min(1, (centre+half)/(1+z*z/size))}
	if k == 0 {
		i.Low = 0 // not the 1e-17 that rounding leaves
	}
	if k == n {
		i.High = 1
	}
	return i
}
