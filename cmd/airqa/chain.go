package main

import (
	"airqa/baselines"
	"airqa/llm"
	"airqa/llm/replies"
	"airqa/qa"
	"airqa/run"
	"airqa/run/budget"
	"airqa/run/replay"
)

// chain is what stands between an agent and its endpoint beside the budget.
type chain struct {
	// cache answers what was asked before; nil is none.
	cache *replies.Store
	// replay answers everything from a recorded run; nil is none.
	replay *replay.Source
	// first stands before all of it. May be nil.
	first func(qa.Model) qa.Model
}

// asked is the model of a job as its agent sees it. The cache stands before the budget, so that what it has is neither
// charged nor held back; a replay needs neither.
func (p plan) asked(c job, account *budget.Account, forecast func(qa.Request) qa.Usage) (qa.Model, error) {
	if p.replay != nil {
		return p.replay, nil
	}
	config := budget.Config{Account: account, Forecast: forecast}
	if c.price != nil {
		config.Price = c.price.Of
	}
	var err error
	asked := llm.Inside(c.model, func(endpoint qa.Model) qa.Model {
		config.Model = endpoint
		var meter *budget.Meter
		meter, err = budget.NewMeter(config)
		return meter
	})
	if err != nil {
		return nil, err
	}
	if p.cache != nil {
		asked = &replies.Model{
			Store: p.cache, Model: asked, Name: specOf(c.described), Endpoint: c.described, Protocol: string(p.settings.Protocol),
		}
	}
	if p.first != nil {
		asked = p.first(asked)
	}
	return asked, nil
}

// solver is what takes up the episodes of a job.
func (p plan) solver(s *baselines.Solver) run.Solver {
	if p.replay == nil {
		return s
	}
	return replay.Solver{Inner: s, Source: p.replay}
}
