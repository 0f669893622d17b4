package agent_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"airqa/agent"
	"airqa/qa"
)

// model returns scripted replies in order and records the messages.
type model struct {
	replies []string
	shown   [][]qa.Message
	err     error
	// attempts are part of every reply.
	attempts []qa.Attempt
}

func (m *model) Complete(_ context.Context, r qa.Request) (qa.Reply, error) {
	messages := r.Messages
	m.shown = append(m.shown, messages)
	if len(m.shown) > len(m.replies) {
		return qa.Reply{}, m.err
	}
	return qa.Reply{Text: m.replies[len(m.shown)-1], Usage: qa.Usage{Prompt: 10, Completion: 1}, Attempts: m.attempts}, nil
}

// env echoes the action; "final" ends the episode.
type env struct{ acts int }

func (e *env) Act(_ context.Context, a qa.Action) (qa.Observation, error) {
	e.acts++
	switch a.Name {
	case "final":
		return qa.Observation{Status: qa.StatusFinal, Answer: &qa.Answer{Given: true, Text: "42", Literal: "42"}}, nil
	case "lost":
		return qa.Observation{}, errors.New("database is gone")
	}
	return qa.Observation{Status: qa.StatusOK, Text: "saw " + a.Name}, nil
}

// log counts the events by kind.
type log struct{ events []string }

func (l *log) Message(m qa.Message) error { return l.add("message " + string(m.Role)) }
func (l *log) Call(s qa.Step) error       { return l.add(fmt.Sprintf("call %d", s.N)) }
func (l *log) Observation(s qa.Step) error {
	return l.add(fmt.Sprintf("observation %d %s", s.N, s.Observation.Status))
}
func (l *log) End(t qa.Trajectory) error { return l.add("end " + string(t.Outcome)) }
func (l *log) Lost(a []qa.Attempt) error { return l.add(fmt.Sprintf("lost %d", len(a))) }
func (l *log) add(s string) error        { l.events = append(l.events, s); return nil }

// read treats the reply as the name of an action, and "?" as no action.
func read(s *qa.Step) {
	if s.Reply.Text == "?" {
		s.ParseError = &qa.ParseError{Kind: qa.ErrNoAction, Reason: "no action"}
		return
	}
	s.Action = &qa.Action{Name: s.Reply.Text, Text: s.Reply.Text + "()"}
}

func setup(m *model, e *env, l *log) agent.Setup {
	clock := time.Date(2031, 1, 1, 0, 0, 0, 0, time.UTC)
	return agent.Setup{UUID: "u", Model: m, Env: e, Log: l, Now: func() time.Time { return clock }}
}

func start(t *testing.T, s agent.Setup) *agent.Episode {
	t.Helper()
	ep := agent.New(s)
	for _, m := range []qa.Message{{Role: qa.System, Text: "system"}, {Role: qa.User, Text: "task"}} {
		if err := ep.Say(m); err != nil {
			t.Fatal(err)
		}
	}
	return ep
}

