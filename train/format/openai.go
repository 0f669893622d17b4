package format

import (
	"encoding/json"
	"fmt"

	"airqa/qa"
)

var chatRoles = map[string]qa.Role{
	"system": qa.System, "developer": qa.System, "user": qa.User, "assistant": qa.Assistant, "tool": qa.ToolResult, "function": qa.ToolResult,
}

func readOpenAI(record map[string]json.RawMessage, l Losses) (Conversation, error) {
	c := Conversation{ID: str(record["id"]), Tools: list(record["tools"])}
	var err error
	c.Messages, err = readChat(record["messages"], l)
	l.lose(record, "key of a row", "id", "messages", "tools", "parallel_tool_calls")
	return c, err
}

// readChat reads a list of chat messages.
func readChat(raw json.RawMessage, l Losses) ([]Message, error) {
	var list []map[string]json.RawMessage
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, fmt.Errorf("messages: %w", err)
	}
	var out []Message
	for i, m := range list {
		message, err := readChatMessage(m, l)
		if err != nil {
			return nil, fmt.Errorf("message %d: %w", i+1, err)
		}
		if message.Role == qa.ToolResult && message.CallID == "" && len(out) > 0 && len(out[len(out)-1].Calls) == 1 {
			message.CallID = out[len(out)-1].Calls[0].ID
		}
		out = append(out, message)
	}
	return out, nil
}

func readChatMessage(m map[string]json.RawMessage, l Losses) (out Message, err error) {
	role, ok := chatRoles[str(m["role"])]
	if !ok {
		return out, fmt.Errorf("unknown role %.40q", str(m["role"]))
	}
	out = Message{Role: role, CallID: str(m["tool_call_id"]), Reasoning: str(m["reasoning_content"])}
	if out.Parts, err = readParts(m["content"], l); err != nil {
		return out, err
	}
	if out.Calls, err = readCalls(m); err != nil {
		return out, err
	}
	if w := str(m["weight"]); w != "" {
		trained := w != "0"
		out.Trained = &trained
	}
	l.lose(m, "key of a message", "role", "content", "tool_calls", "function_call", "tool_call_id", "weight", "reasoning_content", "name")
	return out, nil
}

// readParts reads a content: a text, parts, or null.
func readParts(raw json.RawMessage, l Losses) ([]Part, error) {
	if len(raw) == 0 || raw[0] != '[' {
		if t := str(raw); t != "" {
			return text(t), nil
		}
		return nil, nil
	}
	var list []struct {
		Type  string
		Text  string
		Image struct{ URL string } `json:"image_url"`
	}
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, fmt.Errorf("content: %w", err)
	}
	var parts []Part
	for _, p := range list {
		part := Part{Text: p.Text}
		switch p.Type {
		case "text":
		case "image_url":
			part = Part{Image: p.Image.URL}
		default:
			l.Add(fmt.Sprintf("part of type %.40q", p.Type))
			continue
		}
		if part != (Part{}) {
			parts = append(parts, part)
		}
	}
	return parts, nil
}

// readCalls reads the calls of a message, in the present or the earlier form.
func readCalls(m map[string]json.RawMessage) ([]qa.ToolCall, error) {
	type function struct {
		Name      string
		Arguments json.RawMessage
	}
	var calls []struct {
		ID       string
		Function function
	}
	if raw := m["tool_calls"]; raw != nil {
		if err := json.Unmarshal(raw, &calls); err != nil {
			return nil, fmt.Errorf("tool_calls: %w", err)
		}
	}
	var out []qa.ToolCall
	for _, c := range calls {
		out = append(out, qa.ToolCall{ID: c.ID, Name: c.Function.Name, Arguments: arguments(c.Function.Arguments)})
	}
	if raw := m["function_call"]; raw != nil && string(raw) != "null" {
		var f function
		if err := json.Unmarshal(raw, &f); err != nil {
			return nil, fmt.Errorf("function_call: %w", err)
		}
		out = append(out, qa.ToolCall{Name: f.Name, Arguments: arguments(f.Arguments)})
	}
	return out, nil
}

// arguments returns the arguments of a call as JSON: an object, or a text that holds no object.
func arguments(raw json.RawMessage) json.RawMessage {
	if t := str(raw); t != "" && t[0] == '{' && json.Valid([]byte(t)) {
		return json.RawMessage(t)
	}
	if len(raw) == 0 {
		return json.RawMessage("{}")
	}
	return raw
}

func readTRL(record map[string]json.RawMessage, l Losses) (Conversation, error) {
	c := Conversation{ID: str(record["id"]), Tools: list(record["tools"])}
	for _, key := range []string{"prompt", "completion"} {
		trained := key == "completion"
		raw := record[key]
		if raw[0] == '"' {
			role := qa.User
			if trained {
				role = qa.Assistant
			}
			l.Add("text outside of a message")
			c.Messages = append(c.Messages, Message{Role: role, Parts: text(str(raw)), Trained: &trained})
			continue
		}
		messages, err := readChat(raw, l)
		if err != nil {
			return c, err
		}
		for _, m := range messages {
			m.Trained = &trained
			c.Messages = append(c.Messages, m)
		}
	}
	l.lose(record, "key of a row", "id", "prompt", "completion", "tools")
	return c, nil
}
