// Package bm25 turns text into sparse vectors whose inner product is the Okapi BM25 score, as in the paper's reference
// implementation (k1 1.5, b 0.75, epsilon 0.25). [Fit] counts the terms of a corpus. The resulting [Stats] vectorise
// documents and queries and are saved with the collection. The package stores no vectors.
package bm25

import (
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"

	"airqa/env/vectors"
	"airqa/internal/lexical"
)

// Name is the collection name of the paper's reference implementation.
const Name = "text_bm25_en"

// lowest is the weight of a term that is in more than half of the documents if "epsilon × mean idf" is not positive, as
// in a corpus of a few short documents. Documents with only such terms are still found, but rank last.
const lowest = 1e-3

const format = 1

// Stats are the term statistics of a corpus. They are immutable and safe for concurrent use.
type Stats struct {
	size      int // number of documents
	avgdl     float64
	terms     []string // ascending; the index is the position in vectors
	df        []int    // number of documents with the term
	idf       []float64
	positions map[string]int
	// stems caches the stem of each word seen by Fit, since stemming takes most of the time. It is not saved.
	stems map[string]string
}

// Fit counts the terms of a corpus. It stops at the first error of documents and returns it.
func Fit(documents iter.Seq2[string, error]) (*Stats, error) {
	df := make(map[string]int)
	stems := make(map[string]string)
	learn := func(word string) string {
		if _, ok := stems[word]; !ok {
			stems[word] = stem(word)
		}
		return stems[word]
	}
	size, length := 0, 0
	for text, err := range documents {
		if err != nil {
			return nil, fmt.Errorf("count documents: %w", err)
		}
		counts, n := count(text, learn)
		for term := range counts {
			df[term]++
		}
		size++
		length += n
	}
	terms := slices.Sorted(maps.Keys(df))
	counts := make([]int, len(terms))
	for i, term := range terms {
		counts[i] = df[term]
	}
	s := newStats(saved{Format: format, Documents: size, Tokens: length, Terms: terms, DF: counts})
	s.stems = stems
	return s, nil
}

func (s *Stats) stem(word string) string {
	if known, ok := s.stems[word]; ok {
		return known
	}
	return stem(word)
}

// Document returns the vector of a document. The weight of each term is tf·(k1+1) / (tf + k1·(1 - b +
// b·length/average)). Terms unknown to Fit are left out; the vector may be empty.
func (s *Stats) Document(text string) []vectors.Term {
	counts, n := count(text, s.stem)
	norm := lexical.K1 * (1 - lexical.B + lexical.B*float64(n)/s.avgdl)
	return s.vector(counts, func(tf, _ float64) float64 { return tf * (lexical.K1 + 1) / (tf + norm) })
}

// Query returns the vector of a question: the inverse document frequency of each term times its number of occurrences.
// Terms unknown to Fit are left out; the vector may be empty.
func (s *Stats) Query(text string) []vectors.Term {
	counts, _ := count(text, s.stem)
	return s.vector(counts, func(tf, idf float64) float64 { return tf * idf })
}

func (s *Stats) vector(counts map[string]int, weight func(tf, idf float64) float64) []vectors.Term {
	var terms []vectors.Term
	for term, tf := range counts {
		i, ok := s.positions[term]
		if !ok {
			continue
		}
		w := float32(weight(float64(tf), s.idf[i]))
		terms = append(terms, vectors.Term{Position: uint32(i), Weight: w})
	}
	slices.SortFunc(terms, func(a, b vectors.Term) int { return int(a.Position) - int(b.Position) })
	return terms
}

// count returns the frequency of each term in text, and the number of terms.
func count(text string, stem func(string) string) (map[string]int, int) {
	counts := make(map[string]int)
	n := 0
	for term := range terms(text, stem) {
		counts[term]++
		n++
	}
	return counts, n
}

// saved is the JSON form of Stats.
type saved struct {
	Format    int      `json:"format"`
	Documents int      `json:"documents"`
	Tokens    int      `json:"tokens"`
	Terms     []string `json:"terms"`
	DF        []int    `json:"df"`
}

// MarshalJSON saves the counts, from which the rest is recomputed.
func (s *Stats) MarshalJSON() ([]byte, error) {
	return json.Marshal(saved{
		Format: format, Documents: s.size, Tokens: int(math.Round(s.avgdl * float64(max(s.size, 1)))),
		Terms: s.terms, DF: s.df,
	})
}

// UnmarshalJSON reads and validates saved statistics.
func (s *Stats) UnmarshalJSON(text []byte) error {
	var f saved
	if err := json.Unmarshal(text, &f); err != nil {
		return fmt.Errorf("read BM25 statistics: %w", err)
	}
	if f.Format != format {
		return fmt.Errorf("read BM25 statistics: made by format %d; this program reads %d", f.Format, format)
	}
	sorted := slices.IsSorted(f.Terms) && len(slices.Compact(slices.Clone(f.Terms))) == len(f.Terms)
	if len(f.Terms) != len(f.DF) || !sorted || f.Documents < 0 || f.Tokens < 0 {
		return fmt.Errorf("read BM25 statistics: %d terms, %d counts: the statistics are damaged", len(f.Terms), len(f.DF))
	}
	for i, df := range f.DF {
		if df < 1 || df > f.Documents {
			return fmt.Errorf("read BM25 statistics: term %q is in %d of %d documents", f.Terms[i], df, f.Documents)
		}
	}
	*s = *newStats(f)
	return nil
}

func newStats(f saved) *Stats {
	s := &Stats{
		size: f.Documents, avgdl: max(float64(f.Tokens), 1) / float64(max(f.Documents, 1)),
		terms: f.Terms, df: f.DF, idf: idfs(f), positions: make(map[string]int, len(f.Terms)),
	}
	for i, term := range f.Terms {
		s.positions[term] = i
	}
	return s
}

// idfs computes ln(N - df + 0.5) - ln(df + 0.5) for each term. Negative values become epsilon times the mean over all
// terms, including negative ones.
func idfs(f saved) []float64 {
	idf := make([]float64, len(f.DF))
	sum := 0.0
	for i, df := range f.DF {
		idf[i] = lexical.IDF(f.Documents, df)
		sum += idf[i]
	}
	floor := max(lexical.Epsilon*sum/float64(max(len(idf), 1)), lowest)
	for i := range idf {
		// The reference replaces only negative values; an exact 0 would remove the term from the vector.
		if idf[i] <= 0 {
			idf[i] = floor
		}
	}
	return idf
}
