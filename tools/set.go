package tools

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"airqa/agent/action"
	"airqa/qa"
)

// Tool is an action that an agent can take.
type Tool interface {
	// Spec describes the tool to the model and to the parser.
	Spec() action.Spec
	// Call performs a, whose arguments match Spec.
	Call(ctx context.Context, a qa.Action) (qa.Observation, error)
}

// Set is the tools of one agent and implements the environment of the agent loop. It is safe for concurrent use if its
// tools are.
type Set []Tool

// Specs returns the descriptions in order.
func (s Set) Specs() []action.Spec {
	specs := make([]action.Spec, len(s))
	for i, t := range s {
		specs[i] = t.Spec()
	}
	return specs
}

// Find returns the tool with a name; nil if there is none.
func (s Set) Find(name string) Tool {
	for _, t := range s {
		if t.Spec().Name == name {
			return t
		}
	}
	return nil
}

// Act calls the tool named by an action. A panic of a tool becomes an error that ends only the episode.
func (s Set) Act(ctx context.Context, a qa.Action) (o qa.Observation, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("tool %s panicked: %v\n%s", a.Name, p, debug.Stack())
		}
	}()
	if t := s.Find(a.Name); t != nil {
		return t.Call(ctx, a)
	}
	return qa.Observation{}, fmt.Errorf("no tool is named %s", a.Name)
}

// failed makes an observation of a [*Fault]; any other error remains one.
func failed(err error) (qa.Observation, error) {
	var f *Fault
	if errors.As(err, &f) {
		return refuse(f.Text), nil
	}
	return qa.Observation{}, err
}

// refuse makes an observation of a caller's mistake.
func refuse(text string) qa.Observation {
	return qa.Observation{Status: qa.StatusError, Text: "[Error]: " + text}
}
