package importer

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"airqa/qa"
	"airqa/train/format"
)

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
	Started  when                       `json:"started_at"`
	Ended    when                       `json:"completed_at"`
	Error    *struct {
		Message string `json:"message"`
	} `json:"error,omitempty"`
	Limit *struct {
		Type string `json:"type"`
	} `json:"limit,omitempty"`
	Attachments map[string]string `json:"attachments"`
	// EventsData has the messages that events refer to; those of the conversation are read from Messages.
	EventsData json.RawMessage `json:"events_data,omitempty"`
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
	Usage      struct {
		Input     int `json:"input_tokens"`
		Output    int `json:"output_tokens"`
		Total     int `json:"total_tokens"`
		CacheRead int `json:"input_tokens_cache_read"`
		Reasoning int `json:"reasoning_tokens"`
	} `json:"usage"`
	Error string `json:"error,omitempty"`
}

// event is an event of a sample; Kind decides which of the other fields it has.
type event struct {
	Kind      string            `json:"event"`
	Timestamp when              `json:"timestamp"`
	Completed when              `json:"completed"`
	Output    modelOutput       `json:"output"`
	Tools     []json.RawMessage `json:"tools"`
	Cache     string            `json:"cache"`
	Error     json.RawMessage   `json:"error"`
	Retries   int               `json:"retries"`
	Result    json.RawMessage   `json:"result"`
	ID        json.RawMessage   `json:"id"`
}

// when is a time in any form of ISO 8601: early logs have no zone. Others are none.
type when struct{ time.Time }

// UnmarshalJSON reads a time.
func (w *when) UnmarshalJSON(raw []byte) error {
	w.Time, _ = format.ParseTime(plain(raw))
	w.Time = w.UTC()
	return nil
}

