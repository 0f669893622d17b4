// Package budget limits the cost of a run. An [Account] holds the limits of a run. A [Meter] wraps a model: it reserves
// the forecast of each call in the account before the call and settles the actual usage afterwards, so the limits are
// never exceeded, however many calls are in flight. A call that does not fit is a [*qa.SuspendedError], which leaves
// its episode unfinished: the run can resume with a larger budget.
package budget

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"airqa/qa"
)

// Limits of a run. Zero means unlimited.
type Limits struct {
	USD    float64
	Tokens int
	// Time is the time from [NewAccount] after which no call starts.
	Time time.Duration
}

// UnmarshalText reads comma-separated limits: an [qa.Amount] of USD, one of tokens, and a duration such as 8h.
func (l *Limits) UnmarshalText(text []byte) error {
	*l = Limits{}
	for part := range strings.SplitSeq(string(text), ",") {
		if d, err := time.ParseDuration(part); err == nil && d >= 0 {
			l.Time = d
			continue
		}
		var a qa.Amount
		if err := a.UnmarshalText([]byte(part)); err != nil {
			return fmt.Errorf("%w, or a time such as 8h", err)
		}
		l.USD, l.Tokens = max(l.USD, a.USD), max(l.Tokens, a.Tokens)
	}
	return nil
}

// String is the text that [Limits.UnmarshalText] reads.
func (l Limits) String() string {
	var parts []string
	if l.USD > 0 {
		parts = append(parts, strconv.FormatFloat(l.USD, 'f', -1, 64)+"usd")
	}
	if l.Tokens > 0 {
		parts = append(parts, strconv.Itoa(l.Tokens)+"tokens")
	}
	if l.Time > 0 {
		parts = append(parts, l.Time.String())
	}
	return strings.Join(parts, ",")
}

// Spent is the usage of calls, in tokens and USD. Requests without a reply count with their forecast.
type Spent struct {
	Usage qa.Usage
	USD   float64
	// Calls counts calls with a reply.
	Calls int
}

func (s Spent) add(u qa.Usage, usd float64) Spent {
	s.Usage, s.USD = s.Usage.Add(u), s.USD+usd
	return s
}

// Account is the budget of a run. It is safe for concurrent use.
type Account struct {
	limits Limits
	now    func() time.Time
	until  time.Time // zero without a limit of time

	mu       sync.Mutex
	spent    Spent
	reserved Spent
	open     int           // reservations
	settled  chan struct{} // closed and replaced whenever one is settled
}

// NewAccount returns an account charged with the usage of earlier invocations.
func NewAccount(l Limits, spent Spent, now func() time.Time) *Account {
	if now == nil {
		now = time.Now
	}
	a := &Account{limits: l, spent: spent, now: now, settled: make(chan struct{})}
	if l.Time > 0 {
		a.until = now().Add(l.Time)
	}
	return a
}

// Charge adds usage from elsewhere, such as earlier invocations.
func (a *Account) Charge(s Spent) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.spent = a.spent.add(s.Usage, s.USD)
	a.spent.Calls += s.Calls
}

// Spent returns the usage so far, without calls in flight.
func (a *Account) Spent() Spent {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.spent
}

// bounded reports whether forecasts are needed.
func (a *Account) bounded() bool { return a.limits.USD > 0 || a.limits.Tokens > 0 }

// reserve reserves a forecast. If it does not fit, it waits for calls in flight that may use less than reserved.
func (a *Account) reserve(ctx context.Context, u qa.Usage, usd float64) error {
	for {
		a.mu.Lock()
		why := a.refuses(u, usd)
		if why == "" {
			a.reserved = a.reserved.add(u, usd)
			a.open++
			a.mu.Unlock()
			return nil
		}
		settled, final := a.settled, a.open == 0 || a.late()
		a.mu.Unlock()
		if final {
			return &qa.SuspendedError{Reason: "budget reached: " + why}
		}
		select {
		case <-settled:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (a *Account) late() bool { return !a.until.IsZero() && !a.now().Before(a.until) }

// refuses returns the reason why a call does not fit, or "".
func (a *Account) refuses(u qa.Usage, usd float64) string {
	if a.late() {
		return "the time limit is reached"
	}
	held, more := a.spent.Usage.Add(a.reserved.Usage), u.Prompt+u.Completion
	if used := held.Prompt + held.Completion; a.limits.Tokens > 0 && used+more > a.limits.Tokens {
		return fmt.Sprintf("%d of %d tokens are used, and the next call may take %d", used, a.limits.Tokens, more)
	}
	if used := a.spent.USD + a.reserved.USD; a.limits.USD > 0 && used+usd > a.limits.USD {
		return fmt.Sprintf("$%.4f of $%.4f is used, and the next call may cost $%.4f", used, a.limits.USD, usd)
	}
	return ""
}

// settle replaces a reservation by the actual usage.
func (a *Account) settle(reserved Spent, used Spent) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.open--
	a.reserved.Usage.Prompt -= reserved.Usage.Prompt
	a.reserved.Usage.Completion -= reserved.Usage.Completion
	a.reserved.USD -= reserved.USD
	if a.open == 0 {
		a.reserved = Spent{} // floating-point sums leave rounding errors
	}
	a.spent = a.spent.add(used.Usage, used.USD)
	a.spent.Calls += used.Calls
	close(a.settled)
	a.settled = make(chan struct{})
}
