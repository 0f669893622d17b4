package words

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
	idf      map[string]float64
	postings map[string][]posting
	lengths  []int
	average  float64 // length
}

type posting struct{ document, count int32 }

// NewBM25 counts the terms of documents. Negative idf become Epsilon times the mean idf of the vocabulary, which is
// taken before the replacement.
func NewBM25(documents [][]string) *BM25 {
	m := &BM25{idf: make(map[string]float64), postings: make(map[string][]posting)}
	var terms []string // by first occurrence: the order in which the reference adds
	total := 0
	for i, d := range documents {
		for _, term := range d {
			list := m.postings[term]
			switch last := len(list) - 1; {
			case last < 0:
				terms = append(terms, term)
				fallthrough
			case int(list[last].document) < i:
				m.postings[term] = append(list, posting{int32(i), 1})
			default:
				list[last].count++
			}
		}
		m.lengths = append(m.lengths, len(d))
		total += len(d)
	}
	m.average = float64(total) / float64(max(len(documents), 1))
	sum := 0.0
	for _, term := range terms {
		m.idf[term] = IDF(len(documents), len(m.postings[term]))
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
	scores := make([]float64, len(m.lengths))
	for _, term := range query {
		idf := m.idf[term]
		for _, p := range m.postings[term] {
			f := float64(p.count)
			scores[p.document] += float64(idf * (f * (K1 + 1) / (f + K1*(1-B+B*float64(m.lengths[p.document])/m.average))))
		}
	}
	return scores
}
