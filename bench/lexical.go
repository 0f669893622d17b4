package bench

import "airqa/internal/words"

// Fit learns texts and returns the scores of a query to each of them. Higher is better.
type Fit func(texts []string) (scores func(query string) []float64)

// TFIDF scores by the cosine of TF-IDF vectors.
func TFIDF(o words.TFIDFOptions) Fit {
	return func(texts []string) func(string) []float64 { return words.FitTFIDF(texts, o).Scores }
}

// BM25 scores by BM25Okapi over tokens.
func BM25(tokens func(string) []string) Fit {
	return func(texts []string) func(string) []float64 {
		var list [][]string
		for _, text := range texts {
			list = append(list, tokens(text))
		}
		m := words.NewBM25(list)
		return func(query string) []float64 { return m.Scores(tokens(query)) }
	}
}
