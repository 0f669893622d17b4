package main

import (
	"context"
	"errors"

	"airqa/llm"
	"airqa/qa"
)

// endpoint lets an agent ask a chat model.
type endpoint struct{ model llm.Model }

// toolCaller is a model that can be offered tools natively.
type toolCaller interface {
	CompleteTools(ctx context.Context, messages []qa.Message, tools []qa.ToolSpec) (qa.Reply, error)
}

// Complete implements agent.Model.
func (e endpoint) Complete(ctx context.Context, r qa.Request) (qa.Reply, error) {
	if len(r.Tools) == 0 {
		return e.model.Complete(ctx, r.Messages)
	}
	native, ok := e.model.(toolCaller)
	if !ok {
		return qa.Reply{}, errors.New("this model cannot be offered tools; use --protocol react")
	}
	return native.CompleteTools(ctx, r.Messages, r.Tools)
}
