package forecast

import (
	"math"
	"math/rand/v2"
)

// steps is the number of values of a share that are distinguished.
const steps = 100

// shares is a distribution of a share in 0..1 over the middles of equal steps, cumulated.
type shares []float64

// sharesOf returns the distribution with a logarithm of the density.
func sharesOf(density func(share float64) float64) shares {
	logs := make([]float64, steps)
	most := math.Inf(-1)
	for i := range logs {
		logs[i] = density((float64(i) + 0.5) / steps)
		most = max(most, logs[i])
	}
	s, sum := make(shares, steps), 0.0
	for i, x := range logs {
		sum += math.Exp(x - most)
		s[i] = sum
	}
	return s
}

// draw draws a share.
func (s shares) draw(r *rand.Rand) float64 {
	at := r.Float64() * s[len(s)-1]
	for i, x := range s {
		if at < x {
			return (float64(i) + 0.5) / steps
		}
	}
	return 1
}

// Assumptions, in numbers of candidates: the yield and the novelty are as if these had been seen before.
const (
	usualAccepted, usualRejected = 1.8, 1.2
	usualNovel, usualRepeated    = 4, 2
)

// pooled is the yield of all categories together.
func (h history) pooled() float64 {
	accepted, all := usualAccepted, usualAccepted+usualRejected
	for _, c := range h.order {
		a, n := h.categories[c].fresh()
		accepted, all = accepted+a, all+n
	}
	return accepted / all
}

// weights are the possible weights of the other categories for the yield of a category, in candidates.
var weights = []float64{1, 2, 4, 8, 16, 32}

// likeness returns the probability of each weight: high weights if the categories have similar yields (beta-binomial
// distribution with the pooled mean).
func (h history) likeness() []float64 {
	pooled := h.pooled()
	probabilities, sum := make([]float64, len(weights)), 0.0
	for i, w := range weights {
		log := 0.0
		for _, c := range h.order {
			accepted, all := h.categories[c].fresh()
			log += logBeta(accepted+w*pooled, all-accepted+w*(1-pooled)) - logBeta(w*pooled, w*(1-pooled))
		}
		probabilities[i] = math.Exp(log)
		sum += probabilities[i]
	}
	for i := range probabilities {
		probabilities[i] /= sum
	}
	return probabilities
}

// yieldOf is the yield of a category after its candidates: a mixture of beta distributions over the weights.
func (h history) yieldOf(p past) shares {
	accepted, all := p.fresh()
	pooled, likeness := h.pooled(), h.likeness()
	return sharesOf(func(y float64) float64 {
		density := 0.0
		for i, w := range weights {
			a, b := accepted+w*pooled, all-accepted+w*(1-pooled)
			density += likeness[i] * math.Exp((a-1)*math.Log(y)+(b-1)*math.Log(1-y)-logBeta(a, b))
		}
		return math.Log(density)
	})
}

// logBeta is the logarithm of the beta function.
func logBeta(a, b float64) float64 {
	x, _ := math.Lgamma(a)
	y, _ := math.Lgamma(b)
	z, _ := math.Lgamma(a + b)
	return x + y - z
}

// novelty is the distribution of the probability that a question is new if its elements were asked about once before.
func (h history) novelty() shares {
	pooled := h.pooled()
	return sharesOf(func(novelty float64) float64 {
		density := (usualNovel-1)*math.Log(novelty) + (usualRepeated-1)*math.Log(1-novelty)
		for _, c := range h.order {
			accepted, all := h.categories[c].fresh()
			yield := (accepted + 2*pooled) / (all + 2)
			for _, t := range h.categories[c].trials {
				p := yield * math.Pow(novelty, float64(t.round))
				switch {
				case t.round == 0:
				case t.accepted:
					density += math.Log(p)
				default:
					density += math.Log(1 - p)
				}
			}
		}
		return density
	})
}
