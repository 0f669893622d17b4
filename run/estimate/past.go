package estimate

import (
	"errors"
	"time"

	"airqa/qa"
	"airqa/run/runlog"
)

// State is how far the log of a run has an episode.
type State int

// The states.
const (
	// Missing episodes have no event.
	Missing State = iota
	// Begun ones have no end.
	Begun
	// Failed ones ended for a reason that is not the agent's.
	Failed
	// Done ones have an outcome that stands.
	Done
)

// Cost is what one finished episode took.
type Cost struct {
	Calls int
	Usage qa.Usage
	// Seconds from its start to its end; 0 for one that several starts worked on, or that had to wait for another start.
	Seconds float64
}

// Past is what the log of a run holds.
type Past struct {
	States map[string]State
	// Costs are those of the episodes that are done, in the order in which they ended.
	Costs []Cost
}

// Read reads the log of a run directory lightly. Lines that are no events are left out.
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
			delete(began, m.Episode) // taken up again, by another start perhaps
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
		return nil // it says nothing about what an episode costs
	}
	cost := Cost{Calls: end.Turns, Usage: end.Usage}
	if !began.IsZero() {
		cost.Seconds = max(m.Time.Sub(began).Seconds(), 0)
	}
	p.Costs = append(p.Costs, cost)
	return nil
}
