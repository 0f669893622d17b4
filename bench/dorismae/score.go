// Package dorismae is the benchmark DORIS-MAE (Wang et al. 2023) in airqa bench: complex queries, each with a pool of
// abstracts to rank. [Load] reads its file, [Ranker] is a method that ranks a pool, [Score] computes the metrics as the
// authors' code does, or corrected ones, [Pools] builds pools again. [Benchmark] has the tables made of these. Package
// annotate makes annotations with a model.
package dorismae

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"airqa/bench"
	"airqa/qa/dataset"
)

// corrections are the differences between fixed rules and the authors' code.
var corrections = []string{
	"fixed: NDCG is 0 if no abstract has a score above 0, and its cut is at least 1",
	"fixed: gains are normalized scores: S/|Q|, and 2^(S/|Q|) - 1 for NDCG10%exp",
	"fixed: MRR@10(best) keeps all abstracts if all scores are equal; MRR@10 is that of relevant abstracts",
	"fixed: the five removed abstracts are excluded from the ideal ranking, too",
}

// Metric is a metric of a method over queries, from 0 to 1. Undefined counts queries that the authors' code divides by
// zero for; they are not in the mean.
type Metric struct {
	Name string
	bench.Mean
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
	Notes    bench.Notes

	// Rankings are those that were scored, without faults.
	Rankings map[string][]string

	values [][]float64 // by query, then by metric
}

// Score compares rankings, by the ids of items, with the gold. rest ranks a whole pool: abstracts that a ranking lacks
// follow in this order; nil is the order of the pool. Fixed rules apply corrections.
func Score(items []bench.Item, rankings map[string][]string, rules bench.Rules, rest func(bench.Item) []string) Scores {
	s := Scores{Rankings: make(map[string][]string)}
	for _, it := range items {
		g := grade(it, rules.Fixed)
		r := s.complete(it, g, rankings[it.UUID], rest)
		values := g.values(r)
		if s.Rankings[it.UUID] = r; len(rankings[it.UUID]) == 0 {
			delete(s.Rankings, it.UUID)
			s.Missing++
			for i, v := range values {
				if !math.IsNaN(v) {
					values[i] = 0
				}
			}
		}
		s.values = append(s.values, values)
	}
	s.summarize(rules)
	known := len(items) - s.Missing
	s.Notes.Count(s.Missing, "queries without a ranking, which score 0")
	s.Notes.Count(len(rankings)-known, "rankings that are empty or for unknown queries, which are ignored")
	s.Notes.Count(s.Unknown, "ids of rankings that are not in the pool, which are ignored")
	s.Notes.Count(s.Repeated, "ids that a ranking repeats, of which the first place counts")
	s.Notes.Count(s.Appended, "abstracts of a pool that its ranking lacks, which follow in lexical order")
	return s
}

// complete makes a ranking a permutation of the pool. With the authors' rules, the removed abstracts may be absent, as
// they are in some of their rankings.
func (s *Scores) complete(it bench.Item, g graded, ranking []string, rank func(bench.Item) []string) []string {
	r, seen := s.known(it, g, ranking)
	if len(ranking) == 0 || len(r) == len(g.ids) {
		return r
	}
	rest := it.Pool
	if rank != nil {
		rest = rank(it)
	}
	for _, id := range rest {
		if _, known := g.score[id]; known && !seen[id] && !slices.Contains(removed, id) {
			seen[id] = true
			r = append(r, id)
			s.Appended++
		}
	}
	return r
}

