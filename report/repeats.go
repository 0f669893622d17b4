package report

import (
	"math"

	"airqa/internal/stats"
	"airqa/qa"
)

// Repeats describes how the answers to a question vary between repeats.
type Repeats struct {
	// K is the number of times each question was asked, 1 without repeats.
	K int `json:"k"`
	// Each is AVG of each repeat alone, in percent, by number; nil for one without scores.
	Each []*float64 `json:"each"`
	// Mean and Spread are the mean and sample standard deviation of Each; Spread is nil below two.
	Mean   *float64 `json:"mean"`
	Spread *float64 `json:"spread"`
	// Passes is empty if K is 1.
	Passes []Pass `json:"passes,omitempty"`
}

// Pass is the chance in percent that, of K tries at a question, at least one (At) or all (Hat) succeed, as a mean over
// the N questions with at least K scored tries (see [stats.PassAtK], [stats.PassHatK]). N is 0 if there are none, or if
// the verdicts rule a mean out.
type Pass struct {
	K   int     `json:"k"`
	At  float64 `json:"pass_at_k"`
	Hat float64 `json:"pass_hat_k"`
	N   int     `json:"n"`
}

func repeats(questions []question) Repeats {
	r := Repeats{K: 1}
	for _, q := range questions {
		r.K = max(r.K, len(q.tries))
	}
	var each []float64
	for i := range r.K {
		sum, n := 0.0, 0.0
		for _, q := range questions {
			if t := q.tries[i]; t.scored() && !q.dropped {
				sum += t.score.Value
				n++
			}
		}
		mean := 100 * sum / n // NaN if nothing is scored
		r.Each = append(r.Each, known(mean))
		if !math.IsNaN(mean) {
			each = append(each, mean)
		}
	}
	mean, spread := meanAndSpread(each)
	r.Mean, r.Spread = known(mean), known(spread)
	if r.K > 1 {
		for k := 1; k <= r.K; k++ {
			r.Passes = append(r.Passes, passes(questions, k))
		}
	}
	return r
}

func meanAndSpread(values []float64) (mean, spread float64) {
	n := float64(len(values))
	for _, v := range values {
		mean += v / n
	}
	if n == 0 {
		return math.NaN(), math.NaN()
	}
	squares := 0.0
	for _, v := range values {
		squares += (v - mean) * (v - mean)
	}
	if n == 1 {
		return mean, math.NaN()
	}
	return mean, math.Sqrt(squares / (n - 1))
}

func passes(questions []question, k int) Pass {
	var at, hat stats.Bounded
	for _, q := range questions {
		var right, unknown, n int // n counts the tries with a verdict or without one yet
		for _, t := range q.tries {
			switch {
			case t.scored() && t.score.Verdict == qa.Right:
				right, n = right+1, n+1
			case t.scored():
				n++
			case t.waits():
				unknown, n = unknown+1, n+1
			}
		}
		if n >= k {
			at.Add(100*stats.PassAtK(n, right, k), 100*stats.PassAtK(n, right+unknown, k))
			hat.Add(100*stats.PassHatK(n, right, k), 100*stats.PassHatK(n, right+unknown, k))
		}
		if n := len(q.counted()); n >= k {
			at.Count(100 * stats.PassAtK(n, right, k))
			hat.Count(100 * stats.PassHatK(n, right, k))
		}
	}
	if !at.Possible() || !hat.Possible() {
		return Pass{K: k}
	}
	return Pass{K: k, N: at.N, At: at.Sum / float64(at.N), Hat: hat.Sum / float64(hat.N)}
}
