// Package budget bounds what a run may cost. An [Account] holds the limits of a run; a [Meter] stands between an agent and its
// model, reserves the forecast of every call in the account before it is made, and settles it with what was really
// used. So the limits are never passed, however many calls are under way. A call that does not fit is a
// [*qa.SuspendedError], which leaves its episode unfinished: the same run resumes under a larger budget.
package budget

import (
	"context"
	"fmt"
	"sync"
	"time"

	"airqa/qa"
)

// Limits of a run. Zero fields bound nothing.
type Limits struct {
	USD    float64
	Tokens int
	// Until is when no further call begins.
	Until time.Time
}

// Spent is what calls have used, in tokens and USD. Requests without a reply count by their forecast.
type Spent struct {
	Usage qa.Usage
	USD   float64
	// Calls that brought a reply.
	Calls int
}

func (s Spent) add(u qa.Usage, usd float64) Spent {
	s.Usage, s.USD = s.Usage.Add(u), s.USD+usd
	return s
}

// Account is the budget of a run. Its methods may be called by several goroutines.
type Account struct {
	limits Limits
	now    func() time.Time

	mu       sync.Mutex
	spent    Spent
	reserved Spent
	open     int           // reservations
	settled  chan struct{} // closed and replaced when one is settled
}

// NewAccount returns an account that earlier starts have already charged with spent.
func NewAccount(l Limits, spent Spent, now func() time.Time) *Account {
	if now == nil {
		now = time.Now
	}
	return &Account{limits: l, spent: spent, now: now, settled: make(chan struct{})}
}

// Charge adds what was used elsewhere, as by earlier starts.
func (a *Account) Charge(s Spent) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.spent = a.spent.add(s.Usage, s.USD)
	a.spent.Calls += s.Calls
}

// Spent returns what was used so far, calls under way left out.
func (a *Account) Spent() Spent {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.spent
}

// bounded tells whether a forecast is needed at all.
func (a *Account) bounded() bool { return a.limits.USD > 0 || a.limits.Tokens > 0 }

// reserve returns when the forecast fits, waiting for calls under way where they may turn out smaller than theirs.
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

func (a *Account) late() bool { return !a.limits.Until.IsZero() && !a.now().Before(a.limits.Until) }

// refuses says why a call does not fit, "" when it does.
func (a *Account) refuses(u qa.Usage, usd float64) string {
	if a.late() {
		return "the time of the run is over"
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

// settle puts what was used in the place of a reservation.
func (a *Account) settle(reserved Spent, used Spent) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.open--
	a.reserved.Usage.Prompt -= reserved.Usage.Prompt
	a.reserved.Usage.Completion -= reserved.Usage.Completion
	a.reserved.USD -= reserved.USD
	if a.open == 0 {
		a.reserved = Spent{} // sums of floats leave crumbs
	}
	a.spent = a.spent.add(used.Usage, used.USD)
	a.spent.Calls += used.Calls
	close(a.settled)
	a.settled = make(chan struct{})
}
