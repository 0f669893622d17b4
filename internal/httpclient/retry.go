package httpclient

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"airqa/internal/concurrent"
)

// LongestPause caps the pause requested by a server: some request hours, and a call should rather fail.
const LongestPause = 2 * time.Minute

// Backoff is a pause that doubles with each failure, from First to Longest. Rand, which returns numbers in [0, 1),
// reduces it by up to half, so that workers that failed together do not retry together; nil disables this.
type Backoff struct {
	First, Longest time.Duration
	Rand           func() float64
}

// Pause is the wait after the nth failure, from 1.
func (b Backoff) Pause(failures int) time.Duration {
	d := min(b.First<<min(failures-1, 10), b.Longest)
	if b.Rand != nil {
		d -= time.Duration(b.Rand() * float64(d) / 2)
	}
	return d
}

// Transient is a failure worth a retry.
type Transient struct {
	Err error
	// After is the pause requested by the server, or 0.
	After time.Duration
}

func (t *Transient) Error() string { return t.Err.Error() }

func (t *Transient) Unwrap() error { return t.Err }

// Policy configures [Retry]. Tries includes the first request.
type Policy struct {
	Tries   int
	Backoff Backoff
	// Exact uses a server's pause instead of the back-off, even a longer one.
	Exact bool
	// Sleep waits, or returns the context's error; nil uses the clock.
	Sleep func(ctx context.Context, d time.Duration) error
}

// Retry calls do until it succeeds, fails with an error other than a [*Transient], or runs out of tries: then it
// returns the last Transient.
func Retry(ctx context.Context, p Policy, do func() error) error {
	if p.Sleep == nil {
		p.Sleep = concurrent.Sleep
	}
	for try := 1; ; try++ {
		err := do()
		var again *Transient
		if !errors.As(err, &again) || try >= p.Tries {
			return err
		}
		wait := max(again.After, p.Backoff.Pause(try))
		if p.Exact && again.After > 0 {
			wait = again.After
		}
		if err := p.Sleep(ctx, wait); err != nil {
			return err
		}
	}
}

// Busy reports whether a status means that the same request may succeed later.
func Busy(status int) bool {
	return status == http.StatusTooManyRequests || status == http.StatusRequestTimeout || status >= 500
}

// RetryAfter returns the pause requested by a server: Retry-After in seconds or as a date, or the milliseconds that
// OpenAI and Azure send; 0 if there is none.
func RetryAfter(h http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil {
		return seconds(ms / 1000)
	}
	value := h.Get("Retry-After")
	if s, err := strconv.ParseFloat(value, 64); err == nil {
		return seconds(s)
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(at.Sub(now), 0)
	}
	return 0
}

// seconds converts seconds to a duration, capped at the maximum.
func seconds(s float64) time.Duration {
	const most = 1 << 31
	if !(s > 0) {
		return 0
	}
	return time.Duration(min(s, most) * float64(time.Second))
}
