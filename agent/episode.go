package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"airqa/internal/ledger"
	"airqa/qa"
)

// Environment executes actions. A mistake that the model can correct is an observation with an error status; a lost
// database or a cancelled context is an error and ends the episode. An observation with [qa.StatusFinal] carries the
// answer.
type Environment interface {
	Act(ctx context.Context, a qa.Action) (qa.Observation, error)
}

// Log stores the events of one episode. Each method returns after the event is written.
type Log interface {
	Message(m qa.Message) error
	Call(s qa.Step) error
	Observation(s qa.Step) error
	// Lost records requests of a call that was cancelled or suspended.
	Lost(attempts []qa.Attempt) error
	End(t qa.Trajectory) error
}

// LogError means that an event could not be written. The episode remains unfinished.
type LogError struct{ Err error }

func (e *LogError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *LogError) Unwrap() error { return e.Err }

func logged(err error) error {
	if err == nil {
		return nil
	}
	return &LogError{err}
}

// Setup configures an [Episode]. Prior has the already logged events, empty for a new episode.
type Setup struct {
	UUID   string
	Repeat int
	Model  qa.Model
	Env    Environment
	Log    Log
	// Tools are offered to the model natively; empty if it writes its actions as text.
	Tools  []qa.ToolSpec
	Budget Budget
	Now    func() time.Time
	// Redact removes secrets from every text as it arrives, before the model sees it or a reply is read. So an episode
	// that resumes from its log shows the model the same messages. Nil removes nothing.
	Redact func([]byte) []byte
	Prior  qa.Trajectory
}

// Episode is one attempt at one question. It is not safe for concurrent use.
type Episode struct {
	set Setup
	t   qa.Trajectory
	// overflowed are the requests of a call that was too long for the model and is retried with fewer messages.
	overflowed []qa.Attempt
	// guess is the number of overflowed up to the one whose reason is known only if the next request is accepted, or 0.
	guess int
}

// New returns an episode. It does no I/O.
func New(s Setup) *Episode {
	if s.Now == nil {
		s.Now = time.Now
	}
	return &Episode{set: s, t: qa.Trajectory{
		Episode: qa.EpisodeID(s.UUID, s.Repeat), UUID: s.UUID, Repeat: s.Repeat, Started: s.Now(),
		FailedAttempts: s.Prior.FailedAttempts,
	}}
}

// Trajectory returns the events so far. The caller must not modify it.
func (e *Episode) Trajectory() qa.Trajectory { return e.t }

// Len returns the number of messages.
func (e *Episode) Len() int { return len(e.t.Messages) }

// Say adds a message of the program to the conversation.
func (e *Episode) Say(m qa.Message) error {
	n := len(e.t.Messages)
	m.Text = e.redacted(m.Text)
	e.t.Messages = append(e.t.Messages, m)
	if n >= len(e.set.Prior.Messages) {
		return logged(e.set.Log.Message(m))
	}
	return nil
}

// Read fills a step from its reply: the kept part, the thought, and the action or the parse error.
type Read func(s *qa.Step)

// Ask shows messages to the model and records its reply as the next step. The error of a failed call wraps a
// [*qa.CallError].
func (e *Episode) Ask(ctx context.Context, shown []qa.Span, read Read) (*qa.Step, error) {
	if s := e.recorded(qa.ByModel); s != nil {
		return e.keep(*s), nil
	}
	s := qa.Step{N: len(e.t.Steps) + 1, By: qa.ByModel, Shown: shown, Started: e.set.Now()}
	request := qa.Request{Tools: e.set.Tools, UUID: e.t.UUID, Repeat: e.t.Repeat, Step: s.N}
	for _, span := range shown {
		request.Messages = append(request.Messages, e.t.Messages[span.First:span.End]...)
	}
	var err error
	if request.Left, err = e.set.Budget.admits(&e.t, request); err != nil {
		return nil, err
	}
	reply, err := e.set.Model.Complete(ctx, request)
	if err != nil {
		return nil, e.callError(ctx, err)
	}
	if e.guess > 0 {
		e.overflowed[e.guess-1].Error = qa.FailContextOverflow
	}
	reply.Attempts = append(e.overflowed, reply.Attempts...)
	e.overflowed, e.guess = nil, 0
	if e.set.Redact != nil { // sealed data is signed by the provider, who gets it back unchanged
		reply.Text, reply.Reasoning = e.redacted(reply.Text), e.redacted(reply.Reasoning)
		reply.ToolCalls = slices.Clone(reply.ToolCalls)
		for i, c := range reply.ToolCalls {
			reply.ToolCalls[i].Arguments = ledger.RedactStrings(c.Arguments, e.set.Redact)
		}
	}
	s.Reply, s.Ended, s.Kept = &reply, e.set.Now(), len(reply.Text)
	read(&s)
	if err := e.set.Log.Call(s); err != nil {
		return nil, logged(err)
	}
	return e.keep(s), nil
}

// Act executes the action of a step from [Episode.Ask], or turns its parse error into an observation, which ends with a
// note. It does not record the final observation, because the end of the episode carries the answer.
func (e *Episode) Act(ctx context.Context, s *qa.Step, note string) (qa.Observation, error) {
	if s.Observation == nil {
		s.Acted = e.set.Now()
		var o qa.Observation
		var err error
		if s.ParseError != nil {
			o = qa.Observation{Status: qa.StatusParse, Text: "[Error]: " + s.ParseError.Reason}
		} else {
			o, err = e.act(ctx, *s.Action)
		}
		if err != nil || o.Status == qa.StatusFinal {
			return o, err
		}
		o.Text = e.redacted(o.Text) + note
		s.Observation, s.Ended = &o, e.set.Now()
		if err := e.set.Log.Observation(*s); err != nil {
			return o, logged(err)
		}
	}
	e.t.Messages = append(e.t.Messages, s.ObservationMessage())
	return *s.Observation, nil
}

