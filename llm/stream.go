package llm

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tmc/langchaingo/llms"
)

var errCutStream = errors.New("the stream ended before the reply did")

// isStream reports whether a body is server-sent events. Some servers send no content type.
func isStream(contentType string, body []byte) bool {
	head := bytes.TrimLeft(body, " \r\n\t")
	return bytes.HasPrefix([]byte(contentType), []byte("text/event-stream")) ||
		slices.ContainsFunc([]string{":", "data:", "event:"}, func(w string) bool { return bytes.HasPrefix(head, []byte(w)) })
}

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

// chunk is an event of a chat completion's stream.
type chunk struct {
	ID      string `json:"id"`
	Model   string `json:"model"`
	Choices []struct {
		Index int `json:"index"`
		Delta struct {
			Content          text        `json:"content"`
			ReasoningContent aside       `json:"reasoning_content"`
			Reasoning        aside       `json:"reasoning"`
			ToolCalls        []callDelta `json:"tool_calls"`
		} `json:"delta"`
		FinishReason string          `json:"finish_reason"`
		Error        json.RawMessage `json:"error"`
	} `json:"choices"`
	Usage *usage          `json:"usage"`
	Error json.RawMessage `json:"error"`
}

// callDelta is a part of a tool call.
type callDelta struct {
	Index *int `json:"index"`
	functionCall
}

// callParts is a tool call that arrives in parts.
type callParts struct {
	functionCall
	index     int
	arguments string
}

// joinCompletion joins the first choice of a stream.
func joinCompletion(body []byte) (*llms.ContentChoice, error) {
	var whole choice
	var calls []*callParts
	c, message := completion{}, map[string]any{}
	for _, event := range events(body) {
		var part chunk
		if err := decode(event, &part); err != nil {
			return nil, fmt.Errorf("the reply is not a stream of a chat completion: %w", err)
		}
		if isError(part.Error) {
			return nil, failedReply{event}
		}
		c.ID, c.Model = cmp.Or(c.ID, part.ID), cmp.Or(c.Model, part.Model)
		if part.Usage != nil {
			c.Usage = *part.Usage
		}
		joinMembers(message, event)
		for _, p := range part.Choices {
			if p.Index != 0 {
				continue
			}
			if isError(p.Error) {
				return nil, failedReply{wrapError(p.Error)}
			}
			whole.FinishReason = cmp.Or(p.FinishReason, whole.FinishReason)
			whole.Message.Content += p.Delta.Content
			whole.Message.ReasoningContent += p.Delta.ReasoningContent
			whole.Message.Reasoning += p.Delta.Reasoning
			for _, part := range p.Delta.ToolCalls {
				calls = addPart(calls, part)
			}
		}
	}
	if whole.FinishReason == "" && !bytes.Contains(body, []byte("[DONE]")) {
		return nil, errCutStream
	}
	var err error
	if whole.Message.ToolCalls, err = wholeCalls(calls); err != nil {
		return nil, err
	}
	whole.Message.raw, err = json.Marshal(message)
	c.Choices = []choice{whole}
	return c.choice(), err
}

// wholeCalls returns the calls in the order of their indexes.
func wholeCalls(parts []*callParts) ([]functionCall, error) {
	slices.SortStableFunc(parts, func(a, b *callParts) int { return cmp.Compare(a.index, b.index) })
	var calls []functionCall
	for _, call := range parts {
		quoted, err := json.Marshal(call.arguments)
		if err != nil {
			return nil, err
		}
		call.Function.Arguments = quoted
		calls = append(calls, call.functionCall)
	}
	return calls, nil
}

// addPart adds a part to the call that it continues, or as a new call.
func addPart(calls []*callParts, part callDelta) []*callParts {
	call := continued(calls, part)
	if call == nil {
		call = &callParts{}
		if part.Index != nil {
			call.index = *part.Index
		} else if len(calls) > 0 {
			call.index = calls[len(calls)-1].index
		}
		calls = append(calls, call)
	}
	call.ID = cmp.Or(call.ID, part.ID)
	if part.Function.Name != call.Function.Name {
		call.Function.Name += part.Function.Name
	}
	piece := argumentPiece(part.Function.Arguments)
	if isObject(json.RawMessage(call.arguments)) && strings.TrimSpace(piece) != "" {
		call.arguments = "" // complete, so this is the whole again
	}
	call.arguments += piece
	return calls
}

