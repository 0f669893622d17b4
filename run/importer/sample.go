package importer

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"airqa/qa"
	"airqa/train/format"
)

// header describes a run of inspect_ai, as far as it is used.
type header struct {
	Status string `json:"status"`
	Eval   struct {
		Created  when              `json:"created"`
		Task     string            `json:"task"`
		Model    string            `json:"model"`
		RunID    string            `json:"run_id"`
		Packages map[string]string `json:"packages"`
		Scorers  []struct {
			Name string `json:"name"`
		} `json:"scorers"`
	} `json:"eval"`
}

// sample is one epoch of a sample, as far as it is used.
type sample struct {
	ID       json.RawMessage            `json:"id"`
	Epoch    int                        `json:"epoch"`
	Input    json.RawMessage            `json:"input"`
	Choices  json.RawMessage            `json:"choices,omitempty"`
	Target   json.RawMessage            `json:"target"`
	Metadata json.RawMessage            `json:"metadata,omitempty"`
	Messages []chatMessage              `json:"messages"`
	Output   modelOutput                `json:"output"`
	Scores   map[string]json.RawMessage `json:"scores"`
	Events   []event                    `json:"events"`
	Started  *when                      `json:"started_at,omitempty"`
	Ended    *when                      `json:"completed_at,omitempty"`
	Error    *sampleError               `json:"error,omitempty"`
	Limit    *struct {
		Type string `json:"type"`
	} `json:"limit,omitempty"`
	Attachments map[string]string `json:"attachments"`
	// EventsData has the messages that events refer to; those of the conversation are read from Messages.
	EventsData json.RawMessage `json:"events_data,omitempty"`
}

type sampleError struct {
	Message string `json:"message"`
}

type chatMessage struct {
	ID      string          `json:"id"`
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
	Source  string          `json:"source,omitempty"`
	Model   string          `json:"model,omitempty"`
	Calls   []struct {
		ID        string          `json:"id"`
		Function  string          `json:"function"`
		Arguments json.RawMessage `json:"arguments"`
		Type      string          `json:"type,omitempty"`
	} `json:"tool_calls,omitempty"`
	CallID   string `json:"tool_call_id,omitempty"`
	Function string `json:"function,omitempty"`
	Error    *struct {
		Type    string `json:"type"`
		Message string `json:"message"`
	} `json:"error,omitempty"`
}

type modelOutput struct {
	Model   string `json:"model"`
	Choices []struct {
		Message chatMessage `json:"message"`
		Stop    string      `json:"stop_reason"`
	} `json:"choices"`
	Completion string `json:"completion"`
	Usage      *struct {
		Input     int `json:"input_tokens"`
		Output    int `json:"output_tokens"`
		Total     int `json:"total_tokens"`
		CacheRead int `json:"input_tokens_cache_read"`
		Reasoning int `json:"reasoning_tokens"`
	} `json:"usage,omitempty"`
	Error string `json:"error,omitempty"`
}

// event is an event of a sample; Kind decides which of the other fields it has.
type event struct {
	Kind      string            `json:"event"`
	Timestamp *when             `json:"timestamp,omitempty"`
	Completed *when             `json:"completed,omitempty"`
	Output    *modelOutput      `json:"output,omitempty"`
	Tools     []json.RawMessage `json:"tools,omitempty"`
	Cache     string            `json:"cache,omitempty"`
	Error     json.RawMessage   `json:"error,omitempty"`
	Retries   int               `json:"retries,omitempty"`
	Result    json.RawMessage   `json:"result,omitempty"`
	ID        json.RawMessage   `json:"id,omitempty"`
}

// inspectLog imports the samples of a log.
type inspectLog struct {
	header
	name string
	to   *writer
	// numbers are those of the log that JSON does not have; the next sample counts them.
	numbers Losses
}

// sample imports a sample.
func (l *inspectLog) sample(raw []byte) error {
	losses := l.numbers
	l.numbers = make(Losses)
	raw = finite(raw, losses)
	var s sample
	if err := json.Unmarshal(raw, &s); err != nil {
		return fmt.Errorf("not an inspect_ai sample: %w", err)
	}
	if err := countUnread(raw, losses); err != nil {
		return err
	}
	provider, model := splitModel(l.Eval.Model)
	e := &episode{
		origin: origin{
			Agent: cmp.Or(l.Eval.Task, "inspect_ai"), Program: "inspect_ai " + l.Eval.Packages["inspect_ai"], Provider: provider,
			Model: model, Format: "inspect_ai",
		},
		file: l.name, uuid: idOf(plain(s.ID)), repeat: max(s.Epoch-1, 0), losses: losses, extra: make(map[string]json.RawMessage),
	}
	e.Program = strings.TrimSpace(e.Program)
	for name, value := range map[string]json.RawMessage{"target": s.Target, "choices": s.Choices, "metadata": s.Metadata} {
		if v := string(value); v != "" && v != "null" && v != "{}" && v != "[]" {
			e.extra[name] = value
		}
	}
	e.started, e.ended = timeOf(s.Started), timeOf(s.Ended)
	if e.started.IsZero() {
		e.started = timeOf(&l.Eval.Created)
	}
	b := &sampleTurns{s: s, e: e, calls: make(map[string]event), results: make(map[string]event)}
	b.index()
	b.messages()
	b.outside()
	b.end()
	l.scores(s, e)
	if e.question = plain(s.Input); !strings.HasPrefix(string(s.Input), `"`) {
		e.question = question(e.turns)
	} else {
		e.question = b.attached(e.question)
	}
	return l.to.add(e)
}

