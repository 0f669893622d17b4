package stats

import (
	"math"
	"math/rand/v2"
	"slices"
)

// DefaultRounds is enough for two stable digits of a bootstrap interval.
const DefaultRounds = 10000

// ClusterBootstrap is the percentile interval of the mean of values, resampling whole clusters with replacement (Efron
// and Tibshirani 1993, chapters 8 and 13): values of one cluster are not independent of each other, and the interval is
// the wider for it. clusters names the cluster of each value; nil makes each value one of its own. rounds below 1 stands
// for [DefaultRounds]; level is such as 0.95. The same arguments give the same interval.
//
// It needs clusters to tell from: below twenty or so it is too narrow, and a single one gives an interval of no width.
// No values give NaN. It panics when clusters has another length than values.
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
	return Interval{quantile(means, (1-level)/2), quantile(means, (1+level)/2)}
}

// StandardError is that of the mean of values whose deviations go together within clusters: the root of the summed squares
// of the clusters' deviations from the mean, over the number of values, with the correction g/(g-1) for g clusters (Miller
// 2024, arXiv:2411.00640, equation 4; Liang and Zeger 1986). clusters nil makes each value one of its own, which gives the
// usual standard deviation over the root of n. NaN below two clusters. It panics when clusters has another length than
// values.
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

// cluster is all that a mean needs to know of a cluster.
type cluster struct{ sum, size float64 }

// clusterSums are in the order of the clusters' first values.
func clusterSums(values []float64, clusters []string) []cluster {
	if clusters != nil && len(clusters) != len(values) {
		panic("stats: as many clusters as values are needed")
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

// quantile interpolates between the order statistics of sorted values (type 7 of Hyndman and Fan 1996, the default of
// R and NumPy).
func quantile(sorted []float64, p float64) float64 {
	at := p * float64(len(sorted)-1)
	low := int(math.Floor(at))
	if low+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[low] + (at-float64(low))*(sorted[low+1]-sorted[low])
}
