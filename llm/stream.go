package llm

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tmc/langchaingo/llms"
)

var errCutStream = errors.New("the stream ended before the reply did")

// events splits a stream into the data of its events, without the final [DONE] of OpenAI's streams.
func events(body []byte) []json.RawMessage {
	var all []json.RawMessage
	var data []byte
	flush := func() {
		if text := bytes.TrimSpace(data); len(text) > 0 && string(text) != "[DONE]" {
			all = append(all, slices.Clone(text))
		}
		data = data[:0]
	}
	for line := range bytes.Lines(body) {
		line = bytes.TrimRight(line, "\r\n")
		if len(line) == 0 {
			flush()
		}
		if rest, ok := bytes.CutPrefix(line, []byte("data:")); ok {
			data = append(append(data, bytes.TrimPrefix(rest, []byte(" "))...), '\n')
		}
	}
	flush()
	return all
}

type chunk struct {
	completion
	Choices []struct {
		Index int `json:"index"`
		// Delta is a part of the message. Message is all of it, which some servers send at the end.
		Delta        fields `json:"delta"`
		Message      fields `json:"message"`
		FinishReason string `json:"finish_reason"`
	} `json:"choices"`
}

type fields map[string]any

// UnmarshalJSON keeps numbers as they are written. Anything but an object has no members.
func (f *fields) UnmarshalJSON(data []byte) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var object map[string]any
	_ = d.Decode(&object)
	*f = object
	return nil
}

// joinCompletion joins the first choice of a stream.
func joinCompletion(body []byte) (*llms.ContentChoice, error) {
	var whole completion
	first := streamedChoice{message: fields{}}
	for _, event := range events(body) {
		var part chunk
		if err := decode(event, &part); err != nil {
			return nil, fmt.Errorf("the reply is not a stream of a chat completion: %w", err)
		}
		if err := checkSuccess(event); err != nil {
			return nil, err
		}
		if part.Choices == nil { // an event that is an error has none
			if r := readRefusal(event); r.found() {
				return nil, failedReply{r}
			}
		}
		whole.ID, whole.Model = cmp.Or(whole.ID, part.ID), cmp.Or(whole.Model, part.Model)
		whole.Usage = cmp.Or(part.Usage, whole.Usage)
		first.add(part)
	}
	if first.finish == "" && !bytes.Contains(body, []byte("[DONE]")) {
		return nil, errCutStream
	}
	slices.SortStableFunc(first.calls, func(a, b *streamedCall) int { return cmp.Compare(a.index, b.index) })
	first.message["tool_calls"] = first.calls
	whole.Choices = []choice{{FinishReason: first.finish}}
	raw, err := json.Marshal(first.message)
	if err == nil {
		err = json.Unmarshal(raw, &whole.Choices[0].Message)
	}
	if err != nil {
		return nil, fmt.Errorf("the reply is not a stream of a chat completion: %w", err)
	}
	return whole.choice(), nil
}

type streamedChoice struct {
	message fields
	calls   []*streamedCall
	finish  string
}

func (s *streamedChoice) add(part chunk) {
	for _, p := range part.Choices {
		if p.Index != 0 {
			continue
		}
		if len(p.Message) > 0 {
			p.Delta, s.message, s.calls = p.Message, fields{}, nil
		}
		s.finish = cmp.Or(p.FinishReason, s.finish)
		list, _ := p.Delta["tool_calls"].([]any)
		for _, v := range list {
			more, ok := v.(map[string]any)
			if !ok {
				more = map[string]any{}
			}
			function, _ := more["function"].(map[string]any)
			c := &streamedCall{more: more}
			c.id, _ = more["id"].(string)
			c.name, _ = function["name"].(string)
			// Arguments are a text, or an object if a server sends it whole.
			if text, ok := function["arguments"].(string); ok {
				c.arguments = text
			} else if raw, err := json.Marshal(function["arguments"]); err == nil && function["arguments"] != nil {
				c.arguments = string(raw)
			}
			index, err := strconv.Atoi(fmt.Sprint(more["index"]))
			c.index, c.indexed = index, err == nil
			s.calls = addPart(s.calls, c)
		}
		delete(p.Delta, "tool_calls")
		joined(map[string]any(s.message), map[string]any(p.Delta), true)
	}
}

// streamedCall is a tool call that arrives in parts, or a part of one.
type streamedCall struct {
	id, name, arguments string
	index               int
	indexed             bool
	// more has the other members.
	more map[string]any
}

