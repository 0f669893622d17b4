package importer

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"airqa/agent/action"
	"airqa/internal/lazyregexp"
	"airqa/internal/python"
	"airqa/qa"
	"airqa/runlog"
	"airqa/tools"
)

// origin describes the run that episodes belong to: those of one origin make one run directory.
type origin struct {
	// Agent and Program are the agent and its version.
	Agent, Program, Provider, Model string
	// Format is the format of the file, Run the id of airqa's own run.
	Format, Run string
}

// episode is a trajectory of any format.
type episode struct {
	origin
	uuid   string
	repeat int
	// question is the text of the question, extra what else the file has about it.
	question string
	extra    map[string]json.RawMessage
	// tools are offered natively; defined are the definitions that were read.
	tools   []qa.ToolSpec
	defined map[string]bool
	price   *qa.Price

	entries []entry
	failed  []qa.Attempt
	scores  []scored

	outcome        qa.Outcome
	reason         string
	answer         *qa.Answer // nil takes it from the last reply
	started, ended time.Time
	losses         Losses
}

// scored is a score by the rules of a judge.
type scored struct {
	judge string
	qa.Score
}

// entry is a message. A reply comes before the results of its calls.
type entry struct {
	qa.Message
	// status is set for a result, and for the message of a user that answers a reply without a call.
	status         qa.Status
	started, ended time.Time

	// The rest is a reply's. program marks actions without a call of the model; inText means that the only call is a copy of
	// the action in the text.
	program, inText, cached bool
	model, finish           string
	usage                   qa.Usage

	taken bool // by the reply that it answers
}

// result returns an entry with the result of a call.
func result(id string, said qa.Message, status qa.Status) entry {
	said.Role, said.ToolCallID = qa.ToolResult, id
	if status == "" && said.Text == "" && len(said.Images) == 0 {
		status = qa.StatusEmpty
	}
	return entry{Message: said, status: cmp.Or(status, qa.StatusOK)}
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

var questionLine = lazyregexp.New(`(?s)\[Question\]: (.*?)(?:\n\[[A-Z][A-Za-z ]*\]: |\n\n|$)`)

// asked returns the text of the question: airqa's own after its label, otherwise the first message of the user.
func (e *episode) asked() string {
	at := slices.IndexFunc(e.entries, func(x entry) bool { return x.Role == qa.User })
	if at < 0 {
		return ""
	}
	if m := questionLine.FindStringSubmatch(e.entries[at].Text); m != nil {
		return m[1]
	}
	return e.entries[at].Text
}

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
	w := &recorder{run: r, e: e, to: to}
	for i := 0; i < len(e.entries) && err == nil; i++ {
		x := e.entries[i]
		r.now = x.started
		switch {
		case x.taken:
		case x.Role != qa.Assistant:
			if x.Role == qa.ToolResult {
				e.losses.Add("result without a call, now a message of the user")
				x.Role, x.ToolCallID = qa.User, ""
			}
			w.messages++
			err = to.Message(x.Message)
		default:
			if len(x.Images) > 0 {
				e.losses.Add("image of an agent's message")
			}
			err = w.turn(x, w.results(i))
		}
	}
	if err != nil {
		return err
	}
	r.now = e.ended
	return to.End(w.trajectory())
}

// results finds the results of the calls of a reply: by their ids, or in order if they have none. It is nil for a call
// without one. What answers a reply without calls is its only result.
func (w *recorder) results(reply int) []*entry {
	calls := w.e.entries[reply].ToolCalls
	results := make([]*entry, max(1, len(calls)))
	for i := reply + 1; i < len(w.e.entries) && w.e.entries[i].Role != qa.Assistant; i++ {
		x := &w.e.entries[i]
		for n := range results {
			if x.status != "" && results[n] == nil && (len(calls) == 0 || x.ToolCallID == "" || x.ToolCallID == calls[n].ID) {
				results[n], x.taken = x, true
				break
			}
		}
	}
	return results
}

// observe writes the result of a step, the last event of it.
func (w *recorder) observe(s qa.Step, got entry) error {
	s.Observation = &qa.Observation{Status: got.status, Text: got.Text, Images: got.Images}
	s.Acted, s.Ended = got.started, got.ended
	w.now = got.ended
	w.steps = append(w.steps, s)
	return w.to.Observation(s)
}

