package main

import (
	"airqa/agent"
	"airqa/baselines"
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
	first func(agent.Model) agent.Model
}

// asked is the model of a job as its agent sees it. The cache stands before the budget, so that what it has is neither
// charged nor held back; a replay needs neither.
func (p plan) asked(c job, account *budget.Account, forecast func(qa.Request) qa.Usage) (agent.Model, error) {
	if p.replay != nil {
		return p.replay, nil
	}
	config := budget.Config{Model: endpoint{c.model}, Account: account, Forecast: forecast}
	if c.price != nil {
		config.Price = c.price.Of
	}
	meter, err := budget.NewMeter(config)
	if err != nil {
		return nil, err
	}
	var asked agent.Model = meter
	if p.cache != nil {
		asked = &replies.Model{
			Store: p.cache, Model: meter, Name: specOf(c.described), Endpoint: c.described, Protocol: string(p.settings.Protocol),
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
