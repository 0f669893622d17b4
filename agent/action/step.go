package action

import (
	"strings"

	"airqa/qa"
)

// Protocol defines where a reply may contain its action.
type Protocol int

// The protocols.
const (
	// AsText is text with an action in it.
	AsText Protocol = iota
	// AsCall is a native tool call; text is the thought.
	AsCall
	// AsTextOrCall is a native call, or else text.
	AsTextOrCall
)

// ReadStep fills a step from its reply: thought, action or error, and the kept part. Of several native calls, the first
// is run.
func (g Grammar) ReadStep(s *qa.Step, p Protocol) {
	s.Unlabelled = p != AsText
	if p == AsCall || p == AsTextOrCall && len(s.Reply.ToolCalls) > 0 {
		g.readCalls(s)
	} else {
		r := g.Read(s.Reply.Text)
		s.Action, s.ParseError, s.ThoughtAt, s.Kept = r.Action, r.Error, r.Thought, r.Kept
		if s.Reply.Finish == qa.FinishLength && r.Action != nil && g.unfinished(*r.Action, s.Reply.Text) {
			s.Action, s.ParseError = nil, at(s.Reply.Text, r.Action.End, qa.ErrSyntax, "the action may be incomplete.")
		}
		if p == AsTextOrCall && r.Error != nil && r.Error.Kind == qa.ErrNoAction {
			s.ParseError = g.NoCall() // the prompt did not mention labels
		}
	}
	if s.ParseError != nil && s.Reply.Finish == qa.FinishLength {
		s.ParseError.Reason += " The reply was cut off at the limit of tokens for one reply: write less before the action."
	}
}

// readCalls fills a step from the native calls of its reply. All of the text is the thought.
func (g Grammar) readCalls(s *qa.Step) {
	s.ThoughtAt, s.Kept = Prose(s.Reply.Text), len(s.Reply.Text)
	calls := s.Reply.ToolCalls
	if len(calls) == 0 {
		s.ParseError = g.NoCall()
		return
	}
	s.Called = &calls[0]
	s.Action, s.ParseError = g.ReadCall(calls[0])
	for _, other := range calls[1:] {
		s.Others = append(s.Others, qa.CallResult{ID: other.ID, Text: qa.NotRunResult})
	}
}

// unfinished reports whether the model may not have been done with an action when its reply was cut off: a mapping has no end
// marker, so that its last line may be cut, and an answer that something follows may have been a draft.
func (g Grammar) unfinished(a qa.Action, reply string) bool {
	rest := strings.Trim(reply[a.End:], " \t\r\n`")
	return a.Name == last && rest != "" || g.Format == YAML && !strings.Contains(rest, "\n")
}

// Prose returns the range of a text without surrounding whitespace.
func Prose(text string) qa.Span { return proseIn(text, 0, len(text)) }

// proseIn returns the range between two bytes of a text without surrounding whitespace.
func proseIn(text string, first, end int) qa.Span {
	first = pass(text[:end], first, space)
	if end = first + len(strings.TrimRight(text[first:end], space)); first < end {
		return qa.Span{First: first, End: end}
	}
	return qa.Span{}
}
