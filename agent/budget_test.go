package agent_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"airqa/agent"
	"airqa/qa"
)

// counting is a clock that advances by a second per reading.
func counting() func() time.Time {
	now := time.Date(2031, 1, 1, 0, 0, 0, 0, time.UTC)
	return func() time.Time {
		now = now.Add(time.Second)
		return now
	}
}

func TestBudget(t *testing.T) {
	forecast := func(r qa.Request) qa.Usage { return qa.Usage{Prompt: 10 * len(r.Messages), Completion: 5} }
	price := func(u qa.Usage) float64 { return float64(u.Prompt + u.Completion) }
	tests := []struct {
		name   string
		budget agent.Budget
		want   qa.Outcome
		calls  int
		reason string
	}{
		{"none", agent.Budget{}, qa.Answered, 4, ""},
		{"fits", agent.Budget{Tokens: 1000, USD: 1000}, qa.Answered, 4, ""},
		// 11 tokens per call; the third sees six messages, so 22 used and 65 forecast.
		{"tokens", agent.Budget{Tokens: 80}, qa.TokenLimit, 2, "22 tokens used and up to 65"},
		{"cost", agent.Budget{USD: 80}, qa.CostLimit, 2, "$22.0000 used"},
		{"not even one call", agent.Budget{Tokens: 20}, qa.TokenLimit, 0, "0 tokens used"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := &model{replies: []string{"look", "look", "look", "final"}}
			tt.budget.Forecast, tt.budget.Price = forecast, price
			s := setup(m, &env{}, &log{})
			s.Budget, s.Now = tt.budget, counting()
			ep := start(t, s)
			if err := (&agent.Loop{Episode: ep, Settings: qa.Settings{ToolSettings: qa.ToolSettings{Turns: 9}, Window: 5}, Read: read}).Run(t.Context()); err != nil {
				if err := ep.Fail(err); err != nil {
					t.Fatal(err)
				}
			}
			got := ep.Trajectory()
			if got.Outcome != tt.want || len(m.shown) != tt.calls || !strings.Contains(got.Reason, tt.reason) {
				t.Errorf("outcome %s (%s) after %d calls, want %s (%s) after %d", got.Outcome, got.Reason, len(m.shown), tt.want, tt.reason, tt.calls)
			}
			if got.Outcome.Failed() {
				t.Errorf("%s counts as a failure, and would be tried again", got.Outcome)
			}
		})
	}
}

// tooLong refuses conversations with too many messages.
type tooLong struct {
	model
	most int
}

func overflow(n int) error {
	return &qa.CallError{
		Class: qa.FailContextOverflow, Attempts: []qa.Attempt{{Status: 400, Error: qa.FailContextOverflow}},
		Err: fmt.Errorf("%d messages are too many", n),
	}
}

func (m *tooLong) Complete(ctx context.Context, r qa.Request) (qa.Reply, error) {
	if len(r.Messages) > m.most {
		return qa.Reply{}, overflow(len(r.Messages))
	}
	return m.model.Complete(ctx, r)
}

func TestOverflow(t *testing.T) {
	tests := []struct {
		name  string
		most  int
		want  qa.Outcome
		shown []int
	}{
		{"half the window fits", 8, qa.Answered, []int{2, 4, 6, 8, 6, 6}},
		{"half of the window is too long as well", 5, qa.Answered, []int{2, 4, 4, 4, 4, 4}},
		{"only the task fits", 3, qa.Answered, []int{2, 2, 2, 2, 2, 2}},
		{"nothing fits", 1, qa.ContextOverflow, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := &tooLong{model: model{replies: []string{"a", "b", "c", "d", "e", "final"}}, most: tt.most}
			l := &log{}
			s := setup(&m.model, &env{}, l)
			s.Model = m
			ep := start(t, s)
			if err := (&agent.Loop{Episode: ep, Settings: qa.Settings{ToolSettings: qa.ToolSettings{Turns: 9}, Window: 4}, Read: read}).Run(t.Context()); err != nil {
				if err := ep.Fail(err); err != nil {
					t.Fatal(err)
				}
			}
			tr := ep.Trajectory()
			var shown []int
			refused := 0
			for i, s := range tr.Steps {
				shown = append(shown, len(m.shown[i]))
				for _, a := range s.Reply.Attempts {
					if a.Error == "context_overflow" {
						refused++
					}
				}
			}
			if diff := cmp.Diff(tt.shown, shown); tr.Outcome != tt.want || diff != "" {
				t.Errorf("outcome %s (%s), messages shown (-want +got):\n%s", tr.Outcome, tr.Reason, diff)
			}
			if tt.want == qa.Answered && refused == 0 {
				t.Error("the record does not say that a request was refused")
			}
		})
	}
}