// MarshalJSON is the call as in a whole reply.
func (c *streamedCall) MarshalJSON() ([]byte, error) {
	return json.Marshal(joined(c.more, map[string]any{
		"id": c.id, "function": map[string]any{"name": c.name, "arguments": c.arguments},
	}, false))
}

// addPart adds a part to the call that it continues, or as a new call.
func addPart(calls []*streamedCall, part *streamedCall) []*streamedCall {
	call := continued(calls, part)
	if call == nil {
		if !part.indexed && len(calls) > 0 {
			part.index = calls[len(calls)-1].index
		}
		return append(calls, part)
	}
	call.id = cmp.Or(call.id, part.id)
	if part.name != call.name {
		call.name += part.name
	}
	if isObject(json.RawMessage(call.arguments)) && strings.TrimSpace(part.arguments) != "" {
		call.arguments = "" // complete, so this is the whole again
	}
	call.arguments += part.arguments
	joined(call.more, part.more, false)
	return calls
}

// continued returns the call that a part belongs to, or nil for the first part of a call. Ids decide, then names, then
// indexes: several servers send every call with index 0, or count from 1.
func continued(calls []*streamedCall, part *streamedCall) *streamedCall {
	last := func(fits func(c *streamedCall) bool) *streamedCall {
		for _, c := range slices.Backward(calls) {
			if fits(c) {
				return c
			}
		}
		return nil
	}
	same := last(func(c *streamedCall) bool { return part.id != "" && c.id == part.id && !part.begins(c) })
	same = cmp.Or(same, last(func(c *streamedCall) bool { return !part.indexed || part.index == c.index }))
	if same == nil && part.id == "" && part.name == "" && len(calls) > 0 {
		return calls[len(calls)-1] // a call begins with its name
	}
	if same == nil || part.begins(same) {
		return nil
	}
	return same
}

// begins reports whether a part with the id or the index of an earlier call begins another one: some servers have one id
// or one index for all, and some give every part an id of its own.
func (c *streamedCall) begins(earlier *streamedCall) bool {
	switch {
	case c.name == "":
		return false
	case c.indexed && c.index != earlier.index:
		return true
	case c.id != "" && earlier.id != "" && c.id != earlier.id:
		return true
	case c.name != earlier.name:
		return earlier.arguments != "" // otherwise it is the rest of the name
	}
	return c.id == "" && isObject(json.RawMessage(earlier.arguments)) && c.arguments != ""
}

// joinMessage joins a stream of Anthropic's into one message. Tool input comes as pieces of JSON.
func joinMessage(body []byte) (*llms.ContentChoice, error) {
	var whole anthropicReply
	var blocks []map[string]any
	done := false
	for _, raw := range events(body) {
		var event struct {
			Type    string         `json:"type"`
			Index   int            `json:"index"`
			Message anthropicReply `json:"message"`
			Block   fields         `json:"content_block"`
			Delta   fields         `json:"delta"`
			Usage   struct {
				Output int `json:"output_tokens"`
			} `json:"usage"`
		}
		if err := decode(raw, &event); err != nil {
			return nil, fmt.Errorf("the reply is not a stream of a message: %w", err)
		}
		switch event.Type {
		case "error":
			return nil, failedReply{readRefusal(raw)}
		case "message_start":
			whole = event.Message
		case "content_block_start":
			blocks = append(blocks, event.Block)
		case "content_block_delta":
			if event.Index < 0 || event.Index >= len(blocks) || blocks[event.Index] == nil {
				return nil, fmt.Errorf("the reply is not a stream of a message: no block %d", event.Index)
			}
			delete(event.Delta, "type")
			joined(blocks[event.Index], map[string]any(event.Delta), true)
		case "message_delta":
			whole.StopReason, _ = event.Delta["stop_reason"].(string)
			whole.Usage.Output, done = event.Usage.Output, true
		}
	}
	if !done {
		return nil, errCutStream
	}
	return whole.with(blocks)
}

// with converts the message with the blocks of its stream as content.
func (got anthropicReply) with(blocks []map[string]any) (*llms.ContentChoice, error) {
	got.Content = nil
	for _, block := range blocks {
		if input, ok := block["partial_json"].(string); ok {
			delete(block, "partial_json")
			block["input"] = readArguments(input)
		}
		raw, err := json.Marshal(block)
		if err != nil {
			return nil, err
		}
		got.Content = append(got.Content, raw)
	}
	return got.choice()
}
