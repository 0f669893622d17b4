// Package dorismae is the benchmark DORIS-MAE (Wang et al. 2023) in airqa bench: complex queries, each with a pool of
// abstracts to rank. [Load] reads its file, [Ranker] is a method that ranks a pool, [Pools] builds pools again. The metrics are as the
// authors' code computes them, or corrected ones. [Benchmark] has the tables made of these. Package
// annotate makes annotations with a model.
package dorismae

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"airqa/bench"
	"airqa/qa"
)

// corrections are the differences between fixed rules and the authors' code.
var corrections = []string{
	"fixed: NDCG is 0 if no abstract has a score above 0, and its cut is at least 1",
	"fixed: gains are normalized scores: S/|Q|, and 2^(S/|Q|) - 1 for NDCG10%exp",
	"fixed: MRR@10(best) keeps all abstracts if all scores are equal; MRR@10 is that of relevant abstracts",
	"fixed: the five removed abstracts are excluded from the ideal ranking, too",
}

// score computes the metrics of a ranking. A query without a ranking scores 0 where a metric does not leave it out.
func score(it bench.Item, a qa.Answer, fixed bool) (list map[string]float64, _ string) {
	g := grade(it, fixed)
	list = g.values(g.complete(it, a.Ranking).ranking)
	if len(a.Ranking) == 0 {
		for name, v := range list {
			if !math.IsNaN(v) {
				list[name] = 0
			}
		}
	}
	return list, ""
}

// completed is a ranking that is a permutation of the pool. Unknown, repeated and appended count the ids that are not in the
// pool, that occur again, and that were missing.
type completed struct {
	ranking                     []string
	unknown, repeated, appended int
}

// known are the abstracts of a ranking that are in the pool, each once.
func (g graded) known(it bench.Item, ranking []string) (c completed, seen map[string]bool) {
	seen = make(map[string]bool)
	for _, id := range ranking {
		_, known := g.score[id]
		switch {
		case g.fixed && slices.Contains(removed, id) && slices.Contains(it.Pool, id):
		case !known:
			c.unknown++
		case seen[id]:
			c.repeated++
		default:
			seen[id] = true
			c.ranking = append(c.ranking, id)
		}
	}
	return c, seen
}

// complete makes a ranking a permutation of the pool: what it lacks follows in the order of the gold, or else of the pool. With
// the authors' rules, the removed abstracts may be absent, as they are in some of their rankings.
func (g graded) complete(it bench.Item, ranking []string) completed {
	c, seen := g.known(it, ranking)
	if len(ranking) == 0 || len(c.ranking) == len(g.ids) {
		return c
	}
	rest := it.Gold.Rest
	if len(rest) == 0 {
		rest = it.Pool
	}
	for _, id := range rest {
		if _, known := g.score[id]; known && !seen[id] && !slices.Contains(removed, id) {
			seen[id] = true
			c.ranking = append(c.ranking, id)
			c.appended++
		}
	}
	return c
}

// resampled is the standard deviation of the means of resamples; 0 without values.
func resampled(m bench.Mean, rounds int, seed uint64) float64 {
	if m.N() == 0 {
		return 0
	}
	random := rand.New(rand.NewPCG(seed, 0))
	means := make([]float64, rounds)
	for i := range means {
		for range m.Values {
			means[i] += m.Values[random.IntN(m.N())]
		}
		means[i] /= float64(m.N())
	}
	return deviation(means)
}

// deviation is the population standard deviation.
func deviation(values []float64) float64 {
	center := bench.Mean{Values: values}.Value()
	squares := 0.0
	for _, v := range values {
		squares += (v - center) * (v - center)
	}
	return math.Sqrt(squares / float64(len(values)))
}

// difference is the mean difference of two systems in %. Parts of one query are a cluster.
func difference(a, b bench.System, measure string) (m bench.Mean) {
	for i, it := range a.Items {
		x, known := a.Scores[i].Measures[measure]
		y, both := b.Scores[i].Measures[measure]
		if query, _, _ := strings.Cut(it.UUID, "-"); known && both {
			m.AddFrom(query, 100*(x-y))
		}
	}
	return m
}

// shuffles is the number of random rankings of a pool.
const shuffles = 100

// expected is the expectation of the metrics of a random ranking: the mean of shuffles of the pool, each with a seed of its
// own.
func expected(it bench.Item, r bench.Request) map[string]float64 {
	g := grade(it, r.Fixed)
	sums := make(map[string]float64)
	for seed := range shuffles {
		ids := slices.Clone(g.ids)
		slices.Sort(ids)
		rand.New(rand.NewPCG(r.Seed, uint64(seed))).Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
		for name, v := range g.values(ids) {
			sums[name] += v
		}
	}
	for name := range sums {
		sums[name] /= shuffles
	}
	return sums
}

// removed are five abstracts that the authors removed from rankings and from relevant lists, but not from the ideal
// ranking. Fixed rules remove them everywhere.
var removed = []string{"205580", "346695", "346826", "346836", "28674"}

