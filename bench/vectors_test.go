package bench_test

import (
	"math"
	"testing"

	"airqa/bench"
	"airqa/env/vectors"
)

// Spec 3.3; a zero vector is similar to nothing.
func TestMaxSim(t *testing.T) {
	cosine, distance := bench.Similarity(vectors.Cosine), bench.Similarity(bench.Distance)
	document := [][]float32{{0, 2}, {3, 4}}
	if got := cosine.MaxSim([][]float32{{1, 0}, {1, 1}}, document); math.Abs(got-0.794975) > 5e-7 {
		t.Errorf("Equation 4: %g", got)
	}
	if got := cosine.MaxSim([][]float32{{0, 0}}, document) + cosine.MaxSim(nil, document) + cosine.MaxSim(document, nil); got != 0 {
		t.Errorf("without a direction: %g", got)
	}
	if got := distance.MaxSim([][]float32{{0, 0}, {3, 1}}, document); got != -2.5 { // 2 to the first, 3 to the second
		t.Errorf("mean distance %g", got)
	}
	// Further away than every text with vectors.
	if got := distance.MaxSim(document, nil); !math.IsInf(got, -1) {
		t.Errorf("distance to no vector: %g", got)
	}
}
