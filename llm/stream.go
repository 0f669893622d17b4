package llm

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

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
			ReasoningContent text        `json:"reasoning_content"`
			Reasoning        text        `json:"reasoning"`
			ToolCalls        []callDelta `json:"tool_calls"`
		} `json:"delta"`
		FinishReason string `json:"finish_reason"`
	} `json:"choices"`
	Usage *usage          `json:"usage"`
	Error json.RawMessage `json:"error"`
}

// callDelta is a part of a tool call. The first part names it; servers that send a call whole may omit the index.
type callDelta struct {
	Index *int `json:"index"`
	functionCall
}

// joinCompletion joins the first choice of a stream.
func joinCompletion(body []byte) (*llms.ContentChoice, error) {
	var whole choice
	var arguments []string
	c, message := completion{}, map[string]any{}
	for _, event := range events(body) {
		var part chunk
		if err := json.Unmarshal(event, &part); err != nil {
			return nil, fmt.Errorf("the reply is not a stream of a chat completion: %w", err)
		}
		if len(part.Error) > 0 && string(part.Error) != "null" {
			return nil, brokenStream{event}
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
			whole.FinishReason = cmp.Or(p.FinishReason, whole.FinishReason)
			whole.Message.Content += p.Delta.Content
			whole.Message.ReasoningContent += p.Delta.ReasoningContent
			whole.Message.Reasoning += p.Delta.Reasoning
			whole.Message.ToolCalls, arguments = addCalls(whole.Message.ToolCalls, arguments, p.Delta.ToolCalls)
		}
	}
	if whole.FinishReason == "" && !bytes.Contains(body, []byte("[DONE]")) {
		return nil, errCutStream
	}
	for i := range whole.Message.ToolCalls {
		quoted, err := json.Marshal(arguments[i])
		if err != nil {
			return nil, err
		}
		whole.Message.ToolCalls[i].Function.Arguments = quoted
	}
	c.Choices = []choice{whole}
	var err error
	c.Choices[0].Message.raw, err = json.Marshal(message)
	return c.choice(), err
}

// addCalls adds the parts of an event to the calls and to the texts of their arguments.
func addCalls(calls []functionCall, arguments []string, parts []callDelta) ([]functionCall, []string) {
	for _, part := range parts {
		at := len(calls)
		switch {
		case part.Index != nil:
			at = min(max(*part.Index, 0), at)
		case part.ID == "" && at > 0:
			at--
		}
		if at == len(calls) {
			calls, arguments = append(calls, functionCall{}), append(arguments, "")
		}
		calls[at].ID = cmp.Or(calls[at].ID, part.ID)
		calls[at].Function.Name += part.Function.Name
		arguments[at] += argumentPiece(part.Function.Arguments)
	}
	return calls, arguments
}

// argumentPiece is a piece of arguments: a text, or an object if a server sends it whole.
func argumentPiece(raw json.RawMessage) string {
	var piece string
	if len(raw) == 0 || json.Unmarshal(raw, &piece) == nil {
		return piece
	}
	return string(raw)
}

// brokenStream is an error during a stream, in the form of an error body.
type brokenStream struct{ body []byte }

func (b brokenStream) Error() string {
	message, _ := errorObject(b.body)
	return message
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
		if err := json.Unmarshal(raw, &event); err != nil {
			return nil, fmt.Errorf("the reply is not a stream of a message: %w", err)
		}
		switch event.Type {
		case "error":
			return nil, brokenStream{raw}
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
