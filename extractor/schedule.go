package extractor

import (
	"cmp"
	"context"
	"errors"

	"airqa/extractor/candidate"
	"airqa/qa"
)

// lane is the progress of a category.
type lane struct {
	candidate.Quota
	started  []*work // by index; nil until finished, and once committed
	commit   int     // index of the next candidate to commit
	accepted int     // of the committed ones; drafts, if no more was asked for
}

// needs reports whether another candidate must be started: fewer rows than asked for are accepted even if all candidates
// that may be are. So no candidate is started in vain, and which ones are started does not depend on concurrency.
func (l *lane) needs() bool {
	possible := l.accepted
	for _, w := range l.started[l.commit:] {
		if w == nil || w.Outcome == candidate.Done || w.isDraft() {
			possible++
		}
	}
	return len(l.started) < l.Most && possible < l.Count
}

// closed reports whether all candidates of the lane are committed and no other will follow.
func (l *lane) closed() bool { return l.commit == len(l.started) && !l.needs() }

// schedule runs the candidates of some categories. Results are committed in a fixed order, by index and then by
// category, so the same candidates are accepted at any concurrency.
type schedule struct {
	lanes   []*lane
	workers int
	// work runs the stages of a candidate; calls overlap. Its outcome is Done if it may be accepted, else Rejected or Failed,
	// or Pending for a draft. An error ends the schedule.
	work func(ctx context.Context, id candidate.ID) (*work, error)
	// decide accepts a finished candidate or draft, or not, and records it; calls do not overlap.
	decide func(*work) (accepted bool, err error)

	streak qa.Streak
	// failure is the first failed call.
	failure string
	// stop is why run ended early.
	stop error
}

// run starts candidates until all lanes are closed, drain is closed, the context ends, or a result stops it. Candidates in
// flight finish. The error is one of work or decide.
func (s *schedule) run(ctx context.Context, drain <-chan struct{}) error {
	s.streak = qa.Streak{}
	err := qa.Batch[candidate.ID, *work]{Workers: s.workers, Drain: drain, Next: s.next, Ask: s.work, Done: s.take}.Run(ctx)
	if qa.IsStop(err) {
		s.stop = err
		return nil
	}
	return err
}

// next returns the candidate of the lowest index that is needed, so that all categories progress.
func (s *schedule) next() (id candidate.ID, err error, ok bool) {
	var first *lane
	for _, l := range s.lanes {
		if l.needs() && (first == nil || len(l.started) < len(first.started)) {
			first = l
		}
	}
	if first == nil {
		return id, nil, false
	}
	id = candidate.ID{Category: first.Category, Index: len(first.started)}
	first.started = append(first.started, nil)
	return id, nil, true
}

// take commits what a finished candidate lets commit. Failed candidates, without a good one between them, stop the schedule;
// rejected ones say nothing about the endpoint.
func (s *schedule) take(id candidate.ID, w *work) error {
	for _, l := range s.lanes {
		if l.Category == id.Category {
			l.started[id.Index] = w
		}
	}
	switch err := s.commitFinished(); {
	case err != nil:
		return err
	case w.Outcome == candidate.Failed:
		s.failure = cmp.Or(s.failure, w.Detail)
		return s.streak.Count(errors.New(w.Detail))
	case w.Outcome == candidate.Done:
		return s.streak.Count(nil)
	}
	return nil
}

// commitFinished commits what can be committed in order.
func (s *schedule) commitFinished() error {
	for l := s.nextToCommit(); l != nil && l.commit < len(l.started); l = s.nextToCommit() {
		w := l.started[l.commit]
		if w == nil {
			return nil
		}
		accepted, err := s.decide(w)
		if err != nil {
			return err
		}
		if accepted {
			l.accepted++
		}
		l.started[l.commit] = nil
		l.commit++
	}
	return nil
}

// nextToCommit returns the lane whose candidate is committed next; nil if all are closed.
func (s *schedule) nextToCommit() (first *lane) {
	for _, l := range s.lanes {
		if !l.closed() && (first == nil || l.commit < first.commit) {
			first = l
		}
	}
	return first
}
