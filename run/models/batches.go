package models

import (
	"context"
	"errors"

	"airqa/internal/progress"
	"airqa/internal/terminal"
	"airqa/llm/batch"
	"airqa/llm/cache"
	"airqa/qa"
	"airqa/run/budget"
)

// batched fills a cache through the batch API of a model, as far as a budget allows.
type batched struct {
	queue    *batch.Queue
	ledger   *batch.Ledger
	cache    *cache.Model
	account  *budget.Account
	price    *qa.Price // in a batch; nil if unknown
	forecast func(qa.Request) qa.Usage
	notify   progress.Notify
	// reserved is the forecast of the requests admitted for the next batch.
	reserved budget.Spent
}

// connectBatches opens the batches of a model.
func (m Model) connectBatches(r Requests) (*Connection, error) {
	ledger, err := batch.OpenLedger(r.Batches.Ledger, r.Batches.Redact, r.Batches.Now)
	if err != nil {
		return nil, err
	}
	b := &batched{
		ledger: ledger, account: r.Account, price: m.BatchPrice(), forecast: m.Forecast(), cache: m.cached(r, nil), notify: m.notify,
	}
	b.queue, err = batch.New(batch.Config{
		Model: m.config, Ledger: ledger, Price: m.Price, Admit: b.admits,
		Notify: func(n batch.Notice) { m.notify.Infof("%s", n) },
	})
	if err != nil {
		return nil, errors.Join(qa.Usagef("batches: %w", err), ledger.Close())
	}
	if r.Batches.Again {
		b.queue.Release()
	}
	b.cache.Model = batch.Rest{Queue: b.queue, Cache: b.cache, Unsent: "budget reached: the next request of a batch does not fit"}
	return &Connection{Model: b.cache, Fill: b.fill, close: b.close}, nil
}

// BatchPrice is the price of a request in a batch; nil if unknown.
func (m Model) BatchPrice() *qa.Price { return batch.Discounted(m.Price) }

// close reports the cost of the batches and closes their ledger.
func (b *batched) close() error {
	if usage, usd := b.ledger.Spent(); usd != nil && *usd > 0 {
		b.notify.Infof("batches: %d tokens in all, %s at half the price", usage.Prompt+usage.Completion, terminal.USD(*usd))
	}
	return b.ledger.Close()
}

// fill adds the replies to requests to the cache: what one batch leaves of the budget admits another.
func (b *batched) fill(ctx context.Context, requests []qa.Request) error {
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
func (b *batched) admits(r qa.Request) bool {
	next := b.cost(b.forecast(r))
	next.Usage, next.USD = next.Usage.Add(b.reserved.Usage), next.USD+b.reserved.USD
	if !b.account.Fits(next) {
		return false
	}
	b.reserved = next
	return true
}

func (b *batched) cost(u qa.Usage) budget.Spent {
	s := budget.Spent{Usage: u}
	if b.price != nil {
		s.USD = b.price.Of(u)
	}
	return s
}
