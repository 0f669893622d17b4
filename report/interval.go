package report

import (
	"fmt"
	"math"
	"slices"

	"airqa/eval"
	"airqa/internal/stats"
	"airqa/qa"
)

// Interval methods, for [Options].
const (
	NoIntervals = "none"
	// WilsonIntervals treats every question as an independent trial.
	WilsonIntervals = "wilson"
	// BootstrapIntervals resamples papers with all of their questions, because two questions on one paper are not
	// independent. With fewer than [MinClusters] papers, or if all of them score the same, resampling is unreliable.
	// Then the interval is Wilson's, with each paper as one trial.
	BootstrapIntervals = "bootstrap"
)

// Level is the confidence of every interval.
const Level = 0.95

// MinClusters is the minimum number of clusters for a bootstrap. With fewer, intervals are too narrow and depend on the
// seed.
const MinClusters = 20

// cell is the mean over the questions that holds selects, with its error.
func (o Options) cell(name string, questions []question, holds func(qa.Example) bool) Cell {
	c := Cell{Column: name}
	var mean stats.Bounded
	var values []float64
	var clusters []string
	for _, q := range questions {
		if !holds(q.Example) {
			continue
		}
		if low, high, ok := q.bounds(); ok {
			mean.Add(low, high)
		}
		if v, ok := q.value(); ok {
			mean.Count(v)
			values, clusters = append(values, v), append(clusters, Cluster(q.Example))
			continue
		}
		if q.seen() {
			c.Unscored++
		}
		if eval.Subjective(q.Evaluator) && slices.ContainsFunc(q.tries, func(t try) bool { return t.outcome() == judgeError }) {
			c.Unjudged++ // there is an answer, but no verdict of a judge
		}
	}
	c.N = mean.N
	c.Clusters = len(slices.Compact(slices.Sorted(slices.Values(clusters))))
	if b := mean.Bounds(100); b != nil && *b != (stats.Interval{Low: 0, High: 100}) { // not without any verdict
		c.Bounds, c.impossible = b, !mean.Possible()
	}
	if c.N > 0 && !c.impossible {
		c.Score = 100 * mean.Sum / float64(c.N)
		c.SE, c.ClusteredSE = standardError(values, nil), standardError(values, clusters)
		o.interval(&c, values, clusters)
	}
	return c
}

// standardError is in percent. It is nil, not 0, if all values are equal.
func standardError(values []float64, clusters []string) *float64 {
	if se := stats.StandardError(values, clusters); se > 0 {
		return known(100 * se)
	}
	return nil
}

func (o Options) interval(c *Cell, values []float64, clusters []string) {
	var i stats.Interval
	switch o.Intervals {
	case WilsonIntervals:
		i, c.Method = stats.WilsonSum(c.Score/100*float64(c.N), c.N, Level), WilsonIntervals
	case BootstrapIntervals:
		if c.Clusters >= MinClusters {
			i, c.Method = stats.ClusterBootstrap(values, clusters, 0, o.Seed, Level), BootstrapIntervals
		}
		if !(i.Low < i.High) {
			i, c.Method, c.replaced = stats.WilsonSum(c.Score/100*float64(c.Clusters), c.Clusters, Level), WilsonIntervals, true
		}
	default:
		return
	}
	i = i.Scale(100)
	c.Interval = &i
}

func (o Options) intervalNotes(rows []Row, cells func(Row) []Cell) []string {
	switch o.Intervals {
	case WilsonIntervals:
		if slices.ContainsFunc(rows, func(r Row) bool { return r.Repeats.K > 1 }) {
			return []string{"95 % intervals: Wilson, each question counts as one trial, which makes them too wide " +
				"with repeats; --intervals bootstrap uses every repeat."}
		}
		return []string{"95 % intervals: Wilson, with questions treated as independent."}
	case BootstrapIntervals:
		notes := []string{fmt.Sprintf("95 %% intervals: bootstrap clustered by paper (the first anchor paper of a question; "+
			"a question without one is its own cluster), %d rounds, seed %d.",
			stats.DefaultRounds, o.Seed)}
		few := func(r Row) bool { return slices.ContainsFunc(cells(r), func(c Cell) bool { return c.replaced }) }
		if slices.ContainsFunc(rows, few) {
			notes = append(notes, fmt.Sprintf("* Too few papers for a bootstrap (below %d, or all with the same score): Wilson interval "+
				"with each paper as one trial.", MinClusters))
		}
		return notes
	}
	return nil
}

// known returns nil for NaN.
func known(v float64) *float64 {
	if math.IsNaN(v) {
		return nil
	}
	return &v
}
