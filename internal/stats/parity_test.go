package stats_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"airqa/internal/stats"
)

// The check vectors of DORIS-MAE's measures.
func TestBetweens(t *testing.T) {
	lists := raters(t, "0 1 2 1 0 2 1 1 0 2", "0 1 1 1 0 2 2 1 1 2")
	want := map[string]float64{"exact": 0.7, "macro-f1": 0.711111, "rho": 0.731925}
	for _, m := range stats.PairMeasures() {
		if w, ok := want[m.Name]; ok {
			checkNear(t, m.Name, m.Of(lists[0], lists[1]), w)
		}
		checkNear(t, m.Name+" of equal lists", m.Of(lists[0], lists[0]), 1)
	}
}

// noisy copies values, a share of which is drawn at random.
func noisy(random *rand.Rand, values []float64, share float64) []float64 {
	list := make([]float64, len(values))
	for i, v := range values {
		if list[i] = v; random.Float64() < share {
			list[i] = float64(random.IntN(3))
		}
	}
	return list
}

func TestCompareToHumans(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 0))
	truth := noisy(random, make([]float64, 250), 1)
	humans := [][]float64{noisy(random, truth, 0.3), noisy(random, truth, 0.3), noisy(random, truth, 0.3)}
	good, bad := noisy(random, truth, 0.1), noisy(random, truth, 0.8)
	good[0] = math.NaN() // the unit is left out
	for _, m := range stats.PairMeasures() {
		c := stats.ParityConfig{Margin: 0.05, Rounds: 400, Seed: 1}
		p := stats.CompareToHumans(good, humans, m, c)
		if p.Units != 249 || p.Difference <= 0 || p.P > 0.01 || p.Interval.Low > p.Difference || p.Interval.High < p.Difference || p.Rounds != 400 {
			t.Errorf("%s: a good model: %+v", m.Name, p)
		}
		if again := stats.CompareToHumans(good, humans, m, c); again != p {
			t.Errorf("%s: %+v, then %+v", m.Name, p, again)
		}
		c.Seed = 2
		if other := stats.CompareToHumans(good, humans, m, c); other.Interval == p.Interval || other.Difference != p.Difference {
			t.Errorf("%s: the seed has no effect on %+v", m.Name, p)
		}
		if p := stats.CompareToHumans(bad, humans, m, c); p.Difference >= -0.1 || p.P < 0.95 || p.Interval.High >= 0 {
			t.Errorf("%s: a bad model: %+v", m.Name, p)
		}
		c.Margin = 2
		if p := stats.CompareToHumans(bad, humans, m, c); p.P != 1./401 {
			t.Errorf("%s: p %v with a margin that nothing exceeds", m.Name, p.P)
		}
	}
	exact := stats.PairMeasures()[0]
	// By hand: the model agrees with the first on 3 of 4 units, with the second on 2; the two agree on 3.
	p := stats.CompareToHumans(raters(t, "0 1 2 0")[0], raters(t, "0 1 2 1", "0 1 1 1"), exact, stats.ParityConfig{Rounds: 50})
	checkNear(t, "model", p.Model, 0.625)
	checkNear(t, "humans", p.Humans, 0.75)
	checkNear(t, "difference", p.Difference, -0.125)
	if none := stats.CompareToHumans([]float64{math.NaN()}, [][]float64{{1}, {1}}, exact, stats.ParityConfig{}); none.Units != 0 || !math.IsNaN(none.P) {
		t.Errorf("without units: %+v", none)
	}
	// Kappa has no value if all are equal.
	if same := stats.CompareToHumans([]float64{1, 1}, [][]float64{{1, 1}, {1, 1}}, stats.PairMeasures()[2], stats.ParityConfig{Rounds: 9}); same.Undefined != 9 || !math.IsNaN(same.P) {
		t.Errorf("equal values: %+v", same)
	}
}
