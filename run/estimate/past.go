package estimate

import (
	"errors"
	"time"

	"airqa/qa"
	"airqa/runlog"
)

// State is the progress of an episode in a run's log.
type State int

// The states.
const (
	// Missing means that the log has no event.
	Missing State = iota
	// Begun means that the episode has no end.
	Begun
	// Failed means that it ended for a reason that is not the agent's.
	Failed
	// Done means that it has a final outcome.
	Done
)

// Cost is the effort of one finished episode.
type Cost struct {
	Calls int
	Usage qa.Usage
	// Seconds is the time from start to end; 0 if the episode was interrupted between invocations.
	Seconds float64
}

// Past is the content of a run's log.
type Past struct {
	States map[string]State
	// Costs are those of the finished episodes, in the order in which they ended.
	Costs []Cost
}

// Read reads only the event headers and costs of a log. It skips damaged lines.
func Read(dir string) (Past, error) {
	p := Past{States: make(map[string]State)}
	began := make(map[string]time.Time)
	for m, err := range runlog.Skim(dir, 0) {
		var skipped *runlog.SkipError
		switch {
		case errors.As(err, &skipped):
			continue
		case err != nil:
			return p, err
		}
		if p.States[m.Episode] == Failed {
			delete(began, m.Episode) // resumed, perhaps by another invocation
		}
		p.States[m.Episode] = Begun
		switch m.Type {
		case runlog.TypeStart:
			began[m.Episode] = m.Time
		case runlog.TypeLost:
			delete(began, m.Episode)
		case runlog.TypeEnd:
			if err := p.end(m, began[m.Episode]); err != nil {
				return p, err
			}
		}
	}
	return p, nil
}

func (p *Past) end(m runlog.Mark, began time.Time) error {
	end, err := m.Ending()
	if err != nil {
		return err
	}
	p.States[m.Episode] = Done
	switch {
	case end.Outcome.Again():
		p.States[m.Episode] = Failed
		return nil
	case end.Outcome.Failed():
		return nil // its cost is not representative
	}
	cost := Cost{Calls: end.Turns, Usage: end.Usage}
	if !began.IsZero() {
		cost.Seconds = max(m.Time.Sub(began).Seconds(), 0)
	}
	p.Costs = append(p.Costs, cost)
	return nil
}
