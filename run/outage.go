package run

import (
	"context"
	"fmt"
	"time"

	"airqa/qa"
)

// The waits of an outage: one minute, then doubling up to an hour. The invocation ends after the last one, about nine
// hours in total.
const (
	firstOutageWait = time.Minute
	longOutageWait  = time.Hour
	maxOutageWaits  = 14
)

// outage is the state of an endpoint or store that stopped responding. The runner's mutex guards it.
type outage struct {
	// due is true if the next episode must wait.
	due bool
	// reason is the last failure's.
	reason string
	// waits counts the waits since an episode finished.
	waits int
	// probe is closed when the probing episode after a wait has ended; nil if there is none.
	probe chan struct{}
}

// failureKey classifies the failure of an episode. The full reason may contain a port or request id.
func failureKey(t qa.Trajectory) string {
	if IsTransient(t) {
		return "outage" // an endpoint that goes down refuses, disconnects and errs by turns
	}
	if n := len(t.FailedAttempts); t.Outcome == qa.EndpointError && n > 0 {
		last := t.FailedAttempts[n-1]
		return fmt.Sprintf("%s %s %d", t.Outcome, last.Error, last.Status)
	}
	return string(t.Outcome) + " " + t.Reason
}

// IsTransient reports whether an episode ended with a transient failure of the model's endpoint or a tool's store.
func IsTransient(t qa.Trajectory) bool {
	if t.Outcome == qa.ToolFailure || t.Transient {
		return t.Transient
	}
	if t.Outcome != qa.EndpointError || len(t.FailedAttempts) == 0 {
		return false
	}
	return t.FailedAttempts[len(t.FailedAttempts)-1].Error.Transient()
}

// watch detects consecutive failures of one kind: they end the invocation or start an outage.
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
	case IsTransient(t) && r.sum.Finished > 0 && r.out.waits < maxOutageWaits:
		r.out.due, r.out.reason = true, t.Reason
	default:
		r.halt()
	}
}

// waitOutage waits during an outage. After each wait one episode probes, and the others continue if it succeeds.
func (r *Runner) waitOutage(ctx context.Context) {
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
			_ = r.c.Sleep(ctx, wait) // a cancelled context is checked next
			r.mu.Lock()
			if r.out.due { // no episode finished in the meantime
				r.out.due, r.out.probe = false, make(chan struct{})
				r.out.waits++
				// Failures that arrived during the wait belong to the same outage; another such failure starts another wait.
				r.equal = r.c.MaxEqualFailures
			}
			r.mu.Unlock()
			return
		default:
			return
		}
	}
}
