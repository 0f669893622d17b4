package report

import (
	"fmt"
	"math"
	"slices"

	"airqa/internal/stats"
	"airqa/qa"
)

// Ways to make an interval, for [Options].
const (
	// NoIntervals makes none.
	NoIntervals = "none"
	// WilsonIntervals takes every question as one independent trial.
	WilsonIntervals = "wilson"
	// BootstrapIntervals draws papers with all of their questions: two questions on one paper are not independent.
	BootstrapIntervals = "bootstrap"
)

// Level is the confidence of every interval.
const Level = 0.95

// cell is the mean of the questions that holds chooses, with its interval.
func (o Options) cell(name string, questions []question, holds func(qa.Example) bool) Cell {
	var values []float64
	var clusters []string
	sum := 0.0
	for _, q := range questions {
		v, ok := q.value()
		if !ok || !holds(q.Example) {
			continue
		}
		values, clusters = append(values, v), append(clusters, q.cluster())
		sum += v
	}
	c := Cell{Column: name, N: len(values)}
	if c.N > 0 {
		c.Score = 100 * sum / float64(c.N)
		c.Interval = o.interval(values, clusters, sum)
	}
	return c
}

func (o Options) interval(values []float64, clusters []string, sum float64) *stats.Interval {
	var i stats.Interval
	switch o.Intervals {
	case WilsonIntervals:
		i = wilson(sum, len(values))
	case BootstrapIntervals:
		i = stats.ClusterBootstrap(values, clusters, 0, o.Seed, Level)
	default:
		return nil
	}
	i = i.Scale(100)
	return &i
}

// wilson is the interval of a share of n questions. Repeats make fractions of some values: then it lies between the
// intervals of the whole numbers around their sum, as if each question had been tried once.
func wilson(sum float64, n int) stats.Interval {
	whole := math.Floor(sum)
	part := sum - whole
	low := stats.Wilson(int(whole), n, Level)
	if part < 1e-9 || int(whole) == n {
		return low
	}
	high := stats.Wilson(int(whole)+1, n, Level)
	return stats.Interval{Low: low.Low + part*(high.Low-low.Low), High: low.High + part*(high.High-low.High)}
}

// fewClusters is where a bootstrap begins to tell less than it seems to.
const fewClusters = 20

// intervalNotes say what the intervals are; none without any.
func (o Options) intervalNotes(rows []Row) []string {
	switch o.Intervals {
	case WilsonIntervals:
		if slices.ContainsFunc(rows, func(r Row) bool { return r.Repeats.K > 1 }) {
			return []string{"95 % intervals: Wilson, each question counted as one trial whatever its repeats, which makes them wider than need be; --intervals bootstrap takes repeats as they are."}
		}
		return []string{"95 % intervals: Wilson, each question taken as independent of the others."}
	case BootstrapIntervals:
		notes := []string{fmt.Sprintf("95 %% intervals: bootstrap clustered by paper (the first anchor paper of a question; a question without one stands for itself), %d rounds, seed %d.",
			stats.DefaultRounds, o.Seed)}
		for _, r := range rows {
			if r.Clusters < fewClusters {
				return append(notes, fmt.Sprintf("Warning: %d clusters are too few to draw from: below twenty or so, and in columns of few questions, these intervals are too narrow.", r.Clusters))
			}
		}
		return notes
	}
	return nil
}

// known is nil for what has no value.
func known(v float64) *float64 {
	if math.IsNaN(v) {
		return nil
	}
	return &v
}