// Do executes an action on behalf of the program, for baselines without a loop.
func (e *Episode) Do(ctx context.Context, a qa.Action) (qa.Observation, error) {
	if s := e.recorded(qa.ByProgram); s != nil {
		e.t.Steps = append(e.t.Steps, *s)
		return *s.Observation, nil
	}
	s := qa.Step{N: len(e.t.Steps) + 1, By: qa.ByProgram, Action: &a, Started: e.set.Now()}
	s.Acted = s.Started
	o, err := e.act(ctx, a)
	if err != nil {
		return o, err
	}
	o.Text = e.redacted(o.Text)
	s.Observation, s.Ended = &o, e.set.Now()
	e.t.Steps = append(e.t.Steps, s)
	return o, logged(e.set.Log.Observation(s))
}

// Finish records the end of the episode.
func (e *Episode) Finish(o qa.Outcome, reason string, a qa.Answer) error {
	e.t.Outcome, e.t.Reason, e.t.Answer, e.t.Ended = o, reason, a, e.set.Now()
	return logged(e.set.Log.End(e.t))
}

// Fail records the end of an episode stopped by an error.
func (e *Episode) Fail(cause error) error {
	outcome := qa.ToolFailure
	var call *qa.CallError
	var limit *LimitError
	var away *qa.UnavailableError
	switch {
	case errors.As(cause, &away): // also until the deadline
		e.t.Transient = true
	case errors.As(cause, &limit):
		outcome = limit.Outcome
	case errors.As(cause, &call):
		outcome = qa.EndpointError
		switch call.Class {
		case qa.FailContextOverflow:
			outcome = qa.ContextOverflow
		case qa.FailImages:
			outcome = qa.NoImages
		}
		e.t.FailedAttempts = slices.Concat(e.t.FailedAttempts, e.overflowed, call.Attempts)
	}
	return e.Finish(outcome, cause.Error(), qa.Answer{})
}

// redacted returns a text without the secrets that are known.
func (e *Episode) redacted(text string) string {
	if e.set.Redact == nil {
		return text
	}
	if clean := string(e.set.Redact([]byte(text))); clean != text {
		return clean
	}
	return text // the same for many episodes
}

// recorded returns the next step if it is already logged.
func (e *Episode) recorded(by string) *qa.Step {
	n := len(e.t.Steps)
	if n >= len(e.set.Prior.Steps) || e.set.Prior.Steps[n].By != by {
		return nil
	}
	s := e.set.Prior.Steps[n]
	return &s
}

func (e *Episode) keep(s qa.Step) *qa.Step {
	e.t.Steps = append(e.t.Steps, s)
	e.t.Messages = append(e.t.Messages, s.Message())
	return &e.t.Steps[len(e.t.Steps)-1]
}

// act executes an action. If the context ended, the error is its cause.
func (e *Episode) act(ctx context.Context, a qa.Action) (qa.Observation, error) {
	o, err := e.set.Env.Act(ctx, a)
	if err != nil && ctx.Err() != nil {
		err = errors.Join(context.Cause(ctx), err)
	}
	return o, err
}

// Context returns the context of the episode, which ends at the deadline of its budget; the work of earlier invocations
// counts, their waits do not. The caller must cancel it.
func (e *Episode) Context(ctx context.Context) (context.Context, context.CancelFunc) {
	deadline := e.set.Budget.Deadline
	if deadline <= 0 {
		return ctx, func() {}
	}
	left := deadline - time.Duration(working(&e.set.Prior)*float64(time.Second))
	return context.WithTimeoutCause(ctx, max(left, 0), &LimitError{qa.TimeLimit, fmt.Sprintf("no answer in %s", deadline)})
}

func (e *Episode) callError(ctx context.Context, err error) error {
	if down := unavailable(ctx, err); down != nil {
		e.t.Transient = true
		return down
	}
	if ctx.Err() != nil {
		return errors.Join(context.Cause(ctx), ctx.Err(), e.lost(err))
	}
	if qa.Suspension(err) != "" {
		if lost := e.lost(err); lost != nil {
			return lost
		}
		return err
	}
	var call *qa.CallError
	if !errors.As(err, &call) {
		err = &qa.CallError{Class: qa.ClassOf(err), Err: err}
	}
	return fmt.Errorf("ask the model: %w", err)
}

// unavailable returns the error of a call that the deadline of the question ended while the endpoint failed or refused it;
// nil if the endpoint was only slow, or something else ended the call. The question is not answered wrongly: it was not
// asked.
func unavailable(ctx context.Context, err error) *qa.CallError {
	var limit *LimitError
	var call *qa.CallError
	if ctx.Err() == nil || !errors.As(context.Cause(ctx), &limit) || !errors.As(err, &call) {
		return nil
	}
	class := call.Class // of a call that waited for a free connection
	for _, a := range call.Attempts {
		if a.Error != qa.FailCancelled {
			class = a.Error
		}
	}
	if !class.Transient() {
		return nil
	}
	return &qa.CallError{
		Class: class, Attempts: call.Attempts, Hint: call.Hint,
		Err: fmt.Errorf("the endpoint was not available before the deadline (%s): %w", limit.Reason, call.Err),
	}
}

// lost records the requests of a call that was cancelled or suspended in flight, since they may be billed.
func (e *Episode) lost(err error) error {
	tried := append(e.overflowed, qa.Tried(err)...)
	if len(tried) == 0 {
		return nil
	}
	return logged(e.set.Log.Lost(tried))
}
