package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/anthropic"

	"airqa/qa"
)

// anthropicMaxTokens is sent when no limit is set: Anthropic's protocol requires one.
const anthropicMaxTokens = 4096

// anthropicProtocol is Anthropic's Messages.
func anthropicProtocol() protocol {
	return protocol{
		path:     "/messages",
		settings: anthropicSettings,
		chat:     anthropicChat,
		ask:      askAnthropic,
		body:     anthropicBody,
		read:     readAnthropic,
		stream:   map[string]any{"stream": true},
		readStream: func(body []byte) (qa.Reply, error) {
			got, err := joinMessage(body)
			if err != nil {
				return qa.Reply{}, err
			}
			return got.reply()
		},
		authorize: func(h http.Header, key string) {
			if key == "" {
				h.Del("X-Api-Key")
			}
		},
		empty: `{"content":[{"type":"text","text":""}]}`,
	}
}

func anthropicSettings(fields map[string]any, _ scope) map[string]any {
	if stop, ok := fields["stop"]; ok {
		delete(fields, "stop")
		fields["stop_sequences"] = stop
	}
	if effort, ok := fields["reasoning_effort"]; ok {
		delete(fields, "reasoning_effort")
		fields["output_config"] = map[string]any{"effort": effort}
	}
	return fields
}

// anthropicChat writes one message for each. The client joins all system texts without a space between them.
func anthropicChat(messages []qa.Message, m *mask) []llms.MessageContent {
	chat := make([]llms.MessageContent, len(messages))
	systems := 0
	for i, message := range messages {
		switch message.Role {
		case qa.System:
			if systems++; systems > 1 {
				message.Text = "\n\n" + message.Text
			}
		case qa.ToolResult:
			chat[i] = llms.MessageContent{Role: llms.ChatMessageTypeTool, Parts: []llms.ContentPart{
				llms.ToolCallResponse{ToolCallID: message.ToolCallID, Content: m.text(message.Text)},
			}}
			continue
		}
		chat[i] = toContent(message, m, binaryPart)
	}
	return chat
}

func askAnthropic(ctx context.Context, d *doer, chat []llms.MessageContent) error {
	client, err := anthropic.New(
		anthropic.WithToken(orPlaceholder(d.endpoint.key)), anthropic.WithModel(placeholder),
		anthropic.WithBaseURL(d.endpoint.base.String()), anthropic.WithHTTPClient(d),
	)
	if err != nil {
		return err
	}
	_, err = client.GenerateContent(ctx, chat)
	return err
}

// anthropicTurn is a message as Anthropic takes it: the content is a list of blocks.
type anthropicTurn struct {
	Role    string            `json:"role"`
	Content []json.RawMessage `json:"content"`
}

func anthropicBody(fields map[string]json.RawMessage, c conversation) (map[string]any, error) {
	var turns []anthropicTurn
	if err := json.Unmarshal(fields["messages"], &turns); err != nil {
		return nil, err
	}
	messages, err := anthropicTurns(turns, c.messages)
	if err != nil {
		return nil, err
	}
	full := map[string]any{"messages": messages}
	if system, ok := fields["system"]; ok {
		full["system"] = system
	}
	if len(c.tools) > 0 {
		tools := make([]any, len(c.tools))
		for i, tool := range c.tools {
			tools[i] = map[string]any{"name": tool.Name, "description": tool.Description, "input_schema": tool.Parameters}
		}
		full["tools"] = tools
		full["tool_choice"] = map[string]any{"type": "auto", "disable_parallel_tool_use": true}
	}
	return full, nil
}

