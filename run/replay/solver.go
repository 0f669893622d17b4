package replay

import (
	"context"
	"errors"
	"fmt"

	"airqa/agent"
	"airqa/qa"
	"airqa/run/runlog"
)

// Inner answers one question with a [Source] as its model.
type Inner interface {
	Solve(ctx context.Context, ex qa.Example, setup agent.Setup) (qa.Trajectory, error)
}

// Solver replays the episodes of a source. An episode that had failed and was taken up again is replayed with its failure.
type Solver struct {
	Inner  Inner
	Source *Source
}

// log is the new log of an episode, which knows how many events it has. [runlog.Episode] is one.
type log interface {
	agent.Log
	Events() int
}

var _ log = (*runlog.Episode)(nil)

// Solve replays one episode. One that was recorded up to a point and never finished is left at the same point: its
// trajectory has the outcome cancelled, which is not logged.
func (s Solver) Solve(ctx context.Context, ex qa.Example, setup agent.Setup) (qa.Trajectory, error) {
	t, err := s.Source.load(ex.UUID, setup.Repeat)
	if err != nil {
		return qa.Trajectory{}, err
	}
	known, ok := setup.Log.(log)
	if !ok {
		return qa.Trajectory{}, errors.New("replay: the log does not count its events")
	}
	t.log = known
	setup.Log = keeper{t}
	id := qa.EpisodeID(ex.UUID, setup.Repeat)
	s.Source.begin(id, t)
	defer s.Source.end(id)
	for {
		tr, err := s.Inner.Solve(ctx, ex, setup)
		if errors.Is(err, errInterrupted) {
			tr, err = t.interrupt(tr)
		}
		if err != nil || t.next() == nil || !resumed(tr.Outcome) || t.diverged() {
			return t.left(tr), err
		}
		setup.Prior = tr
	}
}

// resumed tells whether an episode with such an outcome may have gone on.
func resumed(o qa.Outcome) bool { return o == "" || o.Failed() }

// interrupt writes down the recorded interruption.
func (t *tape) interrupt(tr qa.Trajectory) (qa.Trajectory, error) {
	tr.Outcome, tr.Reason, tr.Answer = "", "", qa.Answer{}
	if t.undo != nil {
		t.undo(&tr)
		t.undo = nil
	}
	ev := t.next()
	if ev == nil {
		return tr, nil
	}
	if ev.Type == runlog.TypeLost {
		tr.FailedAttempts = append(tr.FailedAttempts, ev.Attempts...)
		return tr, t.log.Lost(ev.Attempts)
	}
	tr.Outcome, tr.Reason, tr.Answer = ev.Outcome, ev.Reason, ev.Answer
	tr.FailedAttempts = append(tr.FailedAttempts, ev.Failed...)
	return tr, t.log.End(tr)
}

// diverged tells whether the last event of the new log is not of the type of the recorded one: the replay failed by itself.
func (t *tape) diverged() bool {
	n := t.log.Events()
	return n == 0 || n > len(t.events) || !t.same(n-1)
}

// same tells whether the recorded event of a number, from 0, is an interruption, as the new one in its place must be then.
func (t *tape) same(n int) bool {
	return t.events[n].Type == runlog.TypeLost || t.events[n].Type == runlog.TypeEnd
}

// left marks the trajectory of an episode that the recorded run did not finish.
func (t *tape) left(tr qa.Trajectory) qa.Trajectory {
	if tr.Outcome == "" {
		tr.Outcome = qa.Cancelled
		tr.Reason = fmt.Sprintf("%s holds no more of %s", t.Dir, t.rec.Episode)
	}
	return tr
}

// keeper writes the new log and stops the episode where the recorded one was interrupted.
type keeper struct{ t *tape }

// Message implements agent.Log.
func (k keeper) Message(m qa.Message) error {
	return k.unless(func() error { return k.t.log.Message(m) }, func(tr *qa.Trajectory) {
		tr.Messages = tr.Messages[:len(tr.Messages)-1]
	})
}

// Call implements agent.Log.
func (k keeper) Call(s qa.Step) error { return k.t.log.Call(s) }

// Observation implements agent.Log.
func (k keeper) Observation(s qa.Step) error {
	return k.unless(func() error { return k.t.log.Observation(s) }, func(tr *qa.Trajectory) {
		if s.By == qa.ByProgram {
			tr.Steps = tr.Steps[:s.N-1]
			return
		}
		tr.Steps[s.N-1].Observation = nil
	})
}

// Lost implements agent.Log.
func (k keeper) Lost(attempts []qa.Attempt) error { return k.t.log.Lost(attempts) }

// End implements agent.Log.
func (k keeper) End(t qa.Trajectory) error {
	return k.unless(func() error { return k.t.log.End(t) }, nil)
}

// unless writes an event, or stops the episode, whose agent has taken the event into its trajectory already.
func (k keeper) unless(write func() error, undo func(*qa.Trajectory)) error {
	if !k.t.Loose && k.t.interrupted() {
		k.t.undo = undo
		return errInterrupted
	}
	return write()
}
