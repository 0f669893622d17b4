package forecast

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"airqa/extractor/candidate"
)

// plays is the number of plays.
const plays = 400

// played is the result of a play.
type played struct {
	candidates float64
	stages     costs
}

func (p played) total() (sum cost) {
	for _, stage := range slices.Sorted(maps.Keys(p.stages)) { // sums of floats depend on the order
		sum = sum.plus(p.stages[stage], 1)
	}
	return sum
}

// play plays the lanes. The same lanes give the same plays.
func play(lanes []lane, h history) []played {
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // an estimate needs no secrets
	novel := h.novelty()
	list := make([]played, plays)
	for i := range list {
		p := player{random, novel.draw(random), math.Exp(random.NormFloat64() / 2), costs{}}
		for _, l := range lanes {
			list[i].candidates += p.play(l)
		}
		list[i].stages = p.spent
	}
	return list
}

// player draws what all categories of a play share.
type player struct {
	*rand.Rand
	// novelty is the probability that a question is new although its elements were asked about once before.
	novelty float64
	// length is the length of replies in relation to the assumption.
	length float64
	spent  costs
}

// play plays a lane and returns the number of candidates.
func (p player) play(l lane) float64 {
	yield := l.yield.draw(p.Rand)
	n, rows := 0, 0
	for n < len(l.rounds) && rows < l.rows {
		if p.Float64() < yield*math.Pow(p.novelty, float64(l.rounds[n])) {
			rows++
		}
		n++
	}
	p.pay(l, n)
	return float64(n)
}

// pay adds the costs of n candidates: the mean of as many samples as there are, drawn with replacement.
func (p player) pay(l lane, n int) {
	for range l.samples {
		sample := l.samples[p.IntN(len(l.samples))]
		for stage, c := range sample {
			times := n
			if stage == candidate.Explore {
				times = max(n-l.drafted, 0)
			}
			if l.assumed {
				c.completion *= p.length
			}
			p.spent[stage] = p.spent[stage].plus(c, float64(times)/float64(len(l.samples)))
		}
	}
}