// turn writes a reply and its results.
func (w *recorder) turn(x entry, results []*entry) error {
	s := qa.Step{
		N: len(w.steps) + 1, By: qa.ByModel, Started: x.started, Ended: x.ended, Shown: []qa.Span{{First: 0, End: w.messages}},
		Kept: len(x.Text), ThoughtAt: action.Prose(x.Text), Unlabelled: len(w.e.tools) > 0,
		Reply: &qa.Reply{Text: x.Text, Reasoning: x.Reasoning, Model: x.model, Finish: x.finish, Usage: x.usage, Cached: x.cached},
	}
	got := results[0]
	switch {
	case x.program:
		return w.program(s, x, got)
	case len(x.ToolCalls) == 0 && got == nil:
		s.ThoughtAt = qa.Span{}
	case len(x.ToolCalls) == 0:
		got.Text = answered(&s, got.Text)
	case x.inText:
		w.inText(&s, x.ToolCalls[0])
	default:
		s.Reply.ToolCalls, s.Called, s.Action = x.ToolCalls, &x.ToolCalls[0], actionOf(x.ToolCalls[0])
		got = w.others(&s, results)
	}
	if got != nil && got.status == qa.StatusParse && s.Action != nil {
		s.Action, s.ParseError = nil, &qa.ParseError{Kind: qa.ErrParameter, Reason: firstLine(got.Text)}
	}
	w.messages++
	if err := w.to.Call(s); err != nil {
		return err
	}
	if got == nil {
		w.steps = append(w.steps, s)
		return nil
	}
	w.messages++
	return w.observe(s, *got)
}

// program writes an action without a call of the model.
func (w *recorder) program(s qa.Step, x entry, got *entry) error {
	s = qa.Step{N: s.N, By: qa.ByProgram, Started: s.Started, Ended: s.Ended}
	if x.Text != "" {
		w.e.losses.Add("text of an action without a call of the model")
	}
	for i, c := range x.ToolCalls {
		if s.Action = actionOf(x.ToolCalls[0]); i > 0 {
			w.e.losses.Add("further call of one action without a call of the model: " + idOf(c.Name))
		}
	}
	return w.observe(s, *cmp.Or(got, &entry{status: qa.StatusEmpty, started: x.ended, ended: x.ended}))
}

// others fills in the results of the calls after the first one, and returns the result of that.
func (w *recorder) others(s *qa.Step, results []*entry) *entry {
	first := results[0]
	for n, got := range results[1:] {
		other := qa.CallResult{ID: s.Reply.ToolCalls[n+1].ID, Status: qa.StatusEmpty}
		switch {
		case got != nil && got.Text == qa.NotRunResult:
			other.Status, other.Text = "", got.Text
		case got != nil:
			other.Status, other.Text = got.status, got.Text
			if first == nil {
				first = &entry{status: qa.StatusEmpty, started: got.started}
			}
			if len(got.Images) > 0 {
				w.e.losses.Add("place of an image of a further call, now with the first result")
				first.Images = append(first.Images, got.Images...)
			}
			first.ended = latest(first.ended, got.ended)
		}
		s.Others = append(s.Others, other)
	}
	return first
}

// answered fills in a step whose reply has no call, but got an answer: the message that followed it. It returns the text of the
// observation.
func answered(s *qa.Step, message string) string {
	s.Unlabelled = true
	if bare, ok := strings.CutPrefix(message, "[Observation]:"); ok && bare != "" {
		if o := (qa.Observation{Text: bare[1:]}); qa.ObservationMessage(o).Text == message {
			s.Unlabelled, message = false, o.Text
		}
	}
	s.ParseError = &qa.ParseError{Kind: qa.ErrNoAction, Reason: firstLine(message)}
	return message
}

// inText fills in an action that the model wrote as text, with its place if the text is read like this by one of airqa's
// formats.
func (w *recorder) inText(s *qa.Step, c qa.ToolCall) {
	s.Action = actionOf(c)
	want, err := python.FromJSON(c.Arguments)
	formats := action.Formats()
	if found, ok := w.settings["protocol"].(string); ok {
		formats = []string{qa.Protocol(found).Format()}
	}
	for _, name := range formats {
		got := action.Grammar{Specs: specs, Format: action.Format(name)}.Read(s.Reply.Text)
		if got.Action == nil || got.Action.Name != c.Name || err != nil {
			continue
		}
		raw, err := json.Marshal(got.Action.Args)
		if args, notJSON := python.FromJSON(raw); err == nil && notJSON == nil && python.Equal(args, want) {
			w.settings["protocol"] = string(qa.ReActText)
			if name != string(action.Python) {
				w.settings["protocol"] = string(qa.ReActText) + "-" + name
			}
			s.Action, s.ThoughtAt, s.Kept = got.Action, got.Thought, got.Kept
			return
		}
	}
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
	for _, s := range slices.Backward(w.steps) {
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

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return strings.ToValidUTF8(line[:min(len(line), 200)], "")
}