// anthropicTurns completes the client's turns: it knows one call a message and no text beside it. Turns of one role are
// joined, since the results of all calls of a turn belong into one message; empty texts, which are refused, are left out.
func anthropicTurns(turns []anthropicTurn, messages []qa.Message) ([]anthropicTurn, error) {
	var out []anthropicTurn
	for _, message := range messages {
		if message.Role == qa.System {
			continue
		}
		turn := turns[0]
		turns = turns[1:]
		blocks, err := anthropicBlocks(turn.Content, message)
		if err != nil {
			return nil, err
		}
		switch {
		case len(blocks) == 0:
		case len(out) > 0 && out[len(out)-1].Role == turn.Role:
			out[len(out)-1].Content = append(out[len(out)-1].Content, blocks...)
		default:
			out = append(out, anthropicTurn{turn.Role, blocks})
		}
	}
	if len(out) == 0 {
		return nil, errors.New("no message has a text or an image")
	}
	return out, nil
}

func anthropicBlocks(written []json.RawMessage, message qa.Message) ([]json.RawMessage, error) {
	var blocks []json.RawMessage
	if len(message.ToolCalls) > 0 && len(message.Sealed) > 0 {
		if err := json.Unmarshal(message.Sealed, &blocks); err != nil {
			blocks = nil // another provider's
		}
	}
	if message.Text != "" || message.Role == qa.ToolResult || len(message.Images) > 0 {
		blocks = append(blocks, written...)
	}
	for _, call := range message.ToolCalls {
		block, err := json.Marshal(map[string]any{
			"type": "tool_use", "id": call.ID, "name": call.Name, "input": argumentObject(call.Arguments),
		})
		if err != nil {
			return nil, err
		}
		blocks = append(blocks, block)
	}
	return blocks, nil
}

// anthropicReply is the part of a message that is read.
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

type anthropicBlock struct {
	Type     string          `json:"type"`
	Text     string          `json:"text"`
	Thinking string          `json:"thinking"`
	ID       string          `json:"id"`
	Name     string          `json:"name"`
	Input    json.RawMessage `json:"input"`
}

// readAnthropic reads a message. The prompt's tokens are those that were read anew, put into the cache and taken out of
// it, which Anthropic counts apart.
func readAnthropic(body []byte) (qa.Reply, error) {
	var got anthropicReply
	if err := json.Unmarshal(body, &got); err != nil {
		return qa.Reply{}, fmt.Errorf("the reply is not a message: %w", err)
	}
	return got.reply()
}

func (got anthropicReply) reply() (qa.Reply, error) {
	if got.Type != "message" {
		return qa.Reply{}, errors.New("the reply is not a message")
	}
	reply := qa.Reply{
		Model: got.Model, ID: got.ID, Finish: anthropicFinish(got.StopReason),
		Usage: qa.Usage{
			Prompt:     got.Usage.Input + got.Usage.Created + got.Usage.Cached,
			Completion: got.Usage.Output, Cached: got.Usage.Cached, Reasoning: got.Usage.Details.Thinking,
		},
	}
	return reply, readBlocks(&reply, got.Content)
}

func readBlocks(reply *qa.Reply, content []json.RawMessage) error {
	var sealed []json.RawMessage
	for _, raw := range content {
		var block anthropicBlock
		if err := json.Unmarshal(raw, &block); err != nil {
			return fmt.Errorf("the reply is not a message: %w", err)
		}
		switch block.Type {
		case "text":
			reply.Text += block.Text
		case "thinking":
			reply.Reasoning = strings.TrimPrefix(reply.Reasoning+"\n\n"+block.Thinking, "\n\n")
			sealed = append(sealed, raw)
		case "redacted_thinking":
			sealed = append(sealed, raw)
		case "tool_use":
			reply.ToolCalls = append(reply.ToolCalls, qa.ToolCall{ID: block.ID, Name: block.Name, Arguments: block.Input})
		}
	}
	if len(reply.ToolCalls) == 0 || len(sealed) == 0 {
		return nil
	}
	var err error
	reply.Sealed, err = json.Marshal(sealed)
	return err
}

// anthropicFinish gives the reasons the names of OpenAI's protocol, which the rest of the program reads.
func anthropicFinish(reason string) string {
	switch reason {
	case "end_turn", "stop_sequence":
		return "stop"
	case "max_tokens", "model_context_window_exceeded":
		return qa.FinishLength
	case "tool_use":
		return "tool_calls"
	}
	return reason
}
