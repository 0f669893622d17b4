package recorded

import (
	"context"
	"errors"
	"fmt"

	"airqa/agent"
	"airqa/qa"
	"airqa/runlog"
)

// Inner answers one question with a [Source] as its model.
type Inner interface {
	Solve(ctx context.Context, ex qa.Example, setup agent.Setup) (qa.Trajectory, error)
}

// Solver replays the episodes of a source. An episode that failed and was resumed is replayed including its failure.
type Solver struct {
	Inner  Inner
	Source *Source
}

// log is the new log of an episode, which counts its events. [runlog.Episode] implements it.
type log interface {
	agent.Log
	Events() int
}

var _ log = (*runlog.Episode)(nil)

// Solve replays one episode. One that was never finished stops at the same point: its trajectory has the outcome
// cancelled, which is not logged.
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
	setup.Log = replayLog{t}
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

// resumed reports whether an episode with this outcome may have been resumed.
func resumed(o qa.Outcome) bool { return o == "" || o.Failed() }

// interrupt writes the recorded interruption.
func (t *recording) interrupt(tr qa.Trajectory) (qa.Trajectory, error) {
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

// diverged reports whether the replay itself failed: the last event of the new log is not a recorded interruption.
func (t *recording) diverged() bool {
	n := t.log.Events()
	if n == 0 || n > len(t.events) {
		return true
	}
	kind := t.events[n-1].Type
	return kind != runlog.TypeLost && kind != runlog.TypeEnd
}

// left marks the trajectory of an episode that the recorded run did not finish.
func (t *recording) left(tr qa.Trajectory) qa.Trajectory {
	if tr.Outcome == "" {
		tr.Outcome = qa.Cancelled
		tr.Reason = fmt.Sprintf("%s contains no more of %s", t.Dir, t.rec.Episode)
	}
	return tr
}

// replayLog writes the new log and stops the episode where the recorded one was interrupted.
type replayLog struct{ t *recording }

// Message writes a message.
func (l replayLog) Message(m qa.Message) error {
	return l.unless(func() error { return l.t.log.Message(m) }, func(tr *qa.Trajectory) {
		tr.Messages = tr.Messages[:len(tr.Messages)-1]
	})
}

func (l replayLog) Call(s qa.Step) error { return l.t.log.Call(s) }

// Observation writes an observation.
func (l replayLog) Observation(s qa.Step) error {
	return l.unless(func() error { return l.t.log.Observation(s) }, func(tr *qa.Trajectory) {
		if s.By == qa.ByProgram {
			tr.Steps = tr.Steps[:s.N-1]
			return
		}
		tr.Steps[s.N-1].Observation = nil
	})
}

func (l replayLog) Lost(attempts []qa.Attempt) error { return l.t.log.Lost(attempts) }

func (l replayLog) End(t qa.Trajectory) error {
	return l.unless(func() error { return l.t.log.End(t) }, nil)
}

// unless writes an event, or stops the episode, whose agent has already added the event to its trajectory.
func (l replayLog) unless(write func() error, undo func(*qa.Trajectory)) error {
	if !l.t.Loose && l.t.interrupted() {
		l.t.undo = undo
		return errInterrupted
	}
	return write()
}