func TestReAct(t *testing.T) {
	tests := []struct {
		name    string
		replies []string
		limits  qa.Settings
		outcome qa.Outcome
		events  []string
	}{
		{
			"answer",
			[]string{"look", "final"},
			qa.Settings{ToolSettings: qa.ToolSettings{Turns: 5}, Window: 5},
			qa.Answered,
			[]string{"message system", "message user", "call 1", "observation 1 ok", "call 2", "end answered"},
		},
		{
			"fixed reply",
			[]string{"?", "final"},
			qa.Settings{ToolSettings: qa.ToolSettings{Turns: 5}, Window: 5},
			qa.Answered,
			[]string{"message system", "message user", "call 1", "observation 1 parse_error", "call 2", "end answered"},
		},
		{
			"turn limit",
			[]string{"look", "look"},
			qa.Settings{ToolSettings: qa.ToolSettings{Turns: 2}, Window: 5},
			qa.TurnLimit,
			[]string{"message system", "message user", "call 1", "observation 1 ok", "call 2", "observation 2 ok", "end turn_limit"},
		},
		{
			"format errors",
			[]string{"?", "?", "final"},
			qa.Settings{ToolSettings: qa.ToolSettings{Turns: 9}, Window: 5, FormatErrors: 2},
			qa.FormatErrors,
			[]string{"message system", "message user", "call 1", "observation 1 parse_error", "call 2", "observation 2 parse_error", "end format_errors"},
		},
		{
			"an action between format errors", // only consecutive ones count
			[]string{"?", "look", "?", "final"},
			qa.Settings{ToolSettings: qa.ToolSettings{Turns: 9}, Window: 5, FormatErrors: 2},
			qa.Answered,
			[]string{
				"message system", "message user", "call 1", "observation 1 parse_error", "call 2", "observation 2 ok",
				"call 3", "observation 3 parse_error", "call 4", "end answered",
			},
		},
		{
			"repeats",
			[]string{"look", "look", "look", "look", "final"},
			qa.Settings{ToolSettings: qa.ToolSettings{Turns: 9, RepeatLimit: 2}, Window: 5},
			qa.RepeatLimit,
			[]string{
				"message system", "message user", "call 1", "observation 1 ok", "call 2", "observation 2 ok",
				"call 3", "observation 3 ok", "call 4", "observation 4 ok", "end repeat_limit",
			},
		},
		{
			"another call or no call between repeats", // only calls in a row count
			[]string{"look", "look", "see", "look", "?", "look", "final"},
			qa.Settings{ToolSettings: qa.ToolSettings{Turns: 9, RepeatLimit: 2}, Window: 5},
			qa.Answered,
			[]string{
				"message system", "message user", "call 1", "observation 1 ok", "call 2", "observation 2 ok", "call 3", "observation 3 ok",
				"call 4", "observation 4 ok", "call 5", "observation 5 parse_error", "call 6", "observation 6 ok", "call 7", "end answered",
			},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l := &log{}
			ep := start(t, setup(&model{replies: tt.replies}, &env{}, l))
			if err := (&agent.Loop{Episode: ep, Settings: tt.limits, Read: read}).Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			got := ep.Trajectory()
			if got.Outcome != tt.outcome || got.Answer.Given != (tt.outcome == qa.Answered) {
				t.Errorf("outcome %s, answer %+v; want %s", got.Outcome, got.Answer, tt.outcome)
			}
			if diff := cmp.Diff(tt.events, l.events); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
		})
	}
}

// Notes follow the results of the call from the limit on, in the log and for the model, and so do they when an episode resumes.
func TestRepeatNote(t *testing.T) {
	m := &model{replies: []string{"look", "look", "look", "see", "look", "look", "final"}}
	limits := qa.Settings{ToolSettings: qa.ToolSettings{Turns: 9, RepeatLimit: 3}, Window: 9}
	first := start(t, setup(m, &env{}, &log{}))
	if err := (&agent.Loop{Episode: first, Settings: limits, Read: read}).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i, message := range m.shown[6] {
		if noted := strings.HasSuffix(message.Text, agent.RepeatNote); noted != (i == 7) {
			t.Errorf("message %d: %q", i, message.Text)
		}
	}
	again := setup(&model{replies: []string{"look", "look"}}, &env{}, &log{})
	again.Prior = first.Trajectory()
	again.Prior.Steps = again.Prior.Steps[:2]
	resumed := start(t, again)
	loop := &agent.Loop{Episode: resumed, Settings: limits, Read: read}
	for range 3 {
		if o, err := loop.Turn(t.Context()); err != nil || strings.Contains(o.Text, "Note") != (len(resumed.Trajectory().Steps) == 3) {
			t.Errorf("%+v, %v", o, err)
		}
	}
}

func TestWindow(t *testing.T) {
	tests := []struct {
		n, w int
		want []qa.Span
	}{
		{2, 5, []qa.Span{{First: 0, End: 2}}},
		{12, 5, []qa.Span{{First: 0, End: 12}}},
		{14, 5, []qa.Span{{First: 0, End: 2}, {First: 4, End: 14}}},
		{6, 1, []qa.Span{{First: 0, End: 2}, {First: 4, End: 6}}},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, agent.Window(tt.n, tt.w)); diff != "" {
			t.Errorf("Window(%d, %d) (-want +got):\n%s", tt.n, tt.w, diff)
		}
	}
}