// A spent run budget leaves the episode unchanged; a cancelled call leaves a record of its possible cost.
func TestUnfinished(t *testing.T) {
	t.Run("suspended", func(t *testing.T) {
		l := &log{}
		ep := start(t, setup(&model{err: suspension}, &env{}, l))
		err := (&agent.Loop{Episode: ep, Settings: qa.Settings{ToolSettings: qa.ToolSettings{Turns: 3}, Window: 5}, Read: read}).Run(t.Context())
		var call *qa.CallError
		if qa.Suspension(err) == "" || errors.As(err, &call) {
			t.Errorf("error %v", err)
		}
	})
	t.Run("cancelled", func(t *testing.T) {
		l := &log{}
		ep := start(t, setup(&model{err: overflow(3)}, &env{}, l))
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		err := (&agent.Loop{Episode: ep, Settings: qa.Settings{ToolSettings: qa.ToolSettings{Turns: 3}, Window: 5}, Read: read}).Run(ctx)
		if !errors.Is(err, context.Canceled) || l.events[len(l.events)-1] != "lost 1" {
			t.Errorf("error %v, events %v", err, l.events)
		}
	})
}

var suspension = &qa.SuspendedError{Reason: "budget reached"}

// hanging responds only when its context ends.
type hanging struct{}

func (hanging) Complete(ctx context.Context, _ qa.Request) (qa.Reply, error) {
	<-ctx.Done()
	return qa.Reply{}, fmt.Errorf("asking: %w", ctx.Err())
}

// The deadline of an episode ends a call in flight and is an outcome; the end of the run is not.
func TestDeadline(t *testing.T) {
	s := setup(nil, &env{}, &log{})
	s.Model, s.Budget = hanging{}, agent.Budget{Deadline: 10 * time.Millisecond}
	ep := start(t, s)
	ctx, cancel := ep.Context(t.Context())
	defer cancel()
	err := (&agent.Loop{Episode: ep, Settings: qa.Settings{ToolSettings: qa.ToolSettings{Turns: 3}, Window: 5}, Read: read}).Run(ctx)
	if err == nil || ep.Fail(err) != nil {
		t.Fatalf("error %v", err)
	}
	if got := ep.Trajectory(); got.Outcome != qa.TimeLimit || !strings.Contains(got.Reason, "no answer in 10ms") {
		t.Errorf("outcome %s, reason %q", got.Outcome, got.Reason)
	}
}

// failing fails with the attempts of a call that the deadline ended.
type failing struct {
	class    qa.FailureClass
	attempts []qa.Attempt
}

func (f failing) Complete(ctx context.Context, _ qa.Request) (qa.Reply, error) {
	<-ctx.Done()
	return qa.Reply{}, &qa.CallError{Class: f.class, Attempts: f.attempts, Err: ctx.Err()}
}

// A deadline that passes while the endpoint refuses or fails leaves the question to be retried.
func TestDeadlineWithoutEndpoint(t *testing.T) {
	cancelled := qa.Attempt{Error: qa.FailCancelled}
	tests := []struct {
		name  string
		model failing
		want  qa.Outcome
	}{
		{"refused, then waiting", failing{qa.FailCancelled, []qa.Attempt{{Error: qa.FailUnreachable}}}, qa.EndpointError},
		{"limited, then in flight", failing{qa.FailCancelled, []qa.Attempt{{Error: qa.FailRateLimit, Status: 429}, cancelled}}, qa.EndpointError},
		{"in the queue", failing{qa.FailRateLimit, nil}, qa.EndpointError},
		{"slow", failing{qa.FailCancelled, []qa.Attempt{cancelled}}, qa.TimeLimit},
		{"a wrong key", failing{qa.FailCancelled, []qa.Attempt{{Error: qa.FailAuth, Status: 401}}}, qa.TimeLimit},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := setup(nil, &env{}, &log{})
			s.Model, s.Budget = tt.model, agent.Budget{Deadline: time.Millisecond}
			ep := start(t, s)
			ctx, cancel := ep.Context(t.Context())
			defer cancel()
			if err := (&agent.Loop{Episode: ep, Settings: qa.Settings{ToolSettings: qa.ToolSettings{Turns: 3}, Window: 5}, Read: read}).Run(ctx); ep.Fail(err) != nil {
				t.Fatal(err)
			}
			got := ep.Trajectory()
			if got.Outcome != tt.want || got.Transient != (tt.want == qa.EndpointError) {
				t.Errorf("outcome %s, transient %v, reason %q; want %s", got.Outcome, got.Transient, got.Reason, tt.want)
			}
		})
	}
}

