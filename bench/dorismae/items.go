package dorismae

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"airqa/bench"
	"airqa/qa"
)

// finish names the aspects, makes the items and reports what is missing.
func (r *loader) finish() {
	r.Aspects = len(r.names)
	loaded := make(map[int]bool, len(r.Corpus))
	for _, a := range r.Corpus {
		loaded[a.ID] = true
	}
	for i := range r.Queries {
		q := &r.Queries[i]
		for k := range q.Aspects {
			r.nameAspect(&q.Aspects[k], q.Number)
			for s := range q.Aspects[k].Sub {
				r.nameAspect(&q.Aspects[k].Sub[s], q.Number)
			}
		}
		r.checkPool(*q, loaded)
	}
	r.summary(r.repeated, "annotations repeat a pair: the scores are added")
	r.summary(r.unparsed, "annotations are -1 (an unparsed reply): added as -1, as the authors' code does, but not in fixed scoring")
	r.summary(r.strangers(), "annotations are about an aspect or an abstract that the file does not have: they count for nothing")
	r.summary(r.unknown, "aspects have no text in aspect_id2aspect")
	for _, q := range r.Queries {
		r.Items = append(r.Items, r.item(q, fmt.Sprintf("q%d", q.Number), q.Aspects, q.Text))
	}
}

// strangers are the annotated pairs of which the aspect or the abstract is unknown.
func (r *loader) strangers() (o occurrence) {
	pairs := make(map[int]pair)
	for p, s := range r.scores {
		_, named := r.names[p.aspect]
		if !named || r.abstracts > 0 && (p.abstract < 0 || p.abstract >= r.abstracts) {
			pairs[s.at] = p
		}
	}
	for _, at := range slices.Sorted(maps.Keys(pairs)) {
		o.add("Annotation[%d] of aspect %s and abstract %d", at, pairs[at].aspect, pairs[at].abstract)
	}
	return o
}

func (r *loader) summary(o occurrence, text string) {
	if o.n > 0 {
		r.report(fmt.Sprintf("%d %s; the first is %s", o.n, text, o.first), "")
	}
}

func (r *loader) nameAspect(a *Aspect, query int) {
	text, ok := r.names[a.ID]
	if a.Text = text; !ok {
		r.unknown.add("%s of Query[%d]", a.ID, query)
	}
}

// checkPool reports abstracts that are not in the corpus, duplicates, and pairs without annotation.
func (r *loader) checkPool(q Query, loaded map[int]bool) {
	at := fmt.Sprintf("Query[%d].candidate_pool", q.Number)
	seen := make(map[int]bool)
	ids := union(q.Aspects)
	missing := 0
	var absent occurrence
	for _, p := range q.Pool {
		if seen[p] {
			r.report(fmt.Sprintf("%s has abstract %d twice", at, p), "")
		}
		if seen[p] = true; !loaded[p] {
			absent.add("%d", p)
		}
		for _, id := range ids {
			if r.scores[pair{id, p}].rows == 0 {
				missing++
			}
		}
	}
	r.bare[q.Number] = missing == len(ids)*len(q.Pool)
	r.summary(absent, "abstracts of "+at+" are not in the corpus and are ranked as empty texts")
	if missing > 0 {
		r.report(fmt.Sprintf("%s: %d of %d pairs of aspect and abstract have no annotation; they count 0", at, missing, len(ids)*len(q.Pool)), "")
	}
}

// union is the set of aspects and sub-aspects, in their order.
func union(aspects []Aspect) []string {
	var ids []string
	for _, a := range aspects {
		ids = append(ids, a.ID)
		for _, sub := range a.Sub {
			ids = append(ids, sub.ID)
		}
	}
	return bench.Distinct(ids)
}

// item is a query, or a part of it, with the scores for these aspects: the sums over the set of aspects and sub-aspects.
func (d *Dataset) item(q Query, id string, aspects []Aspect, text string) bench.Item {
	split := "train"
	// The test split has 60 queries; the other 40 are for training.
	if n := q.Number; n >= 50 && n < 100 || slices.Contains([]int{1, 8, 10, 16, 23, 28, 33, 37, 44, 46}, n) {
		split = "test"
	}
	it := bench.Item{Example: qa.Example{UUID: id, Question: text, Kind: qa.Rank, Tags: []string{q.Type, split}}}
	ids := union(aspects)
	it.Gold.Top = float64(len(ids))
	it.Parts = qa.Map(aspects, func(a Aspect) string { return a.Text })
	for _, p := range q.Pool {
		it.Pool = append(it.Pool, strconv.Itoa(p))
		sum, parsed := 0, 0
		for _, id := range ids {
			s := d.scores[pair{id, p}]
			sum, parsed = sum+s.sum, parsed+s.parsed
		}
		it.Gold.Grades, it.Gold.Fixed = append(it.Gold.Grades, float64(sum)), append(it.Gold.Fixed, float64(parsed))
	}
	if slices.Equal(it.Gold.Grades, it.Gold.Fixed) {
		it.Gold.Fixed = nil
	}
	return it
}

// ByAspects returns the queries with their aspects, joined by a space, as the question.
func (d *Dataset) ByAspects() []bench.Item {
	list := slices.Clone(d.Items)
	for i := range list {
		list[i].Question = strings.Join(list[i].Parts, " ")
	}
	return list
}

