package openaitest

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
)

// ToolCall is a tool call by the server; Arguments is a JSON object as text.
type ToolCall struct {
	ID, Name, Arguments string
}

// wire is a protocol that the server speaks in addition to chat completions.
type wire struct {
	parse func(body []byte) (chatRequest, error)
	write func(c Config, chat chatRequest) map[string]any
	fail  func(w http.ResponseWriter, status int, code, message string)
	// stream writes a reply as events to a request for a stream; nil for a protocol that the server does not stream.
	stream func(reply map[string]any) []byte
}

var wires = map[string]wire{
	"/v1/chat/completions": {parse: parseChat, write: Config.completion, fail: writeError},
	"/v1/responses":        {parse: parseResponses, write: Config.response, fail: writeError, stream: streamResponse},
	"/v1/messages":         {parse: parseLoosely, write: Config.message, fail: writeAnthropicError},
	"/api/chat":            {parse: parseLoosely, write: Config.ollamaChat, fail: writeOllamaError},
}

// parseLoosely extracts the texts of a conversation in Anthropic's or Ollama's format.
func parseLoosely(body []byte) (chatRequest, error) {
	var wire struct {
		Model    string `json:"model"`
		Messages []struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
	}
	if err := json.Unmarshal(body, &wire); err != nil {
		return chatRequest{}, err
	}
	if wire.Model == "" || len(wire.Messages) == 0 {
		return chatRequest{}, errors.New("model and messages are required")
	}
	chat := chatRequest{Model: wire.Model}
	for _, m := range wire.Messages {
		chat.Messages = append(chat.Messages, Message{Role: m.Role, Text: looseText(m.Content)})
	}
	return chat, nil
}

func looseText(content json.RawMessage) string {
	var text string
	if json.Unmarshal(content, &text) == nil {
		return text
	}
	var blocks []struct {
		Text    string `json:"text"`
		Content string `json:"content"`
	}
	if json.Unmarshal(content, &blocks) != nil {
		return ""
	}
	var all strings.Builder
	for _, b := range blocks {
		all.WriteString(b.Text + b.Content)
	}
	return all.String()
}

// message is a reply in Anthropic's format. Its input count excludes cached tokens, as at Anthropic.
func (c Config) message(chat chatRequest) map[string]any {
	text, u := c.reply(chat)
	content := []any{}
	if c.Reasoning != "" {
		content = append(content, map[string]any{"type": "thinking", "thinking": c.Reasoning, "signature": "sealed"})
	}
	if text != "" {
		content = append(content, map[string]any{"type": "text", "text": text})
	}
	stop := "end_turn"
	for _, call := range c.calls(chat) {
		stop = "tool_use"
		content = append(content, map[string]any{
			"type": "tool_use", "id": call.ID, "name": call.Name, "input": json.RawMessage(call.Arguments),
		})
	}
	return map[string]any{
		"id": "msg_test", "type": "message", "role": "assistant", "model": c.served(chat), "content": content,
		"stop_reason": stop, "stop_sequence": nil,
		"usage": map[string]any{
			"input_tokens": u.Prompt - u.Cached, "cache_creation_input_tokens": 0, "cache_read_input_tokens": u.Cached,
			"output_tokens": u.Completion,
		},
	}
}

// ollamaChat is a reply in Ollama's format.
func (c Config) ollamaChat(chat chatRequest) map[string]any {
	text, u := c.reply(chat)
	message := map[string]any{"role": "assistant", "content": text}
	if c.Reasoning != "" {
		message["thinking"] = c.Reasoning
	}
	var calls []any
	for _, call := range c.calls(chat) {
		function := map[string]any{"name": call.Name, "arguments": json.RawMessage(call.Arguments)}
		calls = append(calls, map[string]any{"function": function})
	}
	if calls != nil {
		message["tool_calls"] = calls
	}
	return map[string]any{
		"model": c.served(chat), "created_at": "2026-01-02T03:04:05Z", "message": message, "done": true, "done_reason": "stop",
		"prompt_eval_count": u.Prompt, "eval_count": u.Completion,
	}
}

func writeAnthropicError(w http.ResponseWriter, status int, code, message string) {
	writeJSON(w, status, map[string]any{"type": "error", "error": map[string]any{"type": code, "message": message}})
}

func writeOllamaError(w http.ResponseWriter, status int, _, message string) {
	writeJSON(w, status, map[string]any{"error": message})
}
