package stats

import (
	"math"
	"math/rand/v2"
	"slices"
)

// DefaultRounds gives two stable digits of a bootstrap interval.
const DefaultRounds = 10000

// ClusterBootstrap is the percentile interval of the mean of values, resampling whole clusters with replacement (Efron
// and Tibshirani 1993, chapters 8 and 13), because values of one cluster are not independent. clusters names the
// cluster of each value; nil makes each value its own cluster. rounds below 1 means [DefaultRounds]; level is for
// example 0.95. The result is deterministic.
//
// With fewer than about twenty clusters the interval is too narrow, and with one it has no width. Without values it is
// NaN. It panics if clusters and values differ in length.
func ClusterBootstrap(values []float64, clusters []string, rounds int, seed uint64, level float64) Interval {
	if len(values) == 0 {
		return Interval{math.NaN(), math.NaN()}
	}
	if rounds < 1 {
		rounds = DefaultRounds
	}
	groups := clusterSums(values, clusters)
	random := rand.New(rand.NewPCG(seed, 0))
	means := make([]float64, rounds)
	for i := range means {
		var drawn cluster
		for range groups {
			g := groups[random.IntN(len(groups))]
			drawn.sum += g.sum
			drawn.size += g.size
		}
		means[i] = drawn.sum / drawn.size
	}
	slices.Sort(means)
	return Interval{Quantile(means, (1-level)/2), Quantile(means, (1+level)/2)}
}

// StandardError is the cluster-robust standard error of the mean of values: the root of the sum of the squared cluster
// deviations from the mean, over the number of values, with the correction g/(g-1) for g clusters (Miller 2024,
// arXiv:2411.00640, equation 4; Liang and Zeger 1986). nil clusters make each value its own cluster, which gives the
// usual standard deviation over the root of n. NaN below two clusters. It panics if clusters and values differ in
// length.
func StandardError(values []float64, clusters []string) float64 {
	groups := clusterSums(values, clusters)
	var all cluster
	for _, c := range groups {
		all.sum += c.sum
		all.size += c.size
	}
	if len(groups) < 2 {
		return math.NaN()
	}
	squares, mean := 0.0, all.sum/all.size
	for _, c := range groups {
		deviation := c.sum - c.size*mean
		squares += deviation * deviation
	}
	g := float64(len(groups))
	return math.Sqrt(squares*g/(g-1)) / all.size
}

type cluster struct{ sum, size float64 }

// clusterSums returns the clusters in the order of their first values.
func clusterSums(values []float64, clusters []string) []cluster {
	if clusters != nil && len(clusters) != len(values) {
		panic("stats: clusters and values differ in length")
	}
	var groups []cluster
	at := make(map[string]int)
	for i, v := range values {
		if clusters == nil {
			groups = append(groups, cluster{v, 1})
			continue
		}
		g, known := at[clusters[i]]
		if !known {
			g = len(groups)
			at[clusters[i]] = g
			groups = append(groups, cluster{})
		}
		groups[g].sum += v
		groups[g].size++
	}
	return groups
}

// Quantile interpolates between the order statistics of sorted values, of which there is at least one (type 7 of Hyndman
// and Fan 1996, the default of R and NumPy).
func Quantile[T int | float64](sorted []T, p float64) float64 {
	at := p * float64(len(sorted)-1)
	low := int(math.Floor(at))
	if low+1 >= len(sorted) {
		return float64(sorted[len(sorted)-1])
	}
	return float64(sorted[low]) + (at-float64(low))*float64(sorted[low+1]-sorted[low])
}
