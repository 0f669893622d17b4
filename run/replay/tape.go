package replay

import (
	"fmt"
	"slices"
	"strings"

	"airqa/qa"
	"airqa/run/runlog"
)

// tape is the recorded log of one episode and the place where its replay stands: as many events are in the new log.
type tape struct {
	Config
	rec    runlog.Recorded
	events []runlog.Event
	log    log
	// refused counts the requests of a step that were already replayed as refused.
	refused map[int]int
	// undo takes back what the trajectory has and the log has not, after a stop.
	undo func(*qa.Trajectory)
}

// next is the recorded event in the place of the next one; nil behind the end.
func (t *tape) next() *runlog.Event {
	if n := t.log.Events(); n < len(t.events) {
		return &t.events[n]
	}
	return nil
}

// interrupted tells whether the recorded episode was stopped in this place by something that a replay cannot bring about.
func (t *tape) interrupted() bool {
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
func (t *tape) reply(r qa.Request) (qa.Reply, error) {
	s := t.step(r.Step)
	if t.interrupted() && (!t.Loose || s == nil) {
		return qa.Reply{}, errInterrupted
	}
	if s == nil {
		return qa.Reply{}, fmt.Errorf("replay: %s holds no reply to step %d of %s%s", t.Dir, r.Step, t.rec.Episode, t.ending())
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
		return qa.Reply{}, overflow(reply.Attempts[:n:n])
	}
	if d := t.difference(shown, r.Messages); d != nil && !t.Loose {
		d.Run, d.Step = t.Dir, r.Step
		return qa.Reply{}, d
	}
	return reply, nil
}

func (t *tape) step(n int) *qa.Step {
	if n < 1 || n > len(t.rec.Steps) || t.rec.Steps[n-1].Reply == nil {
		return nil
	}
	return &t.rec.Steps[n-1]
}

// ending says how the recorded episode came to its end, for an error.
func (t *tape) ending() string {
	if t.rec.Outcome == "" {
		return ", which was not finished there"
	}
	return ", which ended there after " + fmt.Sprint(len(t.rec.Steps)) + " steps as " + string(t.rec.Outcome)
}

// shown are the messages that the model saw at a recorded step.
func (t *tape) shown(s qa.Step) []qa.Message {
	var list []qa.Message
	for _, span := range s.Shown {
		if span.First < 0 || span.First > span.End || span.End > len(t.rec.Messages) {
			return nil
		}
		list = append(list, t.rec.Messages[span.First:span.End]...)
	}
	return list
}

// overflows counts the requests up to the first that was refused as too long; 0 when none was.
func overflows(attempts []qa.Attempt) int {
	return 1 + slices.IndexFunc(attempts, func(a qa.Attempt) bool { return a.Error == qa.FailContextOverflow })
}

// difference compares a conversation with the recorded one, by what the log says of messages; nil when they are the same.
func (t *tape) difference(want, got []qa.Message) *Difference {
	for i := range max(len(want), len(got)) {
		if i >= len(got) {
			return &Difference{Message: i, What: fmt.Sprintf("(%s) is missing: %s", want[i].Role, quote(want[i].Text, 0))}
		}
		if i >= len(want) {
			return &Difference{Message: i, What: fmt.Sprintf("(%s) was not there: %s", got[i].Role, quote(got[i].Text, 0))}
		}
		now := got[i]
		now.Text = string(t.Redact([]byte(now.Text)))
		if what := differs(want[i], now); what != "" {
			return &Difference{Message: i, What: what}
		}
	}
	return nil
}

// differs says how a message is another one, "" when it is not.
func differs(want, got qa.Message) string {
	switch {
	case want.Role != got.Role:
		return fmt.Sprintf("is of the role %s and was of %s", got.Role, want.Role)
	case want.Text != got.Text:
		at := common(want.Text, got.Text)
		return fmt.Sprintf("(%s) differs from byte %d on: it was %s and is %s", got.Role, at, quote(want.Text, at), quote(got.Text, at))
	case !slices.EqualFunc(want.Images, got.Images, func(a, b qa.Image) bool { return a.SHA256 == b.SHA256 }):
		return fmt.Sprintf("(%s) shows other images", got.Role)
	case !slices.EqualFunc(want.ToolCalls, got.ToolCalls, sameCall) || want.ToolCallID != got.ToolCallID:
		return fmt.Sprintf("(%s) has other tool calls", got.Role)
	}
	return ""
}

func sameCall(a, b qa.ToolCall) bool {
	return a.ID == b.ID && a.Name == b.Name && string(a.Arguments) == string(b.Arguments)
}

// common counts the bytes that two texts begin with alike.
func common(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// quote shows what stands around a place of a text.
func quote(text string, at int) string {
	const before, after = 20, 40
	first, end := max(0, at-before), min(len(text), at+after)
	return fmt.Sprintf("%q", strings.ToValidUTF8(text[first:end], ""))
}
