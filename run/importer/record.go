package importer

import (
	"bytes"
	"cmp"
	"encoding/json"
	"strings"

	"airqa/agent/action"
	"airqa/internal/ledger"
	"airqa/internal/python"
	"airqa/qa"
	"airqa/runlog"
	"airqa/tools"
)

// specs are the tools of airqa, whose actions may be written as text.
var specs = tools.Called(nil).Specs()

// recorder writes the events of one episode.
type recorder struct {
	*run
	e        *episode
	to       *runlog.Episode
	messages int
	steps    []qa.Step
}

// record writes an episode to the log.
func (r *run) record(e *episode) error {
	r.now = e.started
	to, err := r.log.Begin(e.uuid, e.repeat, nil)
	if err != nil {
		return err
	}
	w := &recorder{run: r, e: e, to: to}
	for _, t := range e.turns {
		r.now = t.started
		switch {
		case t.role != qa.Assistant:
			err = w.message(qa.Message{Role: t.role, Text: t.text, Images: t.images})
		case t.program:
			err = w.program(t)
		default:
			err = w.turn(t)
		}
		if err != nil {
			return err
		}
	}
	r.now = e.ended
	return to.End(w.trajectory())
}

func (w *recorder) message(m qa.Message) error {
	w.messages++
	return w.to.Message(m)
}

// next returns the next step.
func (w *recorder) next(t turn, by string) qa.Step {
	return qa.Step{N: len(w.steps) + 1, By: by, Started: t.started, Ended: t.ended}
}

// program writes actions without a call of the model.
func (w *recorder) program(t turn) error {
	if t.text != "" {
		w.e.losses.Add("text of an action without a call of the model")
	}
	for _, c := range t.calls {
		if err := w.byProgram(t, c); err != nil {
			return err
		}
	}
	if len(t.calls) == 0 {
		return w.byProgram(t, call{})
	}
	return nil
}

// byProgram writes an action of the program with its result.
func (w *recorder) byProgram(t turn, c call) error {
	s := w.next(t, qa.ByProgram)
	if c.Name != "" {
		s.Action = actionOf(c.ToolCall)
	}
	got := result{status: qa.StatusEmpty, started: t.ended, ended: t.ended}
	if c.result != nil {
		got = *c.result
	}
	return w.observe(s, got)
}

// observe writes the result of a step.
func (w *recorder) observe(s qa.Step, got result) error {
	s.Observation = &qa.Observation{Status: got.status, Text: got.text, Images: got.images}
	s.Acted, s.Ended = got.started, got.ended
	w.now = got.ended
	if at := len(w.steps) - 1; at >= 0 && w.steps[at].N == s.N {
		w.steps[at] = s
	} else {
		w.steps = append(w.steps, s)
	}
	return w.to.Observation(s)
}

// turn writes a reply and its result. airqa runs one call of a reply; the results of others follow as actions of the
// program, and as a message.
func (w *recorder) turn(t turn) error {
	s := w.next(t, qa.ByModel)
	s.Shown = []qa.Span{{First: 0, End: w.messages}}
	s.Kept = len(t.text)
	s.Reply = &qa.Reply{
		Text: t.text, Reasoning: t.reasoning, Model: t.model, Finish: t.finish, Usage: t.usage, Cached: t.fromCache,
	}
	s.Unlabelled = len(w.e.tools) > 0
	ran := w.read(&s, t)
	w.messages++
	w.steps = append(w.steps, s)
	if err := w.to.Call(s); err != nil {
		return err
	}
	if ran != nil {
		w.messages++
		if err := w.observe(s, *ran); err != nil {
			return err
		}
	}
	if t.inText {
		return nil
	}
	for _, c := range t.calls[min(1, len(t.calls)):] {
		if !c.ran() {
			continue
		}
		w.e.losses.Add("result of a further call of one reply, now an action of the program and a message")
		if err := w.byProgram(t, c); err != nil {
			return err
		}
		m := qa.Message{Role: qa.User, Text: "Result of " + c.Name + ":\n" + c.result.text, Images: c.result.images}
		if err := w.message(m); err != nil {
			return err
		}
	}
	return nil
}

// read fills in the action of a step, and returns its result; nil for none.
func (w *recorder) read(s *qa.Step, t turn) *result {
	switch {
	case len(t.calls) == 0:
		if t.shown == nil {
			return nil
		}
		return w.answered(s, *t.shown)
	case t.inText:
		w.inText(s, t.calls[0].ToolCall)
	default:
		for i, c := range t.calls {
			if i > 0 && c.ran() {
				continue // an action of the program follows
			}
			s.Reply.ToolCalls = append(s.Reply.ToolCalls, c.ToolCall)
			if i > 0 {
				s.NotRun = append(s.NotRun, c.ID)
			}
		}
		s.Called = &s.Reply.ToolCalls[0]
		s.Action = actionOf(*s.Called)
		s.ThoughtAt = prose(t.text)
	}
	got := t.calls[0].result
	if got != nil && got.status == qa.StatusParse {
		s.Action, s.ParseError = nil, &qa.ParseError{Kind: qa.ErrParameter, Reason: firstLine(got.text)}
	}
	return got
}

