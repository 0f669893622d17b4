package qa_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/qa"
)

func TestUsageAdd(t *testing.T) {
	a := qa.Usage{Prompt: 100, Completion: 20, Cached: 30, Reasoning: 4}
	b := qa.Usage{Prompt: 7, Completion: 5, Cached: 3, Reasoning: 2, Estimated: true}
	want := qa.Usage{Prompt: 107, Completion: 25, Cached: 33, Reasoning: 6, Estimated: true}
	if diff := cmp.Diff(want, a.Add(b)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if a.Add(b) != b.Add(a) || a.Add(a).Estimated {
		t.Error("the sum depends on the order, or is estimated without an estimate")
	}
}

func TestPriceOf(t *testing.T) {
	p := qa.Price{Prompt: 2, Completion: 10, Cached: 0.5}
	tests := []struct {
		name  string
		usage qa.Usage
		want  float64
	}{
		{"nothing", qa.Usage{}, 0},
		{"a million prompt tokens", qa.Usage{Prompt: 1e6}, 2},
		{"a million reply tokens, reasoning among them", qa.Usage{Completion: 1e6, Reasoning: 9e5}, 10},
		{"a quarter cached", qa.Usage{Prompt: 1e6, Cached: 25e4}, 1.625},
		{"all cached", qa.Usage{Prompt: 1e6, Cached: 1e6}, 0.5},
		// Some endpoints count cached tokens separately from the prompt; the price must not become negative.
		{"more cached than prompt", qa.Usage{Prompt: 10, Cached: 1e6}, 0.5},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := p.Of(tt.usage); got != tt.want {
				t.Errorf("$%v, want $%v", got, tt.want)
			}
		})
	}
}

func TestCallError(t *testing.T) {
	tried := []qa.Attempt{{Status: 500, Error: qa.FailServer}, {Error: qa.FailTimeout}}
	cause := errors.New("no reply")
	err := fmt.Errorf("ask the model: %w", &qa.CallError{Class: qa.FailTimeout, Attempts: tried, Err: cause, Hint: "wait"})
	if want := "ask the model: after 2 requests: no reply (wait)"; err.Error() != want || !errors.Is(err, cause) {
		t.Errorf("error %q, want %q", err, want)
	}
	if diff := cmp.Diff(tried, qa.Tried(err)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := qa.Tried(errors.New("disk full")); got != nil {
		t.Errorf("requests of another error: %v", got)
	}
	for want, err := range map[qa.FailureClass]error{
		"": nil, qa.FailTimeout: err, qa.FailCancelled: fmt.Errorf("x: %w", context.Canceled), qa.FailUnknown: cause,
	} {
		if got := qa.ClassOf(err); got != want {
			t.Errorf("class %q of %v, want %q", got, err, want)
		}
	}
}

// One request needs no count, and an error without a hint ends with its cause.
func TestCallErrorOfOneRequest(t *testing.T) {
	err := &qa.CallError{Attempts: []qa.Attempt{{Status: 401}}, Err: errors.New("no key")}
	if err.Error() != "no key" {
		t.Errorf("error %q", err)
	}
}

// The same request may succeed later, unless the request itself or its sender is at fault.
func TestTransient(t *testing.T) {
	for class, want := range map[qa.FailureClass]bool{
		qa.FailRateLimit: true, qa.FailServer: true, qa.FailNetwork: true, qa.FailUnreachable: true, qa.FailTimeout: true, qa.FailGarbage: true,
		qa.FailAuth: false, qa.FailTLS: false, qa.FailImages: false, qa.FailBadRequest: false, qa.FailContextOverflow: false,
		qa.FailCancelled: false, qa.FailBudget: false, qa.FailUnknown: false, "": false,
	} {
		if class.Transient() != want {
			t.Errorf("%q: transient is %v", class, !want)
		}
	}
}

func TestSuspension(t *testing.T) {
	err := fmt.Errorf("ask: %w", &qa.CallError{Err: &qa.SuspendedError{Reason: "budget reached"}})
	if got := qa.Suspension(err); got != "budget reached" {
		t.Errorf("%q", got)
	}
	if got := qa.Suspension(errors.New("disk full")); got != "" {
		t.Errorf("%q of another error", got)
	}
}

func TestOutcomes(t *testing.T) {
	tests := map[qa.Outcome][2]bool{ // failed, again
		qa.Answered: {}, qa.TurnLimit: {}, qa.TokenLimit: {}, qa.CostLimit: {}, qa.TimeLimit: {}, qa.FormatErrors: {}, qa.RepeatLimit: {}, qa.ContextOverflow: {},
		qa.EndpointError: {true, true}, qa.ToolFailure: {true, true}, qa.Cancelled: {true, true},
		qa.NoImages: {true, false},
	}
	for outcome, want := range tests {
		if got := [2]bool{outcome.Failed(), outcome.Again()}; got != want {
			t.Errorf("%s: failed and again are %v, want %v", outcome, got, want)
		}
	}
}

func TestUnavailable(t *testing.T) {
	cause := errors.New("connection refused")
	err := fmt.Errorf("retrieve: %w", &qa.UnavailableError{Err: cause})
	if !errors.Is(err, cause) || err.Error() != "retrieve: connection refused" {
		t.Errorf("error %v", err)
	}
}
