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

// unreachable is the class of a request that never left, as package llm names it.
const unreachable = "unreachable"

// Meter is a model whose calls are charged to an account. Its calls may overlap if the model's may.
type Meter struct {
	c     Config
	scale scale
}

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
	return &Meter{c: c}, nil
}

// Complete asks the model when the forecast of the request fits the account; otherwise the error is an [*Exhausted].
// Requests that got no reply are charged by the forecast, and say so in their [qa.Attempt]. One that is made again is
// reserved anew: where it does not fit any more, the [*Exhausted] is in the error of the call.
func (m *Meter) Complete(ctx context.Context, r qa.Request) (qa.Reply, error) {
	c := &call{Meter: m, request: r}
	if m.c.Account.bounded() {
		c.forecast = m.c.Forecast(r)
		c.most = m.scale.of(c.forecast)
	}
	if err := c.reserve(ctx); err != nil {
		return qa.Reply{}, err
	}
	r.Again = func(failed qa.Attempt) error { return c.again(ctx, failed) }
	reply, err := m.c.Model.Complete(ctx, r)
	attempts := reply.Attempts
	if err != nil {
		attempts = qa.Tried(err)
	}
	c.end(reply, attempts, err == nil)
	return reply, err
}

// call is one call under way.
type call struct {
	*Meter
	request qa.Request
	// forecast of one request, and most that it may use as other replies have gone beyond theirs; zero until needed.
	forecast, most qa.Usage
	// held is true while a request is reserved.
	held bool
	// told counts the failed requests that are charged already.
	told int
}

func (c *call) reserve(ctx context.Context) error {
	err := c.c.Account.reserve(ctx, c.most, c.c.Price(c.most))
	c.held = err == nil
	return err
}

// again charges a failed request and reserves the next one.
func (c *call) again(ctx context.Context, failed qa.Attempt) error {
	used := c.charge(&failed)
	c.told++
	c.settle(Spent{Usage: used})
	if c.request.Again != nil {
		if err := c.request.Again(failed); err != nil {
			return err
		}
	}
	return c.reserve(ctx)
}

// end charges what is not charged yet, and marks every request that was.
func (c *call) end(reply qa.Reply, attempts []qa.Attempt, replied bool) {
	used := Spent{Usage: reply.Usage}
	if replied {
		used.Calls = 1
		if c.c.Account.bounded() {
			c.scale.learn(c.forecast, reply.Usage)
		}
	}
	for i := range attempts {
		if charged := c.charge(&attempts[i]); i >= c.told {
			used.Usage = used.Usage.Add(charged)
		}
	}
	c.settle(used)
}

// settle puts what was used in the place of the reservation.
func (c *call) settle(used Spent) {
	used.USD = c.c.Price(used.Usage)
	if !c.held {
		c.c.Account.Charge(used)
		return
	}
	c.held = false
	c.c.Account.settle(Spent{Usage: c.most, USD: c.c.Price(c.most)}, used)
}

// charge marks a request that may have cost something without a reply, and returns what it may have used.
func (c *call) charge(a *qa.Attempt) qa.Usage {
	if !chargeable(*a) {
		return qa.Usage{}
	}
	if c.most == (qa.Usage{}) {
		c.most = c.c.Forecast(c.request)
	}
	usage := c.most
	usage.Estimated = true
	a.Charged = &usage
	return usage
}

// chargeable tells whether a request may have cost something: it failed, and neither did the endpoint refuse it nor was
// there no connection to it.
func chargeable(a qa.Attempt) bool {
	refused := a.Status >= 400 && a.Status < 500
	return a.Error != "" && !refused && a.Error != unreachable
}