// answered fills in a step whose reply has no call, but got an answer: the message that followed it.
func (w *recorder) answered(s *qa.Step, shown result) *result {
	s.ThoughtAt = prose(s.Reply.Text)
	message := shown.text
	if bare, ok := strings.CutPrefix(message, "[Observation]:"); ok && len(bare) > 0 {
		s.Unlabelled = false
		s.Observation = &qa.Observation{Text: bare[1:]}
		if s.ObservationMessage().Text == message {
			shown.text = bare[1:]
		} else {
			s.Unlabelled = true
		}
		s.Observation = nil
	} else {
		s.Unlabelled = true
	}
	s.ParseError = &qa.ParseError{Kind: qa.ErrNoAction, Reason: firstLine(shown.text)}
	return &shown
}

// inText fills in an action that the model wrote as text, with its place if the text is read like this by one of airqa's
// formats.
func (w *recorder) inText(s *qa.Step, c qa.ToolCall) {
	want := canonical(c.Arguments)
	formats := action.Formats()
	if found, ok := w.settings["action_format"].(string); ok {
		formats = []string{found}
	}
	for _, name := range formats {
		got := action.Grammar{Specs: specs, Format: action.Format(name)}.Read(s.Reply.Text)
		if got.Action == nil || got.Action.Name != c.Name {
			continue
		}
		if raw, err := json.Marshal(got.Action.Args); err == nil && bytes.Equal(canonical(raw), want) {
			w.settings["action_format"] = name
			s.Action, s.ThoughtAt, s.Kept = got.Action, got.Thought, got.Kept
			return
		}
	}
	s.Action = actionOf(c)
	s.ThoughtAt = prose(s.Reply.Text)
}

// canonical is JSON with sorted keys.
func canonical(raw []byte) []byte {
	var v any
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	if dec.Decode(&v) != nil {
		return raw
	}
	line, err := ledger.Encode(v)
	if err != nil {
		return raw
	}
	return line
}

// trajectory returns the end of the episode.
func (w *recorder) trajectory() qa.Trajectory {
	t := qa.Trajectory{
		UUID: w.e.uuid, Repeat: w.e.repeat, Steps: w.steps, Outcome: w.e.outcome, Reason: w.e.reason, FailedAttempts: w.e.failed,
	}
	if w.e.answer != nil {
		t.Answer = *w.e.answer
	} else if w.e.outcome == qa.Answered || w.e.outcome == "" {
		t.Answer = w.answer()
	}
	if t.Outcome == "" {
		t.Outcome = qa.Answered
		if !t.Answer.Given {
			t.Outcome, t.Reason = qa.TurnLimit, cmp.Or(t.Reason, "the log has no answer")
		}
	}
	return t
}

// answer returns the answer of the last reply: the argument of Answer, or else its text.
func (w *recorder) answer() qa.Answer {
	for i := len(w.steps) - 1; i >= 0; i-- {
		s := w.steps[i]
		if s.Reply == nil {
			continue
		}
		if s.Action != nil && s.Action.Name == "Answer" {
			if v, ok := action.Value(*s.Action, "answer"); ok {
				return qa.Answer{Given: true, Text: python.Str(v), Literal: python.Repr(v)}
			}
		}
		text := strings.TrimSpace(s.Reply.Text)
		return qa.Answer{Given: text != "" && s.Observation == nil, Text: text}
	}
	return qa.Answer{}
}

// actionOf returns a call as an action. Its text is the call as Python prints it.
func actionOf(c qa.ToolCall) *qa.Action {
	a := &qa.Action{Name: c.Name, Args: map[string]any{}, Text: c.Name + "()"}
	v, err := python.FromJSON(c.Arguments)
	args, ok := v.(*python.Dict)
	if err != nil || !ok {
		return a
	}
	var parts []string
	for k, v := range args.All() {
		parts = append(parts, python.Str(k)+"="+python.Repr(v))
		a.Args[python.Str(k)] = python.ToGo(v)
	}
	a.Text = c.Name + "(" + strings.Join(parts, ", ") + ")"
	return a
}

// prose returns the range of a text without surrounding whitespace.
func prose(text string) qa.Span {
	first := len(text) - len(strings.TrimLeft(text, " \t\r\n"))
	if end := len(strings.TrimRight(text, " \t\r\n")); first < end {
		return qa.Span{First: first, End: end}
	}
	return qa.Span{}
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return strings.ToValidUTF8(line[:min(len(line), 200)], "")
}
