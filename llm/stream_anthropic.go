package llm

import (
	"encoding/json"
	"fmt"

	"github.com/tmc/langchaingo/llms"
)

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