// known returns the ids of a ranking that are in the pool, each once.
func (s *Scores) known(it bench.Item, g graded, ranking []string) (r []string, seen map[string]bool) {
	seen = make(map[string]bool)
	for _, id := range ranking {
		_, known := g.score[id]
		switch {
		case g.fixed && slices.Contains(removed, id) && slices.Contains(it.Pool, id):
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
func (s *Scores) summarize(rules bench.Rules) {
	for i, measure := range measures(rules.Fixed) {
		m := Metric{Name: measure.name}
		for _, query := range s.values {
			if math.IsInf(query[i], 0) {
				m.Undefined++
			} else {
				m.Add(query[i])
			}
		}
		s.Notes.Count(m.Undefined, "queries for which "+m.Name+" divides by zero, which are left out (--fixed defines it)")
		s.Metrics = append(s.Metrics, m)
	}
}

// Deviation is the standard deviation of the means of resamples; 0 without values.
func (m Metric) Deviation(rounds int, seed uint64) float64 {
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

// Compare returns the differences of two methods in each query, in %. Parts of one query are a cluster. Both methods must
// be scored with the same items and rules.
func Compare(items []bench.Item, a, b Scores) []Metric {
	var list []Metric
	for k := range a.Metrics {
		m := Metric{Name: a.Metrics[k].Name}
		for i, it := range items {
			query, _, _ := strings.Cut(it.UUID, "-")
			if d := 100 * (a.values[i][k] - b.values[i][k]); !math.IsInf(d, 0) {
				m.AddFrom(query, d)
			}
		}
		list = append(list, m)
	}
	return list
}

// Random is the expectation of a random ranking: the mean of shuffles of every pool, each with a seed of its own.
func Random(items []bench.Item, shuffles int, rules bench.Rules) Scores {
	var s Scores
	for _, it := range items {
		g := grade(it, rules.Fixed)
		sums := make([]float64, len(measures(rules.Fixed)))
		for seed := range shuffles {
			r := slices.Clone(g.ids)
			slices.Sort(r)
			rand.New(rand.NewPCG(rules.Seed, uint64(seed))).Shuffle(len(r), func(i, j int) { r[i], r[j] = r[j], r[i] })
			for i, v := range g.values(r) {
				sums[i] += v
			}
		}
		for i := range sums {
			sums[i] /= float64(shuffles)
		}
		s.values = append(s.values, sums)
	}
	s.summarize(rules)
	return s
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
	if fixed {
		g.unit, g.offset = it.Gold.Top, 1
	}
	for i, id := range it.Pool {
		if _, twice := g.score[id]; twice || fixed && slices.Contains(removed, id) {
			continue
		}
		g.score[id] = it.Gold.Grades[i]
		g.ids = append(g.ids, id)
		if g.score[id]/it.Gold.Top >= 1 && !slices.Contains(removed, id) {
			g.relevant[id] = true
		}
	}
	slices.SortStableFunc(g.ids, func(a, b string) int { return cmp.Compare(g.score[b], g.score[a]) })
	return g
}

// values are the metrics of a ranking, in the order of [measures]: NaN for a metric that leaves out the query, and infinity
// for a division by zero in the authors' code.
func (g graded) values(r []string) (list []float64) {
	for _, m := range measures(g.fixed) {
		if m.ofRelevant && len(g.relevant) == 0 {
			list = append(list, math.NaN())
			continue
		}
		list = append(list, m.value(g, r))
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

// ReadRankings reads a file of rankings by query, best first: the authors' pickles as JSON, with the query that theirs have by
// position. A faulty line, or id of a line, is left out and the others are read. Of several rankings of a query the last
// counts. A file without any ranking is an error.
func ReadRankings(path string) (map[string][]string, []*dataset.Fault, error) {
	rankings := make(map[string][]string)
	faults, err := bench.ReadPredictions(path, func(raw []byte, fault func(id, text string, loaded bool)) {
		var l struct {
			Query *string            `json:"query_id"`
			Rank  *[]json.RawMessage `json:"index_rank"`
		}
		err, query := json.Unmarshal(raw, &l), ""
		if l.Query != nil {
			query = *l.Query
		}
		switch {
		case err != nil:
			fault(query, "not a ranking: "+dataset.FieldError(err).Error(), false)
			return
		case l.Query == nil || l.Rank == nil:
			fault(query, "a line needs query_id and index_rank (a list)", false)
			return
		}
		if _, twice := rankings[query]; twice {
			fault(query, "the query has a ranking already; this one counts", true)
		}
		ids := []string{}
		for i, raw := range *l.Rank {
			id := strings.Trim(string(raw), `"`)
			if kind := bench.Kind(raw); raw[0] != '"' && !strings.HasPrefix(kind, "a number") {
				fault(query, fmt.Sprintf("index_rank[%d] is %s, not a number or a string; it is left out", i, kind), true)
				continue
			}
			ids = append(ids, id)
		}
		rankings[query] = ids
	})
	return rankings, faults, err
}

// WriteRankings writes the rankings of items, in their order.
func WriteRankings(w io.Writer, items []bench.Item, rankings map[string][]string) error {
	for _, it := range items {
		r, ok := rankings[it.UUID]
		if !ok {
			continue
		}
		if _, err := fmt.Fprintf(w, "{\"query_id\":%q,\"index_rank\":[%s]}\n", it.UUID, strings.Join(r, ",")); err != nil {
			return err
		}
	}
	return nil
}
