package session

import (
	"maps"
	"strings"

	"airqa/baselines"
	"airqa/qa"
	"airqa/run/models"
	"airqa/runlog"
)

// fillCache adds the replies of the run in CacheFrom to the cache, so that a job does not request them again. If that run
// made other requests, it adds none.
func (e *execution) fillCache(j Job, solver *baselines.Solver) error {
	p := e.plan
	if p.CacheFrom == nil {
		return nil
	}
	now, err := requestShape(p, j, solver)
	if err != nil {
		return err
	}
	from := p.CacheFrom.Config
	then := runlog.Shape{Model: maps.Clone(from.Shape.Model), Settings: map[string]any{"protocol": from.Shape.Settings["protocol"]}}
	if then.Model != nil && from.Note.BaseURL != "" {
		then.Model["base_url"] = from.Note.BaseURL
	}
	if now.Tools != nil {
		then.Tools = from.Shape.Tools
	}
	if diff := runlog.Differences(then, now); len(diff) > 0 {
		e.Notify.Warnf("%s: the replies of %s are not used, because its requests were different:\n  %s",
			j.Name, p.CacheFrom.Dir, strings.Join(diff, "\n  "))
		return nil
	}
	request := models.Requests{Cache: p.Cache, Protocol: p.Settings.Protocol}
	added, err := j.Fill(request, p.CacheFrom, solver.Offered(qa.Example{Kind: p.kind()}))
	if err != nil {
		e.Notify.Warnf("%s: some replies are not used: %v", p.CacheFrom.Dir, err)
	}
	e.Notify.Notef("%s: added %d replies of %s to the cache", j.Name, added, p.CacheFrom.Dir)
	return nil
}

// requestShape is what the requests of a job have in common, as run.json would record it: the model with its address, the
// protocol, and the tools that are offered natively.
func requestShape(p Plan, j Job, solver *baselines.Solver) (runlog.Shape, error) {
	shape := runlog.Shape{Model: j.Described, Settings: map[string]any{"protocol": p.Settings.Record()["protocol"]}}
	if solver.Offered(qa.Example{Kind: p.kind()}) == nil {
		return shape, nil
	}
	_, tools, err := solver.Texts(p.kind())
	for name, text := range tools {
		tools[name] = runlog.Hash(text)
	}
	shape.Tools = tools
	return shape, err
}
