package llm

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
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

type retrier struct {
	retries int
	sleep   func(context.Context, time.Duration) error
	now     func() time.Time
	rand    func() float64
	limiter *limiter
	onWait  func(class string) (over func())
}

func newRetrier(c Config, l *limiter) retrier {
	return retrier{onWait: c.OnWait, retries: max(c.MaxRetries, 0), sleep: c.Sleep, now: c.Now, rand: c.Rand, limiter: l}
}

// request makes one request and returns the HTTP status, 0 when none came.
type request func(ctx context.Context) (qa.Reply, int, error)

// call repeats a request until it succeeds, cannot succeed, or has been made often enough.
func (r retrier) call(ctx context.Context, ask request) (qa.Reply, error) {
	if err := ctx.Err(); err != nil {
		return qa.Reply{}, &CallError{Err: err}
	}
	var attempts []qa.Attempt
	var wait time.Duration
	extra := 0 // requests that are made again because the endpoint refused a setting
	for {
		reply, attempt, err := r.attempt(ctx, wait, ask)
		if !attempt.Started.IsZero() {
			attempts = append(attempts, attempt)
		}
		if err == nil {
			reply.Attempts = attempts
			return reply, nil
		}
		var changed adapted
		if errors.As(err, &changed) {
			if err := again(ctx, attempts[len(attempts)-1]); err != nil {
				return qa.Reply{}, &CallError{Attempts: attempts, Err: err}
			}
			wait = 0
			extra++
			continue
		}
		if len(attempts) > r.retries+extra || !Retryable(err) {
			return qa.Reply{}, &CallError{Attempts: attempts, Err: err}
		}
		wait = r.pause(len(attempts)-extra, err)
		over := r.onWait(Class(err))
		stop := r.sleep(ctx, wait)
		over()
		if stop != nil {
			return qa.Reply{}, &CallError{Attempts: attempts, Err: fmt.Errorf("%w (waiting after: %s)", stop, err.Error())}
		}
		if err := again(ctx, attempts[len(attempts)-1]); err != nil {
			return qa.Reply{}, &CallError{Attempts: attempts, Err: err}
		}
	}
}

// attempt waits for its turn and makes one request. It adds its own wait to the one before it. Without a turn there was no
// attempt, and started is the zero time.
func (r retrier) attempt(ctx context.Context, wait time.Duration, ask request) (qa.Reply, qa.Attempt, error) {
	turn, queued, err := r.limiter.acquireTold(ctx, func() func() { return r.onWait(ClassQueue) })
	if err != nil {
		return qa.Reply{}, qa.Attempt{}, fmt.Errorf("wait for a free connection: %w", err)
	}
	start := r.now()
	reply, status, err := ask(ctx)
	r.limiter.release(turn, err)
	return reply, qa.Attempt{
		Started: start, Seconds: r.now().Sub(start).Seconds(), Wait: (wait + queued).Seconds(), Status: status,
		Error: Class(err),
	}, err
}

// pause is the wait after the nth failure: the back-off, or what the endpoint asked for when that is longer.
func (r retrier) pause(failures int, err error) time.Duration {
	backoff := min(firstPause<<min(failures-1, 10), longPause)
	backoff -= time.Duration(r.rand() * float64(backoff) / 2)
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
