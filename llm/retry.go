package llm

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"time"

	"airqa/qa"
)

// The back-off: about 1, 2, 4, 8 … seconds, a random half of each taken off, so that workers that failed together do not
// come back together.
const (
	firstPause = time.Second
	longPause  = time.Minute
	// maxRetryAfter caps what an endpoint may ask for: some ask for hours, and a call should rather end.
	maxRetryAfter = 2 * time.Minute
)

// Retrier repeats the requests of a model that fail with a transient error, and those whose settings the endpoint refused and
// will not be sent again.
type Retrier struct {
	inner   qa.Model
	retries int
	sleep   func(context.Context, time.Duration) error
	rand    func() float64
	onWait  func(class qa.FailureClass) (over func())
}

func newRetrier(c Config, inner qa.Model) *Retrier {
	return &Retrier{inner: inner, onWait: c.OnWait, retries: max(c.MaxRetries, 0), sleep: c.Sleep, rand: c.Rand}
}

// Inside returns m with wrap between its retries and its endpoint, so that wrap sees every request. A model without retries is
// wrapped as a whole.
func Inside(m qa.Model, wrap func(qa.Model) qa.Model) qa.Model {
	r, ok := m.(*Retrier)
	if !ok {
		return wrap(m)
	}
	wrapped := *r
	wrapped.inner = wrap(r.inner)
	return &wrapped
}

// Complete makes requests until one succeeds, none can, or there were enough of them.
func (m *Retrier) Complete(ctx context.Context, r qa.Request) (qa.Reply, error) {
	if err := ctx.Err(); err != nil {
		return qa.Reply{}, callError(nil, err)
	}
	var wait time.Duration
	extra := 0 // requests that are made again because the endpoint refused a setting
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
		wait = m.pause(len(r.Tried)-extra, err)
		over := m.onWait(Classify(err))
		stop := m.sleep(ctx, wait)
		over()
		if stop != nil {
			return qa.Reply{}, callError(r.Tried, fmt.Errorf("%w (waiting after: %s)", stop, cause(err).Error()))
		}
	}
}

// ended is the last error of a call with all its requests.
func ended(tried []qa.Attempt, err error) error {
	var call *qa.CallError
	if len(tried) == 0 || !errors.As(err, &call) {
		if len(tried) > 0 {
			return callError(tried, err)
		}
		return err
	}
	whole := *call
	whole.Attempts = tried
	return &whole
}

// cause is what a call failed of, without the requests.
func cause(err error) error {
	var call *qa.CallError
	if errors.As(err, &call) {
		return call.Err
	}
	return err
}

// pause is the wait after the nth failure: the back-off, or what the endpoint asked for when that is longer.
func (m *Retrier) pause(failures int, err error) time.Duration {
	backoff := min(firstPause<<min(failures-1, 10), longPause)
	backoff -= time.Duration(m.rand() * float64(backoff) / 2)
	var status *HTTPError
	if errors.As(err, &status) {
		return max(backoff, min(status.RetryAfter, maxRetryAfter))
	}
	return backoff
}

// retryAfter reads the header in both its forms, seconds and a date, and the milliseconds that OpenAI and Azure send.
func retryAfter(h http.Header, now time.Time) time.Duration {
	if d, err := time.ParseDuration(h.Get("Retry-After-Ms") + "ms"); err == nil {
		return max(d, 0)
	}
	value := h.Get("Retry-After")
	if d, err := time.ParseDuration(value + "s"); err == nil {
		return max(d, 0)
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(at.Sub(now), 0)
	}
	return 0
}

// googleDelay is where Google writes how long to wait: in the body.
var googleDelay = regexp.MustCompile(`"retryDelay":\s*"([0-9.]+)s"`)

func retryDelay(body string) time.Duration {
	found := googleDelay.FindStringSubmatch(body)
	if found == nil {
		return 0
	}
	d, err := time.ParseDuration(found[1] + "s")
	if err != nil {
		return 0
	}
	return d
}
