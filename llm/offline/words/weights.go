package words

import (
	"maps"
	"math"
	"slices"
)

// Weights maps the stem of a word to what it counts.
type Weights map[string]float64

// Sum adds the weights of the stems that occur in both.
func (w Weights) Sum(in map[string]bool) float64 {
	total := 0.0
	// Sums of floats depend on their order: a map has none.
	for _, s := range slices.Sorted(maps.Keys(in)) {
		total += w[s]
	}
	return total
}

// Total is the sum of all weights.
func (w Weights) Total() float64 {
	total := 0.0
	for _, s := range slices.Sorted(maps.Keys(w)) {
		total += w[s]
	}
	return total
}

// Weigh gives every term its weight: words that few sentences hold count more.
func Weigh(terms []string, sentences []Sentence) Weights {
	w := make(Weights)
	for _, term := range terms {
		s := Stem(term)
		with := 0
		for _, sen := range sentences {
			if sen.Stems[s] {
				with++
			}
		}
		w[s] = 0.5 + math.Log(float64(len(sentences)+1)/float64(with+1))
	}
	return w
}
