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

// dorisScore sums the rows of a pair; last is the score of its last row.
type dorisScore struct{ sum, rows, last int }

// dorisReader reads the members of the file in any order. The corpus is skipped in a first pass if it comes before the
// queries, which select from it.
type dorisReader struct {
	DORISMAE
	path                        string
	options                     DORISOptions
	wanted                      map[int]bool
	skipped                     bool
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
	switch {
	case name == "aspect_id2aspect":
		return dec.Decode(&r.names)
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

func (r *dorisReader) fault(text string, loaded bool) {
	r.Faults = append(r.Faults, &Fault{File: r.path, Text: text, Loaded: loaded})
}

// value decodes an element. A wrong type is a fault: ok is false.
func (r *dorisReader) value(dec *json.Decoder, at string, v any) (ok bool, err error) {
	err = dec.Decode(v)
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		r.fault(at+": "+fieldError(err)+"; it is skipped", false)
		return false, nil
	}
	return err == nil, err
}

func (r *dorisReader) query(dec *json.Decoder) func(int) error {
	if r.wanted == nil {
		r.wanted = make(map[int]bool)
	}
	return func(i int) error {
		var raw struct {
			Text      string             `json:"query_text"`
			Type      string             `json:"query_type"`
			IdeaFrom  []int              `json:"idea_from"`
			Pool      []int              `json:"candidate_pool"`
			Mentions  ordered[[]decimal] `json:"sent2aspect_id"`
			Sentences ordered[[]string]  `json:"aspect_id2sent"`
			Aspects   ordered[[]decimal] `json:"aspects"`
		}
		if ok, err := r.value(dec, fmt.Sprintf("Query[%d]", i), &raw); !ok {
			return err
		}
		q := DORISQuery{
			Number: i, Text: raw.Text, Type: raw.Type, IdeaFrom: raw.IdeaFrom, Pool: raw.Pool,
			sentences: make(map[string][]string), mentions: make(map[string][]string),
		}
		for _, a := range raw.Aspects {
			aspect := DORISAspect{ID: a.name}
			for _, sub := range a.value {
				aspect.Sub = append(aspect.Sub, DORISAspect{ID: string(sub)})
			}
			q.Aspects = append(q.Aspects, aspect)
		}
		for _, s := range raw.Mentions {
			for _, id := range s.value {
				q.mentions[s.name] = append(q.mentions[s.name], string(id))
			}
		}
		for _, a := range raw.Sentences {
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

func (r *dorisReader) abstract(dec *json.Decoder) func(int) error {
	return func(i int) error {
		if !r.wanted[i] && !r.options.Corpus {
			return skip(dec)
		}
		var raw struct {
			Text       string          `json:"original_abstract"`
			Title      string          `json:"title"`
			ID         *int            `json:"abstract_id"`
			Categories json.RawMessage `json:"categories"`
			Incoming   json.RawMessage `json:"incoming_citations"`
			Outgoing   json.RawMessage `json:"outgoing_citations"`
		}
		if ok, err := r.value(dec, fmt.Sprintf("Corpus[%d]", i), &raw); !ok {
			return err
		}
		if raw.ID != nil && *raw.ID != i {
			r.fault(fmt.Sprintf("Corpus[%d].abstract_id is %d; the position counts", i, *raw.ID), true)
		}
		a := DORISAbstract{ID: i, Title: raw.Title, Text: raw.Text}
		if r.options.Corpus {
			a.Categories, a.Linked = categories(raw.Categories), append(numbers(raw.Incoming), numbers(raw.Outgoing)...)
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
		if ok, err := r.value(dec, at, &raw); !ok {
			return err
		}
		r.Annotated++
		if raw.Score == nil || *raw.Score < -1 || *raw.Score > 2 {
			r.fault(at+".score is not 0, 1 or 2; it is skipped", false)
			return nil
		}
		pair := dorisPair{string(raw.Aspect), raw.Abstract}
		s := r.scores[pair]
		if s.rows > 0 {
			r.repeated.add("%s for aspect %s and abstract %d", at, pair.aspect, pair.abstract)
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
