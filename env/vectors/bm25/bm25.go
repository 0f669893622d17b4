// Package bm25 turns text into sparse vectors whose inner product is the Okapi BM25 score, as in the paper's reference
// implementation (k1 1.5, b 0.75, epsilon 0.25). A [Counter] splits texts into words, a [Builder] counts the words of a
// corpus. The resulting [Stats] vectorise documents and queries and are saved with the collection. The package stores no
// vectors.
package bm25

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"airqa/env/vectors"
)

// Name is the collection name of the paper's reference implementation.
const Name = "text_bm25_en"

// lowest is the weight of a term that is in more than half of the documents if "epsilon × mean idf" is not positive, as
// in a corpus of a few short documents. Documents with only such terms are still found, but rank last.
const lowest = 1e-3

// Formats of saved statistics. The first two have all terms: sorted and those of documents only, or in the order of their
// positions. In the third one, the terms are stored apart.
const (
	sortedFormat = 1
	listFormat   = 2
	format       = 3
)

// Stats are the term statistics of a corpus. They are immutable and safe for concurrent use.
type Stats struct {
	format  int
	corpus  Corpus
	average float64         // document length that vectors are made with, see Drift
	size    int             // number of terms
	terms   map[string]Term // those that are known here
	weights Weights
}

// Term is what the statistics know of a term.
type Term struct {
	// Position is its place in vectors, DF the number of documents that it is in.
	Position, DF int
}

// Partial reports whether the terms are stored apart: [Stats.With] adds those that are needed.
func (s *Stats) Partial() bool { return s.format == format }

// Terms returns the terms that are known here.
func (s *Stats) Terms() map[string]Term { return s.terms }

// With returns the statistics with these terms.
func (s *Stats) With(terms map[string]Term) *Stats {
	with := *s
	with.terms = terms
	return &with
}

// Document returns the vector of a document. The weight of each term is tf·(k1+1) / (tf + k1·(1 - b +
// b·length/average)). Unknown terms are left out; the vector may be empty.
func (s *Stats) Document(words []vectors.Word) []vectors.Term {
	length := 0
	for _, w := range words {
		length += w.Count
	}
	return s.vector(words, func(count, _ int) float32 { return s.weights.Document(count, length) })
}

// Query returns the vector of a question: the inverse document frequency of each term times its number of occurrences.
// Terms that are in no document are left out; the vector may be empty.
func (s *Stats) Query(words []vectors.Word) []vectors.Term {
	return s.vector(words, func(count, df int) float32 {
		if df == 0 {
			return 0
		}
		return s.weights.Query(count, df)
	})
}

// vector leaves out terms with the weight 0.
func (s *Stats) vector(words []vectors.Word, weight func(count, df int) float32) []vectors.Term {
	var terms []vectors.Term
	for _, w := range words {
		term, ok := s.terms[w.Text]
		if !ok {
			continue
		}
		if weight := weight(w.Count, term.DF); weight > 0 {
			terms = append(terms, vectors.Term{Position: uint32(term.Position), Weight: weight})
		}
	}
	slices.SortFunc(terms, func(a, b vectors.Term) int { return int(a.Position) - int(b.Position) })
	return terms
}

// Drift returns how far the average document length is from the one that vectors are made with: 0.01 for 1 % more or
// less. It is 0 until a [Builder] changes the corpus. Scores, and the weights of documents, differ from those of new
// statistics by a factor of at most 1 + Drift.
func (s *Stats) Drift() float64 {
	now := s.corpus.Weights().average
	return max(now/s.average, s.average/now) - 1
}

// saved is the JSON form of Stats: with terms in the first two formats, with their number and sums in the third one.
type saved struct {
	Format int `json:"format"`
	Corpus
	Average float64  `json:"average,omitempty"`
	Size    int      `json:"size,omitempty"`
	Terms   []string `json:"terms,omitempty"`
	DF      []int    `json:"df,omitempty"`
}

// MarshalJSON saves the counts without the terms.
func (s *Stats) MarshalJSON() ([]byte, error) {
	return json.Marshal(saved{Format: format, Corpus: s.corpus, Average: s.average, Size: s.size})
}

// UnmarshalJSON reads and validates saved statistics.
func (s *Stats) UnmarshalJSON(text []byte) error {
	var f saved
	if err := json.Unmarshal(text, &f); err != nil {
		return fmt.Errorf("read BM25 statistics: %w", err)
	}
	if err := f.check(); err != nil {
		return fmt.Errorf("read BM25 statistics: %w", err)
	}
	*s = *newStats(f)
	return nil
}

func (f saved) check() error {
	if f.Format < sortedFormat || f.Format > format {
		return fmt.Errorf("made by format %d; this program reads %d to %d", f.Format, sortedFormat, format)
	}
	if len(f.Terms) != len(f.DF) || f.Documents < 0 || f.Tokens < 0 || f.Size < 0 {
		return fmt.Errorf("%d terms, %d counts: the statistics are damaged", len(f.Terms), len(f.DF))
	}
	lowest := 0
	if f.Format == sortedFormat {
		lowest = 1
	} else if f.Average <= 0 {
		return fmt.Errorf("average length %v: the statistics are damaged", f.Average)
	}
	for i, df := range f.DF {
		if df < lowest || df > f.Documents {
			return fmt.Errorf("term %q is in %d of %d documents", f.Terms[i], df, f.Documents)
		}
	}
	return f.checkTerms()
}

// checkTerms checks that each term occurs once, and in order if the format requires it.
func (f saved) checkTerms() error {
	if f.Format == sortedFormat && !slices.IsSorted(f.Terms) {
		return errors.New("the terms are not sorted: the statistics are damaged")
	}
	sorted := slices.Sorted(slices.Values(f.Terms))
	if len(slices.Compact(sorted)) != len(f.Terms) {
		return errors.New("a term occurs twice: the statistics are damaged")
	}
	return nil
}

func newStats(f saved) *Stats {
	s := &Stats{format: f.Format, corpus: f.Corpus, average: f.Average, size: max(f.Size, len(f.Terms)), terms: make(map[string]Term, len(f.Terms))}
	for i, term := range f.Terms {
		s.terms[term] = Term{Position: i, DF: f.DF[i]}
		s.corpus.Move(0, f.DF[i])
	}
	s.weigh()
	return s
}

// weigh computes the weights from the counts.
func (s *Stats) weigh() {
	s.weights = s.corpus.Weights()
	if s.average == 0 {
		s.average = s.weights.average
	}
	s.weights.average = s.average
}
