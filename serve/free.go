package serve

import (
	"context"
	"fmt"
	"time"

	"airqa/agent/action"
	"airqa/qa"
	"airqa/tools"
)

// Free executes calls without a question: there is nothing to score, nothing is recorded, and any number of calls run
// concurrently.
type Free struct {
	Tools tools.Set
	// Call is the timeout of one call.
	Call time.Duration
}

// Act executes a call as in an episode.
func (f Free) Act(ctx context.Context, c Call) (Result, error) {
	if f.Tools.Find(c.Tool) == nil {
		return Result{}, fmt.Errorf("%w: %.60q", ErrNoTool, c.Tool)
	}
	a, wrong := action.Grammar{Specs: f.Tools.Specs()}.ReadCall(qa.ToolCall{Name: c.Tool, Arguments: arguments(c.Arguments)})
	if wrong != nil {
		return Result{Observation: qa.Observation{Status: qa.StatusParse, Text: "[Error]: " + wrong.Reason}}, nil
	}
	o, err := patient{f.Tools, f.Call}.Act(ctx, *a)
	if err == nil && o.Status == qa.StatusFinal {
		o.Text = "Answer: " + o.Answer.Text
	}
	return Result{Observation: o}, err
}