// The model is shown exactly the messages that the step lists.
func TestShown(t *testing.T) {
	m := &model{replies: []string{"a", "b", "c", "d", "final"}}
	ep := start(t, setup(m, &env{}, &log{}))
	if err := (&agent.Loop{Episode: ep, Settings: qa.Settings{ToolSettings: qa.ToolSettings{Turns: 9}, Window: 2}, Read: read}).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	tr := ep.Trajectory()
	for i, s := range tr.Steps {
		var want []qa.Message
		for _, span := range s.Shown {
			want = append(want, tr.Messages[span.First:span.End]...)
		}
		if diff := cmp.Diff(want, m.shown[i]); diff != "" {
			t.Errorf("step %d (-named +shown):\n%s", s.N, diff)
		}
	}
	var last []string
	for _, msg := range m.shown[4] {
		last = append(last, msg.Text)
	}
	want := []string{"system", "task", "c", "[Observation]: saw c", "d", "[Observation]: saw d"}
	if diff := cmp.Diff(want, last); diff != "" {
		t.Errorf("last window (-want +got):\n%s", diff)
	}
}

func TestFailures(t *testing.T) {
	t.Run("endpoint", func(t *testing.T) {
		l := &log{}
		ep := start(t, setup(&model{err: errors.New("503")}, &env{}, l))
		err := (&agent.Loop{Episode: ep, Settings: qa.Settings{ToolSettings: qa.ToolSettings{Turns: 3}, Window: 5}, Read: read}).Run(t.Context())
		if err == nil {
			t.Fatal("no error")
		}
		if err := ep.Fail(err); err != nil {
			t.Fatal(err)
		}
		if got := ep.Trajectory(); got.Outcome != qa.EndpointError || !strings.Contains(got.Reason, "503") {
			t.Errorf("outcome %s, reason %q", got.Outcome, got.Reason)
		}
	})
	t.Run("tool", func(t *testing.T) {
		ep := start(t, setup(&model{replies: []string{"lost"}}, &env{}, &log{}))
		err := (&agent.Loop{Episode: ep, Settings: qa.Settings{ToolSettings: qa.ToolSettings{Turns: 3}, Window: 5}, Read: read}).Run(t.Context())
		if err == nil || ep.Fail(err) != nil || ep.Trajectory().Outcome != qa.ToolFailure {
			t.Errorf("outcome %s after %v", ep.Trajectory().Outcome, err)
		}
	})
}

// An episode interrupted anywhere resumes without repeating recorded requests: the same trajectory, no event twice.
func TestResume(t *testing.T) {
	replies := []string{"a", "?", "b", "final"}
	limits := qa.Settings{ToolSettings: qa.ToolSettings{Turns: 9}, Window: 2}
	whole := &log{}
	ep := start(t, setup(&model{replies: replies}, &env{}, whole))
	if err := (&agent.Loop{Episode: ep, Settings: limits, Read: read}).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	full := ep.Trajectory()
	for cut := range len(whole.events) {
		prior, asked := upTo(full, cut)
		l := &log{}
		m := &model{replies: replies[asked:]}
		s := setup(m, &env{}, l)
		s.Prior = prior
		again := start(t, s)
		if err := (&agent.Loop{Episode: again, Settings: limits, Read: read}).Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(full, again.Trajectory()); diff != "" {
			t.Errorf("stopped after %d events (-whole +resumed):\n%s", cut, diff)
		}
		if diff := cmp.Diff(whole.events[cut:], l.events); diff != "" {
			t.Errorf("events after a stop at %d (-want +got):\n%s", cut, diff)
		}
	}
}

// upTo returns the log after n events of the episode, and the number of paid replies.
func upTo(t qa.Trajectory, n int) (qa.Trajectory, int) {
	if n <= 2 {
		return qa.Trajectory{Messages: t.Messages[:n]}, 0
	}
	prior := qa.Trajectory{Messages: t.Messages[:2]}
	for i := 2; i < n; i++ {
		step := t.Steps[(i-2)/2]
		if i%2 == 0 {
			step.Observation, step.Acted = nil, time.Time{}
			prior.Steps = append(prior.Steps, step)
			prior.Messages = append(prior.Messages, step.Message())
			continue
		}
		prior.Steps[len(prior.Steps)-1] = step
		prior.Messages = append(prior.Messages, qa.ObservationMessage(*step.Observation))
	}
	return prior, len(prior.Steps)
}

