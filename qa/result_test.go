package qa_test

import (
	"testing"

	"airqa/qa"
)

// An error action is one whose observation is an error, also if the program ran it; a final answer in words and the program's own first
// step are no actions.
func TestActionResult(t *testing.T) {
	reply, call := &qa.Reply{}, &qa.Action{Name: "Query"}
	seen := func(status qa.Status) *qa.Observation { return &qa.Observation{Status: status} }
	program := func(status qa.Status) qa.Step {
		return qa.Step{By: qa.ByProgram, Action: call, Observation: seen(status)}
	}
	tests := map[string]struct {
		steps []qa.Step
		fault string
		acts  bool
	}{
		"no action":                   {[]qa.Step{{Reply: reply, ParseError: &qa.ParseError{Kind: qa.ErrNoAction}, Observation: seen(qa.StatusParse)}}, qa.ErrNoAction, true},
		"unreadable, and the end":     {[]qa.Step{{Reply: reply, ParseError: &qa.ParseError{Kind: qa.ErrSyntax}}}, qa.ErrSyntax, true},
		"failed":                      {[]qa.Step{{Reply: reply, Action: call, Observation: seen(qa.StatusError)}}, qa.ToolError, true},
		"empty":                       {[]qa.Step{{Reply: reply, Action: call, Observation: seen(qa.StatusEmpty)}}, "", true},
		"without a result":            {[]qa.Step{{Reply: reply, Action: call}}, "", true},
		"words":                       {[]qa.Step{{Reply: reply}}, "", false},
		"the program's own":           {[]qa.Step{program(qa.StatusError)}, "", false},
		"the statement in words":      {[]qa.Step{{Reply: reply}, program(qa.StatusError)}, qa.ToolError, true},
		"the statement that ran":      {[]qa.Step{{Reply: reply}, program(qa.StatusOK)}, "", true},
		"a call, then the program's":  {[]qa.Step{{Reply: reply, Action: call, Observation: seen(qa.StatusOK)}, program(qa.StatusError)}, "", true},
		"words, then another's words": {[]qa.Step{{Reply: reply}, {Reply: reply, Action: call, Observation: seen(qa.StatusError)}}, "", false},
	}
	for name, tt := range tests {
		if _, fault, acts := qa.ActionResult(tt.steps, 0); fault != tt.fault || acts != tt.acts {
			t.Errorf("%s: %q, an action %v; want %q, %v", name, fault, acts, tt.fault, tt.acts)
		}
	}
}
