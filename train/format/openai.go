package format

import (
	"encoding/json"
	"fmt"

	"airqa/qa"
)

// chatMessage is a message of OpenAI's chat format.
type chatMessage struct {
	Role      string     `json:"role"`
	Content   any        `json:"content"`
	ToolCalls []chatCall `json:"tool_calls,omitempty"`
	CallID    string     `json:"tool_call_id,omitempty"`
	Weight    *int       `json:"weight,omitempty"`
}

type chatCall struct {
	ID       string       `json:"id"`
	Type     string       `json:"type"`
	Function chatFunction `json:"function"`
}

type chatFunction struct {
	Name string `json:"name"`
	// Arguments is a text for OpenAI and an object for TRL.
	Arguments any `json:"arguments"`
}

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

func toOpenAI(c Conversation, s shape, l Losses) (any, error) {
	row := struct {
		Messages []chatMessage   `json:"messages"`
		Tools    json.RawMessage `json:"tools,omitempty"`
	}{Tools: c.Tools}
	if c.ID != "" {
		l.Add("id of a row, which OpenAI does not have")
	}
	for _, m := range c.withCallIDs().Messages {
		row.Messages = append(row.Messages, m.chat(s, l))
		if m.Role != qa.User && len(m.Images()) > 0 {
			l.Add("image outside of a message of the user, which OpenAI refuses")
		}
	}
	return row, nil
}

// withCallIDs gives an id to every call that has none, and to its result.
func (c Conversation) withCallIDs() Conversation {
	messages := append([]Message(nil), c.Messages...)
	open := ""
	for i, m := range messages {
		if m.Role == qa.ToolResult && m.CallID == "" {
			messages[i].CallID, open = open, ""
		}
		for j, call := range m.Calls {
			if call.ID == "" {
				if j == 0 {
					messages[i].Calls = append([]qa.ToolCall(nil), m.Calls...)
				}
				open = fmt.Sprintf("call_%d_%d", i+1, j+1)
				messages[i].Calls[j].ID = open
			}
		}
	}
	c.Messages = messages
	return c
}

// chat returns a message in OpenAI's form.
func (m Message) chat(s shape, l Losses) chatMessage {
	out := chatMessage{Role: string(m.Role), Content: m.chatContent(s, l), CallID: m.CallID}
	if m.Role == qa.ToolResult && m.CallID == "" {
		l.Add("result without a call, now a message of the user")
		out.Role = string(qa.User)
	}
	for _, c := range m.Calls {
		out.ToolCalls = append(out.ToolCalls, chatCall{c.ID, "function", chatFunction{c.Name, argumentText(c.Arguments)}})
	}
	if m.Trained != nil && m.Role == qa.Assistant {
		weight := 0
		if *m.Trained {
			weight = 1
		}
		out.Weight = &weight
	}
	return out
}

// argumentText returns arguments as a text of JSON.
func argumentText(raw json.RawMessage) string { return str(raw) }

// chatContent returns a text, or parts if any row has images.
func (m Message) chatContent(s shape, l Losses) any {
	parts := m.withThinking(l)
	if !s.images {
		return Message{Parts: parts}.Text()
	}
	list := []map[string]any{}
	for _, p := range parts {
		if p.Image == "" {
			list = append(list, map[string]any{"type": "text", "text": p.Text})
			continue
		}
		list = append(list, map[string]any{"type": "image_url", "image_url": map[string]string{"url": p.Image}})
	}
	if len(list) == 0 {
		list = append(list, map[string]any{"type": "text", "text": ""})
	}
	return list
}
