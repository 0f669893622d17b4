package bm25

import (
	"maps"
	"slices"

	"airqa/env/vectors"
	"airqa/internal/words"
)

// Corpus holds the sums from which the weights of a growing corpus follow. A change of the corpus changes a few sums;
// nothing is counted again.
type Corpus struct {
	// Documents is the number of documents, Tokens the sum of their lengths in terms.
	Documents int `json:"documents"`
	Tokens    int `json:"tokens"`
	// Frequencies is the number of terms with each document frequency: Frequencies[3] terms are in 3 documents.
	Frequencies map[int]int `json:"frequencies"`
}

// Move records that the document frequency of a term changed.
func (c *Corpus) Move(from, to int) {
	if from == to {
		return
	}
	if c.Frequencies == nil {
		c.Frequencies = make(map[int]int)
	}
	if from > 0 {
		if c.Frequencies[from]--; c.Frequencies[from] == 0 {
			delete(c.Frequencies, from)
		}
	}
	if to > 0 {
		c.Frequencies[to]++
	}
}

// Clone returns a copy that shares no memory.
func (c Corpus) Clone() Corpus {
	c.Frequencies = maps.Clone(c.Frequencies)
	return c
}

// Weights are the weights that follow from a Corpus.
type Weights struct {
	documents int
	average   float64 // length of a document
	// floor is the weight of terms in more than half of the documents: epsilon times the mean inverse document frequency
	// of all terms, including negative ones.
	floor float64
}

// Weights returns the current weights.
func (c Corpus) Weights() Weights {
	// In a corpus of a few short documents, "epsilon × mean idf" may not be positive. Documents with only terms of more than
	// half of the documents are still found, but rank last.
	const lowest = 1e-3
	w := Weights{documents: c.Documents, average: max(float64(c.Tokens), 1) / float64(max(c.Documents, 1))}
	sum, terms := 0.0, 0
	for _, df := range slices.Sorted(maps.Keys(c.Frequencies)) {
		n := c.Frequencies[df]
		sum, terms = sum+float64(n)*words.IDF(c.Documents, df), terms+n
	}
	w.floor = max(words.Epsilon*sum/float64(max(terms, 1)), lowest)
	return w
}

// Query returns the weight of a term that occurs count times in a query and is in df documents, df at least 1.
func (w Weights) Query(count, df int) float32 {
	idf := words.IDF(w.documents, df)
	if idf <= 0 {
		idf = w.floor // the reference replaces only negative values; an exact 0 would remove the term from the vector
	}
	return float32(float64(count) * idf)
}

// Document returns the weight of a term that occurs count times in a text of length terms.
func (w Weights) Document(count, length int) float32 {
	tf := float64(count)
	return float32(tf * (words.K1 + 1) / (tf + words.K1*(1-words.B+words.B*float64(length)/w.average)))
}

// Counter counts the terms of texts. It is not safe for concurrent use.
type Counter struct {
	stems map[string]string
}

// NewCounter returns a Counter that has seen no text.
func NewCounter() *Counter { return &Counter{stems: make(map[string]string)} }

// Words returns the terms of a text with their numbers of occurrences, ascending; none for a text without terms.
func (c *Counter) Words(text string) []vectors.Word {
	counts := make(map[string]int)
	for term := range terms(text, c.stem) {
		counts[term]++
	}
	words := make([]vectors.Word, 0, len(counts))
	for _, term := range slices.Sorted(maps.Keys(counts)) {
		words = append(words, vectors.Word{Text: term, Count: counts[term]})
	}
	return words
}

// stem stems each word once: stemming takes most of the time.
func (c *Counter) stem(word string) string {
	const maxStems = 1 << 19 // some 50 MB
	if known, ok := c.stems[word]; ok {
		return known
	}
	if len(c.stems) >= maxStems {
		clear(c.stems)
	}
	s := stem(word)
	c.stems[word] = s
	return s
}
