package lexical

import "math"

// The constants of BM25Okapi.
const (
	K1      = 1.5
	B       = 0.75
	Epsilon = 0.25
)

// IDF is the inverse document frequency of Okapi BM25, ln(n-df+0.5) - ln(df+0.5): negative for a term in more than half
// of n documents.
func IDF(n, df int) float64 { return math.Log(float64(n-df)+0.5) - math.Log(float64(df)+0.5) }

// BM25 is BM25Okapi over tokenized documents.
type BM25 struct {
	idf     map[string]float64
	counts  []map[string]int
	lengths []int
	average float64 // length
}

// NewBM25 counts the terms of documents. Negative idf become Epsilon times the mean idf of the vocabulary, which is
// taken before the replacement.
func NewBM25(documents [][]string) *BM25 {
	m := &BM25{idf: make(map[string]float64)}
	df := make(map[string]int)
	var terms []string // by first occurrence: the order in which the reference adds
	total := 0
	for _, d := range documents {
		counts := make(map[string]int)
		for _, term := range d {
			if counts[term]++; counts[term] > 1 {
				continue
			}
			if df[term]++; df[term] == 1 {
				terms = append(terms, term)
			}
		}
		m.counts, m.lengths = append(m.counts, counts), append(m.lengths, len(d))
		total += len(d)
	}
	m.average = float64(total) / float64(max(len(documents), 1))
	sum := 0.0
	for _, term := range terms {
		m.idf[term] = IDF(len(documents), df[term])
		sum += m.idf[term]
	}
	floor := Epsilon * (sum / float64(max(len(terms), 1)))
	for term, idf := range m.idf {
		if idf < 0 {
			m.idf[term] = floor
		}
	}
	return m
}

// Scores returns the score of each document for the tokens of a query, repeated ones counted again. Scores can be
// negative, and a term in exactly half of the documents has no weight.
func (m *BM25) Scores(query []string) []float64 {
	scores := make([]float64, len(m.counts))
	for i, counts := range m.counts {
		for _, term := range query {
			if n := counts[term]; n > 0 {
				f := float64(n)
				scores[i] += float64(m.idf[term] * (f * (K1 + 1) / (f + K1*(1-B+B*float64(m.lengths[i])/m.average))))
			}
		}
	}
	return scores
}