// failingStore fails until the deadline.
type failingStore struct{ err error }

func (f failingStore) Act(ctx context.Context, _ qa.Action) (qa.Observation, error) {
	<-ctx.Done()
	return qa.Observation{}, f.err
}

// A deadline that passes while a store or an embedding model is away leaves the question to be retried, too.
func TestDeadlineWithoutStore(t *testing.T) {
	for _, tt := range []struct {
		err  error
		want qa.Outcome
	}{
		{fmt.Errorf("retrieve: %w", &qa.UnavailableError{Err: context.DeadlineExceeded}), qa.ToolFailure},
		{context.DeadlineExceeded, qa.TimeLimit},
	} {
		s := setup(&model{replies: []string{"a"}}, &env{}, &log{})
		s.Env, s.Budget = failingStore{tt.err}, agent.Budget{Deadline: 20 * time.Millisecond}
		ep := start(t, s)
		ctx, cancel := ep.Context(t.Context())
		defer cancel()
		if err := (&agent.Loop{Episode: ep, Settings: qa.Settings{ToolSettings: qa.ToolSettings{Turns: 3}, Window: 5}, Read: read}).Run(ctx); ep.Fail(err) != nil {
			t.Fatal(err)
		}
		if got := ep.Trajectory(); got.Outcome != tt.want || got.Transient != (tt.want == qa.ToolFailure) {
			t.Errorf("%v: outcome %s, transient %v", tt.err, got.Outcome, got.Transient)
		}
	}
}

// Every call carries the remaining allowance of its question, which accounts for failed requests.
func TestLeft(t *testing.T) {
	failed := qa.Attempt{Status: 500, Error: qa.FailServer, Charged: &qa.Usage{Prompt: 20, Completion: 5}}
	tests := []struct {
		name   string
		budget agent.Budget
		want   qa.Allowance
	}{
		{"none", agent.Budget{}, qa.Allowance{}},
		{"tokens", agent.Budget{Tokens: 80}, qa.Allowance{Tokens: 55}},
		{"cost", agent.Budget{USD: 60}, qa.Allowance{USD: 35}},
		{"both", agent.Budget{Tokens: 80, USD: 60}, qa.Allowance{Tokens: 55, USD: 35}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.budget.Forecast = func(qa.Request) qa.Usage { return qa.Usage{Prompt: 20, Completion: 5} }
			tt.budget.Price = func(u qa.Usage) float64 { return float64(u.Prompt + u.Completion) }
			s := setup(nil, &env{}, &log{})
			var left qa.Allowance
			s.Model = modelFunc(func(r qa.Request) (qa.Reply, error) {
				left = r.Left
				return qa.Reply{}, errors.New("no reply")
			})
			s.Budget, s.Prior.FailedAttempts = tt.budget, []qa.Attempt{failed}
			if err := (&agent.Loop{Episode: start(t, s), Settings: qa.Settings{ToolSettings: qa.ToolSettings{Turns: 1}, Window: 5}, Read: read}).Run(t.Context()); err == nil || left != tt.want {
				t.Errorf("%+v left, want %+v; error %v", left, tt.want, err)
			}
		})
	}
}

type modelFunc func(qa.Request) (qa.Reply, error)

func (f modelFunc) Complete(_ context.Context, r qa.Request) (qa.Reply, error) { return f(r) }

// A call stopped by the run's budget between two requests leaves a record of the first.
func TestSuspendedBetweenRequests(t *testing.T) {
	l := &log{}
	ep := start(t, setup(&model{err: &qa.CallError{Attempts: []qa.Attempt{{Status: 500, Error: qa.FailServer}}, Err: suspension}}, &env{}, l))
	err := (&agent.Loop{Episode: ep, Settings: qa.Settings{ToolSettings: qa.ToolSettings{Turns: 3}, Window: 5}, Read: read}).Run(t.Context())
	if qa.Suspension(err) != "budget reached" || l.events[len(l.events)-1] != "lost 1" {
		t.Errorf("error %v, events %v", err, l.events)
	}
}
