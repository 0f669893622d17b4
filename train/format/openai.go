package format

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"airqa/qa"
)

var chatRoles = map[string]qa.Role{
	"system": qa.System, "developer": qa.System, "user": qa.User, "assistant": qa.Assistant, "tool": qa.ToolResult, "function": qa.ToolResult,
}

// readChatRow reads a row with a list of messages, the last one of the assistant.
func readChatRow(row map[string]json.RawMessage, key string) (Conversation, error) {
	c, err := readChatMessages(row, key)
	if err != nil {
		return c, err
	}
	switch n := len(c.Messages); {
	case n == 0:
		return c, errors.New("no messages")
	case c.Messages[n-1].Role != qa.Assistant:
		return c, fmt.Errorf("message %d: the last message is not of the assistant", n)
	}
	return c, nil
}

// readChatMessages reads a list of messages, the tools and the images of a row.
func readChatMessages(row map[string]json.RawMessage, key string) (c Conversation, err error) {
	f := fields{of: row}
	c.ID, c.Tools = f.text("id"), f.tools()
	if f.err != nil {
		return c, f.err
	}
	if c.Messages, err = readChat(row[key], key); err != nil {
		return c, err
	}
	return c, c.placeImages(f)
}

// placeImages gives the images of a row of TRL to the places for them.
func (c Conversation) placeImages(f fields) error {
	images := f.images()
	if f.err != nil {
		return f.err
	}
	for _, m := range c.Messages {
		for i, p := range m.Parts {
			if p.Image != imageMarker {
				continue
			}
			if len(images) == 0 {
				return errors.New("images: fewer than the messages have places for")
			}
			m.Parts[i].Image, images = images[0], images[1:]
		}
	}
	if len(images) > 0 {
		return fmt.Errorf("images: %d more than the messages have places for", len(images))
	}
	return nil
}

func readChat(raw json.RawMessage, key string) ([]Message, error) {
	var list []map[string]json.RawMessage
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, fmt.Errorf("%s: %w", key, err)
	}
	var out []Message
	for i, m := range list {
		message, err := readChatMessage(m)
		if err != nil {
			return nil, fmt.Errorf("%s: message %d: %w", key, i+1, err)
		}
		out = append(out, message)
	}
	return out, nil
}

func readChatMessage(m map[string]json.RawMessage) (out Message, err error) {
	f := fields{of: m}
	role, ok := chatRoles[f.text("role")]
	if !ok {
		f.fail(fmt.Errorf("unknown role %.40q", f.text("role")))
	}
	out = Message{Role: role, CallID: f.text("tool_call_id"), Reasoning: f.text("reasoning_content"), Parts: f.parts()}
	if f.err != nil {
		return out, f.err
	}
	if out.Calls, out.unquoted, err = readCalls(m["tool_calls"]); err != nil {
		return out, err
	}
	out.Trained = f.trained()
	return out, f.err
}

// parts reads a content: a text, parts, or null. The image of a part without an address has the name of the marker.
func (f *fields) parts() (parts []Part) {
	raw := f.of["content"]
	if len(raw) == 0 || raw[0] != '[' {
		if t := f.text("content"); t != "" {
			return text(t)
		}
		return nil
	}
	var list []struct {
		Type  string
		Text  string
		Image struct{ URL string } `json:"image_url"`
	}
	if err := json.Unmarshal(raw, &list); err != nil {
		f.fail(fmt.Errorf("content: %w", err))
		return nil
	}
	for _, p := range list {
		switch p.Type {
		case "text":
			parts = append(parts, Part{Text: p.Text})
		case "image_url":
			parts = append(parts, Part{Image: p.Image.URL})
		case "image":
			parts = append(parts, Part{Image: imageMarker})
		case "audio", "input_audio":
			parts = append(parts, Part{Image: Audio})
		default:
			f.fail(fmt.Errorf("content: unknown part of type %.40q", p.Type))
		}
	}
	return parts
}

// readCalls reads the calls of a message. It names a function whose arguments are not JSON in a string.
func readCalls(raw json.RawMessage) (out []qa.ToolCall, unquoted string, err error) {
	if len(raw) == 0 {
		return nil, "", nil
	}
	var calls []struct {
		ID       string
		Function struct {
			Name      string
			Arguments json.RawMessage
		}
		Custom struct { // a tool whose input is a text, not an object
			Name  string
			Input json.RawMessage
		}
	}
	if err := json.Unmarshal(raw, &calls); err != nil {
		return nil, "", fmt.Errorf("tool_calls: %w", err)
	}
	for _, c := range calls {
		var text string
		switch quoted := json.Unmarshal(c.Function.Arguments, &text) == nil && json.Valid([]byte(text)); {
		case c.Custom.Name != "":
			c.Function.Name, c.Function.Arguments = c.Custom.Name, c.Custom.Input
		case !quoted:
			unquoted = c.Function.Name
		}
		if c.Function.Name == "" {
			return nil, "", errors.New("tool_calls: a call without a name")
		}
		out = append(out, qa.ToolCall{ID: c.ID, Name: c.Function.Name, Arguments: arguments(c.Function.Arguments)})
	}
	return out, unquoted, nil
}

// arguments returns the arguments of a call as JSON: an object, or a text that holds no object.
func arguments(raw json.RawMessage) json.RawMessage {
	var text string
	if json.Unmarshal(raw, &text) == nil && strings.HasPrefix(text, "{") && json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	if len(raw) == 0 {
		return json.RawMessage("{}")
	}
	return raw
}

// CheckArguments returns an error for a call whose arguments are not JSON in a string, as OpenAI wants them in its own format.
func (c Conversation) CheckArguments() error {
	messages := slices.Clip(c.Messages)
	if c.Rejected != nil {
		messages = append(messages, *c.Rejected)
	}
	for i, m := range messages {
		if m.unquoted != "" {
			return fmt.Errorf("message %d: the arguments of %.40s are not JSON in a string", i+1, m.unquoted)
		}
	}
	return nil
}

// readTRL reads a prompt and a completion: messages, or texts of one.
func readTRL(row map[string]json.RawMessage) (Conversation, error) {
	prompt, err := readSide(row, "prompt", qa.User)
	if err != nil {
		return prompt, err
	}
	completion, err := readSide(row, "completion", qa.Assistant)
	if err != nil {
		return prompt, err
	}
	prompt.Messages = append(prompt.Messages, completion.Messages...)
	if err := prompt.placeImages(fields{of: row}); err != nil {
		return prompt, err
	}
	if last := prompt.Messages[len(prompt.Messages)-1]; last.Role != qa.Assistant {
		return prompt, errors.New("completion: the last message is not of the assistant")
	}
	return prompt, nil
}

func readSide(row map[string]json.RawMessage, key string, role qa.Role) (c Conversation, err error) {
	f := fields{of: row}
	if raw := row[key]; len(raw) > 0 && raw[0] == '"' {
		c.Messages = []Message{{Role: role, Parts: text(f.text(key))}}
		return c, f.err
	}
	c.ID, c.Tools = f.text("id"), f.tools()
	if f.err != nil {
		return c, f.err
	}
	if c.Messages, err = readChat(row[key], key); err == nil && len(c.Messages) == 0 {
		err = fmt.Errorf("%s: no message", key)
	}
	return c, err
}
