package stats

import (
	"cmp"
	"math"
	"slices"
)

// McNemar is the two-sided exact p for the hypothesis that two systems are equally accurate, from the numbers of
// questions that only one of them got right: a binomial test of onlyA among onlyA+onlyB at one half (McNemar 1947,
// exact after Mosteller 1952; R's binom.test). It is 1 if they never differ, and NaN for a negative count.
func McNemar(onlyA, onlyB int) float64 {
	tail, _ := halfTail(onlyA, onlyB)
	return min(1, 2*tail)
}

// McNemarMid is the mid-p of the same test: the observed outcome counts half. The exact test is conservative; the mid-p
// test stays close to its level and rarely exceeds it (Fagerland, Lydersen and Laake 2013, BMC Medical Research
// Methodology 13:91). [PairedQuestions] plans for this test.
func McNemarMid(onlyA, onlyB int) float64 {
	tail, observed := halfTail(onlyA, onlyB)
	return min(1, 2*tail-observed)
}

// halfTail returns the probabilities of at most, and of exactly, min(onlyA, onlyB) heads among onlyA+onlyB fair coins.
func halfTail(onlyA, onlyB int) (tail, observed float64) {
	k, n := min(onlyA, onlyB), onlyA+onlyB
	if k < 0 {
		return math.NaN(), math.NaN()
	}
	// From the largest term down: each is the previous one times i/(n-i+1).
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

// Holm adjusts the p of several tests to control the family-wise error rate (Holm 1979; R's p.adjust). The result is in
// the order of the argument, which is not modified.
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

// Power is the required level and power of a test. Its zero value is not useful; see [UsualPower].
type Power struct {
	// Alpha is the two-sided level of the test, Power the chance of detecting an existing difference, both in 0..1.
	Alpha, Power float64
}

// UsualPower is the convention: a level of 5 % and a power of 80 %.
var UsualPower = Power{Alpha: 0.05, Power: 0.8}

// PairedQuestions is the number of questions that [McNemarMid]'s test needs to detect a difference of two accuracies,
// in 0..1, if the systems disagree on the fraction discordant of the questions. With d for the difference and s for
// discordant
//
//	n = (z(1-alpha/2) √s + z(power) √(s-d²))² / d²
//
// rounded up (Connor 1987, Biometrics 43:207-211; R's MESS::power_mcnemar_test computes the same). The mid-p test then
// has the requested power to within half a percentage point; the exact test has one or two points less. ok is false if
// no number is enough: no difference, one above discordant, which is impossible, or an argument out of range.
func PairedQuestions(difference, discordant float64, p Power) (n int, ok bool) {
	d := math.Abs(difference)
	if !p.valid() || !(d > 0 && d <= discordant && discordant <= 1) {
		return 0, false
	}
	root := p.zAlpha()*math.Sqrt(discordant) + p.zPower()*math.Sqrt(discordant-d*d)
	needed := math.Ceil(root*root/(d*d) - 1e-9)
	return int(needed), needed < 1<<53
}

// PairedDetectable is the smallest difference of two accuracies that n questions can detect: [PairedQuestions] solved
// for the difference. ok is false if there is none, not even if one system is right whenever they disagree.
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

// PairedMeanQuestions is the number of questions needed to detect a difference of two mean scores if the differences by
// question have the standard deviation spread, in the same unit: ((z(1-alpha/2) + z(power)) spread / d)², rounded up.
// It is for scores other than right or wrong, such as means of repeats (Miller 2024, arXiv:2411.00640). ok is false
// without a difference or a spread, or for a power out of range.
func PairedMeanQuestions(difference, spread float64, p Power) (n int, ok bool) {
	d := math.Abs(difference)
	if !p.valid() || !(d > 0 && spread > 0) {
		return 0, false
	}
	root := (p.zAlpha() + p.zPower()) * spread / d
	needed := math.Ceil(root*root - 1e-9)
	return int(needed), needed < 1<<53
}

// PairedMeanDetectable is the smallest difference that n questions can detect by [PairedMeanQuestions].
func PairedMeanDetectable(n int, spread float64, p Power) (difference float64, ok bool) {
	if !p.valid() || n < 1 || !(spread > 0) {
		return 0, false
	}
	return (p.zAlpha() + p.zPower()) * spread / math.Sqrt(float64(n)), true
}

// valid rejects a power below one half, for which the formula does not hold.
func (p Power) valid() bool { return p.Alpha > 0 && p.Alpha < 1 && p.Power >= 0.5 && p.Power < 1 }

func (p Power) zAlpha() float64 { return NormalQuantile(1 - p.Alpha/2) }
func (p Power) zPower() float64 { return NormalQuantile(p.Power) }

// PairedWilson is the interval of the difference of the means of b and a, which are 0 to 1 for each question, from the
// Wilson intervals of both means and their correlation (Newcombe 1998, Statistics in Medicine 17, 2635, method 10). It
// counts n trials, for example papers with several questions each. Its width is never 0. It panics if a and b differ in
// length or are empty.
func PairedWilson(a, b []float64, n int, level float64) Interval {
	if len(a) != len(b) || len(a) == 0 {
		panic("stats: values of different questions")
	}
	size, trials := float64(len(a)), float64(n)
	var meanA, meanB float64
	for i := range a {
		meanA, meanB = meanA+a[i]/size, meanB+b[i]/size
	}
	var cov, varA, varB float64
	for i := range a {
		x, y := a[i]-meanA, b[i]-meanB
		cov, varA, varB = cov+float64(x*y)/size, varA+float64(x*x)/size, varB+float64(y*y)/size
	}
	if cov > 0 { // few pairs that agree prove no correlation of 1
		cov = max(0, cov-1/(2*trials))
	}
	phi := 0.0
	if varA > 0 && varB > 0 {
		phi = cov / math.Sqrt(varA*varB)
	}
	ofA, ofB := WilsonSum(meanA*trials, n, level), WilsonSum(meanB*trials, n, level)
	side := func(x, y float64) float64 { return math.Sqrt(max(0, x*x-2*phi*x*y+y*y)) }
	d := meanB - meanA
	return Interval{Low: d - side(meanB-ofB.Low, ofA.High-meanA), High: d + side(ofB.High-meanB, meanA-ofA.Low)}
}
