package dorismae

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"airqa/bench"
	"airqa/qa/dataset"
)

// Dataset is the released file of DORIS-MAE. Documents are the abstracts that pools need, or the whole corpus; Items are
// the whole queries.
type Dataset struct {
	bench.Dataset
	Queries []Query
	// Corpus has the abstracts of Documents with what the construction of pools needs.
	Corpus []Abstract
	// Aspects is the number of distinct aspects and sub-aspects, Annotated the number of annotations.
	Aspects, Annotated int
	// Judged are the pairs that people annotated, with [LoadOptions.Test].
	Judged []Judged

	names  map[string]string // text of each aspect
	scores map[pair]pairScore
	bare   map[int]bool // by number of a query, whether its pool has no annotation
}

// Query is a complex query. Aspects are in the order of the file; sub-aspects may belong to several of them.
type Query struct {
	Number   int
	Text     string
	Type     string // ML, NLP, CV, AI or Composite
	IdeaFrom []int
	Pool     []int
	Aspects  []Aspect

	sentences map[string][]string // of each aspect
	mentions  map[string][]string // aspects of each sentence
}

// Aspect is an aspect with its sub-aspects.
type Aspect struct {
	ID, Text string
	Sub      []Aspect
}

// Abstract is an entry of the corpus; its ID is the position in the file. Categories and Linked, the abstracts that it
// cites and that cite it, are read with the whole corpus only.
type Abstract struct {
	ID          int
	Title, Text string
	Categories  []string
	Linked      []int
}

// LoadOptions select what is read.
type LoadOptions struct {
	// Corpus keeps the whole corpus, in a gigabyte of memory.
	Corpus bool
	// Annotations is a file with a list of annotations that are used instead of those of the dataset; empty for none.
	Annotations string
	// Pools is a file with pools that are used instead of the dataset's; empty for none.
	Pools string
	// Test reads the pairs of the test set, and the abstracts that they need.
	Test bool
}

type pair struct {
	aspect   string
	abstract int
}

// pairScore sums the rows of a pair, and those that are no -1, an unparsed reply; at is the position of its first row, last the score of its last one.
type pairScore struct{ sum, parsed, rows, at, last int }

// loader reads the members of the file in any order. The corpus is skipped in a first pass if it comes before the
// queries, which select from it.
type loader struct {
	Dataset
	path                        string
	options                     LoadOptions
	wanted                      map[int]bool
	skipped                     bool
	abstracts                   int // size of the corpus
	repeated, unparsed, unknown occurrence
}

// occurrence counts a kind of fault and has the first one.
type occurrence struct {
	n     int
	first string
}

func (o *occurrence) add(format string, args ...any) {
	if o.n++; o.n == 1 {
		o.first = fmt.Sprintf(format, args...)
	}
}

