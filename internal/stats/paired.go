package stats

import (
	"cmp"
	"math"
	"slices"
)

// McNemar is the two-sided exact p of the hypothesis that two systems are equally often right alone, from the questions
// that only the one and only the other got right: a binomial test of onlyA among onlyA+onlyB at one half (McNemar 1947,
// exact after Mosteller 1952; R's binom.test). 1 when they never differ; NaN for a negative count.
func McNemar(onlyA, onlyB int) float64 {
	tail, _ := halfTail(onlyA, onlyB)
	return min(1, 2*tail)
}

// McNemarMid is the mid-p of the same test: the observed outcome counts for half. The exact test rejects far less often
// than its level allows; the mid-p test stays close to it and rarely exceeds it (Fagerland, Lydersen and Laake 2013, BMC
// Medical Research Methodology 13:91). It is the test that [PairedQuestions] plans for.
func McNemarMid(onlyA, onlyB int) float64 {
	tail, observed := halfTail(onlyA, onlyB)
	return min(1, 2*tail-observed)
}

// halfTail returns the probability of at most min(onlyA, onlyB) heads among onlyA+onlyB fair coins, and that of exactly
// so many.
func halfTail(onlyA, onlyB int) (tail, observed float64) {
	k, n := min(onlyA, onlyB), onlyA+onlyB
	if k < 0 {
		return math.NaN(), math.NaN()
	}
	// From the largest term down; each is the one before it times i/(n-i+1).
	observed = math.Exp(logChoose(n, k) - float64(n)*math.Ln2)
	term := observed
	tail = term
	for i := k; i > 0 && term > 0; i-- {
		term *= float64(i) / float64(n-i+1)
		tail += term
	}
	return tail, observed
}

func logChoose(n, k int) float64 {
	all, _ := math.Lgamma(float64(n) + 1)
	in, _ := math.Lgamma(float64(k) + 1)
	out, _ := math.Lgamma(float64(n-k) + 1)
	return all - in - out
}

// Holm adjusts the p of several tests so that the chance of any false discovery stays below the level at which they are
// read (Holm 1979; R's p.adjust). The result is in the order of the argument, which is left as it is.
func Holm(ps []float64) []float64 {
	order := make([]int, len(ps))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(ps[i], ps[j]) })
	adjusted, highest := make([]float64, len(ps)), 0.0
	for rank, i := range order {
		highest = max(highest, min(1, ps[i]*float64(len(ps)-rank)))
		adjusted[i] = highest
	}
	return adjusted
}

// Power says how sure a test shall be. Its zero value is not useful; see [UsualPower].
type Power struct {
	// Alpha is the two-sided level of the test, Power the chance of finding a difference that is there, both in 0..1.
	Alpha, Power float64
}

// UsualPower is the convention: a level of 5 %, found four times in five.
var UsualPower = Power{Alpha: 0.05, Power: 0.8}

// PairedQuestions is how many questions [McNemarMid]'s test needs to find a difference of two accuracies, a share in 0..1,
// when the systems disagree on the share discordant of the questions. With d for the difference and s for discordant
//
//	n = (z(1-alpha/2) √s + z(power) √(s-d²))² / d²
//
// rounded up (Connor 1987, Biometrics 43:207-211; R's MESS::power_mcnemar_test computes the same). With so many questions
// the mid-p test has the power asked for, to within half a point; the exact test has one or two points less. ok is false when no number is enough: no difference, one above discordant, which cannot be, or an argument
// out of its range.
func PairedQuestions(difference, discordant float64, p Power) (n int, ok bool) {
	d := math.Abs(difference)
	if !p.valid() || !(d > 0 && d <= discordant && discordant <= 1) {
		return 0, false
	}
	root := p.zAlpha()*math.Sqrt(discordant) + p.zPower()*math.Sqrt(discordant-d*d)
	needed := math.Ceil(root*root/(d*d) - 1e-9)
	return int(needed), needed < 1<<53
}

// PairedDetectable is the smallest difference of two accuracies that n questions are enough for: the formula of
// [PairedQuestions] solved for the difference. ok is false when none is: not even if the one system were right in every
// question in which they disagree.
func PairedDetectable(n int, discordant float64, p Power) (difference float64, ok bool) {
	if !p.valid() || n < 1 || !(discordant > 0 && discordant <= 1) {
		return 0, false
	}
	a, b, size := p.zAlpha(), p.zPower(), float64(n)
	inner := size*a*a - (size+b*b)*(a*a-b*b)
	if inner < 0 {
		return 0, false
	}
	d := math.Sqrt(discordant) * (math.Sqrt(size)*a + math.Sqrt(inner)) / (size + b*b)
	return d, d <= discordant
}

// PairedMeanQuestions is how many questions are needed to find a difference of two mean scores where the differences by
// question have the standard deviation spread, in the same unit: ((z(1-alpha/2) + z(power)) spread / d)², rounded up. It
// is for scores that are no mere right or wrong, such as means of repeats (Miller 2024, arXiv:2411.00640). ok is
// false without a difference or a spread, or for a power out of its range.
func PairedMeanQuestions(difference, spread float64, p Power) (n int, ok bool) {
	d := math.Abs(difference)
	if !p.valid() || !(d > 0 && spread > 0) {
		return 0, false
	}
	root := (p.zAlpha() + p.zPower()) * spread / d
	needed := math.Ceil(root*root - 1e-9)
	return int(needed), needed < 1<<53
}

// PairedMeanDetectable is the smallest difference that n questions are enough for by [PairedMeanQuestions].
func PairedMeanDetectable(n int, spread float64, p Power) (difference float64, ok bool) {
	if !p.valid() || n < 1 || !(spread > 0) {
		return 0, false
	}
	return (p.zAlpha() + p.zPower()) * spread / math.Sqrt(float64(n)), true
}

// valid refuses a power below one half, where the formula turns round.
func (p Power) valid() bool { return p.Alpha > 0 && p.Alpha < 1 && p.Power >= 0.5 && p.Power < 1 }

func (p Power) zAlpha() float64 { return NormalQuantile(1 - p.Alpha/2) }
func (p Power) zPower() float64 { return NormalQuantile(p.Power) }
