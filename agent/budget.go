package agent

import (
	"fmt"
	"time"

	"airqa/qa"
)

// Budget limits the cost of one question. Zero fields are unlimited. It is enforced before each call: if the forecast
// of a call does not fit, the episode ends with the corresponding outcome.
type Budget struct {
	// Tokens of prompts and replies together.
	Tokens int
	// USD of all calls; it requires Price.
	USD float64
	// Deadline is the timeout of the episode, including waits. Unlike the other limits, it also ends a call in flight.
	Deadline time.Duration

	// Forecast returns the maximum usage of a request. Tokens and USD require it.
	Forecast func(qa.Request) qa.Usage
	// Price returns the cost of a usage in USD.
	Price func(qa.Usage) float64
}

// LimitError ends an episode that has used up its [Budget], or whose conversation is too long for the model.
type LimitError struct {
	Outcome qa.Outcome
	Reason  string
}

func (e *LimitError) Error() string { return e.Reason }

// admits returns the remaining allowance of a request, or the [*LimitError] that ends the episode if the request does
// not fit.
func (b Budget) admits(t *qa.Trajectory, r qa.Request) (left qa.Allowance, err error) {
	if b.Tokens <= 0 && b.USD <= 0 {
		return left, nil
	}
	spent, next := t.Usage().Add(t.Charged()), b.Forecast(r)
	used, more := spent.Prompt+spent.Completion, next.Prompt+next.Completion
	if b.Tokens > 0 && used+more > b.Tokens {
		return left, &LimitError{qa.TokenLimit, fmt.Sprintf("%d tokens used and up to %d for the next call: the limit is %d", used, more, b.Tokens)}
	}
	if b.Tokens > 0 {
		left.Tokens = b.Tokens - used
	}
	if b.USD <= 0 {
		return left, nil
	}
	paid, price := b.Price(spent), b.Price(next)
	if paid+price > b.USD {
		return left, &LimitError{qa.CostLimit, fmt.Sprintf("$%.4f used and up to $%.4f for the next call: the limit is $%.4f", paid, price, b.USD)}
	}
	left.USD = b.USD - paid
	return left, nil
}

// working sums the seconds of an episode, excluding waits.
func working(t *qa.Trajectory) float64 {
	sum := 0.0
	for _, s := range t.Steps {
		if s.Ended.After(s.Started) {
			sum += s.Ended.Sub(s.Started).Seconds()
		}
		if s.Reply == nil {
			continue
		}
		for _, a := range s.Reply.Attempts {
			sum -= a.Wait
		}
	}
	return max(sum, 0)
}
