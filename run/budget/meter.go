package budget

import (
	"context"
	"errors"
	"fmt"

	"airqa/qa"
)

// Config configures a [Meter].
type Config struct {
	Model   qa.Model
	Account *Account
	// Forecast returns the maximum usage of a request.
	Forecast func(qa.Request) qa.Usage
	// Price returns the cost of a usage in USD. It may be nil if the account has no limit in USD.
	Price func(qa.Usage) float64
}

// Meter is a model whose calls are charged to an account. It belongs inside the retries, so that every request is
// admitted and charged separately. Calls may overlap if the model's may.
type Meter struct {
	c     Config
	scale scale
}

// NewMeter validates a configuration.
func NewMeter(c Config) (*Meter, error) {
	switch {
	case c.Model == nil || c.Account == nil || c.Forecast == nil:
		return nil, errors.New("meter: model, account and forecast are required")
	case c.Account.limits.USD > 0 && c.Price == nil:
		return nil, errors.New("a limit in USD needs the model's price")
	}
	if c.Price == nil {
		c.Price = func(qa.Usage) float64 { return 0 }
	}
	return &Meter{c: c}, nil
}

// Complete calls the model if the forecast of the request fits the account; otherwise the error is a
// [*qa.SuspendedError]. A retry must also fit the question's remaining budget; otherwise the error has [qa.FailBudget].
// Requests without a reply are charged with the forecast, as recorded in their [qa.Attempt].
func (m *Meter) Complete(ctx context.Context, r qa.Request) (qa.Reply, error) {
	if err := m.admits(r); err != nil {
		return qa.Reply{}, err
	}
	var forecast qa.Usage
	if m.c.Account.bounded() {
		forecast = m.c.Forecast(r)
	}
	most := m.scale.scaled(forecast)
	reserved := Spent{Usage: most, USD: m.c.Price(most)}
	if err := m.c.Account.reserve(ctx, reserved.Usage, reserved.USD); err != nil {
		return qa.Reply{}, err
	}
	reply, err := m.c.Model.Complete(ctx, r)
	used := Spent{Usage: reply.Usage}
	attempts := reply.Attempts
	if err == nil {
		used.Calls = 1
		if m.c.Account.bounded() {
			m.scale.learn(forecast, reply.Usage)
		}
	} else {
		attempts = qa.Tried(err)
	}
	for i := range attempts {
		used.Usage = used.Usage.Add(m.charge(&attempts[i], r, most))
	}
	used.USD = m.c.Price(used.Usage)
	m.c.Account.settle(reserved, used)
	return reply, err
}

// admits rejects a retry if the failed requests have used up the question's remaining budget.
func (m *Meter) admits(r qa.Request) error {
	if len(r.Tried) == 0 || r.Left == (qa.Allowance{}) {
		return nil
	}
	spent, next := qa.Trajectory{FailedAttempts: r.Tried}.Charged(), m.c.Forecast(r)
	tokens := spent.Prompt + spent.Completion + next.Prompt + next.Completion
	usd := m.c.Price(spent) + m.c.Price(next)
	if (r.Left.Tokens <= 0 || tokens <= r.Left.Tokens) && (r.Left.USD <= 0 || usd <= r.Left.USD) {
		return nil
	}
	return &qa.CallError{Class: qa.FailBudget, Err: fmt.Errorf(
		"the endpoint failed (%s), and the question's budget allows no further request of up to %d tokens",
		r.Tried[len(r.Tried)-1].Error, next.Prompt+next.Completion)}
}

// charge marks a request without a reply that may have been billed, because it reached the endpoint and was not
// rejected, and returns its maximum usage.
func (m *Meter) charge(a *qa.Attempt, r qa.Request, most qa.Usage) qa.Usage {
	refused := a.Status >= 400 && a.Status < 500
	if a.Error == "" || refused || a.Error == qa.FailUnreachable {
		return qa.Usage{}
	}
	if most == (qa.Usage{}) {
		most = m.c.Forecast(r)
	}
	most.Estimated = true
	a.Charged = &most
	return most
}
