package dorismae

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"airqa/bench"
)

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
	var keys []pair
	for _, j := range d.Judged {
		keys = append(keys, pair{j.AspectID, j.Abstract})
	}
	return d.completePairs(keys)
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
func (r *loader) judged(dec *json.Decoder) func(int) error {
	return func(i int) error {
		o, _, err := r.object(dec, fmt.Sprintf("Test_set[%d]", i), anAnnotation)
		if err != nil {
			return err
		}
		j := Judged{
			AspectID: string(bench.Member[bench.Decimal](o, "aspect_id", anAnnotation)),
			Abstract: bench.Member[int](o, "abstract_id", anAnnotation), Scores: make(map[string]int),
		}
		human := bench.Member[map[string]json.RawMessage](o, "human_annotation", anAnnotation)
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
}
