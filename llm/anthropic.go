package llm

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/tmc/langchaingo/llms"

	"airqa/qa"
)

// anthropicCodec speaks Anthropic's Messages API.
func anthropicCodec() codec {
	return codec{
		path: "messages",
		settings: func(fields map[string]any, _ scope) map[string]any {
			if effort, ok := fields["reasoning_effort"]; ok {
				delete(fields, "reasoning_effort")
				fields["output_config"] = map[string]any{"effort": effort}
			}
			return fields
		},
		body: anthropicBody,
		read: func(body []byte) (*llms.ContentChoice, error) {
			var got anthropicReply
			if err := decode(body, &got); err != nil {
				return nil, fmt.Errorf("the reply is not a message: %w", err)
			}
			return got.choice()
		},
		stream:     map[string]any{"stream": true},
		readStream: joinMessage,
		authorize: func(h http.Header, key string) {
			h.Set("Anthropic-Version", "2023-06-01")
			if key != "" {
				h.Set("X-Api-Key", key)
			}
		},
	}
}

// anthropicTurn is a message in Anthropic's format: the content is a list of blocks.
type anthropicTurn struct {
	Role    string `json:"role"`
	Content []any  `json:"content"`
}

type anthropicPart struct {
	Type      string           `json:"type"`
	Text      string           `json:"text,omitempty"`
	Source    *anthropicSource `json:"source,omitempty"`
	ToolUseID string           `json:"tool_use_id,omitempty"`
	Content   *string          `json:"content,omitempty"`
}

type anthropicSource struct {
	Type      string `json:"type"`
	MediaType string `json:"media_type"`
	Data      []byte `json:"data"`
}

// anthropicBody joins consecutive turns of one role, because the results of all calls of a turn must be in one message.
// System texts go into a field of their own.
func anthropicBody(chat []llms.MessageContent, tools []llms.Tool) (map[string]any, error) {
	var turns []anthropicTurn
	var system []string
	for _, c := range chat {
		m, err := sortParts(c)
		if err != nil {
			return nil, err
		}
		if m.role == llms.ChatMessageTypeSystem {
			system = append(system, m.text)
			continue
		}
		role, blocks := "user", anthropicBlocks(m)
		if m.role == llms.ChatMessageTypeAI {
			role = "assistant"
		}
		switch last := len(turns) - 1; {
		case len(blocks) == 0:
		case last >= 0 && turns[last].Role == role:
			turns[last].Content = append(turns[last].Content, blocks...)
		default:
			turns = append(turns, anthropicTurn{role, blocks})
		}
	}
	if len(turns) == 0 {
		return nil, errors.New("no message has a text or an image")
	}
	full := map[string]any{"messages": turns}
	if all := strings.Join(system, "\n\n"); all != "" {
		full["system"] = all
	}
	if len(tools) > 0 {
		full["tools"] = anthropicTools(tools)
		full["tool_choice"] = map[string]any{"type": "auto", "disable_parallel_tool_use": true}
	}
	return full, nil
}

func anthropicTools(tools []llms.Tool) []any {
	list := make([]any, len(tools))
	for i, tool := range tools {
		f := tool.Function
		list[i] = map[string]any{"name": f.Name, "description": f.Description, "input_schema": f.Parameters}
	}
	return list
}

// anthropicBlocks omits empty texts, which Anthropic rejects. Signed reasoning goes first.
func anthropicBlocks(m message) []any {
	var blocks []any
	if len(m.calls) > 0 {
		for _, block := range m.sealed.Blocks {
			blocks = append(blocks, block)
		}
	}
	if m.text != "" {
		blocks = append(blocks, anthropicPart{Type: "text", Text: m.text})
	}
	for _, image := range m.images {
		blocks = append(blocks, anthropicPart{Type: "image", Source: &anthropicSource{"base64", image.MIMEType, image.Data}})
	}
	for _, result := range m.results {
		blocks = append(blocks, anthropicPart{Type: "tool_result", ToolUseID: result.ToolCallID, Content: &result.Content})
	}
	for _, call := range m.calls {
		blocks = append(blocks, map[string]any{
			"type": "tool_use", "id": call.ID, "name": call.FunctionCall.Name, "input": json.RawMessage(call.FunctionCall.Arguments),
		})
	}
	return blocks
}

// anthropicReply holds the fields of a message that are read.
type anthropicReply struct {
	ID         string            `json:"id"`
	Type       string            `json:"type"`
	Model      string            `json:"model"`
	Content    []json.RawMessage `json:"content"`
	StopReason string            `json:"stop_reason"`
	Usage      struct {
		Input   int `json:"input_tokens"`
		Output  int `json:"output_tokens"`
		Created int `json:"cache_creation_input_tokens"`
		Cached  int `json:"cache_read_input_tokens"`
		Details struct {
			Thinking int `json:"thinking_tokens"`
		} `json:"output_tokens_details"`
	} `json:"usage"`
}

// choice converts a message. Prompt tokens are the sum of new, cache-written and cache-read tokens, which Anthropic
// reports separately.
func (got anthropicReply) choice() (*llms.ContentChoice, error) {
	if got.Type != "message" {
		return nil, errors.New("the reply is not a message")
	}
	reason := cmp.Or(anthropicFinish[got.StopReason], got.StopReason)
	c := &llms.ContentChoice{StopReason: reason, GenerationInfo: map[string]any{
		infoModel: got.Model, infoID: got.ID, infoUsage: qa.Usage{
			Prompt:     got.Usage.Input + got.Usage.Created + got.Usage.Cached,
			Completion: got.Usage.Output, Cached: got.Usage.Cached, Reasoning: got.Usage.Details.Thinking,
		},
	}}
	var thinking []json.RawMessage
	for _, raw := range got.Content {
		var block struct {
			Type     string          `json:"type"`
			Text     string          `json:"text"`
			Thinking string          `json:"thinking"`
			ID       string          `json:"id"`
			Name     string          `json:"name"`
			Input    json.RawMessage `json:"input"`
		}
		if err := decode(raw, &block); err != nil {
			return nil, fmt.Errorf("the reply is not a message: %w", err)
		}
		switch block.Type {
		case "text":
			c.Content += block.Text
		case "thinking":
			c.ReasoningContent = strings.TrimPrefix(c.ReasoningContent+"\n\n"+block.Thinking, "\n\n")
			thinking = append(thinking, raw)
		case "redacted_thinking":
			thinking = append(thinking, raw)
		case "tool_use":
			c.ToolCalls = append(c.ToolCalls, toolCall(block.ID, block.Name, block.Input))
		}
	}
	if len(c.ToolCalls) > 0 && len(thinking) > 0 {
		c.GenerationInfo[infoSealed] = &sealed{Blocks: thinking}
	}
	return c, nil
}

// anthropicFinish maps finish reasons to those of OpenAI's protocol, which the rest of the program uses.
var anthropicFinish = map[string]string{
	"end_turn": "stop", "stop_sequence": "stop", "tool_use": "tool_calls",
	"max_tokens": qa.FinishLength, "model_context_window_exceeded": qa.FinishLength,
}