// Subqueries returns the parts of queries about k aspects: for every combination in order, the sentences about these
// aspects, each once, unless they mention more than k aspects. Gold is restricted to these aspects and their sub-aspects.
func (d *Dataset) Subqueries(k int) []bench.Item {
	var list []bench.Item
	for _, q := range d.Queries {
		for _, chosen := range combinations(len(q.Aspects), k) {
			id := []string{fmt.Sprintf("q%d", q.Number)}
			var aspects []Aspect
			var sentences, mentioned []string
			for _, i := range chosen {
				id = append(id, strconv.Itoa(i+1))
				aspects = append(aspects, q.Aspects[i])
				sentences = append(sentences, q.sentences[q.Aspects[i].ID]...)
			}
			sentences = bench.Distinct(sentences)
			for _, s := range sentences {
				mentioned = append(mentioned, q.mentions[s]...)
			}
			if len(bench.Distinct(mentioned)) <= k {
				list = append(list, d.item(q, strings.Join(id, "-"), aspects, strings.Join(sentences, " ")))
			}
		}
	}
	return list
}

// combinations of k of the numbers below n, in lexicographic order.
func combinations(n, k int) [][]int {
	if k == 0 {
		return [][]int{nil}
	}
	var list [][]int
	for last := k - 1; last < n; last++ {
		for _, c := range combinations(last, k-1) {
			list = append(list, append(slices.Clone(c), last))
		}
	}
	slices.SortFunc(list, slices.Compare)
	return list
}

// Pair is what an annotator is asked: does the abstract meet the aspect?
type Pair struct {
	AspectID, Aspect string
	// Within are the texts of the aspects that it is a sub-aspect of.
	Within   []string
	Abstract Abstract
}

// Judged is a pair that people annotated. Scores are by name of the annotator.
type Judged struct {
	AspectID string
	Abstract int
	Scores   map[string]int
}

// Pairs are the distinct pairs of the queries with these numbers, or of all: each aspect and sub-aspect with each
// abstract of the pool, by query and abstract. Pairs of several queries are with the first of them. Abstracts that are
// not in the corpus are left out.
func (d *Dataset) Pairs(numbers []int) []Pair {
	var keys []pair
	for _, q := range d.Queries {
		if len(numbers) > 0 && !slices.Contains(numbers, q.Number) {
			continue
		}
		ids := union(q.Aspects)
		for _, p := range q.Pool {
			for _, id := range ids {
				keys = append(keys, pair{id, p})
			}
		}
	}
	return d.completePairs(keys)
}

// TestPairs are the distinct pairs of the test set that are complete, in the order of the file.
func (d *Dataset) TestPairs() []Pair {
	return d.completePairs(qa.Map(d.Judged, func(j Judged) pair { return pair{j.AspectID, j.Abstract} }))
}

// completePairs adds the texts to the distinct pairs, and leaves out those without a text.
func (d *Dataset) completePairs(keys []pair) []Pair {
	within := make(map[string][]string)
	for _, q := range d.Queries {
		for _, a := range q.Aspects {
			for _, sub := range a.Sub {
				if !slices.Contains(within[sub.ID], a.Text) && sub.ID != a.ID {
					within[sub.ID] = append(within[sub.ID], a.Text)
				}
			}
		}
	}
	abstracts := make(map[int]Abstract)
	for _, a := range d.Corpus {
		abstracts[a.ID] = a
	}
	var list []Pair
	made := make(map[pair]bool)
	for _, k := range keys {
		a, loaded := abstracts[k.abstract]
		text := d.names[k.aspect]
		if !loaded || text == "" || made[k] {
			continue
		}
		made[k] = true
		list = append(list, Pair{AspectID: k.aspect, Aspect: text, Within: within[k.aspect], Abstract: a})
	}
	return list
}

// Annotation returns the score of a pair, the last of several; false if there is none or its reply was not parsed.
func (d *Dataset) Annotation(aspect string, abstract int) (score int, ok bool) {
	s := d.scores[pair{aspect, abstract}]
	return s.last, s.rows > 0 && s.last >= 0
}

// judged reads the test set. Its abstracts need not be in a pool.
func (r *loader) judged(dec *json.Decoder, i int) error {
	o, err := r.object(dec, fmt.Sprintf("Test_set[%d]", i), bench.AnAnnotation)
	if err != nil {
		return err
	}
	j := Judged{
		AspectID: string(bench.Member[bench.Decimal](o, "aspect_id", bench.AnAnnotation)),
		Abstract: bench.Member[int](o, "abstract_id", bench.AnAnnotation), Scores: make(map[string]int),
	}
	human := bench.Member[map[string]json.RawMessage](o, "human_annotation", bench.AnAnnotation)
	if o.Lost {
		return nil
	}
	people := &bench.Object{At: o.At + ".human_annotation", Members: human, Report: r.report}
	for _, name := range slices.Sorted(maps.Keys(human)) {
		switch score := bench.Member[*int](people, name, ""); {
		case score == nil: // reported, or null
		case *score < 0 || *score > 2:
			people.Fault(name, fmt.Sprintf(" is %d, not 0, 1 or 2", *score), "")
		default:
			j.Scores[name] = *score
		}
	}
	if !r.wanted[j.Abstract] {
		r.wanted[j.Abstract] = true
		r.skipped = true // the corpus may have been read before
	}
	r.Judged = append(r.Judged, j)
	return nil
}
