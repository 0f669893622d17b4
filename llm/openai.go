package llm

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"airqa/internal/lazyregexp"

	"github.com/tmc/langchaingo/llms"
)

// openAICodec speaks chat completions as used by OpenAI, Gemini's compatible endpoint, Mistral, Cohere and most
// servers.
func openAICodec() codec {
	return codec{
		path:     "chat/completions",
		settings: openAISettings,
		body:     openAIBody,
		read: func(body []byte) (*llms.ContentChoice, error) {
			var c completion
			if err := decode(body, &c); err != nil {
				return nil, fmt.Errorf("the reply is not a chat completion: %w", err)
			}
			if len(c.Choices) == 0 {
				return nil, errors.New("the reply has no choices")
			}
			return c.choice(), nil
		},
		stream:     map[string]any{"stream": true, "stream_options": map[string]any{"include_usage": true}},
		readStream: joinCompletion,
		authorize:  bearer,
		thinks:     true,
	}
}

func bearer(h http.Header, key string) {
	if key != "" {
		h.Set("Authorization", "Bearer "+key)
	}
}

// openAISettings renames the token limit for models known to reject max_tokens: those on OpenAI's own hosts, and those
// in the catalog. Compatible servers accept max_tokens, and several silently ignore the newer name; one that rejects it
// returns an error, see [quirks].
func openAISettings(fields map[string]any, s scope) map[string]any {
	own := s.host == "api.openai.com" || strings.HasSuffix(s.host, ".openai.azure.com")
	if s.newLimit || own && (s.reasoning || newerModel.MatchString(s.model)) {
		rename(fields, "max_tokens", "max_completion_tokens")
	}
	return fields
}

// newerModel matches o1, o3-mini, gpt-5, gpt-5.1-mini and their fine-tuned forms.
var newerModel = lazyregexp.New(`^(ft:)?(o[1-9]|gpt-([5-9]|[1-9][0-9]))`)

type openAIMessage struct {
	Role       string     `json:"role"`
	Content    any        `json:"content"` // a text, or a list of parts
	ToolCalls  []extended `json:"tool_calls,omitempty"`
	ToolCallID string     `json:"tool_call_id,omitempty"`
}

type openAICall struct {
	ID       string   `json:"id"`
	Type     string   `json:"type"`
	Function extended `json:"function"`
}

func openAIBody(chat []llms.MessageContent, tools []llms.Tool) (map[string]any, error) {
	var messages []extended
	for _, c := range chat {
		m, err := sortParts(c)
		if err != nil {
			return nil, err
		}
		for _, result := range m.results {
			messages = append(messages, extended{object: openAIMessage{Role: wireRoles[m.role], Content: result.Content, ToolCallID: result.ToolCallID}})
		}
		if len(m.results) > 0 {
			continue
		}
		turn := openAIMessage{Role: wireRoles[m.role], Content: openAIContent(m)}
		for _, call := range m.calls {
			more := m.sealed.Calls[call.ID]
			turn.ToolCalls = append(turn.ToolCalls, extended{openAICall{call.ID, call.Type, extended{call.FunctionCall, more.Function}}, more.Call})
		}
		messages = append(messages, extended{turn, m.sealed.Message})
	}
	full := map[string]any{"messages": messages}
	if len(tools) > 0 {
		full["tools"] = functions(tools)
		full["parallel_tool_calls"] = false // endpoints that reject it are asked without it, see [quirks]
	}
	return full, nil
}

func openAIContent(m message) any {
	if len(m.images) == 0 {
		return m.text
	}
	var parts []any
	if m.text != "" {
		parts = append(parts, struct {
			Text string `json:"text"`
			Type string `json:"type"`
		}{m.text, "text"})
	}
	for _, image := range m.images {
		parts = append(parts, struct {
			Type  string            `json:"type"`
			Image map[string]string `json:"image_url"`
		}{"image_url", map[string]string{"url": image.String()}})
	}
	return parts
}
