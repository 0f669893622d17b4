package runlog

import (
	"errors"
	"fmt"
	"strings"

	"airqa/internal/python"
	"airqa/qa"
)

// builder turns the events of one episode back into a trajectory.
type builder struct {
	run *Run
	rec Recorded
	// missing is the first unreadable text.
	missing error
	// damage is where the attempt becomes unreadable.
	damage *DamageError
}

func newBuilder(r *Run, id string) *builder {
	b := &builder{run: r}
	b.rec.Episode = id
	b.rec.UUID, _ = qa.SplitEpisodeID(id)
	return b
}

// again returns the builder of the next attempt at the episode. It keeps the usage of the earlier attempts.
func (b *builder) again() *builder {
	next := newBuilder(b.run, b.rec.Episode)
	next.rec.Spent = b.rec.Spent.Add(b.rec.Usage()).Add(b.rec.Charged())
	if b.damage != nil {
		next.rec.Spent = next.rec.Spent.Add(b.damage.After)
	}
	return next
}

func (b *builder) add(h head, raw []byte) error {
	b.rec.Events++
	if h.Seq != b.rec.Events {
		return fmt.Errorf("event %d of %s where event %d was expected: lines are missing or duplicated", h.Seq, h.Episode, b.rec.Events)
	}
	b.rec.Ended = h.Time
	if h.Type != TypeEnd {
		// An episode resumed after a failure is open again.
		b.rec.Outcome, b.rec.Reason = "", ""
	}
	switch h.Type {
	case TypeStart:
		ev, err := decode[startEvent](raw)
		b.rec.UUID, b.rec.Repeat, b.rec.Started = ev.UUID, ev.Repeat, ev.Time
		return err
	case TypeMessage:
		return decodeFor(b.message, raw)
	case TypeCall:
		return decodeFor(b.call, raw)
	case TypeObservation:
		return decodeFor(b.observation, raw)
	case TypeLost:
		ev, err := decode[lostEvent](raw)
		b.rec.FailedAttempts = append(b.rec.FailedAttempts, ev.Attempts...)
		return err
	default:
		ev, err := decode[endEvent](raw)
		b.rec.Outcome, b.rec.Reason, b.rec.Transient, b.rec.Answer = ev.Outcome, ev.Reason, ev.Transient, ev.Answer
		b.rec.FailedAttempts = append(b.rec.FailedAttempts, ev.Failed...)
		return err
	}
}

func (b *builder) message(ev messageEvent) error {
	texts := make([]string, len(ev.Parts))
	for i, p := range ev.Parts {
		switch {
		case p.Ref != "":
			text, err := b.run.prompt(p.Ref)
			if b.missing == nil {
				b.missing = err
			}
			texts[i] = text
		case p.Observation > 0:
			s := b.step(p.Observation)
			if s == nil || s.Observation == nil {
				return fmt.Errorf("message refers to the observation of step %d, which is not there", p.Observation)
			}
			texts[i] = s.Observation.Text
		case p.Text != nil:
			texts[i] = string(*p.Text)
		}
	}
	b.rec.Messages = append(b.rec.Messages, qa.Message{Role: ev.Role, Text: strings.Join(texts, ""), Images: ev.Images})
	return nil
}

func (b *builder) call(ev callEvent) error {
	s := qa.Step{
		N: ev.Step, By: qa.ByModel, Shown: ev.Shown, Kept: ev.Kept, Action: ev.Action, ParseError: ev.ParseError,
		Started: ev.Started, Ended: ev.Ended, Called: ev.Called, Others: ev.Others, Unlabelled: ev.Unlabelled,
		Reply: &qa.Reply{
			Text: string(ev.Reply.Text), Model: ev.Reply.Model, ID: ev.Reply.ID, Finish: ev.Reply.Finish,
			Usage: ev.Reply.Usage, Attempts: ev.Reply.Attempts,
			ToolCalls: ev.Reply.ToolCalls, Sealed: ev.Reply.Sealed, Cached: ev.Reply.Cached,
		},
	}
	if ev.Reply.Reasoning != nil {
		s.Reply.Reasoning = string(*ev.Reply.Reasoning)
	}
	if ev.Thought != nil {
		s.ThoughtAt = *ev.Thought
	}
	if err := checkPlaces(s); err != nil {
		return err
	}
	restore(s.Action)
	b.rec.Steps = append(b.rec.Steps, s)
	b.rec.Messages = append(b.rec.Messages, s.Message())
	return nil
}

func (b *builder) observation(ev observationEvent) error {
	o := &qa.Observation{Status: ev.Status, Text: string(ev.Text), Images: ev.Images, Cut: ev.Cut, Hits: ev.Hits, Touched: ev.Touched}
	if ev.Full != "" {
		// A missing copy of the untruncated text does not invalidate the episode.
		o.Full, _ = b.run.Text(ev.Full)
	}
	if ev.By == qa.ByProgram {
		restore(ev.Action)
		b.rec.Steps = append(b.rec.Steps, qa.Step{
			N: ev.Step, By: ev.By, Action: ev.Action, Observation: o, Started: ev.Start, Acted: ev.Start, Ended: ev.End,
		})
		return nil
	}
	s := b.step(ev.Step)
	if s == nil {
		return errors.New("observation without a step")
	}
	s.Observation, s.Acted, s.Ended = o, ev.Start, ev.End
	b.rec.Messages = append(b.rec.Messages, s.ObservationMessage())
	return nil
}

// step returns step n, counted from 1 without gaps.
func (b *builder) step(n int) *qa.Step {
	if n < 1 || n > len(b.rec.Steps) {
		return nil
	}
	return &b.rec.Steps[n-1]
}

// checkPlaces returns an error if the places in a reply are those of another text. Some versions took them before they
// redacted the reply.
func checkPlaces(s qa.Step) error {
	if err := s.CheckPlaces(); err != nil {
		return err
	}
	a, text := s.Action, s.Reply.Text
	if a == nil || a.Start == a.End || !strings.Contains(text, redacted) && !strings.Contains(text, "~/") {
		return nil
	}
	shown := text[a.Start:a.End]
	call, err := python.ParseCall(text, a.Start, python.Options{})
	if !strings.Contains(shown, a.Name) || strings.HasPrefix(shown, a.Name) && err == nil && call.End != a.End {
		return fmt.Errorf("the action of step %d is not at bytes %d to %d of its reply", s.N, a.Start, a.End)
	}
	return nil
}

// restore parses the arguments of an action from its text, because JSON turned integers into floats.
func restore(a *qa.Action) {
	if a == nil {
		return
	}
	call, err := python.ParseCall(a.Text, 0, python.Options{})
	if err != nil {
		return
	}
	args := make(map[string]any, len(call.Keywords))
	for _, k := range call.Keywords {
		args[k.Name] = python.ToGo(k.Value)
	}
	a.Args = args
}
