package stats_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"airqa/internal/stats"
)

// SciPy 1.17, binomtest(b, b+c).pvalue, which is R's binom.test; 86 and 150 are the approval ratings of Agresti 1990,
// page 350, for which R's exact2x2::mcnemar.exact prints p = 3.716e-05.
func TestMcNemar(t *testing.T) {
	tests := []struct {
		b, c int
		want float64
	}{
		{0, 0, 1},
		{0, 1, 1},
		{7, 7, 1},
		{40, 41, 1},
		{5, 0, 0.0625},
		{1, 9, 0.021484375},
		{10, 25, 0.016673847800120715},
		{86, 150, 3.7159361395713866e-05},
		{400, 500, 0.0009564441369189373},
		{2000, 2300, 5.079935568924055e-06},
		{3000, 5000, 8.48909485074389e-112},
		{0, 1100, 0}, // 2^-1099 is no float
		{-1, 3, math.NaN()},
	}
	for _, tt := range tests {
		for _, got := range []float64{stats.McNemar(tt.b, tt.c), stats.McNemar(tt.c, tt.b)} {
			if !near(got, tt.want, 0) && !(math.Abs(got/tt.want-1) < 1e-9) && !(tt.want == 0 && got < 1e-300) {
				t.Errorf("McNemar(%d, %d) = %v, want %v", tt.b, tt.c, got, tt.want)
			}
		}
	}
}

// SciPy 1.17: 2*binom.cdf(k, n, .5) - binom.pmf(k, n, .5).
func TestMcNemarMid(t *testing.T) {
	tests := []struct {
		b, c int
		want float64
	}{
		{0, 0, 1},
		{0, 1, 0.5},
		{7, 7, 1},
		{40, 41, 0.9121566075526047},
		{5, 0, 0.03125},
		{1, 9, 0.01171875},
		{10, 25, 0.011330984183587134},
		{86, 150, 2.893389517615428e-05},
		{400, 500, 0.0008541955361977088},
		{2000, 2300, 4.735106847306556e-06},
		{-1, 3, math.NaN()},
	}
	for _, tt := range tests {
		for _, got := range []float64{stats.McNemarMid(tt.b, tt.c), stats.McNemarMid(tt.c, tt.b)} {
			if !near(got, tt.want, 0) && !(math.Abs(got/tt.want-1) < 1e-9) {
				t.Errorf("McNemarMid(%d, %d) = %v, want %v", tt.b, tt.c, got, tt.want)
			}
		}
	}
}

// The number of questions that is planned gives the mid-p test the power that is asked for.
func TestPlannedPower(t *testing.T) {
	for _, tt := range []struct{ difference, discordant, power float64 }{
		{0.03, 0.2, 0.8}, {0.05, 0.2, 0.9}, {0.05, 0.25, 0.8}, {0.02, 0.1, 0.8}, {0.1, 0.2, 0.95},
	} {
		n, ok := stats.PairedQuestions(tt.difference, tt.discordant, stats.Power{Alpha: 0.05, Power: tt.power})
		if !ok {
			t.Fatalf("%+v: no number", tt)
		}
		mid := powerOf(n, tt.difference, tt.discordant, stats.McNemarMid)
		exact := powerOf(n, tt.difference, tt.discordant, stats.McNemar)
		if mid < tt.power-0.005 || mid > tt.power+0.02 || exact >= mid {
			t.Errorf("%+v: %d questions give a power of %.4f, and %.4f with the exact test", tt, n, mid, exact)
		}
	}
}

// powerOf sums the chances of all outcomes that a test takes for a difference, over how many of n questions are
// discordant and how they split.
func powerOf(n int, difference, discordant float64, test func(onlyA, onlyB int) float64) float64 {
	power := 0.0
	share := (discordant + difference) / (2 * discordant)
	for m := range n + 1 {
		weight := choose(n, m, discordant)
		if weight < 1e-9 {
			continue
		}
		critical := 0 // the first count of the smaller side that is no difference
		for 2*critical <= m && test(critical, m-critical) < 0.05 {
			critical++
		}
		for k := range critical {
			power += weight * (choose(m, k, share) + choose(m, m-k, share))
		}
	}
	return power
}

func choose(n, k int, p float64) float64 {
	all, _ := math.Lgamma(float64(n) + 1)
	in, _ := math.Lgamma(float64(k) + 1)
	out, _ := math.Lgamma(float64(n-k) + 1)
	return math.Exp(all - in - out + float64(k)*math.Log(p) + float64(n-k)*math.Log1p(-p))
}

