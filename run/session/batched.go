package session

import (
	"context"
	"errors"
	"fmt"

	"airqa/internal/exit"
	"airqa/internal/terminal"
	"airqa/llm"
	"airqa/llm/batch"
	"airqa/llm/cache"
	"airqa/qa"
	"airqa/run/budget"
	"airqa/runlog"
)

// Batches selects the batch API of the endpoint. Its fields are flags.
type Batches struct {
	Batch      bool `help:"Send requests in batches (openai and anthropic): half the price, replies within a day. After a stop or a crash, the same command collects them."`
	BatchAgain bool `name:"batch-again" help:"Send the requests again that have failed in a batch."`
}

// BatchConfig configures [Session.Batched]. All fields are required but Listed.
type BatchConfig struct {
	Models *Models
	// Model has the price of a request in a batch; Listed is that of a single request, nil if unknown.
	Model  Opened
	Listed *qa.Price
	// Ledger is the file of the batches, Store keeps the replies.
	Ledger   string
	Store    *cache.Store
	Protocol qa.Protocol
	Limits   budget.Limits
	Account  *budget.Account
	// Again sends the requests again that have failed in a batch.
	Again bool
}

// Batched fills a cache through the batch API of its model, as far as a budget allows.
type Batched struct {
	queue    *batch.Queue
	ledger   *batch.Ledger
	cache    *cache.Model
	account  *budget.Account
	limits   budget.Limits
	price    *qa.Price // in a batch
	forecast func(qa.Request) qa.Usage
	notify   func(format string, args ...any)
	// reserved is the forecast of the requests admitted for the next batch.
	reserved budget.Spent
}

// Batched opens the batches of a model. Close releases their ledger.
func (s Session) Batched(c BatchConfig) (*Batched, error) {
	config, _, err := c.Models.Settled(c.Model.Spec, s.Getenv)
	if err != nil {
		return nil, err
	}
	ledger, err := batch.OpenLedger(c.Ledger, s.Redact, s.Now)
	if err != nil {
		return nil, err
	}
	b := &Batched{
		ledger: ledger, account: c.Account, limits: c.Limits, price: c.Model.Price, forecast: llm.Forecast(c.Model.MaxReply),
		cache: &cache.Model{
			Store: c.Store, Name: runlog.SpecOf(c.Model.Described), Endpoint: c.Model.Described, Protocol: string(c.Protocol),
		},
		notify: s.Notify.Infof,
	}
	b.queue, err = batch.New(batch.Config{
		Model: config, Ledger: ledger, Price: c.Listed, Admit: b.admits,
		Notify: func(n batch.Notice) { s.Notify.Infof("%s", n) },
	})
	if err != nil {
		return nil, errors.Join(exit.With(exit.Usage, fmt.Errorf("--batch: %w", err)), ledger.Close())
	}
	if c.Again {
		b.queue.Release()
	}
	b.cache.Model = batch.Rest{Queue: b.queue, Cache: b.cache, Unsent: "budget reached: the next request of a batch does not fit"}
	return b, nil
}

// Model answers from the cache. It makes no calls.
func (b *Batched) Model() qa.Model { return b.cache }

// Close reports the cost of the batches and closes their ledger.
func (b *Batched) Close() error {
	if usage, usd := b.ledger.Spent(); usd != nil && *usd > 0 {
		b.notify("batches: %d tokens in all, %s at half the price", usage.Prompt+usage.Completion, terminal.USD(*usd))
	}
	return b.ledger.Close()
}

// Fill adds the replies to requests to the cache, as far as the budget allows: what one batch leaves over admits another.
// If ctx ends, the batch stays at the endpoint, and the next invocation collects its replies.
func (b *Batched) Fill(ctx context.Context, requests []qa.Request) error {
	for {
		b.reserved = budget.Spent{}
		r, err := batch.Fill(ctx, b.queue, b.cache, requests)
		b.account.Charge(b.cost(r.Usage))
		if left := r.Requests - r.Cached - r.Replies - r.Failed; err != nil || left == 0 || r.Sent == 0 {
			return err
		}
	}
}

// admits reports whether the budget has room for a request, and reserves its forecast.
func (b *Batched) admits(r qa.Request) bool {
	next := b.cost(b.forecast(r))
	spent := b.account.Spent()
	tokens := spent.Usage.Prompt + spent.Usage.Completion + b.reserved.Usage.Prompt + b.reserved.Usage.Completion
	switch {
	case b.limits.Tokens > 0 && tokens+next.Usage.Prompt+next.Usage.Completion > b.limits.Tokens:
		return false
	case b.limits.USD > 0 && spent.USD+b.reserved.USD+next.USD > b.limits.USD:
		return false
	}
	b.reserved.Usage, b.reserved.USD = b.reserved.Usage.Add(next.Usage), b.reserved.USD+next.USD
	return true
}

func (b *Batched) cost(u qa.Usage) budget.Spent {
	s := budget.Spent{Usage: u}
	if b.price != nil {
		s.USD = b.price.Of(u)
	}
	return s
}
