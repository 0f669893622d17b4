package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/ollama"

	"airqa/qa"
)

// DefaultOllamaWindow is the context window that is asked for when [Config] has none: Ollama's own default is a few
// thousand tokens, and it cuts what is longer without a word.
const DefaultOllamaWindow = 32768

// ollamaProtocol is Ollama's own chat.
func ollamaProtocol() protocol {
	return protocol{
		path:     "/api/chat",
		settings: ollamaSettings,
		chat:     ollamaChat,
		ask:      askOllama,
		body:     ollamaBody,
		read:     readOllama,
		authorize: func(h http.Header, key string) {
			if key != "" {
				h.Set("Authorization", "Bearer "+key)
			}
		},
		empty:  `{"done":true,"message":{"role":"assistant","content":""}}`,
		thinks: true,
	}
}

func ollamaSettings(fields map[string]any, s scope) map[string]any {
	out := map[string]any{}
	if effort, ok := fields["reasoning_effort"]; ok {
		delete(fields, "reasoning_effort")
		out["think"] = effort
		if effort == "none" {
			out["think"] = false
		}
	}
	if limit, ok := fields["max_tokens"]; ok {
		delete(fields, "max_tokens")
		fields["num_predict"] = limit
	}
	fields["num_ctx"] = ollamaWindow(s.window)
	out["options"] = fields
	return out
}

func ollamaWindow(window int) int {
	if window > 0 {
		return window
	}
	return DefaultOllamaWindow
}

func ollamaChat(messages []qa.Message, m *mask) []llms.MessageContent {
	chat := make([]llms.MessageContent, len(messages))
	for i, message := range messages {
		chat[i] = toContent(message, m, binaryPart)
	}
	return chat
}

func askOllama(ctx context.Context, d *doer, chat []llms.MessageContent) error {
	client, err := ollama.New(
		ollama.WithModel(placeholder), ollama.WithServerURL(d.endpoint.base.String()),
		ollama.WithHTTPClient(&http.Client{Transport: d}),
	)
	if err != nil {
		return err
	}
	_, err = client.GenerateContent(ctx, chat)
	return err
}

// ollamaBody asks for the reply in one piece, and for an error rather than a conversation cut to the window. Servers too old
// to know the words "truncate" and "shift" ignore them.
func ollamaBody(fields map[string]json.RawMessage, c conversation) (map[string]any, error) {
	messages, err := ollamaMessages(fields["messages"], c.messages)
	if err != nil {
		return nil, err
	}
	full := map[string]any{"messages": messages, "stream": false, "truncate": false, "shift": false}
	if len(c.tools) > 0 {
		full["tools"] = functions(c.tools)
	}
	return full, nil
}

// ollamaMessages adds the calls and the names of tools, of which the client knows nothing.
func ollamaMessages(raw json.RawMessage, messages []qa.Message) (json.RawMessage, error) {
	names := map[string]string{}
	var list []map[string]json.RawMessage
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, err
	}
	for i, message := range messages {
		extra := map[string]any{}
		if message.Role == qa.ToolResult {
			extra["tool_name"] = names[message.ToolCallID]
		}
		if len(message.ToolCalls) > 0 {
			extra["tool_calls"] = ollamaCalls(message.ToolCalls, names)
		}
		for key, value := range extra {
			var err error
			if list[i][key], err = json.Marshal(value); err != nil {
				return nil, err
			}
		}
	}
	return json.Marshal(list)
}

func ollamaCalls(calls []qa.ToolCall, names map[string]string) []any {
	out := make([]any, len(calls))
	for i, call := range calls {
		names[call.ID] = call.Name
		out[i] = map[string]any{"function": map[string]any{"name": call.Name, "arguments": argumentObject(call.Arguments)}}
	}
	return out
}

func readOllama(body []byte) (qa.Reply, error) {
	var got struct {
		Model   string `json:"model"`
		Message *struct {
			Content   string         `json:"content"`
			Thinking  string         `json:"thinking"`
			ToolCalls []functionCall `json:"tool_calls"`
		} `json:"message"`
		DoneReason string `json:"done_reason"`
		Prompt     int    `json:"prompt_eval_count"`
		Completion int    `json:"eval_count"`
	}
	if err := json.Unmarshal(body, &got); err != nil {
		return qa.Reply{}, fmt.Errorf("the reply is not a chat of Ollama's: %w", err)
	}
	if got.Message == nil {
		return qa.Reply{}, errors.New("the reply has no message")
	}
	return qa.Reply{
		Text: got.Message.Content, Reasoning: got.Message.Thinking, ToolCalls: toolCalls(got.Message.ToolCalls),
		Model: got.Model, Finish: got.DoneReason, Usage: qa.Usage{Prompt: got.Prompt, Completion: got.Completion},
	}, nil
}
