package agent

import (
	"context"
	"errors"
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

// again returns what a call asks before it repeats a failed request: those that failed are paid for as well. Where nothing is
// left for another, the episode ends by the endpoint's failure, which is no fault of the agent's.
func (b Budget) again(t *qa.Trajectory, r qa.Request) func(qa.Attempt) error {
	var failed []qa.Attempt
	return func(a qa.Attempt) error {
		failed = append(failed, a)
		if err := b.admits(t, failed, r); err != nil {
			return errors.New("the endpoint failed (" + a.Error + "), and the budget allows no further request: " + err.Error())
		}
		return nil
	}
}

// admits tells whether a request fits what is left after the failed ones of its call; nil when it does.
func (b Budget) admits(t *qa.Trajectory, failed []qa.Attempt, r qa.Request) error {
	if work := working(t); b.Seconds > 0 && work >= b.Seconds {
		return &LimitError{qa.TimeLimit, fmt.Sprintf("%.1f s of work of %.1f s are used", work, b.Seconds)}
	}
	if b.Tokens <= 0 && b.USD <= 0 {
		return nil
	}
	spent, next := t.Usage().Add(t.Charged()).Add(qa.Trajectory{FailedAttempts: failed}.Charged()), b.Forecast(r)
	if used, more := spent.Prompt+spent.Completion, next.Prompt+next.Completion; b.Tokens > 0 && used+more > b.Tokens {
		return &LimitError{qa.TokenLimit, fmt.Sprintf("%d tokens used and up to %d for the next call: the limit is %d", used, more, b.Tokens)}
	}
	if b.USD <= 0 {
		return nil
	}
	if used, more := b.Price(spent), b.Price(next); used+more > b.USD {
		return &LimitError{qa.CostLimit, fmt.Sprintf("$%.4f used and up to $%.4f for the next call: the limit is $%.4f", used, more, b.USD)}
	}
	return nil
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
