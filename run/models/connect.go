package models

import (
	"context"
	"fmt"
	"time"

	"airqa/llm"
	"airqa/llm/cache"
	"airqa/qa"
	"airqa/run/budget"
	"airqa/runlog"
)

// Requests configures what the requests to a model pass through.
type Requests struct {
	// Account is charged for every request. Required.
	Account *budget.Account
	// Cache keeps replies; nil for none. Protocol tells the requests of different features apart in it.
	Cache    *cache.Store
	Protocol qa.Protocol
	// Batches sends the requests in batches, which need a Cache; nil sends them one by one.
	Batches *Batches
}

// Batches configures the batch API of an endpoint.
type Batches struct {
	// Ledger is the file that records the batches.
	Ledger string
	// Again sends the requests again that have failed in a batch.
	Again bool
	// Redact removes keys from the ledger. Now returns the time. Both are required.
	Redact func([]byte) []byte
	Now    func() time.Time
}

// Connection is a model with everything that its requests pass through.
type Connection struct {
	// Model answers requests. With batches, it answers from the cache and makes no calls.
	Model qa.Model
	// Fill gets the replies to requests in batches, as far as the budget allows. It is nil without batches. If ctx ends,
	// the batch stays at the endpoint, and the next invocation collects its replies.
	Fill  func(ctx context.Context, requests []qa.Request) error
	close func() error
}

// Connect connects a model. Close the connection at the end.
func (m Model) Connect(r Requests) (*Connection, error) {
	if r.Batches != nil {
		return m.connectBatches(r)
	}
	model, err := m.metered(r)
	if err != nil {
		return nil, err
	}
	return &Connection{Model: model, close: func() error { return nil }}, nil
}

// Close reports the cost of batches and closes their ledger.
func (c *Connection) Close() error { return c.close() }

// Forecast returns the maximum usage of a request.
func (m Model) Forecast() func(qa.Request) qa.Usage { return llm.Forecast(m.MaxReply) }

// metered returns the model with a budget for every request, and the cache in front of it, so that cache hits are neither
// charged nor held back.
func (m Model) metered(r Requests) (qa.Model, error) {
	config := budget.Config{Account: r.Account, Forecast: m.Forecast()}
	if m.Price != nil {
		config.Price = m.Price.Of
	}
	var err error
	// The meter is inside the retries, so that it sees each request.
	metered := llm.Inside(m.Endpoint, func(endpoint qa.Model) qa.Model {
		config.Model = endpoint
		var meter *budget.Meter
		meter, err = budget.NewMeter(config)
		return meter
	})
	if err != nil {
		return nil, fmt.Errorf("model %s: %w", m.Spec, err)
	}
	if r.Cache == nil {
		return metered, nil
	}
	return m.cached(r, metered), nil
}

// cached is the model behind a cache.
func (m Model) cached(r Requests, model qa.Model) *cache.Model {
	return &cache.Model{Store: r.Cache, Model: model, Name: runlog.SpecOf(m.Described), Endpoint: m.Described, Protocol: string(r.Protocol)}
}
