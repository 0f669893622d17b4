package modeltest

import (
	"context"
	"errors"
	"testing"

	"airqa/qa"
)

// Double is a model for tests of models that wrap models. It replies, fails with Class if that is set, and waits for
// the end of the context if Asked is set. Calls may overlap.
type Double struct {
	Class qa.FailureClass
	Asked func()
}

// Complete simulates one request.
func (d Double) Complete(ctx context.Context, r qa.Request) (qa.Reply, error) {
	if d.Asked != nil {
		d.Asked()
		<-ctx.Done()
	}
	if err := ctx.Err(); err != nil {
		tried := []qa.Attempt{{Error: qa.FailCancelled}}
		return qa.Reply{}, &qa.CallError{Class: qa.FailCancelled, Attempts: tried, Err: err}
	}
	if d.Class != "" {
		tried := []qa.Attempt{{Error: d.Class}}
		return qa.Reply{}, &qa.CallError{Class: d.Class, Attempts: tried, Err: errors.New("the double fails")}
	}
	reply := qa.Reply{Text: "ok", Usage: qa.Usage{Prompt: 9, Completion: 3}, Attempts: []qa.Attempt{{Status: 200}}}
	for _, tool := range r.Tools {
		reply.ToolCalls = append(reply.ToolCalls, qa.ToolCall{ID: "a", Name: tool.Name, Arguments: []byte(`{"query":"x"}`)})
	}
	return reply, nil
}

// Around configures the tests of models made by wrap around a [Double]; a failing call makes one request.
func Around(wrap func(t *testing.T, inner qa.Model) qa.Model) Config {
	return Config{
		New:   func(t *testing.T) qa.Model { return wrap(t, Double{}) },
		Tools: func(t *testing.T) qa.Model { return wrap(t, Double{}) },
		Failing: func(t *testing.T) (qa.Model, qa.FailureClass, int) {
			return wrap(t, Double{Class: qa.FailAuth}), qa.FailAuth, 1
		},
		Hanging: func(t *testing.T, asked func()) qa.Model { return wrap(t, Double{Asked: asked}) },
	}
}
