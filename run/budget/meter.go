package budget

import (
	"context"
	"errors"

	"airqa/qa"
)

// Model answers requests. Calls may overlap.
type Model interface {
	Complete(ctx context.Context, r qa.Request) (qa.Reply, error)
}

// Config is what a [Meter] is made of.
type Config struct {
	Model   Model
	Account *Account
	// Forecast tells the most that a request may use.
	Forecast func(qa.Request) qa.Usage
	// Price is the cost of a usage in USD; nil where it is unknown, which an account with a limit in USD must not be given.
	Price func(qa.Usage) float64
}

// Meter is a model whose calls are charged to an account. Its calls may overlap if the model's may.
type Meter struct{ c Config }

// NewMeter checks a configuration.
func NewMeter(c Config) (*Meter, error) {
	switch {
	case c.Model == nil || c.Account == nil || c.Forecast == nil:
		return nil, errors.New("meter: model, account and forecast are needed")
	case c.Account.limits.USD > 0 && c.Price == nil:
		return nil, errors.New("a limit in USD needs the model's price")
	}
	if c.Price == nil {
		c.Price = func(qa.Usage) float64 { return 0 }
	}
	return &Meter{c}, nil
}

// Complete asks the model when the forecast of the request fits the account; otherwise the error is an [*Exhausted].
// Requests that got no reply are charged by the forecast, and say so in their [qa.Attempt].
func (m *Meter) Complete(ctx context.Context, r qa.Request) (qa.Reply, error) {
	var most qa.Usage
	if m.c.Account.bounded() {
		most = m.c.Forecast(r)
	}
	held := Spent{Usage: most, USD: m.c.Price(most)}
	if err := m.c.Account.reserve(ctx, held.Usage, held.USD); err != nil {
		return qa.Reply{}, err
	}
	reply, err := m.c.Model.Complete(ctx, r)
	used := Spent{Usage: reply.Usage}
	attempts := reply.Attempts
	if err == nil {
		used.Calls = 1
	} else {
		attempts = tried(err)
	}
	used.Usage = used.Usage.Add(m.charge(attempts, r, most))
	used.USD = m.c.Price(used.Usage)
	m.c.Account.settle(held, used)
	return reply, err
}

// charge marks the requests that may have cost something without a reply, and sums them.
func (m *Meter) charge(attempts []qa.Attempt, r qa.Request, most qa.Usage) qa.Usage {
	var sum qa.Usage
	for i := range attempts {
		if !chargeable(attempts[i]) {
			continue
		}
		if most == (qa.Usage{}) {
			most = m.c.Forecast(r)
		}
		usage := most
		usage.Estimated = true
		attempts[i].Charged = &usage
		sum = sum.Add(usage)
	}
	return sum
}

// chargeable tells whether a request may have cost something: it failed, and not because the endpoint refused it.
func chargeable(a qa.Attempt) bool {
	refused := a.Status >= 400 && a.Status < 500
	return a.Error != "" && !refused
}

func tried(err error) []qa.Attempt {
	var t interface{ Tried() []qa.Attempt }
	if errors.As(err, &t) {
		return t.Tried()
	}
	return nil
}