// measure is a metric of a ranking, from 0 to 1.
type measure struct {
	name string
	// ofRelevant leaves out queries without a relevant abstract.
	ofRelevant bool
	value      func(g graded, ranking []string) float64
}

// measures are in the order of the authors' tables. The last one exists with fixed rules only.
func measures(fixed bool) []measure {
	list := []measure{
		{"R@5", true, func(g graded, r []string) float64 { return g.recall(r, 5) }},
		{"R@20", true, func(g graded, r []string) float64 { return g.recall(r, 20) }},
		{"RP", true, func(g graded, r []string) float64 { return g.recall(r, len(g.relevant)) }},
		{"NDCG10%", false, func(g graded, r []string) float64 {
			return g.ndcg(r, func(score float64) float64 { return score })
		}},
		{"NDCG10%exp", false, func(g graded, r []string) float64 {
			return g.ndcg(r, func(score float64) float64 { return math.Exp2(score) - g.offset })
		}},
		{"MRR@10(best)", false, func(g graded, r []string) float64 { return reciprocal(r, g.best()) }},
		{"MAP", true, graded.precision},
		{"MRR@10", true, func(g graded, r []string) float64 { return reciprocal(r, g.relevant) }},
	}
	if !fixed {
		list = list[:len(list)-1]
	}
	return list
}

// graded is the gold of a query with the rules: normalized scores are at least 1 for relevant abstracts.
type graded struct {
	score    map[string]float64
	ids      []string // by score, descending; ties in the order of the pool
	relevant map[string]bool
	// unit divides the scores that gains are of, and offset is taken from exponential ones. The authors' code has the raw
	// scores, and a score of 0 gains 1.
	unit, offset float64
	fixed        bool
}

func grade(it bench.Item, fixed bool) graded {
	g := graded{score: make(map[string]float64), relevant: make(map[string]bool), unit: 1, fixed: fixed}
	grades := it.Gold.Grades
	if fixed {
		g.unit, g.offset = it.Gold.Top, 1
	}
	if fixed && it.Gold.Fixed != nil {
		grades = it.Gold.Fixed
	}
	for i, id := range it.Pool {
		if _, twice := g.score[id]; twice || fixed && slices.Contains(removed, id) {
			continue
		}
		g.score[id] = grades[i]
		g.ids = append(g.ids, id)
		if g.score[id]/it.Gold.Top >= 1 && !slices.Contains(removed, id) {
			g.relevant[id] = true
		}
	}
	slices.SortStableFunc(g.ids, func(a, b string) int { return cmp.Compare(g.score[b], g.score[a]) })
	return g
}

// values are the metrics of a ranking: NaN for a metric that leaves out the query, and infinity for a division by zero in
// the authors' code.
func (g graded) values(r []string) map[string]float64 {
	list := make(map[string]float64)
	for _, m := range measures(g.fixed) {
		list[m.name] = math.NaN()
		if !m.ofRelevant || len(g.relevant) > 0 {
			list[m.name] = m.value(g, r)
		}
	}
	return list
}

// recall is the share of the relevant abstracts among the first k.
func (g graded) recall(r []string, k int) float64 {
	found := 0
	for _, id := range r[:min(k, len(r))] {
		if g.relevant[id] {
			found++
		}
	}
	return float64(found) / float64(len(g.relevant))
}

// precision is the average precision.
func (g graded) precision(r []string) float64 {
	sum, found := 0.0, 0
	for i, id := range r {
		if g.relevant[id] {
			found++
			sum += float64(found) / float64(i+1)
		}
	}
	return sum / float64(len(g.relevant))
}

// ndcg compares the first tenth of the ranking with that of the ideal one.
func (g graded) ndcg(r []string, gain func(score float64) float64) float64 {
	m := int(math.Floor(0.1 * float64(len(r))))
	if g.fixed {
		m = max(1, m)
	}
	discounted := func(ids []string) (sum float64) {
		for i, id := range ids[:min(m, len(ids))] {
			sum += gain(g.score[id]/g.unit) / math.Log2(float64(i+2))
		}
		return sum
	}
	ideal := discounted(g.ids)
	switch {
	case ideal == 0 && g.fixed:
		return 0
	case ideal == 0:
		return math.Inf(1)
	}
	return discounted(r) / ideal
}

// best are the abstracts with the highest score. The authors' code loses the last one if all scores are equal.
func (g graded) best() map[string]bool {
	list := make(map[string]bool)
	for i, id := range g.ids {
		if g.score[id] != g.score[g.ids[0]] {
			return list
		}
		if g.fixed || i < len(g.ids)-1 {
			list[id] = true
		}
	}
	return list
}

// reciprocal is 1 over the rank of the first of these abstracts among ten.
func reciprocal(r []string, wanted map[string]bool) float64 {
	for i, id := range r[:min(10, len(r))] {
		if wanted[id] {
			return 1 / float64(i+1)
		}
	}
	return 0
}
