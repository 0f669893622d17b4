package dataset

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// DORISMAE is the released file of DORIS-MAE (Wang et al. 2023). Documents are the abstracts that pools need, or the
// whole corpus; Items are the whole queries.
type DORISMAE struct {
	Companion
	Queries []DORISQuery
	// Corpus has the abstracts of Documents with what the construction of pools needs.
	Corpus []DORISAbstract
	// Aspects is the number of distinct aspects and sub-aspects, Annotated that of annotations.
	Aspects, Annotated int

	// Judged are the pairs that people annotated, with [DORISOptions.Test].
	Judged []DORISJudged

	names  map[string]string // text of each aspect
	scores map[dorisPair]dorisScore
}

// DORISQuery is a complex query. Aspects are in the order of the file; sub-aspects may belong to several of them.
type DORISQuery struct {
	Number   int
	Text     string
	Type     string // ML, NLP, CV, AI or Composite
	IdeaFrom []int
	Pool     []int
	Aspects  []DORISAspect

	sentences map[string][]string // of each aspect
	mentions  map[string][]string // aspects of each sentence
}

// DORISAspect is an aspect with its sub-aspects.
type DORISAspect struct {
	ID, Text string
	Sub      []DORISAspect
}

// DORISAbstract is an entry of the corpus; its ID is the position in the file. Categories and Linked, the abstracts that
// it cites and that cite it, are read with the whole corpus only.
type DORISAbstract struct {
	ID          int
	Title, Text string
	Categories  []string
	Linked      []int
}

// DORISOptions select what is read.
type DORISOptions struct {
	// Corpus keeps the whole corpus, in a gigabyte of memory.
	Corpus bool
	// SkipUnparsed leaves out annotations of -1, replies that could not be parsed; the authors' code adds them.
	SkipUnparsed bool
	// Annotations is a file with a list of annotations that are used instead of those of the dataset; empty for none.
	Annotations string
	// Test reads the pairs of the test set, and the abstracts that they need.
	Test bool
}

type dorisPair struct {
	aspect   string
	abstract int
}

// dorisScore sums the rows of a pair; at is the position of its first row, last the score of its last one.
type dorisScore struct{ sum, rows, at, last int }

// dorisReader reads the members of the file in any order. The corpus is skipped in a first pass if it comes before the
// queries, which select from it.
type dorisReader struct {
	DORISMAE
	path                        string
	options                     DORISOptions
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

// DORIS reads DORIS-MAE_dataset_v1.json as a stream.
func DORIS(path string, o DORISOptions) (DORISMAE, error) {
	r := &dorisReader{path: path, options: o}
	r.Name, r.names, r.scores = "doris-mae", make(map[string]string), make(map[dorisPair]dorisScore)
	if err := eachMember(path, r.member); err != nil {
		return r.DORISMAE, err
	}
	if len(r.Queries) == 0 {
		return r.DORISMAE, fmt.Errorf("read %s: no queries; it should be DORIS-MAE_dataset_v1.json of zenodo.org/records/8299749", path)
	}
	if o.Annotations != "" {
		if err := r.otherAnnotations(); err != nil {
			return r.DORISMAE, err
		}
	}
	if r.skipped {
		r.Corpus, r.Documents = nil, nil
		err := eachMember(path, func(name string, dec *json.Decoder) error {
			if name == "Corpus" {
				return elements(dec, r.abstract(dec))
			}
			return skip(dec)
		})
		if err != nil {
			return r.DORISMAE, err
		}
	}
	r.finish()
	return r.DORISMAE, nil
}

func (r *dorisReader) member(name string, dec *json.Decoder) error {
	err := r.read(name, dec)
	if errors.Is(err, errBeginning) {
		return fmt.Errorf("%s: %w", name, err)
	}
	return err
}

func (r *dorisReader) read(name string, dec *json.Decoder) error {
	switch {
	case name == "aspect_id2aspect":
		return r.aspectNames(dec)
	case name == "Query":
		return elements(dec, r.query(dec))
	case name == "Corpus" && len(r.Queries) > 0:
		return elements(dec, r.abstract(dec))
	case name == "Corpus":
		r.skipped = true
	case name == "Annotation" && r.options.Annotations == "":
		return elements(dec, r.annotation(dec))
	case name == "Test_set" && r.options.Test:
		return elements(dec, r.judged(dec))
	}
	return skip(dec)
}

func skip(dec *json.Decoder) error {
	var raw json.RawMessage
	return dec.Decode(&raw)
}

// aspectNames reads the texts of the aspects.
func (r *dorisReader) aspectNames(dec *json.Decoder) error {
	return members(dec, func(id string) error {
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return err
		}
		o := &object{at: "aspect_id2aspect", members: map[string]json.RawMessage{id: raw}, report: r.report}
		if text := member[string](o, id, ""); text != "" {
			r.names[id] = text
		}
		return nil
	})
}

// report adds the fault of an object.
func (r *dorisReader) report(text, costs string) {
	r.Faults = append(r.Faults, &Fault{File: r.path, Text: text, Costs: costs, Loaded: costs != aQuery})
}

// What a fault can cost, beside an annotation.
const (
	aQuery     = "query"
	anAbstract = "abstract"
)

func (r *dorisReader) fault(text string, loaded bool) {
	r.Faults = append(r.Faults, &Fault{File: r.path, Text: text, Loaded: loaded})
}

// value decodes an element. A wrong type is a fault, which costs the element.
func (r *dorisReader) value(dec *json.Decoder, at, costs string, v any) (ok bool, err error) {
	err = dec.Decode(v)
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		r.report(at+": "+FieldError(err).Error()+"; the "+costs+" is skipped", costs)
		return false, nil
	}
	return err == nil, err
}

