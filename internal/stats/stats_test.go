package stats_test

import (
	"math"
	"testing"

	"airqa/internal/stats"
)

// near compares with a tolerance, relative for large values; NaN is near NaN.
func near(got, want, tolerance float64) bool {
	if math.IsNaN(want) {
		return math.IsNaN(got)
	}
	return math.Abs(got-want) <= tolerance*max(1, math.Abs(want))
}

// The first four rows are those of Newcombe 1998 (Statistics in Medicine 17:857-872, table I, method 3), which prints
// four decimals; further digits and rows are of statsmodels 0.15, proportion_confint(method="wilson").
func TestWilson(t *testing.T) {
	tests := []struct {
		name      string
		k, n      int
		level     float64
		low, high float64
	}{
		{"Newcombe 81/263", 81, 263, 0.95, 0.255288519878, 0.366209576983},
		{"Newcombe 15/148", 15, 148, 0.95, 0.062386399531, 0.160487241723},
		{"Newcombe 0/20", 0, 20, 0.95, 0, 0.161125158053},
		{"Newcombe 1/29", 1, 29, 0.95, 0.006113214293, 0.171755218793},
		{"all", 10, 10, 0.95, 0.722467200137, 1},
		{"one", 0, 1, 0.95, 0, 0.793450685623},
		{"benchmark", 450, 1246, 0.95, 0.334949380013, 0.388215508175},
		{"99 %", 1, 29, 0.99, 0.004061494197, 0.238254253136},
		{"90 %", 3, 7, 0.9, 0.186443190364, 0.710522908986},
		{"no trials", 0, 0, 0.95, 0, 1},
		{"sure", 3, 7, 1, 0, 1},
		{"more than all", 8, 7, 0.95, math.NaN(), math.NaN()},
		{"less than none", -1, 7, 0.95, math.NaN(), math.NaN()},
		{"level in percent", 3, 7, 95, math.NaN(), math.NaN()},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := stats.Wilson(tt.k, tt.n, tt.level)
			if !near(got.Low, tt.low, 1e-10) || !near(got.High, tt.high, 1e-10) {
				t.Errorf("Wilson(%d, %d, %g) = %v, want %.12f..%.12f", tt.k, tt.n, tt.level, got, tt.low, tt.high)
			}
		})
	}
}

// SciPy 1.17, norm.ppf.
func TestNormalQuantile(t *testing.T) {
	tests := []struct{ p, want float64 }{
		{0.5, 0},
		{0.8, 0.841621233572914},
		{0.9, 1.2815515655446},
		{0.975, 1.95996398454005},
		{0.995, 2.5758293035489},
		{1e-6, -4.75342430882290},
		{1.5, math.NaN()},
	}
	for _, tt := range tests {
		got := stats.NormalQuantile(tt.p)
		if !near(got, tt.want, 1e-11) {
			t.Errorf("NormalQuantile(%g) = %v, want %v", tt.p, got, tt.want)
		}
		if tt.p <= 1 && !near(normalCDF(got), tt.p, 1e-14) {
			t.Errorf("normalCDF(%v) = %v, want %v", got, normalCDF(got), tt.p)
		}
	}
	if got := stats.NormalQuantile(0); !math.IsInf(got, -1) {
		t.Errorf("NormalQuantile(0) = %v", got)
	}
}

func TestScale(t *testing.T) {
	if got := (stats.Interval{Low: 0.25, High: 0.5}).Scale(100); got != (stats.Interval{Low: 25, High: 50}) {
		t.Errorf("Scale = %v", got)
	}
}

// normalCDF is the probability that a standard normal variable lies below x.
func normalCDF(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
