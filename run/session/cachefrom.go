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
	// What the requests have in common, as run.json would record it: the model with its address, the protocol, and the tools
	// that are offered natively.
	now := runlog.Shape{Model: j.Described, Settings: map[string]any{"protocol": p.Settings.Record()["protocol"]}}
	offered := solver.Offered(qa.Example{Kind: p.kind()})
	if offered != nil {
		_, tools, err := solver.Texts(p.kind())
		if err != nil {
			return err
		}
		for name, text := range tools {
			tools[name] = runlog.Hash(text)
		}
		now.Tools = tools
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
	added, err := j.Fill(request, p.CacheFrom, offered)
	if err != nil {
		e.Notify.Warnf("%s: some replies are not used: %v", p.CacheFrom.Dir, err)
	}
	e.Notify.Notef("%s: added %d replies of %s to the cache", j.Name, added, p.CacheFrom.Dir)
	return nil
}
