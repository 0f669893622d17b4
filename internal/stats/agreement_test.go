package stats_test

import (
	"math"
	"slices"
	"testing"

	"airqa/internal/stats"
)

// pairs are two judges of which both say yes on yy items, only the first on yn, only the second on ny, none on nn.
func pairs(yy, yn, ny, nn int) (a, b []bool) {
	for i, n := range []int{yy, yn, ny, nn} {
		a = append(a, slices.Repeat([]bool{i < 2}, n)...)
		b = append(b, slices.Repeat([]bool{i%2 == 0}, n)...)
	}
	return a, b
}

// The first three are the worked examples of Wikipedia's "Cohen's kappa" (0.40, 0.1304, 0.2593); all are those of
// statsmodels 0.15, cohens_kappa.
func TestCohenKappa(t *testing.T) {
	tests := []struct {
		name           string
		yy, yn, ny, nn int
		want           float64
	}{
		{"grant readers", 20, 5, 10, 15, 0.4},
		{"same agreement, even", 45, 15, 25, 15, 0.13043478260869554},
		{"same agreement, uneven", 25, 35, 5, 35, 0.25925925925925924},
		{"always", 3, 0, 0, 4, 1},
		{"never", 0, 3, 3, 0, -1},
		{"one class only", 5, 0, 0, 0, math.NaN()},
		{"one judge has one class", 5, 0, 2, 0, 0},
		{"no items", 0, 0, 0, 0, math.NaN()},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := stats.CohenKappa(pairs(tt.yy, tt.yn, tt.ny, tt.nn)); !near(got, tt.want, 1e-12) {
				t.Errorf("CohenKappa = %v, want %v", got, tt.want)
			}
		})
	}
	if got := stats.CohenKappa([]bool{true}, nil); !math.IsNaN(got) {
		t.Errorf("lists of different lengths: %v", got)
	}
}

// statsmodels 0.15, fleiss_kappa.
func TestFleissKappa(t *testing.T) {
	const y, n = true, false
	tests := []struct {
		name  string
		votes [][]bool
		want  float64
	}{
		{"three judges", [][]bool{{y, y, y}, {y, y, n}, {n, n, y}, {n, n, n}, {y, y, y}, {y, n, n}, {y, y, y}, {y, y, n}}, 0.2888888888888888},
		{"a lost vote leaves its item out", [][]bool{
			{y, y, y}, {y, y, n}, {n, n, y}, {n, n, n}, {y, y, y}, {y, n, n}, {y, y, y}, {y, y, n}, {y}, {},
		}, 0.2888888888888888},
		{"always", [][]bool{{y, y}, {n, n}}, 1},
		{"never", [][]bool{{y, n}, {n, y}}, -1},
		{"different numbers of votes", [][]bool{{y, y, y}, {n, n}}, 1},
		{"one class only", [][]bool{{y, y}, {y, y}}, math.NaN()},
		{"one judge", [][]bool{{y}, {n}}, math.NaN()},
		{"nothing", nil, math.NaN()},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := stats.FleissKappa(tt.votes); !near(got, tt.want, 1e-12) {
				t.Errorf("FleissKappa = %v, want %v", got, tt.want)
			}
		})
	}
}

// Binomial coefficients by hand (Python's math.comb).
func TestPass(t *testing.T) {
	nan := math.NaN()
	tests := []struct {
		n, c, k     int
		at, allOfIt float64
	}{
		{10, 3, 1, 0.3, 0.3},
		{10, 3, 5, 0.9166666666666666, 0},
		{200, 7, 10, 0.3055988116177335, 0},
		{8, 6, 4, 1, 0.21428571428571427},
		{5, 5, 3, 1, 1},
		{5, 0, 3, 0, 0},
		{1, 1, 1, 1, 1},
		{3, 1, 4, nan, nan},
		{3, 4, 1, nan, nan},
		{3, -1, 1, nan, nan},
		{3, 1, 0, nan, nan},
		{0, 0, 0, nan, nan},
	}
	for _, tt := range tests {
		if got := stats.PassAtK(tt.n, tt.c, tt.k); !near(got, tt.at, 1e-12) {
			t.Errorf("PassAtK(%d, %d, %d) = %v, want %v", tt.n, tt.c, tt.k, got, tt.at)
		}
		if got := stats.PassHatK(tt.n, tt.c, tt.k); !near(got, tt.allOfIt, 1e-12) {
			t.Errorf("PassHatK(%d, %d, %d) = %v, want %v", tt.n, tt.c, tt.k, got, tt.allOfIt)
		}
	}
}
