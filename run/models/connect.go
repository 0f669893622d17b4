package models

import (
	"fmt"

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
}

// Forecast returns the maximum usage of a request.
func (m Model) Forecast() func(qa.Request) qa.Usage { return llm.Forecast(m.MaxReply) }

// Connect returns the model with a budget for every request, and the cache in front of it, so that cache hits are neither
// charged nor held back.
func (m Model) Connect(r Requests) (qa.Model, error) {
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
	return m.Cached(r, metered), nil
}

// Name returns the name of the model in caches.
func (m Model) Name() string { return runlog.Shape{Model: m.Described}.ModelName() }

// Cached returns the model behind the cache of r.
func (m Model) Cached(r Requests, model qa.Model) *cache.Model {
	return &cache.Model{Store: r.Cache, Model: model, Name: m.Name(), Endpoint: m.Described, Protocol: string(r.Protocol)}
}