// An exact test is wrong at most as often as it says, whatever the share of questions in which the systems differ.
func TestMcNemarUnderTheNull(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, discordant := range []float64{0.05, 0.2, 0.6} {
		const rounds, questions = 4000, 200
		found := 0
		for range rounds {
			var only [2]int
			for range questions {
				if random.Float64() < discordant {
					only[random.IntN(2)]++
				}
			}
			if stats.McNemar(only[0], only[1]) < 0.05 {
				found++
			}
		}
		// Three standard errors of a share of 5 % in 4,000 are 1 %.
		if share := float64(found) / rounds; share > 0.06 || share == 0 {
			t.Errorf("discordant %g: p < 0.05 in %.3f of the rounds without a difference", discordant, share)
		}
	}
}

// R: p.adjust(p, "holm"), computed by statsmodels 0.15, multipletests(method="holm").
func TestHolm(t *testing.T) {
	tests := []struct {
		name     string
		ps, want []float64
	}{
		{"none", nil, nil},
		{"one", []float64{0.04}, []float64{0.04}},
		{"four", []float64{0.01, 0.04, 0.03, 0.005}, []float64{0.03, 0.06, 0.06, 0.02}},
		{"ties and a cap", []float64{0.0001, 0.3, 0.02, 0.02, 0.9}, []float64{0.0005, 0.6, 0.08, 0.08, 0.9}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := stats.Holm(tt.ps)
			if len(got) != len(tt.want) {
				t.Fatalf("Holm = %v, want %v", got, tt.want)
			}
			for i := range got {
				if !near(got[i], tt.want[i], 1e-12) {
					t.Errorf("Holm = %v, want %v", got, tt.want)
				}
			}
		})
	}
}

// 0.05 against 0.45 is the check of R's package MESS (22.01 pairs); the others are the formula in SciPy.
func TestPairedQuestions(t *testing.T) {
	tests := []struct {
		name                   string
		difference, discordant float64
		power                  stats.Power
		want                   int
		ok                     bool
	}{
		{"MESS: 0.05 and 0.45", 0.4, 0.5, stats.UsualPower, 23, true},
		{"Duffy: 0.1 and 0.2", 0.1, 0.3, stats.UsualPower, 234, true},
		{"3 points at 20 %", 0.03, 0.2, stats.UsualPower, 1742, true},
		{"the other way round", -0.03, 0.2, stats.UsualPower, 1742, true},
		{"3 points at 10 %", 0.03, 0.1, stats.UsualPower, 870, true},
		{"5 points at 20 %", 0.05, 0.2, stats.UsualPower, 626, true},
		{"no difference", 0, 0.2, stats.UsualPower, 0, false},
		{"more than they disagree", 0.3, 0.2, stats.UsualPower, 0, false},
		{"not a share", 0.3, 1.2, stats.UsualPower, 0, false},
		{"no power", 0.03, 0.2, stats.Power{Alpha: 0.05}, 0, false},
		{"no level", 0.03, 0.2, stats.Power{Power: 0.8}, 0, false},
		{"no number", math.NaN(), 0.2, stats.UsualPower, 0, false},
		{"too many to count", 1e-12, 0.2, stats.UsualPower, 0, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := stats.PairedQuestions(tt.difference, tt.discordant, tt.power)
			if ok != tt.ok || ok && got != tt.want {
				t.Errorf("PairedQuestions = %d, %v, want %d, %v", got, ok, tt.want, tt.ok)
			}
		})
	}
}

// What n questions can find is found by n questions and not by one fewer.
func TestPairedDetectableIsTheInverse(t *testing.T) {
	for _, power := range []stats.Power{stats.UsualPower, {Alpha: 0.01, Power: 0.9}, {Alpha: 0.3, Power: 0.95}} {
		for _, discordant := range []float64{0.05, 0.2, 0.9} {
			for _, n := range []int{600, 1246, 50000} {
				d, ok := stats.PairedDetectable(n, discordant, power)
				if !ok {
					t.Fatalf("%v, %d questions, discordant %g: nothing is found", power, n, discordant)
				}
				if got, ok := stats.PairedQuestions(d, discordant, power); !ok || got < n-1 || got > n+1 {
					t.Errorf("%v, discordant %g: %d questions find %g, which needs %d", power, discordant, n, d, got)
				}
			}
		}
	}
	for _, n := range []int{0, 1, 5} {
		if d, ok := stats.PairedDetectable(n, 0.1, stats.UsualPower); ok {
			t.Errorf("%d questions find %g", n, d)
		}
	}
	if d, ok := stats.PairedDetectable(100, 0, stats.UsualPower); ok {
		t.Errorf("systems that never disagree differ by %g", d)
	}
}

