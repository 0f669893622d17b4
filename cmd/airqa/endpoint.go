package main

import (
	"context"
	"errors"

	"airqa/llm"
	"airqa/qa"
)

// endpoint lets an agent ask a chat model.
type endpoint struct{ model llm.Model }

// Complete implements agent.Model.
func (e endpoint) Complete(ctx context.Context, r qa.Request) (qa.Reply, error) {
	ctx = llm.WithAgain(ctx, r.Again)
	if len(r.Tools) == 0 {
		return e.model.Complete(ctx, r.Messages)
	}
	native, ok := e.model.(llm.ToolModel)
	if !ok {
		return qa.Reply{}, errors.New("this model cannot be offered tools; use --protocol react")
	}
	return native.CompleteTools(ctx, r.Messages, r.Tools)
}