func (r *dorisReader) query(dec *json.Decoder) func(int) error {
	if r.wanted == nil {
		r.wanted = make(map[int]bool)
	}
	return func(i int) error {
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return err
		}
		o, _ := newObject(raw, fmt.Sprintf("Query[%d]", i), aQuery, r.report)
		q := DORISQuery{
			Number: i, Text: member[string](o, "query_text", aQuery), Type: member[string](o, "query_type", ""),
			IdeaFrom: list[int](o, "idea_from", "", false), Pool: pool(o),
			sentences: make(map[string][]string), mentions: make(map[string][]string),
		}
		aspects := keyedLists[decimal](o, "aspects", aQuery)
		if o.lost {
			return nil
		}
		for _, a := range aspects {
			aspect := DORISAspect{ID: a.name}
			for _, sub := range a.value {
				aspect.Sub = append(aspect.Sub, DORISAspect{ID: string(sub)})
			}
			q.Aspects = append(q.Aspects, aspect)
		}
		for _, s := range keyedLists[decimal](o, "sent2aspect_id", "") {
			for _, id := range s.value {
				q.mentions[s.name] = append(q.mentions[s.name], string(id))
			}
		}
		for _, a := range keyedLists[string](o, "aspect_id2sent", "") {
			q.sentences[a.name] = a.value
		}
		for _, list := range [][]int{q.Pool, q.IdeaFrom} {
			for _, id := range list {
				r.wanted[id] = true
			}
		}
		r.Queries = append(r.Queries, q)
		return nil
	}
}

// pool reads the pool of a query. An element that is not a number costs itself; without a list there is no query.
func pool(o *object) []int {
	if raw := o.members["candidate_pool"]; len(raw) > 0 && !isList(raw) && string(raw) != "null" {
		o.fault("candidate_pool", " is "+Kind(raw)+", not a list", aQuery)
		return nil
	}
	return list[int](o, "candidate_pool", "", false)
}

// keyedLists reads an object of lists. A faulty element costs itself.
func keyedLists[T any](o *object, name, costs string) (lists ordered[[]T]) {
	for _, m := range member[ordered[json.RawMessage]](o, name, costs) {
		inner := &object{at: o.at + "." + name, members: map[string]json.RawMessage{m.name: m.value}, report: o.report}
		lists = append(lists, entry[[]T]{m.name, list[T](inner, m.name, "", false)})
	}
	return lists
}

func (r *dorisReader) abstract(dec *json.Decoder) func(int) error {
	return func(i int) error {
		r.abstracts = max(r.abstracts, i+1)
		if !r.wanted[i] && !r.options.Corpus {
			return skip(dec)
		}
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return err
		}
		o, _ := newObject(raw, fmt.Sprintf("Corpus[%d]", i), anAbstract, r.report)
		a := DORISAbstract{ID: i, Title: member[string](o, "title", ""), Text: member[string](o, "original_abstract", anAbstract)}
		if o.lost {
			return nil
		}
		if id := member[*int](o, "abstract_id", ""); id != nil && *id != i {
			r.fault(fmt.Sprintf("%s.abstract_id is %d; the position counts", o.at, *id), true)
		}
		if r.options.Corpus {
			a.Categories = categories(o.members["categories"])
			a.Linked = append(numbers(o.members["incoming_citations"]), numbers(o.members["outgoing_citations"])...)
		}
		r.Corpus = append(r.Corpus, a)
		r.Documents = append(r.Documents, Document{ID: strconv.Itoa(i), Title: a.Title, Abstract: a.Text})
		return nil
	}
}

func (r *dorisReader) annotation(dec *json.Decoder) func(int) error {
	return func(i int) error {
		var raw struct {
			Aspect   decimal `json:"aspect_id"`
			Abstract int     `json:"abstract_id"`
			Score    *int    `json:"score"`
		}
		at := fmt.Sprintf("Annotation[%d]", i)
		if ok, err := r.value(dec, at, anAnnotation, &raw); !ok {
			return err
		}
		r.Annotated++
		if raw.Score == nil || *raw.Score < -1 || *raw.Score > 2 {
			r.report(at+".score is not 0, 1 or 2; the annotation is skipped", anAnnotation)
			return nil
		}
		pair := dorisPair{string(raw.Aspect), raw.Abstract}
		s := r.scores[pair]
		if s.rows > 0 {
			r.repeated.add("%s for aspect %s and abstract %d", at, pair.aspect, pair.abstract)
		}
		if s.rows == 0 {
			s.at = i
		}
		if s.rows++; *raw.Score < 0 {
			r.unparsed.add("%s for aspect %s and abstract %d", at, pair.aspect, pair.abstract)
		}
		if *raw.Score >= 0 || !r.options.SkipUnparsed {
			s.sum += *raw.Score
		}
		s.last = *raw.Score
		r.scores[pair] = s
		return nil
	}
}

// categories of an abstract are a list or a text with spaces.
func categories(raw json.RawMessage) []string {
	var list []string
	var text string
	switch {
	case json.Unmarshal(raw, &list) == nil:
		return list
	case json.Unmarshal(raw, &text) == nil:
		return strings.Fields(text)
	}
	return nil
}

// numbers is a list of abstracts; nil for anything else.
func numbers(raw json.RawMessage) []int {
	var list []int
	if json.Unmarshal(raw, &list) != nil {
		return nil
	}
	return list
}