// The formula in SciPy: ((norm.ppf(0.975) + norm.ppf(0.8)) spread / d)².
func TestPairedMeanQuestions(t *testing.T) {
	tests := []struct {
		name               string
		difference, spread float64
		want               int
		ok                 bool
	}{
		{"one spread", 0.5, 0.5, 8, true},
		{"3 points at 25", 0.03, 0.25, 546, true},
		{"the other way round", -0.03, 0.25, 546, true},
		{"no difference", 0, 0.25, 0, false},
		{"no spread", 0.03, 0, 0, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			n, ok := stats.PairedMeanQuestions(tt.difference, tt.spread, stats.UsualPower)
			if n != tt.want || ok != tt.ok {
				t.Fatalf("PairedMeanQuestions = %d, %v, want %d, %v", n, ok, tt.want, tt.ok)
			}
			d, ok := stats.PairedMeanDetectable(n, tt.spread, stats.UsualPower)
			if ok != tt.ok || ok && !(d <= math.Abs(tt.difference) && d > 0.9*math.Abs(tt.difference)) {
				t.Errorf("PairedMeanDetectable = %g, %v", d, ok)
			}
		})
	}
}

// With as many questions as the formula asks for, the exact test finds the difference about as often as was asked for.
func TestPairedQuestionsHaveTheirPower(t *testing.T) {
	const difference, discordant, rounds = 0.1, 0.3, 2000
	n, _ := stats.PairedQuestions(difference, discordant, stats.UsualPower)
	random := rand.New(rand.NewPCG(3, 4))
	found := 0
	for range rounds {
		var a, b int
		for range n {
			switch u := random.Float64(); {
			case u < (discordant+difference)/2:
				a++
			case u < discordant:
				b++
			}
		}
		if stats.McNemar(a, b) < 0.05 {
			found++
		}
	}
	if share := float64(found) / rounds; share < 0.73 || share > 0.83 {
		t.Errorf("%d questions: found in %.3f of the rounds, want about 0.8", n, share)
	}
}

// The first line is an example of Newcombe (1998), the others are by the same formula in Python with statsmodels' Wilson
// intervals. Both, only b, only a and neither count questions.
func TestPairedWilson(t *testing.T) {
	tests := []struct {
		both, onlyB, onlyA, neither int
		want                        stats.Interval
	}{
		{36, 12, 2, 0, stats.Interval{Low: 0.05692958400323875, High: 0.3404276029749408}},
		{1, 12, 1, 2, stats.Interval{Low: 0.3018599846984564, High: 0.8592880080488323}},
		{16, 0, 0, 0, stats.Interval{Low: -0.19360768053443667, High: 0.19360768053443667}},
		{5, 2, 2, 9, stats.Interval{Low: -0.22446140027515094, High: 0.22446140027515094}},
		{0, 5, 5, 0, stats.Interval{Low: -0.5268138189748721, High: 0.5268138189748721}},
	}
	for _, tt := range tests {
		var a, b []float64
		for i, n := range []int{tt.both, tt.onlyB, tt.onlyA, tt.neither} {
			a = append(a, slices.Repeat([]float64{float64((i + 1) % 2)}, n)...)
			b = append(b, slices.Repeat([]float64{float64(1 - i/2)}, n)...)
		}
		got := stats.PairedWilson(a, b, len(a), 0.95)
		if math.Abs(got.Low-tt.want.Low) > 1e-9 || math.Abs(got.High-tt.want.High) > 1e-9 {
			t.Errorf("%+v: %v", tt, got)
		}
		back := stats.PairedWilson(b, a, len(a), 0.95)
		if math.Abs(got.Low+back.High) > 1e-12 || math.Abs(got.High+back.Low) > 1e-12 {
			t.Errorf("%v, the other way round %v", got, back)
		}
	}
	if i := stats.PairedWilson([]float64{0.5, 1. / 3}, []float64{1, 2. / 3}, 2, 0.95); !(i.Low < 5./12 && 5./12 < i.High && i.Low >= -1 && i.High <= 1) {
		t.Errorf("means of repeats: %v", i)
	}
}
