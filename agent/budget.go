package agent

import (
	"context"
	"fmt"
	"time"

	"airqa/qa"
)

// Budget bounds what one question may cost. Zero fields bound nothing. It is held before a call is made: a call whose
// forecast does not fit ends the episode with an outcome of its own.
type Budget struct {
	// Tokens of prompts and replies together.
	Tokens int
	// USD of all calls; it needs Price.
	USD float64
	// Seconds of work: waiting for an endpoint's limits or after a failure does not count.
	Seconds float64
	// ToolSeconds by the name of an action.
	ToolSeconds map[string]float64
	// Deadline is the longest time of the episode, waiting included; unlike the others it also ends what is under way.
	Deadline time.Duration

	// Forecast tells the most that a request may use. Needed with Tokens and USD.
	Forecast func(qa.Request) qa.Usage
	// Price is the cost of a usage in USD.
	Price func(qa.Usage) float64
}

// LimitError ends an episode that has used up its [Budget], or whose conversation is too long for the model.
type LimitError struct {
	Outcome qa.Outcome
	Reason  string
}

// Error implements error.
func (e *LimitError) Error() string { return e.Reason }

// admits returns what a request may use of what is left, or the [*LimitError] that ends the episode when it does not fit.
func (b Budget) admits(t *qa.Trajectory, r qa.Request) (left qa.Allowance, err error) {
	if work := working(t); b.Seconds > 0 && work >= b.Seconds {
		return left, &LimitError{qa.TimeLimit, fmt.Sprintf("%.1f s of work of %.1f s are used", work, b.Seconds)}
	}
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

// allows tells whether an action may still run.
func (b Budget) allows(t *qa.Trajectory, name string) error {
	limit, bounded := b.ToolSeconds[name]
	if !bounded {
		return nil
	}
	var used time.Duration
	for _, s := range t.Steps {
		if s.Action != nil && s.Action.Name == name && s.Observation != nil {
			used += s.Ended.Sub(s.Acted)
		}
	}
	if used.Seconds() < limit {
		return nil
	}
	return &LimitError{qa.TimeLimit, fmt.Sprintf("%.1f s of %s of %.1f s are used", used.Seconds(), name, limit)}
}

// context returns one that ends when the time of the episode is over, what an earlier start took of it counted.
func (b Budget) context(ctx context.Context, prior qa.Trajectory) (context.Context, context.CancelFunc) {
	if b.Deadline <= 0 {
		return ctx, func() {}
	}
	left := b.Deadline
	for _, s := range prior.Steps {
		left -= max(s.Ended.Sub(s.Started), 0)
	}
	return context.WithTimeoutCause(ctx, max(left, 0), &LimitError{qa.TimeLimit, fmt.Sprintf("no answer in %s", b.Deadline)})
}

// working sums the seconds of an episode without those of waiting.
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