// plain returns a JSON text, or another value as it is written.
func plain(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

// sampled makes the episode of a sample.
type sampled struct {
	*episode
	sample
	events []event
	// replies are the calls of the model by the key of their message. A message of the conversation takes its call out.
	replies map[string][]event
	// ran are the events of tools by the id of the call.
	ran map[string]event
}

// key identifies a message: by its id, or in early logs, which have none, by its content.
func (m chatMessage) key() string { return cmp.Or(m.ID, string(format.Compact(m.Content))) }

// sample imports a sample.
func (l *inspectLog) sample(raw []byte) error {
	b := &sampled{episode: &episode{losses: l.numbers, defined: make(map[string]bool)}, replies: make(map[string][]event), ran: make(map[string]event)}
	l.numbers = make(Losses)
	var keys map[string]json.RawMessage
	err := json.Unmarshal(raw, &keys)
	if events := keys["events"]; err == nil && len(events) > 0 {
		err = json.Unmarshal(events, &b.events)
	}
	delete(keys, "events") // counted by type, not by key
	rest, _ := json.Marshal(keys)
	if err = cmp.Or(err, b.losses.decode(rest, &b.sample, "")); err != nil {
		return fmt.Errorf("not an inspect_ai sample: %w", err)
	}
	run := l.header.Eval
	provider, model := splitModel(run.Model)
	b.origin = origin{
		Agent: cmp.Or(run.Task, "inspect_ai"), Program: strings.TrimSpace("inspect_ai " + run.Packages["inspect_ai"]), Provider: provider,
		Model: model, Format: "inspect_ai",
	}
	b.uuid, b.repeat = idOf(plain(b.ID)), max(b.Epoch-1, 0)
	b.started, b.ended = cmp.Or(b.Started.Time, run.Created.Time), b.Ended.Time
	b.index()
	for _, m := range b.Messages {
		b.message(m)
	}
	for _, outside := range b.replies {
		for range outside {
			b.losses.Add("call of a model outside of the conversation")
		}
	}
	b.end()
	// The scores come in the order of the scorers of the log.
	names := slices.Sorted(maps.Keys(b.Scores))
	for _, scorer := range slices.Backward(run.Scorers) {
		names = slices.Insert(names, 0, scorer.Name)
	}
	b.score(names)
	if b.question = b.asked(); strings.HasPrefix(string(b.Input), `"`) {
		b.question = b.attached(plain(b.Input))
	}
	return l.to.add(b.episode)
}

// score adds the scores by name, and to the question what else the log has about it.
func (b *sampled) score(names []string) {
	for _, name := range names {
		if raw, ok := b.Scores[name]; ok {
			b.scores = append(b.scores, b.losses.score(name, raw))
			delete(b.Scores, name)
		}
	}
	b.extra = make(map[string]json.RawMessage)
	for name, value := range map[string]json.RawMessage{"target": b.Target, "choices": b.Choices, "metadata": b.Metadata} {
		if v := string(value); v != "" && v != "null" && v != "{}" && v != "[]" {
			b.extra[name] = value
		}
	}
}

// index finds the events of replies and tools, takes the tools from the calls of the model, and counts the events that the
// conversation does not have: failed calls become failed requests.
func (b *sampled) index() {
	for _, ev := range b.events {
		switch {
		case ev.Kind == "tool":
			b.ran[plain(ev.ID)] = ev
		case ev.Kind == "sample_init", ev.Kind == "span_begin", ev.Kind == "span_end", ev.Kind == "score":
		case ev.Kind != "model":
			b.losses.Add("event of type " + idOf(ev.Kind))
		case len(ev.Error) > 0 && string(ev.Error) != "null":
			b.addTools(ev.Tools)
			b.failed = append(b.failed, qa.Attempt{
				Started: ev.Timestamp.Time, Seconds: max(0, ev.Completed.Sub(ev.Timestamp.Time).Seconds()), Error: qa.FailUnknown,
			})
		case len(ev.Output.Choices) > 0:
			b.addTools(ev.Tools)
			key := ev.Output.Choices[0].Message.key()
			b.replies[key] = append(b.replies[key], ev)
		default:
			b.losses.Add("call of a model without a reply")
		}
	}
}

// attached returns a text, or the one that it refers to.
func (b *sampled) attached(text string) string {
	const attachment = "attachment://" // begins a text that is kept apart
	if name, ok := strings.CutPrefix(text, attachment); ok {
		if whole, there := b.Attachments[name]; there {
			return whole
		}
		b.losses.Add("attachment that is missing")
	}
	return text
}

// content reads a text, or a list of parts.
func (b *sampled) content(raw json.RawMessage) qa.Message {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return qa.Message{Text: b.attached(text)}
	}
	var parts []part
	if json.Unmarshal(raw, &parts) != nil {
		b.losses.Add("content in an unknown form")
	}
	return b.losses.content(parts, b.attached, func(p part) (qa.Image, bool) { return dataURL(b.attached(p.Image)) })
}

// message adds a message of the conversation.
func (b *sampled) message(m chatMessage) {
	if m.Role == "assistant" {
		b.reply(m)
		return
	}
	x := entry{Message: b.content(m.Content)}
	switch m.Role {
	case "tool":
		var status qa.Status
		if m.Error != nil {
			status, x.Text = qa.StatusError, cmp.Or(x.Text, m.Error.Message)
		}
		x = result(m.CallID, x.Message, status)
		ev := b.ran[m.CallID]
		x.started, x.ended = ev.Timestamp.Time, ev.Completed.Time
	case "system":
		x.Role = qa.System
	default:
		if x.Role = qa.User; m.Role != "user" {
			b.losses.Add("message of an unknown role, now of the user")
		}
	}
	b.entries = append(b.entries, x)
}

