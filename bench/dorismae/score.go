// Package dorismae is the benchmark DORIS-MAE (Wang et al. 2023) in airqa bench: complex queries, each with a pool of
// abstracts to rank. [Load] reads its file, [Ranker] is a method that ranks a pool, [Score] computes the metrics as the
// authors' code does, or corrected ones, [Pools] builds pools again. [Benchmark] has the tables made of these. Package
// annotate makes annotations with a model.
package dorismae

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"airqa/bench"
	"airqa/internal/stats"
)

// Options select the rules.
type Options struct {
	// Fixed applies [Corrections].
	Fixed bool
	// Rounds is the number of resamples of the bootstrap; 0 means the authors' 1,000.
	Rounds int
	Seed   uint64
	// Rest ranks a whole pool: abstracts that a ranking lacks follow in this order. nil is the order of the pool.
	Rest func(bench.Item) []string
}

// Resamples is the number of resamples of the bootstrap.
func (o Options) Resamples() int {
	if o.Rounds < 1 {
		return 1000
	}
	return o.Rounds
}

// Corrections lists the differences between fixed rules and the authors' code.
func Corrections() []string {
	return []string{
		"NDCG is 0 if no abstract has a score above 0, and its cut is at least 1",
		"gains are normalized scores: S/|Q|, and 2^(S/|Q|) - 1 for NDCG10%exp",
		"MRR@10(best) keeps all abstracts if all scores are equal; MRR@10 is that of relevant abstracts",
		"the five removed abstracts are excluded from the ideal ranking, too",
	}
}

// Metric is the mean of a metric over N queries, in %. Deviation is the standard deviation of the means of the
// bootstrap. Undefined counts queries that the authors' code divides by zero for; they are not in the mean.
type Metric struct {
	Name      string
	Mean      float64
	Deviation float64
	N         int
	Undefined int
}

// Scores are the results of the rankings of a method.
type Scores struct {
	Metrics []Metric
	// Missing counts queries without a ranking, which score 0; Unknown, Repeated and Appended are ids of rankings that
	// are not in the pool, that occur again, and that were missing.
	Missing  int
	Unknown  int
	Repeated int
	Appended int
	Notes    []string

	// Rankings are those that were scored, without faults.
	Rankings map[string][]string

	queries []string
	values  [][]float64 // by query, then by metric
}

// Score compares rankings, by the ids of items, with the gold.
func Score(items []bench.Item, rankings map[string][]string, o Options) Scores {
	s := Scores{Rankings: make(map[string][]string)}
	for _, it := range items {
		g := grade(it, o.Fixed)
		r := s.complete(it, g, rankings[it.UUID], o)
		values := g.values(r, o.Fixed)
		if s.Rankings[it.UUID] = r; len(rankings[it.UUID]) == 0 {
			delete(s.Rankings, it.UUID)
			s.Missing++
			for i, v := range values {
				if !math.IsNaN(v) {
					values[i] = 0
				}
			}
		}
		s.queries, s.values = append(s.queries, it.UUID), append(s.values, values)
	}
	s.summarize(o)
	known := len(items) - s.Missing
	for _, note := range []struct {
		n    int
		text string
	}{
		{s.Missing, "queries without a ranking, which score 0"},
		{len(rankings) - known, "rankings that are empty or for unknown queries, which are ignored"},
		{s.Unknown, "ids of rankings that are not in the pool, which are ignored"},
		{s.Repeated, "ids that a ranking repeats, of which the first place counts"},
		{s.Appended, "abstracts of a pool that its ranking lacks, which follow in lexical order"},
	} {
		if note.n > 0 {
			s.Notes = append(s.Notes, fmt.Sprintf("%s: %d", note.text, note.n))
		}
	}
	return s
}

// complete makes a ranking a permutation of the pool. With the authors' rules, the removed abstracts may be absent, as
// they are in some of their rankings.
func (s *Scores) complete(it bench.Item, g graded, ranking []string, o Options) []string {
	r, seen := s.known(it, g, ranking, o.Fixed)
	if len(ranking) == 0 || len(r) == len(g.ids) {
		return r
	}
	rest := it.Pool
	if o.Rest != nil {
		rest = o.Rest(it)
	}
	for _, id := range rest {
		if _, known := g.score[id]; known && !seen[id] && !removed(id) {
			seen[id] = true
			r = append(r, id)
			s.Appended++
		}
	}
	return r
}

