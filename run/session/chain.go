package session

import (
	"airqa/baselines"
	"airqa/llm"
	"airqa/llm/cache"
	"airqa/qa"
	"airqa/run"
	"airqa/run/budget"
	"airqa/run/replay"
	"airqa/runlog"
)

// asked is the model of a job as its agent sees it. The cache comes before the budget, so that cache hits are neither
// charged nor held back; a replay needs neither.
func (p Plan) asked(c Job, account *budget.Account, forecast func(qa.Request) qa.Usage) (qa.Model, error) {
	if p.Replay != nil {
		return p.Replay, nil
	}
	asked, err := c.Metered(account, forecast, p.Cache, p.Settings.Protocol)
	if err != nil {
		return nil, err
	}
	if p.First != nil {
		asked = p.First(asked)
	}
	return asked, nil
}

// solver returns the solver of a job's episodes.
func (p Plan) solver(s *baselines.Solver) run.Solver {
	if p.Replay == nil {
		return s
	}
	return replay.Solver{Inner: s, Source: p.Replay}
}

// Metered returns the model with a budget for every request, and a cache in front of it, which may be nil.
func (o Opened) Metered(account *budget.Account, forecast func(qa.Request) qa.Usage, store *cache.Store, protocol qa.Protocol) (qa.Model, error) {
	config := budget.Config{Account: account, Forecast: forecast}
	if o.Price != nil {
		config.Price = o.Price.Of
	}
	var err error
	asked := llm.Inside(o.Model, func(endpoint qa.Model) qa.Model {
		config.Model = endpoint
		var meter *budget.Meter
		meter, err = budget.NewMeter(config)
		return meter
	})
	if err != nil || store == nil {
		return asked, err
	}
	return &cache.Model{
		Store: store, Model: asked, Name: runlog.SpecOf(o.Described), Endpoint: o.Described, Protocol: string(protocol),
	}, nil
}
