package bench

import "math"

// Similarity compares two vectors of texts. Higher is nearer.
type Similarity func(a, b []float32) float64

// Distance is the negative Euclidean distance; negative infinity to a text without a vector.
func Distance(a, b []float32) float64 {
	if len(a) != len(b) {
		return math.Inf(-1)
	}
	sum := 0.0
	for i := range a {
		sum += float64(a[i]-b[i]) * float64(a[i]-b[i])
	}
	return -math.Sqrt(sum)
}

// Nearest are the highest similarities of the vectors of a query to a vector of a document; without one, those to no vector.
func (s Similarity) Nearest(query, document [][]float32) (list []float64) {
	for _, q := range query {
		best := s(q, nil)
		for i, p := range document {
			if v := s(q, p); i == 0 || v > best {
				best = v
			}
		}
		list = append(list, best)
	}
	return list
}

// MaxSim is the mean of Nearest: Equation 4 of DORIS-MAE with the cosine. 0 without vectors of a query.
func (s Similarity) MaxSim(query, document [][]float32) float64 {
	if len(query) == 0 {
		return 0
	}
	return Mean{Values: s.Nearest(query, document)}.Value()
}