// reply adds a message of the model with what its event has. What the model wrote is in the event: react() removes the call
// of submit, with its result, from the conversation, and adds its answer to the text.
func (b *sampled) reply(m chatMessage) {
	kept := make(map[string]bool)
	for _, c := range m.Calls {
		kept[c.ID] = true
	}
	x := entry{model: m.Model}
	if list := b.replies[m.key()]; len(list) > 0 {
		b.replies[m.key()] = list[1:]
		ev, choice, u := list[0], list[0].Output.Choices[0], list[0].Output.Usage
		m.Content, m.Calls = choice.Message.Content, choice.Message.Calls
		x.started, x.ended, x.cached = ev.Timestamp.Time, ev.Completed.Time, ev.Cache == "read"
		x.model, x.finish = cmp.Or(m.Model, ev.Output.Model), choice.Stop
		x.usage = qa.Usage{Prompt: max(u.Input, u.Total-u.Output), Completion: u.Output, Cached: u.CacheRead, Reasoning: u.Reasoning}
		if ev.Retries > 0 {
			b.losses.Add("retries of a call")
		}
	} else {
		b.losses.Add("reply without an event: its time and tokens are unknown")
	}
	x.Message = b.content(m.Content)
	x.Role = qa.Assistant
	var removed []entry
	for _, c := range m.Calls {
		x.ToolCalls = append(x.ToolCalls, qa.ToolCall{ID: c.ID, Name: c.Function, Arguments: format.Compact(c.Arguments)})
		if ev, ok := b.ran[c.ID]; ok && !kept[c.ID] {
			got := result(c.ID, qa.Message{Text: b.attached(plain(ev.Result))}, "")
			got.started, got.ended = ev.Timestamp.Time, ev.Completed.Time
			removed = append(removed, got)
		}
	}
	b.entries = append(append(b.entries, x), removed...)
}

// limits are the outcomes of a sample that reached a limit.
var limits = map[string]qa.Outcome{
	"message": qa.TurnLimit, "turn": qa.TurnLimit, "token": qa.TokenLimit, "context": qa.ContextOverflow, "time": qa.TimeLimit, "working": qa.TimeLimit,
	"cost": qa.CostLimit, "operator": qa.Cancelled, "custom": qa.Cancelled,
}

// end decides how the episode ended.
func (b *sampled) end() {
	switch {
	case b.Error != nil:
		b.outcome, b.reason = qa.ToolFailure, b.Error.Message
		if len(b.failed) > 0 {
			b.outcome = qa.EndpointError
		}
	case b.Limit != nil:
		b.outcome, b.reason = cmp.Or(limits[b.Limit.Type], qa.TurnLimit), "limit: "+b.Limit.Type
	default:
		text := strings.TrimSpace(b.attached(b.Output.Completion))
		b.answer = &qa.Answer{Given: text != "", Text: text}
	}
}

// grades are the values that inspect_ai's scorers use, besides numbers.
var grades = map[any]float64{"C": 1, "I": 0, "P": 0.5, "N": 0, true: 1, false: 0}

// score reads a score. A value outside of 0 to 1 gives no verdict.
func (l Losses) score(name string, raw json.RawMessage) scored {
	var read struct {
		Value, Metadata any
		Explanation     string
	}
	out := scored{"inspect_ai:" + name, qa.Score{Verdict: qa.Unscored, Func: name}}
	if json.Unmarshal(raw, &read) != nil {
		l.Add("score in an unknown form")
		out.Reason = "the log's score cannot be read"
		return out
	}
	if read.Explanation != "" || read.Metadata != nil {
		l.Add("explanation or metadata of a score")
	}
	value, ok := read.Value.(float64)
	switch read.Value.(type) {
	case string, bool: // others, such as maps, are no keys
		value, ok = grades[read.Value]
	}
	switch {
	case !ok || value < 0 || value > 1:
		l.Add("score outside of 0 to 1, or without a number")
		out.Reason = "the score in the log is not a number from 0 to 1"
	case value == 1:
		out.Value, out.Verdict = 1, qa.Right
	default:
		out.Value, out.Verdict = value, qa.Wrong
	}
	return out
}
