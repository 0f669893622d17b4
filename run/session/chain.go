package session

import (
	"airqa/baselines"
	"airqa/llm"
	"airqa/llm/cache"
	"airqa/qa"
	"airqa/run"
	"airqa/run/budget"
	"airqa/run/replay"
	"airqa/run/runlog"
)

// asked is the model of a job as its agent sees it. The cache comes before the budget, so that cache hits are neither
// charged nor held back; a replay needs neither.
func (p Plan) asked(c Job, account *budget.Account, forecast func(qa.Request) qa.Usage) (qa.Model, error) {
	if p.Replay != nil {
		return p.Replay, nil
	}
	config := budget.Config{Account: account, Forecast: forecast}
	if c.Price != nil {
		config.Price = c.Price.Of
	}
	var err error
	asked := llm.Inside(c.Model, func(endpoint qa.Model) qa.Model {
		config.Model = endpoint
		var meter *budget.Meter
		meter, err = budget.NewMeter(config)
		return meter
	})
	if err != nil {
		return nil, err
	}
	if p.Cache != nil {
		asked = &cache.Model{
			Store: p.Cache, Model: asked, Name: runlog.SpecOf(c.Described), Endpoint: c.Described, Protocol: string(p.Settings.Protocol),
		}
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
