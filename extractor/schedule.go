package extractor

import (
	"context"

	"airqa/extractor/candidate"
)

// waitsForTracker reports whether a candidate is explored only, as asked for.
func (w *work) waitsForTracker() bool {
	return w.Outcome == candidate.Pending && w.Reason == candidate.NotTracked
}

// lane is the progress of a category.
type lane struct {
	candidate.Quota
	next     int           // index of the next candidate to start
	running  int           // candidates in flight
	finished map[int]*work // not committed yet
	hopeful  int           // finished candidates that may be accepted
	commit   int           // index of the next candidate to commit
	accepted int
}

// needs reports whether another candidate must be started: fewer rows than asked for are accepted even if all candidates
// in flight are. So no candidate is started in vain, and which ones are started does not depend on concurrency.
func (l *lane) needs() bool {
	return l.next < l.Most && l.accepted+l.running+l.hopeful < l.Count
}

// closed reports whether all candidates of the lane are committed and no other will follow.
func (l *lane) closed() bool { return l.commit == l.next && !l.needs() }

// schedule runs the candidates of some categories. Results are committed in a fixed order, by index and then by
// category, so the same candidates are accepted at any concurrency.
type schedule struct {
	lanes   []*lane
	workers int
	// work runs the stages of a candidate; calls overlap. Its outcome is Done if it may be accepted, else Rejected, Failed
	// or Pending.
	work func(ctx context.Context, id candidate.ID) *work
	// decide accepts a finished candidate or not, and records it; calls do not overlap.
	decide func(*work) (accepted bool, err error)

	done     chan finished
	running  int
	failures int
	stopped  bool
}

type finished struct {
	lane *lane
	*work
}

// add adds a category.
func (s *schedule) add(q candidate.Quota) {
	s.lanes = append(s.lanes, &lane{Quota: q, finished: make(map[int]*work)})
}

// maxEqualFailures is the number of failed candidates, without a good one between them, after which no further one is
// started. Rejected candidates say nothing about the endpoint.
const maxEqualFailures = 10

// run starts candidates until all lanes are closed, drain is closed, the context ends, or a result stops it. Candidates in
// flight finish.
func (s *schedule) run(ctx context.Context, drain <-chan struct{}) error {
	s.done, s.failures = make(chan finished), 0
	for {
		if err := s.commitFinished(); err != nil {
			s.stopped = true
			for s.running > 0 {
				s.take(<-s.done)
			}
			return err
		}
		s.start(ctx)
		if s.running == 0 {
			return nil
		}
		select {
		case f := <-s.done:
			s.take(f)
		case <-drain:
			drain, s.stopped = nil, true
		}
	}
}

// start starts candidates while workers are idle: those of the lowest index first, so that all categories progress.
func (s *schedule) start(ctx context.Context) {
	for s.running < s.workers && !s.stopped && ctx.Err() == nil {
		var first *lane
		for _, l := range s.lanes {
			if l.needs() && (first == nil || l.next < first.next) {
				first = l
			}
		}
		if first == nil {
			return
		}
		id := candidate.ID{Category: first.Category, Index: first.next}
		first.next++
		first.running++
		s.running++
		go func() { s.done <- finished{first, s.work(ctx, id)} }()
	}
}

func (s *schedule) take(f finished) {
	s.running--
	f.lane.running--
	f.lane.finished[f.material.ID.Index] = f.work
	switch f.Outcome {
	case candidate.Done:
		f.lane.hopeful++
		s.failures = 0
	case candidate.Failed:
		s.failures++
	case candidate.Pending:
		if f.waitsForTracker() {
			f.lane.hopeful++
		} else {
			s.stopped = true
		}
	}
	s.stopped = s.stopped || s.failures >= maxEqualFailures
}

// commitFinished commits what can be committed in order.
func (s *schedule) commitFinished() error {
	for l := s.nextToCommit(); l != nil; l = s.nextToCommit() {
		w, ready := l.finished[l.commit]
		if !ready || w.Outcome == candidate.Pending && !w.waitsForTracker() {
			return nil
		}
		accepted, err := s.decide(w)
		if err != nil {
			return err
		}
		if w.Outcome == candidate.Done {
			l.hopeful--
		}
		if accepted {
			l.accepted++
		}
		delete(l.finished, l.commit)
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

// pending lists the candidates that were started but not committed, in order.
func (s *schedule) pending() (ids []candidate.ID) {
	for _, l := range s.lanes {
		for i := l.commit; i < l.next; i++ {
			ids = append(ids, candidate.ID{Category: l.Category, Index: i})
		}
	}
	return ids
}
