package dorismae

import (
	"math"
	"slices"
	"strconv"

	"airqa/bench"
)

// Removed are five abstracts that the authors removed from rankings and from relevant lists, but not from the ideal
// ranking. Fixed rules remove them everywhere.
var Removed = []int{205580, 346695, 346826, 346836, 28674}

func removed(id string) bool {
	n, err := strconv.Atoi(id)
	return err == nil && slices.Contains(Removed, n)
}

// The metrics, as the authors' tables order them; the last one exists with fixed rules only.
var names = []string{"R@5", "R@20", "RP", "NDCG10%", "NDCG10%exp", "MRR@10(best)", "MAP", "MRR@10"}

// Names are the names of the metrics.
func Names(fixed bool) []string {
	if fixed {
		return slices.Clone(names)
	}
	return slices.Clone(names[:7])
}

// skipped is the value of a query without relevant abstracts, which a metric leaves out; undefined that of a division
// by zero in the authors' code.
var (
	skipped   = math.NaN()
	undefined = math.Inf(1)
)

// graded is the gold of a query: normalized scores are at least 1 for relevant abstracts.
type graded struct {
	score    map[string]float64
	ids      []string // by score, descending; ties in the order of the pool
	relevant map[string]bool
	top      float64
}

func grade(it bench.Item, fixed bool) graded {
	g := graded{score: make(map[string]float64), relevant: make(map[string]bool), top: it.Gold.Top}
	for i, id := range it.Pool {
		if _, twice := g.score[id]; twice || fixed && removed(id) {
			continue
		}
		g.score[id] = it.Gold.Grades[i]
		g.ids = append(g.ids, id)
		if g.score[id]/g.top >= 1 && !removed(id) {
			g.relevant[id] = true
		}
	}
	slices.SortStableFunc(g.ids, func(a, b string) int {
		switch {
		case g.score[a] > g.score[b]:
			return -1
		case g.score[a] < g.score[b]:
			return 1
		}
		return 0
	})
	return g
}

// values are the metrics of a ranking, from 0 to 1, in the order of [Names].
func (g graded) values(r []string, fixed bool) []float64 {
	list := []float64{
		g.recall(r, 5, len(g.relevant)), g.recall(r, 20, len(g.relevant)), g.recall(r, len(g.relevant), len(g.relevant)),
		g.ndcg(r, fixed, g.linear(fixed)), g.ndcg(r, fixed, g.exponential(fixed)),
		reciprocal(r, g.best(fixed)), g.precision(r),
	}
	if fixed {
		mrr := skipped
		if len(g.relevant) > 0 {
			mrr = reciprocal(r, g.relevant)
		}
		list = append(list, mrr)
	}
	return list
}

// recall is the share of n relevant abstracts among the first k.
func (g graded) recall(r []string, k, n int) float64 {
	if n == 0 {
		return skipped
	}
	found := 0
	for _, id := range r[:min(k, len(r))] {
		if g.relevant[id] {
			found++
		}
	}
	return float64(found) / float64(n)
}

// precision is the average precision.
func (g graded) precision(r []string) float64 {
	if len(g.relevant) == 0 {
		return skipped
	}
	sum, found := 0.0, 0
	for i, id := range r {
		if g.relevant[id] {
			found++
			sum += float64(found) / float64(i+1)
		}
	}
	return sum / float64(len(g.relevant))
}

func (g graded) linear(fixed bool) func(string) float64 {
	return func(id string) float64 {
		if fixed {
			return g.score[id] / g.top
		}
		return g.score[id]
	}
}

// exponential gains are 2^S with the raw score in the authors' code, so that a score of 0 gains 1.
func (g graded) exponential(fixed bool) func(string) float64 {
	return func(id string) float64 {
		if fixed {
			return math.Exp2(g.score[id]/g.top) - 1
		}
		return math.Exp2(g.score[id])
	}
}

// ndcg compares the first tenth of the ranking with that of the ideal one.
func (g graded) ndcg(r []string, fixed bool, gain func(string) float64) float64 {
	m := int(math.Floor(0.1 * float64(len(r))))
	if fixed {
		m = max(1, m)
	}
	ideal := discounted(g.ids, m, gain)
	switch {
	case ideal == 0 && fixed:
		return 0
	case ideal == 0:
		return undefined
	}
	return discounted(r, m, gain) / ideal
}

func discounted(ids []string, m int, gain func(string) float64) float64 {
	sum := 0.0
	for i, id := range ids[:min(m, len(ids))] {
		sum += gain(id) / math.Log2(float64(i+2))
	}
	return sum
}

// best are the abstracts with the highest score. The authors' code loses the last one if all scores are equal.
func (g graded) best(fixed bool) map[string]bool {
	list := make(map[string]bool)
	for i, id := range g.ids {
		if g.score[id] != g.score[g.ids[0]] {
			return list
		}
		if fixed || i < len(g.ids)-1 {
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
