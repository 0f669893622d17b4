package dorismae

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"airqa/bench"
	"airqa/internal/words"
)

// The parameters of pools (create_candidate_pool of the authors' code).
const (
	poolQuery, poolGrouped, poolAspect = 20, 25, 2 // A, B and C: from each list of the query, of all aspects, of one aspect
	poolSize                           = 80
	queryTop, aspectTop                = 50, 500
)

// Pools builds candidate pools from a corpus.
type Pools struct {
	abstracts []Abstract
	methods   []func(query string) []float64
}

// NewPools indexes a corpus by TF-IDF and BM25, in lower case and with spaces for ASCII punctuation. Words of BM25 are
// separated by whitespace. Abstracts need their categories and links.
func NewPools(abstracts []Abstract) *Pools {
	texts := make([]string, len(abstracts))
	for i, a := range abstracts {
		texts[i] = strings.Map(func(r rune) rune {
			if r < utf8.RuneSelf && (unicode.IsPunct(r) || unicode.IsSymbol(r)) {
				return ' '
			}
			return r
		}, strings.ToLower(a.Text))
	}
	return &Pools{abstracts, []func(string) []float64{
		bench.TFIDF(words.TFIDFOptions{})(texts), bench.BM25(strings.Fields)(texts),
	}}
}

// Pool returns the ids of a query's pool in ascending order: the best abstracts of each list, more of each while there are
// fewer than 80, and those that cite or are cited by an idea paper. Lists have only abstracts that share a category with
// an idea paper. Queries are compared in lower case, aspects as they are. The authors add the 20 best by vectors.
func (p *Pools) Pool(q Query) []int {
	wanted, of := make(map[string]bool), make(map[int][]string, len(p.abstracts))
	for _, a := range p.abstracts {
		of[a.ID] = a.Categories
	}
	for _, id := range q.IdeaFrom {
		for _, c := range of[id] {
			wanted[c] = true
		}
	}
	kept := func(list []int) []int {
		return slices.DeleteFunc(slices.Clone(list), func(id int) bool {
			return !slices.ContainsFunc(of[id], func(c string) bool { return wanted[c] })
		})
	}
	var query, grouped, single [][]int
	for _, scores := range p.methods {
		query = append(query, kept(p.top(scores(strings.ToLower(q.Text)), queryTop)))
		var lists [][]int
		for _, aspect := range q.Aspects {
			lists = append(lists, p.top(scores(aspect.Text), aspectTop))
		}
		// Abstracts by the number of lists that have them, then by the sum of their reciprocal ranks, then by id.
		n, sum := make(map[int]int), make(map[int]float64)
		for _, list := range lists {
			for rank, id := range list {
				n[id]++
				sum[id] += 1 / float64(rank+1)
			}
		}
		grouped = append(grouped, kept(slices.SortedFunc(maps.Keys(n), func(a, b int) int {
			return cmp.Or(cmp.Compare(n[b], n[a]), cmp.Compare(sum[b], sum[a]), cmp.Compare(a, b))
		})))
		for _, list := range lists {
			single = append(single, kept(list))
		}
	}
	pool := fill(query, grouped, single, len(q.Aspects))
	linked := p.linked(q.IdeaFrom)
	for _, list := range slices.Concat(query, grouped) { // the grouped lists have every abstract of an aspect
		for _, id := range list {
			if linked[id] {
				pool[id] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(pool))
}

// fill takes the union of the heads of the lists, with longer heads until it is large enough or the lists end.
func fill(query, grouped, single [][]int, aspects int) map[int]bool {
	a, b, c := poolQuery, poolGrouped, poolAspect
	for round := 1; ; round++ {
		pool, longest := make(map[int]bool), true
		for _, lists := range []struct {
			of [][]int
			n  int
		}{{query, a}, {grouped, b}, {single, c}} {
			for _, list := range lists.of {
				for _, id := range list[:min(lists.n, len(list))] {
					pool[id] = true
				}
				longest = longest && lists.n >= len(list)
			}
		}
		if len(pool) >= poolSize || longest {
			return pool
		}
		if round%2 == 1 {
			b++
		} else {
			a++
		}
		if aspects > 0 && round%aspects == 0 {
			c++
		}
	}
}

// top are the n best abstracts with a score above 0; ties have the higher position first.
func (p *Pools) top(scores []float64, n int) []int {
	var list []int
	for _, i := range bench.Order(scores) {
		if len(list) == n || scores[i] <= 0 {
			break
		}
		list = append(list, p.abstracts[i].ID)
	}
	return list
}

// linked are the abstracts with citations from or to an idea paper.
func (p *Pools) linked(ideas []int) map[int]bool {
	near := make(map[int]bool)
	for _, a := range p.abstracts {
		for _, id := range a.Linked {
			if slices.Contains(ideas, a.ID) {
				near[id] = true
			}
			if slices.Contains(ideas, id) {
				near[a.ID] = true
			}
		}
	}
	return near
}
