package llm

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"airqa/internal/httpclient"
	"airqa/internal/lazyregexp"
	"airqa/qa"
)

// Retrier retries requests that fail with a transient error, and requests with a rejected setting, which is then
// dropped.
type Retrier struct {
	inner   qa.Model
	retries int
	sleep   func(context.Context, time.Duration) error
	backoff httpclient.Backoff
	onWait  func(class qa.FailureClass) (over func())
	notice  func(text string)
	// down is true from the first failed connection to the next reply. Wrapped models share it.
	down *atomic.Bool
}

// Inside wraps the model inside m's retries, so that wrap sees every request. A model without retries is wrapped as a
// whole.
func Inside(m qa.Model, wrap func(qa.Model) qa.Model) qa.Model {
	r, ok := m.(*Retrier)
	if !ok {
		return wrap(m)
	}
	wrapped := *r
	wrapped.inner = wrap(r.inner)
	return &wrapped
}

// Complete makes requests until one succeeds, the error is permanent, or the limit is reached.
func (m *Retrier) Complete(ctx context.Context, r qa.Request) (qa.Reply, error) {
	if err := ctx.Err(); err != nil {
		return qa.Reply{}, callError(nil, err)
	}
	var wait time.Duration
	extra := 0 // repeated requests after a rejected setting
	for {
		reply, err := m.inner.Complete(ctx, r)
		made := reply.Attempts
		if err != nil {
			made = qa.Tried(err)
		}
		if len(made) > 0 {
			made[0].Wait += wait.Seconds()
		}
		r.Tried = slices.Concat(r.Tried, made)
		if err == nil {
			m.down.Store(false)
			reply.Attempts = r.Tried
			return reply, nil
		}
		if errors.As(err, new(adapted)) {
			extra++
			wait = 0
			continue
		}
		if len(made) == 0 || len(r.Tried) > m.retries+extra || !Classify(err).Transient() {
			return qa.Reply{}, ended(r.Tried, err)
		}
		m.report(err)
		wait = m.pause(len(r.Tried)-extra, err)
		over := m.onWait(Classify(err))
		stop := m.sleep(ctx, wait)
		over()
		if stop != nil {
			var call *qa.CallError
			if errors.As(err, &call) {
				err = call.Err // without the requests
			}
			return qa.Reply{}, callError(r.Tried, fmt.Errorf("%w (waiting after: %s)", stop, err.Error()))
		}
	}
}

// report prints at once that an endpoint does not respond: retries take a while, and the fault is usually the address.
func (m *Retrier) report(err error) {
	if Classify(err) != qa.FailUnreachable || m.down.Swap(true) {
		return
	}
	m.notice(fmt.Sprintf("%s; trying again up to %d times", err.Error(), m.retries))
}

// ended is the last error of a call with all its requests.
func ended(tried []qa.Attempt, err error) error {
	var call *qa.CallError
	switch {
	case len(tried) == 0:
		return err
	case !errors.As(err, &call):
		return callError(tried, err)
	}
	whole := *call
	whole.Attempts = tried
	return &whole
}

// pause is the wait after the nth failure: the back-off, or the endpoint's requested delay if that is longer.
func (m *Retrier) pause(failures int, err error) time.Duration {
	var status *HTTPError
	backoff := m.backoff.Pause(failures)
	if errors.As(err, &status) {
		return max(backoff, min(status.RetryAfter, httpclient.LongestPause))
	}
	return backoff
}

// requestedDelay matches the delay that a message of OpenAI's, Azure's, Google's or Groq's requests.
var requestedDelay = lazyregexp.New(`(?i)(?:retry|try again|wait)(?: in| after| for)? ` +
	`((?:[0-9.]+ ?(?:milli|hour|minute|second|ms|h|m|s)[a-z]*(?:, |,? and | )?)+)`)

// units has the short names of units.
var units = lazyregexp.New(`(m)illi(s)ec[a-z]*|(h|m|s)(?:our|inute|econd|in|ec)[a-z]*|,| |and`)

// duration reads "1m30s", "2 minutes and 5 seconds" or "20 milliseconds"; 0 for anything else.
func duration(text string) time.Duration {
	d, _ := time.ParseDuration(units.ReplaceAllString(strings.ToLower(text), "$1$2$3"))
	return max(d, 0)
}
