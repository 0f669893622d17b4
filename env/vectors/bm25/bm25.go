// Package bm25 turns text into sparse vectors whose inner product is the Okapi BM25 score, as in the paper's reference
// implementation (k1 1.5, b 0.75, epsilon 0.25). A [Counter] splits texts into words, a [Builder] counts the words of a
// corpus. The resulting [Stats] vectorise documents and queries and are saved with the collection. The package stores no
// vectors.
package bm25

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"unicode"

	"github.com/kljensen/snowball/english"

	"airqa/env/vectors"
)

// Name is the collection name of the paper's reference implementation.
const Name = "text_bm25_en"

const format = 1

// Stats are the term statistics of a corpus. They are immutable and safe for concurrent use.
type Stats struct {
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
		df = min(df, s.corpus.Documents) // the terms may be of later statistics
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

// saved is the JSON form of Stats.
type saved struct {
	Format int `json:"format"`
	Corpus
	Average float64 `json:"average"`
	Size    int     `json:"size"`
}

// MarshalJSON saves the counts without the terms, which are stored apart: [Stats.With] adds those that are needed.
func (s *Stats) MarshalJSON() ([]byte, error) {
	return json.Marshal(saved{Format: format, Corpus: s.corpus, Average: s.average, Size: s.size})
}

// UnmarshalJSON reads and validates saved statistics.
func (s *Stats) UnmarshalJSON(text []byte) error {
	var f saved
	if err := json.Unmarshal(text, &f); err != nil {
		return fmt.Errorf("read BM25 statistics: %w", err)
	}
	if f.Format != format {
		return fmt.Errorf("read BM25 statistics: format %d, not %d", f.Format, format)
	}
	if f.Documents < 0 || f.Tokens < 0 || f.Size < 0 || f.Average <= 0 {
		return errors.New("read BM25 statistics: the statistics are damaged")
	}
	*s = Stats{corpus: f.Corpus, average: f.Average, size: f.Size, terms: make(map[string]Term)}
	s.weigh()
	return nil
}

func (s *Stats) weigh() {
	s.weights = s.corpus.Weights()
	s.average = cmp.Or(s.average, s.weights.average)
	s.weights.average = s.average
}

// stem is the Snowball algorithm.
func stem(word string) string { return english.Stem(word, false) }

// terms yields the terms of a text in order: runs of letters and digits in lower case, without English stop words,
// each reduced by stem. A full stop or comma between two digits does not end a run ("0.5" is one term). A hyphen does,
// so "state of the art" matches "state-of-the-art".
func terms(text string, stem func(string) string) iter.Seq[string] {
	return func(yield func(string) bool) {
		runes := []rune(strings.ToLower(text))
		start := -1 // of a run
		for i := range len(runes) + 1 {
			if i < len(runes) && inWord(runes, i) {
				if start < 0 {
					start = i
				}
				continue
			}
			if start >= 0 {
				if word := string(runes[start:i]); !english.IsStopWord(word) && !yield(stem(word)) {
					return
				}
			}
			start = -1
		}
	}
}

func inWord(runes []rune, i int) bool {
	r := runes[i]
	if unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) {
		return true
	}
	between := i > 0 && i+1 < len(runes) && unicode.IsDigit(runes[i-1]) && unicode.IsDigit(runes[i+1])
	return between && (r == '.' || r == ',')
}
