package action

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"airqa/qa"
)

// none returns the error of a reply without a call that may run; from is where one was expected.
func (s *scanner) none(c choice, from int) *qa.ParseError {
	reason := "no action found in the reply. "
	switch {
	case c.answer != nil:
		reason = "the call of " + last + " is not final: it is part of a sentence, or beside another call or a result. " +
			"Write it alone, as the last thing of the reply. "
	case c.result:
		reason = "no action found before the observation in the reply. Observations come from the actions: write none yourself. "
	case len(s.hidden) > 0 && s.blank(s.from, len(s.reply)):
		reason = "no action found in the reply: all of it is thinking. "
	case s.Format.orPython() == Python && slices.ContainsFunc(otherCalls, func(call string) bool { return strings.Contains(s.reply[from:], call) }):
		reason = "no action found in the reply: it looks like JSON, and an action is a call in Python. "
	}
	example := "Answer(answer=42)"
	if len(s.Specs) > 0 {
		example = s.Format.Write(s.Specs[0], map[string]any{s.Specs[0].Params[0].Name: "..."})
	}
	return at(s.reply, from, qa.ErrNoAction, reason+"Write \"[Action]:\" and "+s.wanted()+", for example "+example+".")
}

// otherCalls occur in other formats of tool calls on which models were trained.
var otherCalls = []string{"<tool_call>", "<function_call>", "Action Input:", `"action_type"`, `"arguments"`, `"parameters"`, `"tool_calls"`}

func (g Grammar) wanted() string {
	if f := g.Format.orPython(); f != Python {
		return "one action in " + strings.ToUpper(string(f)) + " with one of the types " + Names(g.Specs)
	}
	return "one call of " + Names(g.Specs)
}

func (g Grammar) unknown(reply string, i int, name string) *qa.ParseError {
	return at(reply, i, qa.ErrUnknownAction, fmt.Sprintf("there is no action %s here. The actions are %s.", short(name), Names(g.Specs)))
}

// at makes a parse error with the line and column of a byte offset, which its text includes.
func at(reply string, offset int, kind, reason string) *qa.ParseError {
	offset = min(max(offset, 0), len(reply))
	before := reply[:offset]
	start := strings.LastIndexByte(before, '\n') + 1
	e := &qa.ParseError{
		Kind: kind, Reason: reason, Offset: offset,
		Line: 1 + strings.Count(before, "\n"), Column: 1 + utf8.RuneCountInString(before[start:]),
	}
	if kind != qa.ErrNoAction {
		e.Reason = fmt.Sprintf("line %d, column %d of the reply: %s", e.Line, e.Column, reason)
	}
	return e
}
