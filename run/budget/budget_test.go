package budget_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"airqa/qa"
	"airqa/run/budget"
)

type modelFunc func(context.Context, qa.Request) (qa.Reply, error)

func (f modelFunc) Complete(ctx context.Context, r qa.Request) (qa.Reply, error) { return f(ctx, r) }

func forecast(qa.Request) qa.Usage { return qa.Usage{Prompt: 100, Completion: 50} }
func price(u qa.Usage) float64     { return float64(u.Prompt)*1e-3 + float64(u.Completion)*1e-2 }
func usage(prompt, done int) qa.Reply {
	return qa.Reply{Usage: qa.Usage{Prompt: prompt, Completion: done}}
}
func never(qa.Request) qa.Usage { panic("no forecast is needed") }
func newMeter(t *testing.T, c budget.Config) *budget.Meter {
	t.Helper()
	m, err := budget.NewMeter(c)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Many calls at once never pass the limit, and use most of it.
func TestNeverPassed(t *testing.T) {
	account := budget.NewAccount(budget.Limits{Tokens: 10_000}, budget.Spent{}, nil)
	var calls atomic.Int64
	m := newMeter(t, budget.Config{Account: account, Forecast: forecast, Model: modelFunc(func(context.Context, qa.Request) (qa.Reply, error) {
		calls.Add(1)
		time.Sleep(time.Millisecond)
		return usage(100, 20), nil
	})})
	var all sync.WaitGroup
	for range 32 {
		all.Go(func() {
			for {
				_, err := m.Complete(t.Context(), qa.Request{})
				if qa.Suspension(err) != "" {
					return
				}
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	spent := account.Spent()
	if used := spent.Usage.Prompt + spent.Usage.Completion; used > 10_000 || used < 9_800 {
		t.Errorf("%d tokens used of 10000, want 9840 to 10000", used)
	}
	if int(calls.Load()) != spent.Calls {
		t.Errorf("%d calls were made, %d are counted", calls.Load(), spent.Calls)
	}
}

func TestFailuresAreCharged(t *testing.T) {
	tests := []struct {
		name string
		a    qa.Attempt
		want int
	}{
		{"refused by the endpoint", qa.Attempt{Status: 429, Error: "rate_limit"}, 0},
		{"bad request", qa.Attempt{Status: 400, Error: "bad_request"}, 0},
		{"server fault", qa.Attempt{Status: 500, Error: "server"}, 150},
		{"cut stream", qa.Attempt{Error: "network"}, 150},
		{"cancelled", qa.Attempt{Error: "cancelled"}, 150},
		{"garbage", qa.Attempt{Status: 200, Error: "garbage"}, 150},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			account := budget.NewAccount(budget.Limits{}, budget.Spent{}, nil)
			attempts := []qa.Attempt{tt.a}
			m := newMeter(t, budget.Config{Account: account, Forecast: forecast, Price: price, Model: modelFunc(func(context.Context, qa.Request) (qa.Reply, error) {
				return qa.Reply{}, &qa.CallError{Attempts: attempts, Err: errors.New("no reply")}
			})})
			if _, err := m.Complete(t.Context(), qa.Request{}); err == nil {
				t.Fatal("the failure is gone")
			}
			spent := account.Spent()
			if got := spent.Usage.Prompt + spent.Usage.Completion; got != tt.want {
				t.Errorf("%d tokens charged, want %d", got, tt.want)
			}
			if marked := attempts[0].Charged != nil; marked != (tt.want > 0) {
				t.Errorf("charged in the record: %v", marked)
			}
			if (spent.USD > 0) != (tt.want > 0) {
				t.Errorf("cost %v", spent.USD)
			}
		})
	}
}

// Without limits nothing is forecast: counting tokens is work.
func TestNoLimitNoForecast(t *testing.T) {
	account := budget.NewAccount(budget.Limits{}, budget.Spent{Usage: qa.Usage{Prompt: 5}}, nil)
	m := newMeter(t, budget.Config{Account: account, Forecast: never, Model: modelFunc(func(context.Context, qa.Request) (qa.Reply, error) {
		return usage(1, 1), nil
	})})
	if _, err := m.Complete(t.Context(), qa.Request{}); err != nil {
		t.Fatal(err)
	}
	if got := account.Spent().Usage.Prompt; got != 6 {
		t.Errorf("%d prompt tokens, want those of earlier invocations and of this one: 6", got)
	}
}

func TestLimits(t *testing.T) {
	start := time.Date(2031, 5, 1, 12, 0, 0, 0, time.UTC)
	tests := []struct {
		name   string
		limits budget.Limits
		spent  budget.Spent
		want   string
	}{
		{"tokens", budget.Limits{Tokens: 159}, budget.Spent{}, "0 of 159 tokens"},
		{"a single token", budget.Limits{Tokens: 1}, budget.Spent{}, "0 of 1 tokens"},
		{"tokens of earlier invocations", budget.Limits{Tokens: 1000}, budget.Spent{Usage: qa.Usage{Prompt: 900}}, "900 of 1000"},
		{"cost", budget.Limits{USD: 0.5}, budget.Spent{}, "$0.6100"},
		{"time", budget.Limits{Time: time.Second}, budget.Spent{}, "time"},
		{"fits", budget.Limits{Tokens: 160, USD: 0.61, Time: 2 * time.Second}, budget.Spent{}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			now := start
			account := budget.NewAccount(tt.limits, tt.spent, func() time.Time { return now })
			now = now.Add(time.Second)
			m := newMeter(t, budget.Config{Account: account, Forecast: forecast, Price: price, Model: modelFunc(func(context.Context, qa.Request) (qa.Reply, error) {
				return usage(1, 1), nil
			})})
			_, err := m.Complete(t.Context(), qa.Request{})
			if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}

func TestUnknownPrice(t *testing.T) {
	account := budget.NewAccount(budget.Limits{USD: 0.5}, budget.Spent{}, nil)
	if _, err := budget.NewMeter(budget.Config{Account: account, Forecast: forecast, Model: modelFunc(nil)}); err == nil {
		t.Error("a limit in USD was taken without a price")
	}
	account = budget.NewAccount(budget.Limits{Tokens: 1000}, budget.Spent{}, nil)
	m := newMeter(t, budget.Config{Account: account, Forecast: forecast, Model: modelFunc(func(context.Context, qa.Request) (qa.Reply, error) {
		return usage(1, 1), nil
	})})
	if _, err := m.Complete(t.Context(), qa.Request{}); err != nil || account.Spent().USD != 0 {
		t.Errorf("a call without a price cost $%v (%v)", account.Spent().USD, err)
	}
}

func TestMeterNeedsAll(t *testing.T) {
	account := budget.NewAccount(budget.Limits{}, budget.Spent{}, nil)
	for name, c := range map[string]budget.Config{
		"no model":    {Account: account, Forecast: forecast},
		"no account":  {Model: modelFunc(nil), Forecast: forecast},
		"no forecast": {Model: modelFunc(nil), Account: account},
	} {
		if _, err := budget.NewMeter(c); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// Rounding errors of settled reservations take nothing from the budget.
func TestRoundingErrors(t *testing.T) {
	const calls = 27 // 27 times adding 0.3 and subtracting it again leaves more than 0
	account := budget.NewAccount(budget.Limits{USD: calls * 0.3}, budget.Spent{}, nil)
	var began sync.WaitGroup
	began.Add(calls)
	m := newMeter(t, budget.Config{
		Account: account, Price: func(u qa.Usage) float64 { return float64(u.Completion) * 0.3 },
		Forecast: func(r qa.Request) qa.Usage { return qa.Usage{Completion: max(r.Step, 1)} },
		Model: modelFunc(func(_ context.Context, r qa.Request) (qa.Reply, error) {
			if r.Step == 0 {
				began.Done()
				began.Wait()
			}
			return qa.Reply{}, &qa.CallError{Attempts: []qa.Attempt{{Status: 429, Error: qa.FailRateLimit}}, Err: errors.New("rejected")}
		}),
	})
	var all sync.WaitGroup
	for range calls {
		all.Go(func() { _, _ = m.Complete(t.Context(), qa.Request{}) })
	}
	all.Wait()
	if _, err := m.Complete(t.Context(), qa.Request{Step: calls}); qa.Suspension(err) != "" {
		t.Errorf("the whole budget is free, and a call that needs all of it is rejected: %v", err)
	}
}

// A settled call releases its reservation while others are still in flight: only waiters need it.
func TestReservationsAreGivenBack(t *testing.T) {
	account := budget.NewAccount(budget.Limits{Tokens: 400, USD: 1.5}, budget.Spent{}, nil)
	began, end := make(chan struct{}), make(chan struct{})
	slow := newMeter(t, budget.Config{Account: account, Forecast: forecast, Price: price, Model: modelFunc(func(context.Context, qa.Request) (qa.Reply, error) {
		close(began)
		<-end
		return usage(10, 5), nil
	})})
	var all sync.WaitGroup
	all.Go(func() {
		if _, err := slow.Complete(t.Context(), qa.Request{}); err != nil {
			t.Error(err)
		}
	})
	<-began
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second) // a reservation that is kept would block for ever
	defer cancel()
	fast := newMeter(t, budget.Config{Account: account, Forecast: forecast, Price: price, Model: modelFunc(func(context.Context, qa.Request) (qa.Reply, error) {
		return usage(10, 5), nil
	})})
	for i := range 4 {
		if _, err := fast.Complete(ctx, qa.Request{}); err != nil {
			close(end)
			all.Wait()
			t.Fatalf("call %d beside the first: %v", i+1, err)
		}
	}
	close(end)
	all.Wait()
	if u := account.Spent().Usage; u.Prompt != 50 || u.Completion != 25 {
		t.Errorf("spent %+v", u)
	}
}