// countUnread counts the keys of a sample that are not read, apart from those of events, which are counted by type.
func countUnread(raw []byte, l Losses) error {
	var s sample
	var top map[string]json.RawMessage
	if err := json.Unmarshal(raw, &top); err != nil {
		return err
	}
	delete(top, "events")
	rest, err := json.Marshal(top)
	if err != nil {
		return err
	}
	return decode(rest, &s, "", l)
}

// plain returns a JSON text, or another value as it is written.
func plain(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

// when is a time in any form of ISO 8601: early logs have no zone. Others are none.
type when struct{ time.Time }

// UnmarshalJSON reads a time.
func (w *when) UnmarshalJSON(raw []byte) error {
	w.Time, _ = format.ParseTime(plain(raw))
	return nil
}

func timeOf(t *when) time.Time {
	if t == nil || t.IsZero() {
		return time.Time{}
	}
	return t.UTC()
}

// sampleTurns makes the turns of a sample.
type sampleTurns struct {
	s sample
	e *episode
	// calls are the calls of the model by the id of their message, results those of tools by the id of the call.
	calls, results map[string]event
	used           map[string]bool
	// unnamed are the calls whose messages have no id, in order.
	unnamed []event
}

// index finds the events by id, and takes the tools from the calls of the model.
func (b *sampleTurns) index() {
	b.used = make(map[string]bool)
	seen := make(map[string]bool)
	for _, ev := range b.s.Events {
		switch ev.Kind {
		case "model":
			b.call(ev)
			b.tools(ev.Tools, seen)
		case "tool":
			b.results[plain(ev.ID)] = ev
		}
	}
}

func (b *sampleTurns) call(ev event) {
	if !ev.replied() {
		return
	}
	if id := ev.Output.Choices[0].Message.ID; id != "" {
		b.calls[id] = ev
		return
	}
	b.unnamed = append(b.unnamed, ev)
	b.used[""] = true
}

// failed reports whether a call of a model brought an error.
func (ev event) failed() bool { return len(ev.Error) > 0 && string(ev.Error) != "null" }

// replied reports whether it brought a reply.
func (ev event) replied() bool { return ev.Output != nil && len(ev.Output.Choices) > 0 && !ev.failed() }

func (b *sampleTurns) tools(list []json.RawMessage, seen map[string]bool) {
	for _, raw := range list {
		if seen[string(raw)] {
			continue
		}
		seen[string(raw)] = true
		if spec, ok := specOf(raw, b.e.losses); ok {
			b.e.tools = append(b.e.tools, spec)
		}
	}
}

// messages adds the conversation.
func (b *sampleTurns) messages() {
	for _, m := range b.s.Messages {
		if m.Role == "assistant" {
			b.reply(m)
			continue
		}
		said := b.content(m.Content)
		switch m.Role {
		case "tool":
			b.result(m, said)
		case "system":
			b.e.turns = append(b.e.turns, turn{role: qa.System, text: said.text, images: said.images})
		default:
			if m.Role != "user" {
				b.e.losses.Add("message of an unknown role, now of the user")
			}
			b.e.turns = append(b.e.turns, turn{role: qa.User, text: said.text, images: said.images})
		}
	}
}

// reply adds a message of the model with what its event has. What the model wrote is in the event: react() removes the call
// of submit, with its result, from the conversation, and adds its answer to the text.
func (b *sampleTurns) reply(m chatMessage) {
	ev, ok := b.event(m)
	kept := make(map[string]bool)
	for _, c := range m.Calls {
		kept[c.ID] = true
	}
	if ok {
		wrote := ev.Output.Choices[0].Message
		m.Content, m.Calls = wrote.Content, wrote.Calls
	}
	said := b.content(m.Content)
	t := turn{role: qa.Assistant, text: said.text, reasoning: said.reasoning, model: m.Model}
	if len(said.images) > 0 {
		b.e.losses.Add("image of an agent's message")
	}
	if ok {
		t.started, t.ended, t.fromCache = timeOf(ev.Timestamp), timeOf(ev.Completed), ev.Cache == "read"
		t.model, t.finish = cmp.Or(m.Model, ev.Output.Model), ev.Output.Choices[0].Stop
		if u := ev.Output.Usage; u != nil {
			t.usage = qa.Usage{Prompt: max(u.Input, u.Total-u.Output), Completion: u.Output, Cached: u.CacheRead, Reasoning: u.Reasoning}
		}
		if ev.Retries > 0 {
			b.e.losses.Add("retries of a call")
		}
	} else {
		b.e.losses.Add("reply without an event: its time and tokens are unknown")
	}
	for _, c := range m.Calls {
		made := call{ToolCall: qa.ToolCall{ID: c.ID, Name: c.Function, Arguments: object(c.Arguments)}}
		if ran, found := b.results[c.ID]; found && !kept[c.ID] {
			text := b.attached(plain(ran.Result))
			made.result = &result{text: text, status: statusOf(text, nil), started: timeOf(ran.Timestamp), ended: timeOf(ran.Completed)}
		}
		t.calls = append(t.calls, made)
	}
	b.e.turns = append(b.e.turns, t)
}

// event finds the call of the model that brought a message: by its id, or in logs without ids by its content.
func (b *sampleTurns) event(m chatMessage) (event, bool) {
	if m.ID != "" {
		ev, ok := b.calls[m.ID]
		b.used[m.ID] = true
		return ev, ok
	}
	for i, ev := range b.unnamed {
		if bytes.Equal(object(ev.Output.Choices[0].Message.Content), object(m.Content)) {
			b.unnamed = b.unnamed[i+1:]
			return ev, true
		}
	}
	return event{}, false
}

// object returns arguments without whitespace.
func object(raw json.RawMessage) json.RawMessage {
	var out bytes.Buffer
	if json.Compact(&out, raw) != nil || out.Len() == 0 {
		return json.RawMessage(`{}`)
	}
	return out.Bytes()
}

// result gives a call its result.
func (b *sampleTurns) result(m chatMessage, said said) {
	got := &result{text: said.text, images: said.images, status: statusOf(said.text, said.images)}
	if m.Error != nil {
		got.status = qa.StatusError
		if got.text == "" {
			got.text = m.Error.Message
		}
	}
	if ev, ok := b.results[m.CallID]; ok {
		got.started, got.ended = timeOf(ev.Timestamp), timeOf(ev.Completed)
	}
	for i := len(b.e.turns) - 1; i >= 0; i-- {
		for j := range b.e.turns[i].calls {
			if c := &b.e.turns[i].calls[j]; c.ID == m.CallID && c.result == nil {
				c.result = got
				return
			}
		}
		if len(b.e.turns[i].calls) > 0 {
			break
		}
	}
	b.e.losses.Add("result without a call, now a message of the user")
	b.e.turns = append(b.e.turns, turn{role: qa.User, text: got.text, images: got.images})
}

// outside counts the events that the conversation does not have: failed calls become failed requests.
func (b *sampleTurns) outside() {
	for _, ev := range b.s.Events {
		switch {
		case ev.Kind == "tool", ev.Kind == "sample_init", ev.Kind == "span_begin", ev.Kind == "span_end", ev.Kind == "score":
		case ev.Kind != "model":
			b.e.losses.Add("event of type " + idOf(ev.Kind))
		case ev.failed():
			began := timeOf(ev.Timestamp)
			b.e.failed = append(b.e.failed, qa.Attempt{
				Started: began, Seconds: max(0, timeOf(ev.Completed).Sub(began).Seconds()),
				Error: qa.FailUnknown,
			})
		case !ev.replied() || !b.used[ev.Output.Choices[0].Message.ID]:
			b.e.losses.Add("call of a model outside of the conversation")
		}
	}
}

// limits are the outcomes of a sample that reached a limit.
var limits = map[string]qa.Outcome{
	"message": qa.TurnLimit, "turn": qa.TurnLimit, "token": qa.TokenLimit, "context": qa.ContextOverflow, "time": qa.TimeLimit, "working": qa.TimeLimit,
	"cost": qa.CostLimit, "operator": qa.Cancelled, "custom": qa.Cancelled,
}

// end decides how the episode ended.
func (b *sampleTurns) end() {
	switch {
	case b.s.Error != nil:
		b.e.outcome, b.e.reason = qa.ToolFailure, b.s.Error.Message
		if len(b.e.failed) > 0 {
			b.e.outcome = qa.EndpointError
		}
	case b.s.Limit != nil:
		b.e.outcome = cmp.Or(limits[b.s.Limit.Type], qa.TurnLimit)
		b.e.reason = "limit: " + b.s.Limit.Type
	default:
		text := strings.TrimSpace(b.attached(b.s.Output.Completion))
		b.e.answer = &qa.Answer{Given: text != "", Text: text}
	}
}
