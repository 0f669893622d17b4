package run

import (
	"context"
	"fmt"
	"time"

	"airqa/qa"
)

// The waits of an outage: one minute, then twice as long each time up to an hour. The start ends after the last of them, in
// all some nine hours.
const (
	firstOutageWait = time.Minute
	longOutageWait  = time.Hour
	maxOutageWaits  = 14
)

// outage is what a runner knows of an endpoint or a store that has stopped answering. Its fields are guarded by the runner's mutex.
type outage struct {
	// due is true when the next episode waits.
	due bool
	// reason is that of the last failure.
	reason string
	// waits counts those since an episode finished.
	waits int
	// probe is closed when the episode that tries after a wait has ended; nil when none tries.
	probe chan struct{}
}

// failureKey says what kind of failure ended an episode. The reason itself may name a port or a request.
func failureKey(t qa.Trajectory) string {
	if MayPass(t) {
		return "outage" // an endpoint that goes down refuses, breaks off and is at fault by turns
	}
	if n := len(t.FailedAttempts); t.Outcome == qa.EndpointError && n > 0 {
		last := t.FailedAttempts[n-1]
		return fmt.Sprintf("%s %s %d", t.Outcome, last.Error, last.Status)
	}
	return string(t.Outcome) + " " + t.Reason
}

// MayPass reports whether an episode ended with a transient failure: of the model's endpoint, or of a store that a tool needs.
func MayPass(t qa.Trajectory) bool {
	if t.Outcome == qa.ToolFailure {
		return t.Transient
	}
	if t.Outcome != qa.EndpointError || len(t.FailedAttempts) == 0 {
		return false
	}
	return t.FailedAttempts[len(t.FailedAttempts)-1].Error.Transient()
}

// watch notices failures that are all of one kind: they end the start, or begin an outage.
func (r *Runner) watch(t qa.Trajectory) {
	if r.out.probe != nil {
		close(r.out.probe)
		r.out.probe = nil
	}
	if !t.Outcome.Failed() {
		r.equal, r.out.due, r.out.waits = 0, false, 0
		return
	}
	if key := failureKey(t); key != r.failure {
		r.equal, r.failure = 0, key
	}
	r.equal++
	switch {
	case r.c.MaxEqualFailures == 0 || r.equal < r.c.MaxEqualFailures:
	case MayPass(t) && r.sum.Finished > 0 && r.out.waits < maxOutageWaits:
		r.out.due, r.out.reason = true, t.Reason
	default:
		r.halt.Do(func() { close(r.stop) })
	}
}

// sitOut waits while an outage goes on: after each wait one episode tries, and the others follow when it has ended well.
func (r *Runner) sitOut(ctx context.Context, drain <-chan struct{}) {
	ctx, cancel := r.untilStopped(ctx, drain)
	defer cancel()
	for ctx.Err() == nil {
		r.mu.Lock()
		probe, due, reason := r.out.probe, r.out.due, r.out.reason
		wait := min(firstOutageWait<<min(r.out.waits, 10), longOutageWait)
		r.mu.Unlock()
		switch {
		case probe != nil:
			select {
			case <-probe:
			case <-ctx.Done():
			}
		case due:
			r.c.Outage(wait, reason)
			_ = r.c.Sleep(ctx, wait) // whoever woke it is asked next
			r.beginProbe()
			return
		default:
			return
		}
	}
}

// beginProbe lets one episode try. Failures that came in while it slept belong to the outage that it has sat out.
func (r *Runner) beginProbe() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.out.due {
		return // something finished after all
	}
	r.out.due, r.out.probe = false, make(chan struct{})
	r.out.waits++
	r.equal = r.c.MaxEqualFailures - 1 // the next equal failure makes another wait
}

// untilStopped returns a context that also ends when no further episode may start.
func (r *Runner) untilStopped(ctx context.Context, drain <-chan struct{}) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		select {
		case <-drain:
		case <-r.stop:
		case <-ctx.Done():
		}
		cancel()
	}()
	return ctx, cancel
}