func refusal(class qa.FailureClass) error {
	return fmt.Errorf("ask the model: %w", &qa.CallError{Class: class, Err: errors.New("HTTP 400")})
}

func TestFail(t *testing.T) {
	away := &qa.UnavailableError{Err: errors.New("refused")}
	tests := []struct {
		name      string
		cause     error
		want      qa.Outcome
		transient bool
	}{
		{"endpoint", refusal(qa.FailBadRequest), qa.EndpointError, false},
		{"too long", refusal(qa.FailContextOverflow), qa.ContextOverflow, false},
		{"no images", refusal(qa.FailImages), qa.NoImages, false},
		{"tool", errors.New("database is gone"), qa.ToolFailure, false},
		{"store", fmt.Errorf("retrieve: %w", away), qa.ToolFailure, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ep := start(t, setup(&model{}, &env{}, &log{}))
			if err := ep.Fail(tt.cause); err != nil {
				t.Fatal(err)
			}
			if got := ep.Trajectory(); got.Outcome != tt.want || got.Transient != tt.transient || got.Reason != tt.cause.Error() {
				t.Errorf("outcome %s, transient %v, reason %q", got.Outcome, got.Transient, got.Reason)
			}
		})
	}
}

// canceller ends the context of its first action.
type canceller struct {
	env
	cancel func()
	err    error
}

func (c *canceller) Act(ctx context.Context, a qa.Action) (qa.Observation, error) {
	if a.Name == "look" {
		c.cancel()
		return qa.Observation{Status: qa.StatusOK, Text: "seen"}, c.err
	}
	return c.env.Act(ctx, a)
}

// An action interrupted by the end of the context fails with its cause; one that completed nevertheless counts.
func TestContextEndsDuringAction(t *testing.T) {
	ctrlC := errors.New("second Ctrl-C")
	for _, broken := range []error{errors.New("interrupted"), nil} {
		ctx, cancel := context.WithCancelCause(t.Context())
		s := setup(&model{replies: []string{"look", "final"}}, nil, &log{})
		s.Env = &canceller{cancel: func() { cancel(ctrlC) }, err: broken}
		ep := start(t, s)
		err := (&agent.Loop{Episode: ep, Settings: qa.Settings{ToolSettings: qa.ToolSettings{Turns: 3}, Window: 5}, Read: read}).Run(ctx)
		if broken != nil && !errors.Is(err, ctrlC) {
			t.Errorf("error %v, want the cause", err)
		}
		if steps := ep.Trajectory().Steps; broken == nil && (len(steps) == 0 || steps[0].Observation == nil || steps[0].Observation.Text != "seen") {
			t.Errorf("error %v, steps %+v", err, steps)
		}
	}
}

// Actions of the program are numbered like the model's steps, and are not repeated when the episode resumes.
func TestProgramActions(t *testing.T) {
	l, e := &log{}, &env{}
	ep := start(t, setup(&model{replies: []string{"final"}}, e, l))
	for _, name := range []string{"search", "look"} {
		if o, err := ep.Do(t.Context(), qa.Action{Name: name}); err != nil || o.Text != "saw "+name {
			t.Fatalf("%v, %v", o, err)
		}
	}
	want := []string{"message system", "message user", "observation 1 ok", "observation 2 ok"}
	if diff := cmp.Diff(want, l.events); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	s := setup(&model{}, e, &log{})
	s.Prior = ep.Trajectory()
	again := start(t, s)
	if _, err := again.Do(t.Context(), qa.Action{Name: "search"}); err != nil || e.acts != 2 {
		t.Errorf("%d actions after resuming (%v), want 2", e.acts, err)
	}
	if _, err := again.Do(t.Context(), qa.Action{Name: "lost"}); err != nil || e.acts != 2 {
		t.Errorf("the recorded second action was done again: %v", err)
	}
	if _, err := again.Do(t.Context(), qa.Action{Name: "lost"}); err == nil {
		t.Error("a failed action of the program is no error")
	}
}
