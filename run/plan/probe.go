package plan

import (
	"context"

	"airqa/qa"
)

// probe is a model that records the first request of an episode and suspends the episode.
type probe struct{ first *qa.Request }

// Complete records the request and returns errStop.
func (p *probe) Complete(_ context.Context, r qa.Request) (qa.Reply, error) {
	if p.first == nil {
		p.first = &r
	}
	return qa.Reply{}, errStop
}

// errStop suspends an episode of an estimate.
var errStop error = &qa.SuspendedError{Reason: "only estimated"}

// noLog is an episode log that discards everything.
type noLog struct{}

func (noLog) Message(qa.Message) error  { return nil }
func (noLog) Call(qa.Step) error        { return nil }
func (noLog) Observation(qa.Step) error { return nil }
func (noLog) Lost([]qa.Attempt) error   { return nil }
func (noLog) End(qa.Trajectory) error   { return nil }
