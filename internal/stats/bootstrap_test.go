package stats_test

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"airqa/internal/stats"
)

func TestClusterBootstrapEdges(t *testing.T) {
	tests := []struct {
		name     string
		values   []float64
		clusters []string
		want     stats.Interval
	}{
		{"nothing", nil, nil, stats.Interval{Low: math.NaN(), High: math.NaN()}},
		{"one value", []float64{0.5}, nil, stats.Interval{Low: 0.5, High: 0.5}},
		{"one cluster", []float64{0, 1}, []string{"a", "a"}, stats.Interval{Low: 0.5, High: 0.5}},
		{"all the same", []float64{1, 1, 1}, []string{"a", "b", "a"}, stats.Interval{Low: 1, High: 1}},
		// Both clusters twice, either way round once: 0, 0.5 twice, 1 of four.
		{"two clusters", []float64{0, 1}, []string{"a", "b"}, stats.Interval{Low: 0, High: 1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := stats.ClusterBootstrap(tt.values, tt.clusters, 500, 1, 0.95)
			if !near(got.Low, tt.want.Low, 0) || !near(got.High, tt.want.High, 0) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

func TestClusterBootstrapRepeats(t *testing.T) {
	values, clusters := clustered(rand.New(rand.NewPCG(5, 6)), 40)
	first := stats.ClusterBootstrap(values, clusters, 1000, 7, 0.95)
	if again := stats.ClusterBootstrap(values, clusters, 1000, 7, 0.95); again != first {
		t.Errorf("the same arguments gave %v and %v", first, again)
	}
	if other := stats.ClusterBootstrap(values, clusters, 1000, 8, 0.95); other == first {
		t.Error("the seed makes no difference")
	}
	if whole := stats.ClusterBootstrap(values, clusters, 0, 7, 0.95); whole != stats.ClusterBootstrap(values, clusters, stats.DefaultRounds, 7, 0.95) {
		t.Error("no rounds are not the usual ones")
	}
}

func TestClusterBootstrapRefusesOtherLengths(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	stats.ClusterBootstrap([]float64{1, 2}, []string{"a"}, 10, 1, 0.95)
}

// For independent values the interval is the one of the normal distribution: mean ± 1.96 standard errors.
func TestClusterBootstrapIsNormalForMany(t *testing.T) {
	values := make([]float64, 1000)
	for i := range values {
		values[i] = float64(i % 2)
	}
	got := stats.ClusterBootstrap(values, nil, 5000, 1, 0.95)
	want := 1.96 * 0.5 / math.Sqrt(1000)
	if math.Abs(got.Low-(0.5-want)) > 0.003 || math.Abs(got.High-(0.5+want)) > 0.003 {
		t.Errorf("got %v, want 0.5 ± %.4f", got, want)
	}
}

// The interval holds the true mean with about its nominal probability if the values of a cluster go together, and one that is
// blind to clusters does not.
func TestClusterBootstrapCovers(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 10))
	const rounds = 400
	covered, blind := 0, 0
	for i := range rounds {
		values, clusters := clustered(random, 60)
		if holdsHalf(stats.ClusterBootstrap(values, clusters, 400, uint64(i), 0.95)) {
			covered++
		}
		if holdsHalf(stats.ClusterBootstrap(values, nil, 400, uint64(i), 0.95)) {
			blind++
		}
	}
	// Three standard errors of 95 % in 400 are 3.3 %.
	if share := float64(covered) / rounds; share < 0.91 || share > 0.985 {
		t.Errorf("the interval holds the truth in %.3f of the rounds, want about 0.95", share)
	}
	if share := float64(blind) / rounds; share > 0.9 {
		t.Errorf("without clusters it holds the truth in %.3f of the rounds: the data has no clusters to speak of", share)
	}
}

func holdsHalf(i stats.Interval) bool { return i.Low <= 0.5 && 0.5 <= i.High }

// clustered draws right and wrong answers, each cluster with a share of right ones of its own; their mean is one half.
func clustered(random *rand.Rand, n int) (values []float64, clusters []string) {
	for c := range n {
		share := random.Float64()
		for range 1 + random.IntN(6) {
			v := 0.0
			if random.Float64() < share {
				v = 1
			}
			values, clusters = append(values, v), append(clusters, strconv.Itoa(c))
		}
	}
	return values, clusters
}

func BenchmarkClusterBootstrap(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 1))
	values, clusters := clustered(random, 350) // about 1,200 questions
	for b.Loop() {
		stats.ClusterBootstrap(values, clusters, stats.DefaultRounds, 1, 0.95)
	}
}

// NumPy: std(ddof=1)/sqrt(n); statsmodels 0.15: OLS on a constant, cov_type="cluster" with its correction.
func TestStandardError(t *testing.T) {
	values := []float64{1, 0, 1, 1, 0, .5, 1, 0, 0, 1}
	clusters := []string{"a", "a", "b", "b", "b", "c", "d", "e", "e", "f"}
	alone := []string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"}
	tests := []struct {
		name     string
		values   []float64
		clusters []string
		want     float64
	}{
		{"plain", values, nil, 0.15723301886761007},
		{"each its own cluster", values, alone, 0.15723301886761007},
		{"clustered", values, clusters, 0.14491376746189435},
		{"one cluster", []float64{0, 1}, []string{"a", "a"}, math.NaN()},
		{"one value", []float64{1}, nil, math.NaN()},
		{"none", nil, nil, math.NaN()},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := stats.StandardError(tt.values, tt.clusters); !near(got, tt.want, 1e-12) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}
