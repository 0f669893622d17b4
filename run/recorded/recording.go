package recorded

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"airqa/qa"
	"airqa/runlog"
)

// recording is the recorded log of one episode. The number of events in the new log is the position in it.
type recording struct {
	Config
	rec    runlog.Recorded
	events []runlog.Event
	log    log
	// refused counts the replayed rejections per step.
	refused map[int]int
	// undo removes from the trajectory, after a stop, what is not in the log.
	undo func(*qa.Trajectory)
}

// next is the next recorded event; nil at the end.
func (t *recording) next() *runlog.Event {
	if n := t.log.Events(); n < len(t.events) {
		return &t.events[n]
	}
	return nil
}

// interrupted reports whether the recorded episode was stopped here by something that a replay cannot reproduce.
func (t *recording) interrupted() bool {
	ev := t.next()
	switch {
	case ev == nil:
		return t.rec.Outcome == ""
	case ev.Type == runlog.TypeLost:
		return true
	case ev.Type != runlog.TypeEnd:
		return false
	}
	return ev.Outcome.Failed() || ev.Outcome == qa.TimeLimit || ev.Outcome == qa.ContextOverflow
}

// reply answers a request.
func (t *recording) reply(r qa.Request) (qa.Reply, error) {
	s := t.step(r.Step)
	if t.interrupted() && (!t.Loose || s == nil) {
		return qa.Reply{}, errInterrupted
	}
	if s == nil {
		return qa.Reply{}, fmt.Errorf("replay: %s contains no reply for step %d of %s%s", t.Dir, r.Step, t.rec.Episode, t.ending())
	}
	reply := *s.Reply
	reply.Attempts = slices.Clone(reply.Attempts)
	shown := t.shown(*s)
	reply.Attempts = reply.Attempts[t.refused[r.Step]:]
	if n := overflows(reply.Attempts); n > 0 && len(r.Messages) > len(shown) {
		if t.refused == nil {
			t.refused = make(map[int]int)
		}
		t.refused[r.Step] += n
		return qa.Reply{}, &qa.CallError{
			Class: qa.FailContextOverflow, Attempts: reply.Attempts[:n:n], Err: errors.New("the conversation was too long for the model"),
		}
	}
	if d := t.difference(shown, r.Messages); d != nil && !t.Loose {
		d.Run, d.Step = t.Dir, r.Step
		return qa.Reply{}, d
	}
	return reply, nil
}

func (t *recording) step(n int) *qa.Step {
	if n < 1 || n > len(t.rec.Steps) || t.rec.Steps[n-1].Reply == nil {
		return nil
	}
	return &t.rec.Steps[n-1]
}

// ending describes the end of the recorded episode, for an error.
func (t *recording) ending() string {
	if t.rec.Outcome == "" {
		return ", which was not finished there"
	}
	return ", which ended there after " + fmt.Sprint(len(t.rec.Steps)) + " steps as " + string(t.rec.Outcome)
}

// shown are the messages that the model saw at a recorded step.
func (t *recording) shown(s qa.Step) []qa.Message {
	var list []qa.Message
	for _, span := range s.Shown {
		if span.First < 0 || span.First > span.End || span.End > len(t.rec.Messages) {
			return nil
		}
		list = append(list, t.rec.Messages[span.First:span.End]...)
	}
	return list
}

// overflows counts the requests up to the first that was rejected as too long; 0 if none was.
func overflows(attempts []qa.Attempt) int {
	return 1 + slices.IndexFunc(attempts, func(a qa.Attempt) bool { return a.Error == qa.FailContextOverflow })
}

// difference compares a conversation with the recorded one, as logged; nil if they are equal.
func (t *recording) difference(want, got []qa.Message) *Difference {
	for i := range max(len(want), len(got)) {
		if i >= len(got) {
			return &Difference{Message: i, What: fmt.Sprintf("(%s) is missing: %s", want[i].Role, quote(want[i].Text, 0))}
		}
		if i >= len(want) {
			return &Difference{Message: i, What: fmt.Sprintf("(%s) is new: %s", got[i].Role, quote(got[i].Text, 0))}
		}
		now := got[i]
		now.Text = string(t.Redact([]byte(now.Text)))
		if what := differs(want[i], now); what != "" {
			return &Difference{Message: i, What: what}
		}
	}
	return nil
}

// differs describes the difference between two messages, or returns "".
func differs(want, got qa.Message) string {
	switch {
	case want.Role != got.Role:
		return fmt.Sprintf("has the role %s; it was %s", got.Role, want.Role)
	case want.Text != got.Text:
		at := common(want.Text, got.Text)
		return fmt.Sprintf("(%s) differs from byte %d on: it was %s and is now %s", got.Role, at, quote(want.Text, at), quote(got.Text, at))
	case !slices.EqualFunc(want.Images, got.Images, func(a, b qa.Image) bool { return a.SHA256 == b.SHA256 }):
		return fmt.Sprintf("(%s) shows different images", got.Role)
	case !slices.EqualFunc(want.ToolCalls, got.ToolCalls, func(a, b qa.ToolCall) bool {
		return a.ID == b.ID && a.Name == b.Name && string(a.Arguments) == string(b.Arguments)
	}) || want.ToolCallID != got.ToolCallID:
		return fmt.Sprintf("(%s) has different tool calls", got.Role)
	}
	return ""
}

// common is the length of the common prefix of two texts in bytes.
func common(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// quote shows the text around a position.
func quote(text string, at int) string {
	const before, after = 20, 40
	first, end := max(0, at-before), min(len(text), at+after)
	return fmt.Sprintf("%q", strings.ToValidUTF8(text[first:end], ""))
}
