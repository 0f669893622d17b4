package llm

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/tmc/langchaingo/llms"
)

// DefaultOllamaWindow is the requested context window if [Config] has none. Ollama's own default is a few thousand
// tokens, and it truncates longer prompts silently.
const DefaultOllamaWindow = 32768

func ollamaSettings(fields map[string]any, s scope) map[string]any {
	out := map[string]any{}
	if effort, ok := fields["reasoning_effort"]; ok {
		delete(fields, "reasoning_effort")
		out["think"] = effort
		if effort == "none" {
			out["think"] = false
		}
	}
	rename(fields, "max_tokens", "num_predict")
	fields["num_ctx"] = s.window
	out["options"] = fields
	return out
}

// ollamaMessage has its fields in alphabetical order.
type ollamaMessage struct {
	Content   string       `json:"content"`
	Images    [][]byte     `json:"images,omitempty"`
	Role      string       `json:"role"`
	ToolCalls []ollamaCall `json:"tool_calls,omitempty"`
	ToolName  string       `json:"tool_name,omitempty"`
}

type ollamaCall struct {
	Function struct {
		Arguments json.RawMessage `json:"arguments"`
		Name      string          `json:"name"`
	} `json:"function"`
}

// ollamaBody requests an unstreamed reply, and an error rather than a truncated conversation. Old servers ignore
// "truncate" and "shift".
func ollamaBody(chat []llms.MessageContent, tools []llms.Tool) (map[string]any, error) {
	var messages []extended
	for _, c := range chat {
		m, err := sortParts(c)
		if err != nil {
			return nil, err
		}
		for _, result := range m.results {
			messages = append(messages, extended{object: ollamaMessage{Role: wireRoles[m.role], Content: result.Content, ToolName: result.Name}})
		}
		if len(m.results) > 0 {
			continue
		}
		turn := ollamaMessage{Role: wireRoles[m.role], Content: m.text}
		for _, image := range m.images {
			turn.Images = append(turn.Images, image.Data)
		}
		for _, call := range m.calls {
			var c ollamaCall
			c.Function.Name, c.Function.Arguments = call.FunctionCall.Name, json.RawMessage(call.FunctionCall.Arguments)
			turn.ToolCalls = append(turn.ToolCalls, c)
		}
		messages = append(messages, extended{turn, m.sealed.Message})
	}
	full := map[string]any{"messages": messages, "stream": false, "truncate": false, "shift": false}
	if len(tools) > 0 {
		full["tools"] = functions(tools)
	}
	return full, nil
}

func readOllama(body []byte) (*llms.ContentChoice, error) {
	var got struct {
		Model      string `json:"model"`
		Message    answer `json:"message"`
		DoneReason string `json:"done_reason"`
		Prompt     int    `json:"prompt_eval_count"`
		Completion int    `json:"eval_count"`
	}
	if err := decode(body, &got); err != nil {
		return nil, fmt.Errorf("the reply is not an Ollama chat reply: %w", err)
	}
	if !isObject(got.Message.raw) {
		return nil, errors.New("the reply has no message")
	}
	return completion{
		Model: got.Model, Choices: []choice{{got.Message, got.DoneReason}}, Usage: usage{Prompt: got.Prompt, Completion: got.Completion},
	}.choice(), nil
}
