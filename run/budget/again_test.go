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

// What was spent before counts: an account that was charged with it accepts no call that does not fit beside it.
func TestChargedBefore(t *testing.T) {
	account := budget.NewAccount(budget.Limits{Tokens: 1000, USD: 100}, budget.Spent{}, nil)
	account.Charge(budget.Spent{Usage: qa.Usage{Prompt: 600, Completion: 100}, USD: 2, Calls: 3})
	account.Charge(budget.Spent{Usage: qa.Usage{Prompt: 100, Completion: 50}, USD: 1, Calls: 1})
	m := newMeter(t, budget.Config{Account: account, Forecast: forecast, Price: price, Model: modelFunc(func(context.Context, qa.Request) (qa.Reply, error) {
		t.Error("a call was made")
		return qa.Reply{}, nil
	})})
	if _, err := m.Complete(t.Context(), qa.Request{}); !agent.Suspended(err) {
		t.Errorf("error %v", err)
	}
	want := budget.Spent{Usage: qa.Usage{Prompt: 700, Completion: 150}, USD: 3, Calls: 4}
	if got := account.Spent(); got != want {
		t.Errorf("spent %+v, want %+v", got, want)
	}
}
