package budget

import (
	"cmp"
	"math"
	"sync"

	"airqa/qa"
)

// unseen is by how much a prompt may be longer than its forecast before any reply has told: vocabularies differ.
const unseen = 1.1

// scale is how far replies have gone beyond their forecast: models have other vocabularies than the forecast counts with,
// and some servers do not count hidden reasoning in the limit of a reply.
type scale struct {
	mu                 sync.Mutex
	prompt, completion float64 // 0 before the first reply
}

// of enlarges a forecast as the worst reply so far asks for.
func (s *scale) of(u qa.Usage) qa.Usage {
	s.mu.Lock()
	defer s.mu.Unlock()
	u.Prompt, u.Completion = enlarged(u.Prompt, cmp.Or(s.prompt, unseen)), enlarged(u.Completion, s.completion)
	return u
}

func enlarged(n int, by float64) int {
	if by <= 1 {
		return n
	}
	return int(math.Ceil(float64(n)*by - 1e-6)) // products of floats leave crumbs
}

// learn compares what a reply used with its forecast.
func (s *scale) learn(forecast, used qa.Usage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.prompt = max(s.prompt, ratio(used.Prompt, forecast.Prompt))
	s.completion = max(s.completion, ratio(used.Completion, forecast.Completion))
}

func ratio(used, forecast int) float64 {
	if forecast <= 0 {
		return 0
	}
	return float64(used) / float64(forecast)
}