// continued returns the call that a part belongs to, or nil for the first part of a call. Ids decide, then names, then
// indexes: several servers send every call with index 0, or count from 1.
func continued(calls []*callParts, part callDelta) *callParts {
	for _, call := range slices.Backward(calls) {
		if part.ID != "" && call.ID == part.ID && !call.differs(part) {
			return call
		}
	}
	for _, call := range slices.Backward(calls) {
		if part.Index == nil || *part.Index == call.index {
			if call.endsBefore(part) {
				return nil
			}
			return call
		}
	}
	if part.ID == "" && part.Function.Name == "" && len(calls) > 0 {
		return calls[len(calls)-1] // a call begins with its name
	}
	return nil
}

// differs reports whether a part with the call's id names another call: some servers have one id for all.
func (c *callParts) differs(part callDelta) bool {
	name := part.Function.Name
	return name != "" && (part.Index != nil && *part.Index != c.index || name != c.Function.Name && c.arguments != "")
}

// endsBefore reports whether a part with the call's index begins another call.
func (c *callParts) endsBefore(part callDelta) bool {
	name := part.Function.Name
	switch {
	case name == "":
		return false // some servers give every part an id of its own
	case part.ID != "" && c.ID != "":
		return true
	case name != c.Function.Name:
		return c.arguments != "" // otherwise it is the rest of the name
	}
	return isObject(json.RawMessage(c.arguments)) && argumentPiece(part.Function.Arguments) != ""
}

// argumentPiece is a piece of arguments: a text, or an object if a server sends it whole.
func argumentPiece(raw json.RawMessage) string {
	var piece string
	if len(raw) == 0 || json.Unmarshal(raw, &piece) == nil {
		return piece
	}
	return string(raw)
}

// messageEvent is an event of a message's stream.
type messageEvent struct {
	Type    string          `json:"type"`
	Index   int             `json:"index"`
	Message *anthropicReply `json:"message"`
	Block   map[string]any  `json:"content_block"`
	Delta   struct {
		Text       string `json:"text"`
		Thinking   string `json:"thinking"`
		Signature  string `json:"signature"`
		Input      string `json:"partial_json"`
		StopReason string `json:"stop_reason"`
	} `json:"delta"`
	Usage struct {
		Output int `json:"output_tokens"`
	} `json:"usage"`
}

// joinMessage joins a stream of Anthropic's into one message.
func joinMessage(body []byte) (*llms.ContentChoice, error) {
	var whole anthropicReply
	var blocks []map[string]any
	done := false
	for _, raw := range events(body) {
		var event messageEvent
		if err := decode(raw, &event); err != nil {
			return nil, fmt.Errorf("the reply is not a stream of a message: %w", err)
		}
		switch event.Type {
		case "error":
			return nil, failedReply{raw}
		case "message_start":
			if event.Message != nil {
				whole = *event.Message
			}
		case "content_block_start":
			blocks = append(blocks, event.Block)
		case "content_block_delta":
			if event.Index < 0 || event.Index >= len(blocks) {
				return nil, fmt.Errorf("the reply is not a stream of a message: no block %d", event.Index)
			}
			grow(blocks[event.Index], event)
		case "message_delta":
			whole.StopReason, whole.Usage.Output = event.Delta.StopReason, event.Usage.Output
			done = true
		}
	}
	if !done {
		return nil, errCutStream
	}
	return whole.with(blocks)
}

// grow adds a delta to its block. Tool input comes as pieces of JSON.
func grow(block map[string]any, event messageEvent) {
	for name, piece := range map[string]string{
		"text": event.Delta.Text, "thinking": event.Delta.Thinking, "signature": event.Delta.Signature, "partial": event.Delta.Input,
	} {
		if before, _ := block[name].(string); piece != "" {
			block[name] = before + piece
		}
	}
}

// with converts the message with the blocks of its stream as content.
func (got anthropicReply) with(blocks []map[string]any) (*llms.ContentChoice, error) {
	got.Content = nil
	for _, block := range blocks {
		if input, ok := block["partial"].(string); ok {
			delete(block, "partial")
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
