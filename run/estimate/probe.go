// Package estimate predicts the effort of an invocation without calling a model or writing anything: from the sizes of
// the first prompts ([Probe]) and the costs of past episodes ([Read]) it computes an [Estimate]. Start with [Run].
package estimate

import (
	"context"
	"sync"

	"airqa/qa"
)

// Probe is a model that records the first request of each episode and suspends the episode. Calls may overlap.
type Probe struct {
	mu    sync.Mutex
	first map[string]qa.Request
}

// Complete records the request and returns [ErrStop].
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

// Take returns the first request of an episode and forgets it; false if there was none.
func (p *Probe) Take(uuid string, repeat int) (qa.Request, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	id := qa.EpisodeID(uuid, repeat)
	r, ok := p.first[id]
	delete(p.first, id)
	return r, ok
}

// ErrStop suspends an episode of an estimate.
var ErrStop error = &qa.SuspendedError{Reason: "only estimated"}

// NoLog is an episode log that discards everything.
type NoLog struct{}

// Message discards a message.
func (NoLog) Message(qa.Message) error { return nil }

// Call discards a call.
func (NoLog) Call(qa.Step) error { return nil }

// Observation discards an observation.
func (NoLog) Observation(qa.Step) error { return nil }

// Lost discards requests.
func (NoLog) Lost([]qa.Attempt) error { return nil }

// End discards the end.
func (NoLog) End(qa.Trajectory) error { return nil }
