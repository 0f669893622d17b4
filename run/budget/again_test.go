package budget_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"airqa/agent"
	"airqa/qa"
	"airqa/run/budget"
)

// failing is a model that makes n requests for a call, all of which fail, and asks before each further one.
func failing(n int, a qa.Attempt) modelFunc {
	return func(_ context.Context, r qa.Request) (qa.Reply, error) {
		var made []qa.Attempt
		for range n {
			time.Sleep(time.Millisecond)
			made = append(made, a)
			if err := r.Again(a); err != nil {
				return qa.Reply{}, errors.Join(err, failure{made})
			}
		}
		return qa.Reply{}, failure{made}
	}
}

// Requests that are repeated never pass the limit either, and what the record says of them is what the account has.
func TestRepeatedRequestsNeverPass(t *testing.T) {
	account := budget.NewAccount(budget.Limits{Tokens: 2000}, budget.Spent{}, nil)
	m := newMeter(t, budget.Config{Account: account, Forecast: forecast, Model: failing(6, qa.Attempt{Status: 500, Error: "server"})})
	var all sync.WaitGroup
	var mu sync.Mutex
	recorded := 0
	for range 8 {
		all.Go(func() {
			_, err := m.Complete(t.Context(), qa.Request{})
			if !agent.Suspended(err) && !errors.As(err, new(failure)) {
				t.Errorf("error %v", err)
			}
			var f failure
			_ = errors.As(err, &f)
			mu.Lock()
			defer mu.Unlock()
			u := qa.Trajectory{FailedAttempts: f.attempts}.Charged()
			recorded += u.Prompt + u.Completion
		})
	}
	all.Wait()
	u := account.Spent().Usage
	if used := u.Prompt + u.Completion; used > 2000 || used < 1900 || used != recorded {
		t.Errorf("%d tokens used of 2000, %d in the record", used, recorded)
	}
}

// The budget of a question is asked as well, with what the failed request is charged.
func TestQuestionIsAsked(t *testing.T) {
	account := budget.NewAccount(budget.Limits{}, budget.Spent{}, nil)
	m := newMeter(t, budget.Config{Account: account, Forecast: forecast, Model: failing(3, qa.Attempt{Status: 500, Error: "server"})})
	enough := errors.New("enough")
	_, err := m.Complete(t.Context(), qa.Request{Again: func(a qa.Attempt) error {
		if a.Charged == nil || a.Charged.Prompt != 100 {
			t.Errorf("charged %v", a.Charged)
		}
		return enough
	}})
	if u := account.Spent().Usage; !errors.Is(err, enough) || u.Prompt != 100 {
		t.Errorf("error %v, %d prompt tokens charged, want those of one request", err, u.Prompt)
	}
}

// What never reached an endpoint costs nothing.
func TestUnreachableIsFree(t *testing.T) {
	account := budget.NewAccount(budget.Limits{Tokens: 200}, budget.Spent{}, nil)
	m := newMeter(t, budget.Config{Account: account, Forecast: forecast, Model: failing(6, qa.Attempt{Error: "unreachable"})})
	_, err := m.Complete(t.Context(), qa.Request{})
	if u := account.Spent().Usage; agent.Suspended(err) || u.Prompt != 0 {
		t.Errorf("error %v, %d prompt tokens charged", err, u.Prompt)
	}
}

// A model that uses more than was forecast is held to what it really uses.
func TestForecastsLearn(t *testing.T) {
	account := budget.NewAccount(budget.Limits{Tokens: 1000}, budget.Spent{}, nil)
	calls := 0
	m := newMeter(t, budget.Config{Account: account, Forecast: forecast, Model: modelFunc(func(context.Context, qa.Request) (qa.Reply, error) {
		calls++
		return usage(130, 60), nil
	})})
	for range 9 {
		if _, err := m.Complete(t.Context(), qa.Request{}); err != nil {
			break
		}
	}
	u := account.Spent().Usage
	if used := u.Prompt + u.Completion; used != 950 || calls != 5 {
		t.Errorf("%d tokens of 1000 in %d calls, want 950 in 5", used, calls)
	}
}
