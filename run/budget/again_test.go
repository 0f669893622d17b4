package budget_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"airqa/qa"
	"airqa/run/budget"
)

// failing is a model whose requests all fail in one way.
func failing(a qa.Attempt) modelFunc {
	return func(context.Context, qa.Request) (qa.Reply, error) {
		time.Sleep(time.Millisecond)
		return qa.Reply{}, &qa.CallError{Class: a.Error, Attempts: []qa.Attempt{a}, Err: errors.New("no reply")}
	}
}

// repeat makes requests as a retrying model does: at most n, each with those before it. It returns what was tried.
func repeat(ctx context.Context, m qa.Model, r qa.Request, n int) ([]qa.Attempt, error) {
	for range n {
		_, err := m.Complete(ctx, r)
		tried := qa.Tried(err)
		if err == nil || len(tried) == 0 {
			return r.Tried, err
		}
		r.Tried = append(r.Tried, tried...)
	}
	return r.Tried, errors.New("tried often enough")
}

// Retries never exceed the limit either, and their record matches the account.
func TestRepeatedRequestsNeverPass(t *testing.T) {
	account := budget.NewAccount(budget.Limits{Tokens: 2000}, budget.Spent{}, nil)
	m := newMeter(t, budget.Config{Account: account, Forecast: forecast, Model: failing(qa.Attempt{Status: 500, Error: qa.FailServer})})
	var all sync.WaitGroup
	var mu sync.Mutex
	recorded := 0
	for range 8 {
		all.Go(func() {
			tried, err := repeat(t.Context(), m, qa.Request{}, 6)
			if qa.Suspension(err) == "" && len(tried) != 6 {
				t.Errorf("error %v", err)
			}
			mu.Lock()
			defer mu.Unlock()
			u := qa.Trajectory{FailedAttempts: tried}.Charged()
			recorded += u.Prompt + u.Completion
		})
	}
	all.Wait()
	u := account.Spent().Usage
	if used := u.Prompt + u.Completion; used > 2000 || used < 1900 || used != recorded {
		t.Errorf("%d tokens used of 2000, %d in the record", used, recorded)
	}
}

// A request is retried while it fits the question's remaining budget.
func TestQuestionHasLeft(t *testing.T) {
	tests := []struct {
		name  string
		left  qa.Allowance
		tried int
	}{
		{"no limit", qa.Allowance{}, 6},
		{"tokens for none: the caller checks the first request", qa.Allowance{Tokens: 149}, 1},
		{"tokens for three", qa.Allowance{Tokens: 450}, 3},
		{"a token short of three", qa.Allowance{Tokens: 449}, 2},
		{"money for two", qa.Allowance{USD: 1.2}, 2},
		{"money for one", qa.Allowance{USD: 1.19}, 1},
		{"the tighter of both", qa.Allowance{Tokens: 450, USD: 1.2}, 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			account := budget.NewAccount(budget.Limits{}, budget.Spent{}, nil)
			m := newMeter(t, budget.Config{
				Account: account, Forecast: forecast, Price: price, Model: failing(qa.Attempt{Status: 500, Error: qa.FailServer}),
			})
			tried, err := repeat(t.Context(), m, qa.Request{Left: tt.left}, 6)
			if len(tried) != tt.tried || account.Spent().Usage.Prompt != 100*tt.tried {
				t.Errorf("%d requests, %+v charged, want %d requests", len(tried), account.Spent(), tt.tried)
			}
			if want := tt.tried < 6; (qa.ClassOf(err) == qa.FailBudget) != want {
				t.Errorf("error %v", err)
			}
		})
	}
}

// What never reached an endpoint costs nothing.
func TestUnreachableIsFree(t *testing.T) {
	account := budget.NewAccount(budget.Limits{Tokens: 200}, budget.Spent{}, nil)
	m := newMeter(t, budget.Config{Account: account, Forecast: forecast, Model: failing(qa.Attempt{Error: qa.FailUnreachable})})
	tried, err := repeat(t.Context(), m, qa.Request{}, 6)
	if u := account.Spent().Usage; len(tried) != 6 || qa.Suspension(err) != "" || u.Prompt != 0 {
		t.Errorf("error %v, %d prompt tokens charged", err, u.Prompt)
	}
}

// A model that uses more than was forecast is bounded by its worst reply: no call is made that may pass the limit.
func TestForecastsLearn(t *testing.T) {
	type tokens struct{ prompt, completion int }
	tests := []struct {
		name    string
		limit   int
		replies []tokens // the last one repeats
		used    int
		calls   int
	}{
		// A sixth call would make it 1140: 1.3 times the forecast prompt and 1.2 times the completion must both count.
		{"one token short of a call", 1139, []tokens{{130, 60}}, 950, 5},
		{"just enough", 1140, []tokens{{130, 60}}, 1140, 6},
		// Later replies within their forecast do not make up for the first.
		{"the worst reply counts", 1129, []tokens{{130, 60}, {100, 50}}, 940, 6},
		{"a longer reply later", 1139, []tokens{{100, 50}, {130, 60}}, 1100, 6},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			account := budget.NewAccount(budget.Limits{Tokens: tt.limit}, budget.Spent{}, nil)
			calls := 0
			m := newMeter(t, budget.Config{Account: account, Forecast: forecast, Model: modelFunc(func(context.Context, qa.Request) (qa.Reply, error) {
				r := tt.replies[min(calls, len(tt.replies)-1)]
				calls++
				return usage(r.prompt, r.completion), nil
			})})
			for range 9 {
				if _, err := m.Complete(t.Context(), qa.Request{}); err != nil {
					break
				}
			}
			u := account.Spent().Usage
			if used := u.Prompt + u.Completion; used != tt.used || calls != tt.calls {
				t.Errorf("%d tokens of %d in %d calls, want %d in %d", used, tt.limit, calls, tt.used, tt.calls)
			}
		})
	}
}

// Earlier spending counts: an account charged with it rejects calls that no longer fit.
func TestChargedBefore(t *testing.T) {
	account := budget.NewAccount(budget.Limits{Tokens: 1000, USD: 100}, budget.Spent{}, nil)
	account.Charge(budget.Spent{Usage: qa.Usage{Prompt: 600, Completion: 100}, USD: 2, Calls: 3})
	account.Charge(budget.Spent{Usage: qa.Usage{Prompt: 100, Completion: 50}, USD: 1, Calls: 1})
	m := newMeter(t, budget.Config{Account: account, Forecast: forecast, Price: price, Model: modelFunc(func(context.Context, qa.Request) (qa.Reply, error) {
		t.Error("a call was made")
		return qa.Reply{}, nil
	})})
	if _, err := m.Complete(t.Context(), qa.Request{}); qa.Suspension(err) == "" {
		t.Errorf("error %v", err)
	}
	want := budget.Spent{Usage: qa.Usage{Prompt: 700, Completion: 150}, USD: 3, Calls: 4}
	if got := account.Spent(); got != want {
		t.Errorf("spent %+v, want %+v", got, want)
	}
}
