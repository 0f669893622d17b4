package dataset

import (
	"bufio"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
)

// DORISPair is what an annotator is asked: does the abstract meet the aspect?
type DORISPair struct {
	AspectID, Aspect string
	// Within are the texts of the aspects that it is a sub-aspect of.
	Within   []string
	Abstract DORISAbstract
}

// DORISJudged is a pair that people annotated. Scores are by name of the annotator.
type DORISJudged struct {
	AspectID string
	Abstract int
	Scores   map[string]int
}

// Pairs are the distinct pairs of the queries with these numbers, or of all: each aspect and sub-aspect with each
// abstract of the pool, by query and abstract. Pairs of several queries are with the first of them. Abstracts that are
// not in the corpus are left out.
func (d *DORISMAE) Pairs(numbers []int) []DORISPair {
	var list []DORISPair
	m := d.pairMaker()
	for _, q := range d.Queries {
		if len(numbers) > 0 && !slices.Contains(numbers, q.Number) {
			continue
		}
		ids := q.union(q.Aspects)
		for _, p := range q.Pool {
			for _, id := range ids {
				list = m.add(list, id, p)
			}
		}
	}
	return list
}

// TestPairs are the distinct pairs of the test set that are complete, in the order of the file.
func (d *DORISMAE) TestPairs() []DORISPair {
	var list []DORISPair
	m := d.pairMaker()
	for _, j := range d.Judged {
		list = m.add(list, j.AspectID, j.Abstract)
	}
	return list
}

// Annotation returns the score of a pair, the last of several; false if there is none or its reply was not parsed.
func (d *DORISMAE) Annotation(aspect string, abstract int) (score int, ok bool) {
	s := d.scores[dorisPair{aspect, abstract}]
	return s.last, s.rows > 0 && s.last >= 0
}

// pairMaker makes each pair once.
type pairMaker struct {
	names     map[string]string
	within    map[string][]string
	abstracts map[int]DORISAbstract
	made      map[dorisPair]bool
}

func (d *DORISMAE) pairMaker() pairMaker {
	m := pairMaker{d.names, make(map[string][]string), make(map[int]DORISAbstract), make(map[dorisPair]bool)}
	for _, q := range d.Queries {
		for _, a := range q.Aspects {
			for _, sub := range a.Sub {
				if !slices.Contains(m.within[sub.ID], a.Text) && sub.ID != a.ID {
					m.within[sub.ID] = append(m.within[sub.ID], a.Text)
				}
			}
		}
	}
	for _, a := range d.Corpus {
		m.abstracts[a.ID] = a
	}
	return m
}

func (m pairMaker) add(list []DORISPair, aspect string, abstract int) []DORISPair {
	pair, text := dorisPair{aspect, abstract}, m.names[aspect]
	a, ok := m.abstracts[abstract]
	if !ok || text == "" || m.made[pair] {
		return list
	}
	m.made[pair] = true
	return append(list, DORISPair{AspectID: aspect, Aspect: text, Within: m.within[aspect], Abstract: a})
}

// judged reads the test set. Its abstracts need not be in a pool.
func (r *dorisReader) judged(dec *json.Decoder) func(int) error {
	if r.wanted == nil {
		r.wanted = make(map[int]bool)
	}
	return func(i int) error {
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return err
		}
		at := fmt.Sprintf("Test_set[%d]", i)
		o, _ := newObject(raw, at, anAnnotation, r.report)
		pair := DORISJudged{
			AspectID: string(member[decimal](o, "aspect_id", anAnnotation)), Abstract: member[int](o, "abstract_id", anAnnotation), Scores: make(map[string]int),
		}
		human := member[map[string]json.RawMessage](o, "human_annotation", anAnnotation)
		if o.lost {
			return nil
		}
		people := &object{at: at + ".human_annotation", members: human, report: r.report}
		for _, name := range slices.Sorted(maps.Keys(human)) {
			switch score := member[*int](people, name, ""); {
			case score == nil: // reported, or null
			case *score < 0 || *score > 2:
				r.fault(fmt.Sprintf("%s.%s is %d, not 0, 1 or 2; it is left out", people.at, name, *score), true)
			default:
				pair.Scores[name] = *score
			}
		}
		if !r.wanted[pair.Abstract] {
			r.wanted[pair.Abstract], r.skipped = true, true // the corpus may have been read before
		}
		r.Judged = append(r.Judged, pair)
		return nil
	}
}

// otherAnnotations reads a list of annotations from a file of its own.
func (r *dorisReader) otherAnnotations() error {
	path := r.options.Annotations
	file, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("read annotations: %w", err)
	}
	defer func() { _ = file.Close() }()
	dec := json.NewDecoder(bufio.NewReaderSize(file, 1<<20))
	if err := elements(dec, r.annotation(dec)); err != nil {
		return fmt.Errorf("read annotations %s: %w", path, syntaxError(err))
	}
	return nil
}