// known returns the ids of a ranking that are in the pool, each once.
func (s *Scores) known(it bench.Item, g graded, ranking []string, fixed bool) (r []string, seen map[string]bool) {
	seen = make(map[string]bool)
	for _, id := range ranking {
		_, known := g.score[id]
		switch {
		case fixed && removed(id) && slices.Contains(it.Pool, id):
		case !known:
			s.Unknown++
		case seen[id]:
			s.Repeated++
		default:
			seen[id] = true
			r = append(r, id)
		}
	}
	return r, seen
}

// summarize computes the metrics of the values.
func (s *Scores) summarize(o Options) {
	for i, name := range Names(o.Fixed) {
		m := Metric{Name: name}
		var values []float64
		for _, query := range s.values {
			switch v := query[i]; {
			case math.IsInf(v, 0):
				m.Undefined++
			case !math.IsNaN(v):
				values = append(values, v)
			}
		}
		if m.N = len(values); m.N > 0 {
			m.Mean, m.Deviation = 100*mean(values), 100*deviation(values, o.Resamples(), o.Seed)
		}
		if m.Undefined > 0 {
			const text = "queries for which %s divides by zero, which are left out (--fixed defines it): %d"
			s.Notes = append(s.Notes, fmt.Sprintf(text, name, m.Undefined))
		}
		s.Metrics = append(s.Metrics, m)
	}
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// deviation is the population standard deviation of the means of resamples.
func deviation(values []float64, rounds int, seed uint64) float64 {
	random := rand.New(rand.NewPCG(seed, 0))
	means := make([]float64, rounds)
	for i := range means {
		for range values {
			means[i] += values[random.IntN(len(values))]
		}
		means[i] /= float64(len(values))
	}
	_, spread := moments(means)
	return spread
}

// Difference is the mean of a metric of one method minus that of another, over the queries that both have, with its 95 %
// interval.
type Difference struct {
	Name string
	Mean float64
	N    int
	stats.Interval
}

// Compare is a paired bootstrap of two methods. Parts of one query are resampled together. Both must be scored with the
// same rules.
func Compare(a, b Scores, o Options) []Difference {
	at := make(map[string]int)
	for i, id := range b.queries {
		at[id] = i
	}
	var list []Difference
	for k, name := range Names(o.Fixed) {
		var values []float64
		var clusters []string
		for i, id := range a.queries {
			j, both := at[id]
			if !both {
				continue
			}
			if d := 100 * (a.values[i][k] - b.values[j][k]); !math.IsNaN(d) && !math.IsInf(d, 0) {
				query, _, _ := strings.Cut(id, "-")
				values, clusters = append(values, d), append(clusters, query)
			}
		}
		d := Difference{Name: name, N: len(values)}
		if d.N > 0 {
			d.Mean, d.Interval = mean(values), stats.ClusterBootstrap(values, clusters, o.Rounds, o.Seed, 0.95)
		}
		list = append(list, d)
	}
	return list
}

// Random is the expectation of a random ranking: the mean of shuffles of every pool, each with a seed of its own.
func Random(items []bench.Item, shuffles int, o Options) Scores {
	var s Scores
	for _, it := range items {
		g := grade(it, o.Fixed)
		sums := make([]float64, len(Names(o.Fixed)))
		for seed := range shuffles {
			r := slices.Clone(g.ids)
			slices.Sort(r)
			rand.New(rand.NewPCG(o.Seed, uint64(seed))).Shuffle(len(r), func(i, j int) { r[i], r[j] = r[j], r[i] })
			for i, v := range g.values(r, o.Fixed) {
				sums[i] += v
			}
		}
		for i := range sums {
			sums[i] /= float64(shuffles)
		}
		s.queries, s.values = append(s.queries, it.UUID), append(s.values, sums)
	}
	s.summarize(o)
	return s
}
