package openaitest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// Usage is what the server reports about tokens.
type Usage struct {
	Prompt, Completion, Cached, Reasoning int
}

// CountWords is the default usage: one token per word.
func CountWords(messages []Message, reply string) Usage {
	u := Usage{Completion: len(strings.Fields(reply))}
	for _, m := range messages {
		u.Prompt += len(strings.Fields(m.Text))
	}
	return u
}

// Script replies by the number of assistant messages in a conversation. A conversation longer than the script gets the
// last reply again.
func Script(replies ...string) func([]Message) string {
	return func(messages []Message) string {
		n := 0
		for _, m := range messages {
			if m.Role == "assistant" {
				n++
			}
		}
		if len(replies) == 0 {
			return ""
		}
		return replies[min(n, len(replies)-1)]
	}
}

func (c Config) completion(chat chatRequest) map[string]any {
	text, u := c.reply(chat)
	message := map[string]any{"role": "assistant", "content": text}
	if c.Reasoning != "" {
		message["reasoning_content"] = c.Reasoning
	}
	finish := "stop"
	if calls := c.calls(chat); len(calls) > 0 {
		finish, message["tool_calls"] = "tool_calls", functionCalls(calls)
	}
	out := map[string]any{
		"id": "chatcmpl-test", "object": "chat.completion", "created": 0, "model": c.served(chat),
		"choices": []any{map[string]any{"index": 0, "message": message, "finish_reason": finish}},
	}
	if !c.OmitUsage {
		out["usage"] = u.completionForm()
	}
	return out
}

func functionCalls(calls []ToolCall) []any {
	out := make([]any, len(calls))
	for i, call := range calls {
		function := map[string]any{"name": call.Name, "arguments": call.Arguments}
		out[i] = map[string]any{"id": call.ID, "type": "function", "function": function}
	}
	return out
}

// reply writes the answer and counts it.
func (c Config) reply(chat chatRequest) (string, Usage) {
	text := "ok"
	if c.Reply != nil {
		text = c.Reply(chat.Messages)
	}
	if c.Usage != nil {
		return text, *c.Usage
	}
	return text, CountWords(chat.Messages, text)
}

func (c Config) calls(chat chatRequest) []ToolCall {
	if c.ToolCalls == nil {
		return nil
	}
	return c.ToolCalls(chat.Messages)
}

func (c Config) served(chat chatRequest) string {
	if c.Model != "" {
		return c.Model
	}
	return chat.Model
}

func (u Usage) completionForm() map[string]any {
	return map[string]any{
		"prompt_tokens": u.Prompt, "completion_tokens": u.Completion, "total_tokens": u.Prompt + u.Completion,
		"prompt_tokens_details":     map[string]any{"cached_tokens": u.Cached},
		"completion_tokens_details": map[string]any{"reasoning_tokens": u.Reasoning},
	}
}

func writeError(w http.ResponseWriter, status int, code, message string) {
	writeJSON(w, status, map[string]any{"error": map[string]any{"message": message, "type": code, "code": code}})
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		body, status = fmt.Appendf(nil, "%q", err.Error()), http.StatusInternalServerError
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	// The client may have disconnected.
	_, _ = w.Write(body)
}
