package format

import (
	"encoding/json"
	"errors"

	"airqa/qa"
)

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

// toTRL writes the last turn of the assistant as the completion. The keys "prompt" and "completion" are never empty:
// TRL does not load such a file.
func toTRL(c Conversation, s shape, l Losses) (any, error) {
	row := struct {
		ID         *string       `json:"id,omitempty"`
		Tools      *string       `json:"tools,omitempty"`
		Images     *[]string     `json:"images,omitempty"`
		Prompt     []chatMessage `json:"prompt"`
		Completion []chatMessage `json:"completion"`
	}{ID: s.id(c)}
	c = c.withCallIDs().untilAnswer(l)
	if len(c.Messages) < 2 {
		return nil, errors.New("no turn of the assistant after another message")
	}
	if s.tools {
		tools := string(c.Tools)
		row.Tools = &tools
	}
	if s.images {
		row.Images = &[]string{}
	}
	last := len(c.Messages) - 1
	for i, m := range c.Messages {
		message := m.chat(s, l)
		message.Weight = nil
		for j, call := range m.Calls {
			message.ToolCalls[j].Function.Arguments = object(call.Arguments)
		}
		if s.images {
			*row.Images = append(*row.Images, m.Images()...)
			message.Content = imageParts(message.Content)
		}
		if i == last {
			row.Completion = append(row.Completion, message)
			continue
		}
		if m.Role == qa.Assistant && (m.Trained == nil || *m.Trained) {
			l.Add("turn of the assistant before the last one, which TRL does not train here")
		}
		row.Prompt = append(row.Prompt, message)
	}
	return row, nil
}

// untilAnswer drops what follows the last turn of the assistant.
func (c Conversation) untilAnswer(l Losses) Conversation {
	n := len(c.Messages)
	for n > 0 && c.Messages[n-1].Role != qa.Assistant {
		n--
		l.Add("message after the last turn of the assistant")
	}
	c.Messages = c.Messages[:n]
	return c
}

// imageParts replaces URLs in parts: TRL takes images from their own column.
func imageParts(content any) any {
	parts, _ := content.([]map[string]any)
	for i, p := range parts {
		if p["type"] == "image_url" {
			parts[i] = map[string]any{"type": "image"}
		}
	}
	return parts
}

// object returns arguments as an object.
func object(raw json.RawMessage) json.RawMessage {
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) == nil && fields != nil {
		return raw
	}
	wrapped, err := json.Marshal(map[string]string{"arguments": str(raw)})
	if err != nil {
		return json.RawMessage("{}")
	}
	return wrapped
}
