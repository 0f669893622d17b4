package budget

import (
	"cmp"
	"math"
	"sync"

	"airqa/qa"
)

// unseen is the factor by which a prompt may exceed its forecast before the first reply, because vocabularies differ.
const unseen = 1.1

// scale is how far replies have exceeded their forecasts: vocabularies differ, and some servers do not count hidden
// reasoning towards the reply limit.
type scale struct {
	mu                 sync.Mutex
	prompt, completion float64 // 0 before the first reply
}

// scaled scales a forecast by the worst reply so far.
func (s *scale) scaled(u qa.Usage) qa.Usage {
	s.mu.Lock()
	defer s.mu.Unlock()
	u.Prompt, u.Completion = enlarged(u.Prompt, cmp.Or(s.prompt, unseen)), enlarged(u.Completion, s.completion)
	return u
}

func enlarged(n int, by float64) int {
	if by <= 1 {
		return n
	}
	return int(math.Ceil(float64(n)*by - 1e-6)) // floating-point products have rounding errors
}

// learn compares the usage of a reply with its forecast.
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
