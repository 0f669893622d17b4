package llm

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/tmc/langchaingo/llms"

	"airqa/qa"
)

// checkMessages rejects messages that no protocol can send.
func checkMessages(messages []qa.Message, tools []qa.ToolSpec) error {
	if len(messages) == 0 {
		return errors.New("no messages")
	}
	for i, message := range messages {
		if err := checkMessage(message); err != nil {
			return fmt.Errorf("message %d: %w", i+1, err)
		}
	}
	for _, tool := range tools {
		if tool.Name == "" || !isObject(tool.Parameters) {
			return fmt.Errorf("tool %q needs a name and a JSON Schema of an object", tool.Name)
		}
	}
	return nil
}

func checkMessage(message qa.Message) error {
	if chatRoles[message.Role] == "" {
		return fmt.Errorf("unknown role %q", message.Role)
	}
	if len(message.ToolCalls) > 0 && message.Role != qa.Assistant {
		return fmt.Errorf("tool calls in a message of role %q", message.Role)
	}
	for _, image := range message.Images {
		if len(image.Data) == 0 {
			return fmt.Errorf("image %s has no data", image.SHA256)
		}
		if message.Role != qa.User && message.Role != qa.ToolResult {
			return fmt.Errorf("an image in a message of role %q", message.Role)
		}
	}
	return nil
}

var chatRoles = map[qa.Role]llms.ChatMessageType{
	qa.System: llms.ChatMessageTypeSystem, qa.User: llms.ChatMessageTypeHuman,
	qa.Assistant: llms.ChatMessageTypeAI, qa.ToolResult: llms.ChatMessageTypeTool,
}

// toChat converts a conversation to langchaingo's types. Images of a tool's result go into a user message after the
// results. Replies get their sealed data back if by identifies the model that made them. Texts come first; an empty
// message has an empty text.
func toChat(messages []qa.Message, by string) []llms.MessageContent {
	messages = qa.SplitResults(messages)
	names := map[string]string{} // tool names by call id
	chat := make([]llms.MessageContent, len(messages))
	for i, m := range messages {
		chat[i].Role = chatRoles[m.Role]
		if m.Role == qa.ToolResult {
			chat[i].Parts = []llms.ContentPart{llms.ToolCallResponse{ToolCallID: m.ToolCallID, Name: names[m.ToolCallID], Content: m.Text}}
			continue
		}
		var parts []llms.ContentPart
		if part, ok := unseal(m, by); ok {
			parts = append(parts, part)
		}
		if m.Text != "" || len(m.Images) == 0 && len(m.ToolCalls) == 0 {
			parts = append(parts, llms.TextPart(m.Text))
		}
		for _, image := range m.Images {
			parts = append(parts, llms.BinaryPart(cmp.Or(image.MIME, "image/png"), image.Data))
		}
		for _, call := range m.ToolCalls {
			names[call.ID] = call.Name
			parts = append(parts, llms.ToolCall{
				ID: call.ID, Type: "function", FunctionCall: &llms.FunctionCall{Name: call.Name, Arguments: call.Sent()},
			})
		}
		chat[i].Parts = parts
	}
	return chat
}

func toTools(specs []qa.ToolSpec) []llms.Tool {
	tools := make([]llms.Tool, len(specs))
	for i, s := range specs {
		tools[i] = llms.Tool{Type: "function", Function: &llms.FunctionDefinition{
			Name: s.Name, Description: s.Description, Parameters: s.Parameters,
		}}
	}
	return tools
}

// toReply converts the first choice. Impossible token counts become 0.
func toReply(c *llms.ContentChoice) qa.Reply {
	reply := qa.Reply{Text: c.Content, Reasoning: c.ReasoningContent, Finish: c.StopReason}
	reply.Usage, _ = c.GenerationInfo[infoUsage].(qa.Usage)
	for _, n := range []*int{&reply.Usage.Prompt, &reply.Usage.Completion, &reply.Usage.Cached, &reply.Usage.Reasoning} {
		*n = max(*n, 0)
	}
	reply.ID, _ = c.GenerationInfo[infoID].(string)
	reply.Model, _ = c.GenerationInfo[infoModel].(string)
	for i, call := range c.ToolCalls {
		reply.ToolCalls = append(reply.ToolCalls, qa.ToolCall{
			ID: cmp.Or(call.ID, fmt.Sprintf("call_%d", i)), Name: call.FunctionCall.Name, Arguments: readArguments(call.FunctionCall.Arguments),
		})
	}
	return reply
}

// readArguments returns valid JSON arguments unchanged, and anything else as a JSON string.
func readArguments(text string) json.RawMessage {
	if strings.TrimSpace(text) == "" {
		return json.RawMessage("{}")
	}
	if json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	quoted, _ := json.Marshal(text) // a text always has a form in JSON
	return quoted
}

// argumentText is the inverse of readArguments.
func argumentText(arguments json.RawMessage) string {
	var text string
	switch {
	case len(arguments) == 0:
		return "{}"
	case json.Unmarshal(arguments, &text) == nil:
		return text
	}
	return string(arguments)
}

func isObject(data json.RawMessage) bool {
	var object map[string]json.RawMessage
	return json.Unmarshal(data, &object) == nil && object != nil
}
