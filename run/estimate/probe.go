// Package estimate reports what an invocation would take before anything is asked or written: how long the first prompts are
// ([Probe]), what episodes of a kind took before ([Read]), and what follows for those to come ([Estimate]). Start with [Run].
package estimate

import (
	"context"
	"sync"

	"airqa/qa"
)

// Probe is a model that remembers the first request of each episode and answers none: the episode ends there, suspended.
// Calls may overlap.
type Probe struct {
	mu    sync.Mutex
	first map[string]qa.Request
}

// Complete implements [qa.Model].
func (p *Probe) Complete(_ context.Context, r qa.Request) (qa.Reply, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.first == nil {
		p.first = make(map[string]qa.Request)
	}
	id := qa.EpisodeID(r.UUID, r.Repeat)
	if _, seen := p.first[id]; !seen {
		p.first[id] = r
	}
	return qa.Reply{}, ErrStop
}

// Take returns the first request of an episode and forgets it; false when it made none.
func (p *Probe) Take(uuid string, repeat int) (qa.Request, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	id := qa.EpisodeID(uuid, repeat)
	r, ok := p.first[id]
	delete(p.first, id)
	return r, ok
}

// ErrStop ends an episode of an estimate without an outcome.
var ErrStop error = &qa.SuspendedError{Reason: "only estimated"}

// NoLog is a log of an episode that keeps nothing.
type NoLog struct{}

// Message implements agent.Log.
func (NoLog) Message(qa.Message) error { return nil }

// Call implements agent.Log.
func (NoLog) Call(qa.Step) error { return nil }

// Observation implements agent.Log.
func (NoLog) Observation(qa.Step) error { return nil }

// Lost implements agent.Log.
func (NoLog) Lost([]qa.Attempt) error { return nil }

// End implements agent.Log.
func (NoLog) End(qa.Trajectory) error { return nil }
