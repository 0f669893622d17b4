package words

import (
	_ "embed"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"airqa/internal/python"
)

// TFIDFOptions are those of TfidfVectorizer that differ between benchmarks; the zero value is scikit-learn's default.
type TFIDFOptions struct {
	// StripAccents decomposes characters and removes combining marks, after lower-casing.
	StripAccents bool
	// StopWords drops scikit-learn's 318 English stop words.
	StopWords bool
}

// TFIDF holds the vocabulary of fitted documents, and their vectors.
type TFIDF struct {
	options   TFIDFOptions
	terms     map[string]int // position in the sorted vocabulary
	idf       []float64
	documents int
	postings  [][]weighted // by term
}

type weighted struct {
	document int32
	value    float64
}

// Vector is a sparse vector of length 1, or the zero vector; terms ascend.
type Vector []Weight

// Weight is the weight of a term of the vocabulary.
type Weight struct {
	Term  int
	Value float64
}

// FitTFIDF learns the vocabulary of documents. The weight of a term is its count times ln((1+n)/(1+df)) + 1.
func FitTFIDF(documents []string, o TFIDFOptions) *TFIDF {
	m := &TFIDF{options: o, terms: make(map[string]int)}
	df := make(map[string]int)
	for _, d := range documents {
		for term := range o.count(d) {
			df[term]++
		}
	}
	n := float64(len(documents))
	for i, term := range slices.Sorted(maps.Keys(df)) {
		m.terms[term] = i
		m.idf = append(m.idf, math.Log((1+n)/(1+float64(df[term])))+1)
	}
	m.documents, m.postings = len(documents), make([][]weighted, len(m.idf))
	for i, d := range documents {
		for _, w := range m.Vector(d) {
			m.postings[w.Term] = append(m.postings[w.Term], weighted{int32(i), w.Value})
		}
	}
	return m
}

func (o TFIDFOptions) count(text string) map[string]int {
	text = python.Lower(text)
	if o.StripAccents && !python.IsASCII(text) {
		text = strings.Map(func(r rune) rune {
			if norm.NFKD.PropertiesString(string(r)).CCC() != 0 {
				return -1
			}
			return r
		}, norm.NFKD.String(text))
	}
	counts := make(map[string]int)
	for _, w := range tokens(text) {
		if !o.StopWords || !english[w] {
			counts[w]++
		}
	}
	return counts
}

// Vector returns the vector of a text. Terms outside the vocabulary vanish.
func (m *TFIDF) Vector(text string) Vector {
	var v Vector
	for term, n := range m.options.count(text) {
		if i, ok := m.terms[term]; ok {
			v = append(v, Weight{i, float64(n) * m.idf[i]})
		}
	}
	slices.SortFunc(v, func(a, b Weight) int { return a.Term - b.Term })
	squares := 0.0
	for _, w := range v {
		squares += float64(w.Value * w.Value)
	}
	for i := range v {
		v[i].Value /= math.Sqrt(squares)
	}
	return v
}

// Scores returns the cosine of a query to each fitted document. A zero vector has cosine 0 to everything.
func (m *TFIDF) Scores(query string) []float64 {
	q := m.Vector(query)
	scores := make([]float64, m.documents)
	for _, w := range q {
		for _, p := range m.postings[w.Term] {
			scores[p.document] += float64(w.Value * p.value)
		}
	}
	return scores
}

// Cosine is the inner product of two vectors of one vocabulary, added in the order of the terms.
func Cosine(a, b Vector) float64 {
	sum := 0.0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i].Term < b[j].Term:
			i++
		case a[i].Term > b[j].Term:
			j++
		default:
			sum += float64(a[i].Value * b[j].Value)
			i, j = i+1, j+1
		}
	}
	return sum
}

// IsWord reports whether r matches \w in Python: a letter, a number or the underscore. Combining marks do not.
func IsWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsNumber(r) }

// Tokens returns the lower-case tokens of two or more word characters, scikit-learn's default.
func Tokens(text string) []string { return tokens(python.Lower(text)) }

func tokens(text string) []string {
	runs := strings.FieldsFunc(text, func(r rune) bool { return !IsWord(r) })
	return slices.DeleteFunc(runs, func(w string) bool { return utf8.RuneCountInString(w) < 2 })
}

//go:embed english.txt
var englishWords string

// english is the English stop list of scikit-learn: 318 words, historical spellings included.
var english = Set(englishWords)
