package synthesis

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"airqa/extractor"
	"airqa/extractor/syndir"
	"airqa/internal/exit"
	"airqa/internal/terminal"
	"airqa/llm"
	"airqa/llm/batch"
	"airqa/llm/cache"
	"airqa/qa"
	"airqa/run/budget"
	"airqa/run/runlog"
)

// Batches selects the batch API of the endpoint. Its fields are flags.
type Batches struct {
	Batch      bool `help:"Send requests in batches (openai and anthropic): half the price, replies within a day. After a stop or a crash, the same command collects them."`
	BatchAgain bool `name:"batch-again" help:"Send the requests again that have failed in a batch."`
}

// batches fills the cache of a synthesis through the batch API of its model.
type batches struct {
	queue    *batch.Queue
	cache    *cache.Model
	account  *budget.Account
	limits   budget.Limits
	price    *qa.Price // in a batch
	forecast func(qa.Request) qa.Usage
	// reserved is the forecast of the requests admitted for the next batch.
	reserved budget.Spent
}

// batched makes the pipeline use batches. The returned function closes their ledger.
func (m *making) batched(c *extractor.Config, store *cache.Store, account *budget.Account) (closeLedger func() error, err error) {
	config, _, err := m.opener.Settled(m.Model, m.Getenv)
	if err != nil {
		return nil, err
	}
	ledger, err := batch.OpenLedger(filepath.Join(m.Out, syndir.BatchesFile), m.Redact, m.Now)
	if err != nil {
		return nil, err
	}
	b := &batches{
		account: account, limits: m.Limits(m.Now()), price: m.model.Price, forecast: llm.Forecast(m.model.MaxReply),
		cache: &cache.Model{
			Store: store, Name: runlog.SpecOf(m.model.Described), Endpoint: m.model.Described, Protocol: string(qa.ReActText),
		},
	}
	b.queue, err = batch.New(batch.Config{
		Model: config, Ledger: ledger, Price: m.listed, Admit: b.admits,
		Notify: func(n batch.Notice) { m.Notify.Infof("%s", n) },
	})
	if err != nil {
		return nil, errors.Join(exit.With(exit.Usage, fmt.Errorf("--batch: %w", err)), ledger.Close())
	}
	if m.BatchAgain {
		b.queue.Release()
	}
	b.cache.Model = batch.Rest{Queue: b.queue, Cache: b.cache, Unsent: "budget reached: the next request of a batch does not fit"}
	c.Model, c.Batch = b.cache, b.fill
	return func() error {
		if usage, usd := ledger.Spent(); usd != nil && *usd > 0 {
			m.Notify.Infof("batches: %d tokens in all, %s at half the price", usage.Prompt+usage.Completion, terminal.USD(*usd))
		}
		return ledger.Close()
	}, nil
}

// fill adds the replies to requests to the cache, as far as the budget allows: what one batch leaves over admits another.
func (b *batches) fill(ctx context.Context, requests []qa.Request) error {
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
func (b *batches) admits(r qa.Request) bool {
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

func (b *batches) cost(u qa.Usage) budget.Spent {
	s := budget.Spent{Usage: u}
	if b.price != nil {
		s.USD = b.price.Of(u)
	}
	return s
}

// until ends the wait for a batch when drain is closed: the batch stays at the endpoint, and the next invocation collects
// its replies.
func until(drain <-chan struct{}, fill func(context.Context, []qa.Request) error) func(context.Context, []qa.Request) error {
	if fill == nil {
		return nil
	}
	return func(ctx context.Context, requests []qa.Request) error {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		go func() {
			select {
			case <-drain:
				cancel()
			case <-ctx.Done():
			}
		}()
		return fill(ctx, requests)
	}
}
