// Package stats has the statistics of scores: intervals of shares and means ([Wilson], [ClusterBootstrap]) and their
// standard errors ([StandardError]), tests of two systems on the same questions ([McNemarMid]) and the number of
// questions that they need ([PairedQuestions]), agreement of judges ([CohenKappa], [FleissKappa]) and success over
// repeats ([PassAtK], [PassHatK]). It works on plain numbers and is deterministic.
//
// Undefined values are NaN, which encoding/json rejects: check math.IsNaN before writing one.
package stats

import "math"

// Interval is a confidence interval in the unit of its estimate.
type Interval struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Scale multiplies both ends by a positive factor, for example to convert shares to percentages.
func (i Interval) Scale(by float64) Interval { return Interval{i.Low * by, i.High * by} }

// NormalQuantile is the quantile of the standard normal distribution for p in 0..1: -Inf for 0, +Inf for 1, NaN
// outside. It is accurate to nine digits in the far tails, and to full precision elsewhere.
func NormalQuantile(p float64) float64 { return -math.Sqrt2 * math.Erfcinv(2*p) }

// Wilson is the score interval of a share, in 0..1, after k successes in n trials (Wilson 1927, without continuity
// correction). level is for example 0.95. n = 0 gives 0..1. NaN for k outside 0..n or a level outside 0..1.
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
		i.Low = 0 // not 1e-17 from rounding
	}
	if k == n {
		i.High = 1
	}
	return i
}

// WilsonSum is [Wilson] for a sum of n values between 0 and 1, some of which are fractions, such as means of repeats: it
// interpolates between the intervals of the neighbouring integers.
func WilsonSum(sum float64, n int, level float64) Interval {
	whole := math.Floor(sum)
	part := sum - whole
	low := Wilson(int(whole), n, level)
	if part < 1e-9 || int(whole) == n {
		return low
	}
	high := Wilson(int(whole)+1, n, level)
	return Interval{Low: low.Low + part*(high.Low-low.Low), High: low.High + part*(high.High-low.High)}
}
