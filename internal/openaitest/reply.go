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

// CountWords is the usage that a server reports when it was given none: one token a word.
func CountWords(messages []Message, reply string) Usage {
	u := Usage{Completion: len(strings.Fields(reply))}
	for _, m := range messages {
		u.Prompt += len(strings.Fields(m.Text))
	}
	return u
}

// Script replies by the number of assistant messages that a conversation shows: the first reply when there is none.
// A conversation that has outgrown the script gets the last reply again.
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
	text := "ok"
	if c.Reply != nil {
		text = c.Reply(chat.Messages)
	}
	message := map[string]any{"role": "assistant", "content": text}
	if c.Reasoning != "" {
		message["reasoning_content"] = c.Reasoning
	}
	model := c.Model
	if model == "" {
		model = chat.Model
	}
	out := map[string]any{
		"id": "chatcmpl-test", "object": "chat.completion", "created": 0, "model": model,
		"choices": []any{map[string]any{"index": 0, "message": message, "finish_reason": "stop"}},
	}
	if !c.OmitUsage {
		out["usage"] = c.usage(chat.Messages, text)
	}
	return out
}

func (c Config) usage(messages []Message, text string) map[string]any {
	u := CountWords(messages, text)
	if c.Usage != nil {
		u = *c.Usage
	}
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
	// A client that has gone away is its own affair.
	_, _ = w.Write(body)
}
