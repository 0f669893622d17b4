package runlog

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"airqa/internal/ledger"
	"airqa/qa"
)

// refFrom is the minimum length in bytes of a system message stored by hash, and of an observation that later messages
// refer to instead of repeating.
const refFrom = 200

// Episode writes the events of one episode. It is not safe for concurrent use.
type Episode struct {
	w    *Writer
	id   string
	seq  int
	seen []observed // observations that later messages may repeat
	lost int        // logged requests without a reply
}

type observed struct {
	step int
	text string
}

// Begin starts the episode of a question, or resumes one from prior, its logged part. Without prior, the episode starts
// from its first event, and readers ignore earlier, damaged attempts.
func (w *Writer) Begin(uuid string, repeat int, prior *Recorded) (*Episode, error) {
	e := &Episode{w: w, id: qa.EpisodeID(uuid, repeat)}
	if prior != nil && prior.Events > 0 {
		e.seq, e.lost = prior.Events, len(prior.FailedAttempts)
		for _, s := range prior.Steps {
			e.remember(s)
		}
		return e, nil
	}
	return e, e.write(startEvent{head: e.head(TypeStart), UUID: uuid, Repeat: repeat})
}

// Message records a message that the program added to the conversation.
func (e *Episode) Message(m qa.Message) error {
	parts, err := e.parts(m)
	if err != nil {
		return err
	}
	if err := e.images(m.Images); err != nil {
		return err
	}
	return e.write(messageEvent{head: e.head(TypeMessage), Role: m.Role, Parts: parts, Images: m.Images})
}

// Call records a reply of the model and its parsed action.
func (e *Episode) Call(s qa.Step) error {
	ev := callEvent{
		head: e.head(TypeCall), Step: s.N, Shown: s.Shown, Kept: s.Kept, Action: encodable(s.Action),
		ParseError: s.ParseError, Called: s.Called, Others: s.Others, Unlabelled: s.Unlabelled, Started: s.Started, Ended: s.Ended,
		Reply: reply{
			Text: ledger.Text(s.Reply.Text), Reasoning: textOf(s.Reply.Reasoning), Model: s.Reply.Model, ID: s.Reply.ID,
			Finish: s.Reply.Finish, Usage: s.Reply.Usage, Attempts: s.Reply.Attempts,
			ToolCalls: s.Reply.ToolCalls, Cached: s.Reply.Cached,
		},
	}
	if json.Valid(s.Reply.Sealed) {
		ev.Reply.Sealed = s.Reply.Sealed
	}
	if s.ThoughtAt != (qa.Span{}) {
		ev.Thought = &s.ThoughtAt
	}
	return e.write(ev)
}

// Observation records the result of step s, whose Observation must be set.
func (e *Episode) Observation(s qa.Step) error {
	o := s.Observation
	if err := e.images(o.Images); err != nil {
		return err
	}
	ev := observationEvent{
		head: e.head(TypeObservation), Step: s.N, By: s.By, Status: o.Status, Text: ledger.Text(o.Text), Images: o.Images,
		Cut: o.Cut, Hash: Fingerprint(o), Hits: o.Hits, Touched: o.Touched, Start: s.Acted, End: s.Ended,
	}
	if s.Reply == nil {
		ev.Action = encodable(s.Action)
	}
	if o.Full != "" {
		const longestKey = 4 << 10
		full := o.Full
		if len(full) > maxFull { // it is redacted before it is truncated, so that no partial key remains
			full = string(e.w.blobs.redact([]byte(full[:min(len(full), maxFull+longestKey)])))
		}
		sum, err := e.w.blobs.text(strings.ToValidUTF8(full[:min(len(full), maxFull)], ""))
		if err != nil {
			return err
		}
		ev.Full = sum
	}
	if err := e.write(ev); err != nil {
		return err
	}
	e.remember(s)
	return nil
}

// Lost records the requests of an interrupted call, which may have been billed.
func (e *Episode) Lost(attempts []qa.Attempt) error {
	if err := e.write(lostEvent{head: e.head(TypeLost), Attempts: attempts}); err != nil {
		return err
	}
	e.lost += len(attempts)
	return nil
}

// End records the end of the episode and returns once it is on disk.
func (e *Episode) End(t qa.Trajectory) error {
	err := e.write(endEvent{
		head: e.head(TypeEnd), Outcome: t.Outcome, Reason: t.Reason, Transient: t.Transient, Answer: t.Answer,
		Turns: t.Turns(), Usage: t.Usage(), Failed: t.FailedAttempts[min(e.lost, len(t.FailedAttempts)):],
	})
	if err != nil {
		return err
	}
	e.lost = len(t.FailedAttempts)
	return e.w.Sync()
}

// head is the head of the next event. The number is consumed only when the event is written, so a failed write leaves
// no gap.
func (e *Episode) head(kind string) head {
	return head{Type: kind, Episode: e.id, Seq: e.seq + 1, Time: e.w.now().UTC()}
}

func (e *Episode) write(event any) error {
	written, err := e.w.append(event)
	if written {
		e.seq++
	}
	return err
}

// encodable returns an action that JSON can represent. Infinity and NaN become strings; readers parse the arguments
// from the text of the action, where they are still numbers.
func encodable(a *qa.Action) *qa.Action {
	if a == nil {
		return nil
	}
	if _, err := json.Marshal(a.Args); err == nil {
		return a
	}
	safe := *a
	safe.Args = make(map[string]any, len(a.Args))
	for name, v := range a.Args {
		if _, err := json.Marshal(v); err != nil {
			v = fmt.Sprint(v)
		}
		safe.Args[name] = v
	}
	return &safe
}

func (e *Episode) images(list []qa.Image) error {
	for _, im := range list {
		if len(im.Data) == 0 {
			continue
		}
		if err := e.w.blobs.put(filepath.Join(imagesDir, im.SHA256+".png"), im.Data); err != nil {
			return err
		}
	}
	return nil
}

func (e *Episode) remember(s qa.Step) {
	if s.Observation != nil && len(s.Observation.Text) >= refFrom {
		e.seen = append(e.seen, observed{s.N, s.Observation.Text})
	}
}

// parts splits a message so that nothing long is stored twice: a system prompt goes to the texts folder, and a repeated
// observation becomes a reference to its step.
func (e *Episode) parts(m qa.Message) ([]part, error) {
	if m.Role == qa.System && len(m.Text) >= refFrom {
		sum, err := e.w.blobs.text(m.Text)
		return []part{{Ref: sum}}, err
	}
	for i := len(e.seen) - 1; i >= 0; i-- {
		before, after, found := strings.Cut(m.Text, e.seen[i].text)
		if found {
			parts := []part{{Text: textOf(before)}, {Observation: e.seen[i].step}, {Text: textOf(after)}}
			return slices.DeleteFunc(parts, func(p part) bool { return p == part{} }), nil
		}
	}
	text := ledger.Text(m.Text)
	return []part{{Text: &text}}, nil
}

// Fingerprint identifies what a model sees of an observation: its text and its images.
func Fingerprint(o *qa.Observation) string {
	var b strings.Builder
	b.WriteString(o.Text)
	for _, im := range o.Images {
		b.WriteString("\x00" + im.SHA256)
	}
	return Hash(b.String())[:16]
}