// Load reads DORIS-MAE_dataset_v1.json as a stream.
func Load(path string, o LoadOptions) (*Dataset, error) {
	r := &loader{path: path, options: o, wanted: make(map[int]bool)}
	r.Name, r.Title, r.names, r.scores = "doris-mae", "DORIS-MAE", make(map[string]string), make(map[pair]pairScore)
	r.bare = make(map[int]bool)
	err := bench.EachMember(path, func(name string, dec *json.Decoder) error {
		err := r.member(name, dec)
		if errors.Is(err, bench.ErrBeginning) {
			return fmt.Errorf("%s: %w", name, err)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if len(r.Queries) == 0 {
		return nil, fmt.Errorf("read %s: no queries; it should be DORIS-MAE_dataset_v1.json of zenodo.org/records/8299749", path)
	}
	if o.Annotations != "" {
		if err := r.otherAnnotations(); err != nil {
			return nil, err
		}
	}
	if o.Pools != "" {
		if err := r.otherPools(); err != nil {
			return nil, err
		}
	}
	if r.skipped {
		r.Corpus, r.Documents = nil, nil
		err := bench.EachMember(path, func(name string, dec *json.Decoder) error {
			if name == "Corpus" {
				return bench.Elements(dec, r.abstract)
			}
			return skip(dec)
		})
		if err != nil {
			return nil, err
		}
	}
	r.finish()
	return &r.Dataset, nil
}

func (r *loader) member(name string, dec *json.Decoder) error {
	switch {
	case name == "aspect_id2aspect":
		return bench.Members(dec, func(id string) error {
			var raw json.RawMessage
			if err := dec.Decode(&raw); err != nil {
				return err
			}
			o := &bench.Object{At: "aspect_id2aspect", Members: map[string]json.RawMessage{id: raw}, Report: r.report}
			if text := bench.Member[string](o, id, ""); text != "" {
				r.names[id] = text
			}
			return nil
		})
	case name == "Query":
		return bench.Elements(dec, r.query)
	case name == "Corpus" && len(r.Queries) > 0:
		return bench.Elements(dec, r.abstract)
	case name == "Corpus":
		r.skipped = true
	case name == "Annotation" && r.options.Annotations == "":
		return bench.Elements(dec, r.annotation)
	case name == "Test_set" && r.options.Test:
		return bench.Elements(dec, r.judged)
	}
	return skip(dec)
}

func skip(dec *json.Decoder) error {
	var raw json.RawMessage
	return dec.Decode(&raw)
}

func (r *loader) otherAnnotations() error {
	path := r.options.Annotations
	file, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("read annotations: %w", err)
	}
	defer func() { _ = file.Close() }()
	dec := bench.NewDecoder(file)
	if err := bench.Elements(dec, r.annotation); err != nil {
		return fmt.Errorf("read annotations %s: %w", path, bench.SyntaxError(err))
	}
	return nil
}

func (r *loader) report(text, costs string) {
	r.Report(dataset.Fault{Place: dataset.Place{File: r.path}}, text, costs)
}

// object reads the next element of a list, which is lost if it is no object.
func (r *loader) object(dec *json.Decoder, at, costs string) (*bench.Object, error) {
	var raw json.RawMessage
	if err := dec.Decode(&raw); err != nil {
		return nil, err
	}
	return bench.NewObject(raw, at, costs, r.report), nil
}

func (r *loader) query(dec *json.Decoder, i int) error {
	o, err := r.object(dec, fmt.Sprintf("Query[%d]", i), bench.AQuery)
	if err != nil {
		return err
	}
	q := Query{
		Number: i, Text: bench.Member[string](o, "query_text", bench.AQuery), Type: bench.Member[string](o, "query_type", ""),
		IdeaFrom: bench.List[int](o, "idea_from", bench.Costs{}), Pool: bench.List[int](o, "candidate_pool", bench.Costs{List: bench.AQuery}),
		sentences: make(map[string][]string), mentions: make(map[string][]string),
	}
	aspects := bench.Lists[bench.Decimal](o, "aspects", bench.AQuery)
	if o.Lost {
		return nil
	}
	for _, a := range aspects {
		aspect := Aspect{ID: a.Name}
		for _, sub := range a.Value {
			aspect.Sub = append(aspect.Sub, Aspect{ID: string(sub)})
		}
		q.Aspects = append(q.Aspects, aspect)
	}
	for _, s := range bench.Lists[bench.Decimal](o, "sent2aspect_id", "") {
		for _, id := range s.Value {
			q.mentions[s.Name] = append(q.mentions[s.Name], string(id))
		}
	}
	for _, a := range bench.Lists[string](o, "aspect_id2sent", "") {
		q.sentences[a.Name] = a.Value
	}
	for _, list := range [][]int{q.Pool, q.IdeaFrom} {
		for _, id := range list {
			r.wanted[id] = true
		}
	}
	r.Queries = append(r.Queries, q)
	return nil
}

func (r *loader) abstract(dec *json.Decoder, i int) error {
	r.abstracts = max(r.abstracts, i+1)
	if !r.wanted[i] && !r.options.Corpus {
		return skip(dec)
	}
	o, err := r.object(dec, fmt.Sprintf("Corpus[%d]", i), bench.AnAbstract)
	if err != nil {
		return err
	}
	a := Abstract{ID: i, Title: bench.Member[string](o, "title", ""), Text: bench.Member[string](o, "original_abstract", bench.AnAbstract)}
	if o.Lost {
		return nil
	}
	if id := bench.Member[*int](o, "abstract_id", ""); id != nil && *id != i {
		r.report(fmt.Sprintf("%s.abstract_id is %d; the position counts", o.At, *id), "")
	}
	if r.options.Corpus {
		// Categories are a list or a text with spaces. Of lists of citations that are something else, nothing is read.
		var text string
		if json.Unmarshal(o.Members["categories"], &a.Categories) != nil {
			_ = json.Unmarshal(o.Members["categories"], &text)
			a.Categories = strings.Fields(text)
		}
		for _, name := range []string{"incoming_citations", "outgoing_citations"} {
			var list []int
			if json.Unmarshal(o.Members[name], &list) == nil {
				a.Linked = append(a.Linked, list...)
			}
		}
	}
	r.Corpus = append(r.Corpus, a)
	r.Documents = append(r.Documents, bench.Document{ID: strconv.Itoa(i), Title: a.Title, Abstract: a.Text})
	return nil
}

func (r *loader) annotation(dec *json.Decoder, i int) error {
	o, err := r.object(dec, fmt.Sprintf("Annotation[%d]", i), bench.AnAnnotation)
	if err != nil {
		return err
	}
	p := pair{string(bench.Member[bench.Decimal](o, "aspect_id", bench.AnAnnotation)), bench.Member[int](o, "abstract_id", bench.AnAnnotation)}
	score := bench.Member[*int](o, "score", bench.AnAnnotation)
	if o.Lost {
		return nil
	}
	r.Annotated++
	if score == nil || *score < -1 || *score > 2 {
		o.Fault("score", " is not 0, 1 or 2", bench.AnAnnotation)
		return nil
	}
	s := r.scores[p]
	if s.rows > 0 {
		r.repeated.add("%s for aspect %s and abstract %d", o.At, p.aspect, p.abstract)
	} else {
		s.at = i
	}
	s.rows++
	if *score < 0 {
		r.unparsed.add("%s for aspect %s and abstract %d", o.At, p.aspect, p.abstract)
	}
	s.sum, s.parsed = s.sum+*score, s.parsed+max(0, *score)
	s.last = *score
	r.scores[p] = s
	return nil
}
