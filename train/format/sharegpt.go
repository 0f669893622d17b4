package format

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"airqa/internal/ledger"
	"airqa/internal/python"
	"airqa/qa"
)

// imageMarker stands for an image in a text.
const imageMarker = "<image>"

var turnRoles = map[string]qa.Role{
	"system": qa.System, "human": qa.User, "user": qa.User, "gpt": qa.Assistant, "assistant": qa.Assistant, "chatgpt": qa.Assistant,
	"observation": qa.ToolResult, "tool": qa.ToolResult, "function_response": qa.ToolResult, "function_call": qa.Assistant,
}

func readShareGPT(record map[string]json.RawMessage, l Losses) (Conversation, error) {
	c := Conversation{ID: str(record["id"]), Tools: list(record["tools"])}
	if system := str(record["system"]); system != "" {
		c.Messages = append(c.Messages, Message{Role: qa.System, Parts: text(system)})
	}
	var turns []map[string]json.RawMessage
	if err := json.Unmarshal(record["conversations"], &turns); err != nil {
		return c, fmt.Errorf("conversations: %w", err)
	}
	images, err := paths(record)
	if err != nil {
		return c, err
	}
	for i, t := range turns {
		from, value := t["from"], t["value"]
		if from == nil {
			from, value = t["role"], t["content"]
		}
		m, err := readTurn(str(from), str(value), &images)
		if err != nil {
			return c, fmt.Errorf("turn %d: %w", i+1, err)
		}
		if w := str(t["weight"]); w != "" {
			trained := w != "0"
			m.Trained = &trained
		}
		l.lose(t, "key of a turn", "from", "value", "role", "content", "weight")
		c.Messages = append(c.Messages, m)
	}
	if len(images) > 0 {
		return c, fmt.Errorf("%d images without a marker %s", len(images), imageMarker)
	}
	l.lose(record, "key of a row", "id", "system", "conversations", "tools", "images", "image")
	return c, nil
}

// paths reads the images of a row.
func paths(record map[string]json.RawMessage) (list []string, err error) {
	raw := record["images"]
	switch {
	case raw == nil && record["image"] != nil:
		return []string{str(record["image"])}, nil
	case raw == nil || string(raw) == "null":
		return nil, nil
	}
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, fmt.Errorf("images: %w", err)
	}
	return list, nil
}

// readTurn reads a turn. Markers take the next images while there are any; others are text.
func readTurn(from, value string, images *[]string) (m Message, err error) {
	role, ok := turnRoles[from]
	if !ok {
		return m, fmt.Errorf("unknown role %.40q", from)
	}
	m.Role = role
	if from == "function_call" {
		m.Calls, err = readFunctions(value)
		return m, err
	}
	for len(*images) > 0 {
		before, after, found := strings.Cut(value, imageMarker)
		if !found {
			break
		}
		if before != "" {
			m.Parts = append(m.Parts, Part{Text: before})
		}
		m.Parts = append(m.Parts, Part{Image: (*images)[0]})
		*images, value = (*images)[1:], after
	}
	if value != "" {
		m.Parts = append(m.Parts, Part{Text: value})
	}
	return m, nil
}

// readFunctions reads a function_call: an object or a list of them.
func readFunctions(value string) ([]qa.ToolCall, error) {
	type function struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	}
	var several []function
	if json.Unmarshal([]byte(value), &several) != nil {
		several = make([]function, 1)
		if err := json.Unmarshal([]byte(value), &several[0]); err != nil {
			return nil, fmt.Errorf("function_call: %w", err)
		}
	}
	var calls []qa.ToolCall
	for _, f := range several {
		if f.Name == "" {
			return nil, errors.New("function_call without a name")
		}
		calls = append(calls, qa.ToolCall{Name: f.Name, Arguments: arguments(f.Arguments)})
	}
	return calls, nil
}

// Dialogue returns a conversation as ShareGPT has it, with turns that alternate. l counts what is lost; it may be nil.
func (c Conversation) Dialogue(l Losses) Dialogue {
	out := Dialogue{Tools: string(c.Tools)}
	for i, m := range c.untilAnswer(l).Messages {
		if i == 0 && m.Role == qa.System {
			out.System = m.Text()
			continue
		}
		turn := m.turn(l)
		for _, path := range m.Images() {
			out.Images = append(out.Images, Image{Path: path})
		}
		last := len(out.Turns) - 1
		if last < 0 || answers(out.Turns[last]) != answers(turn) {
			out.Turns = append(out.Turns, turn)
			continue
		}
		l.Add("turn joined with the one before: ShareGPT alternates")
		out.Turns[last] = join(out.Turns[last], turn)
	}
	return out
}

func answers(m Turn) bool {
	return m.Role == RoleGPT || m.Role == RoleFunctionCall
}

// join joins two turns of one side. A function_call is JSON and cannot be joined with text: it takes the form of text.
func join(a, b Turn) Turn {
	for _, m := range []*Turn{&a, &b} {
		if m.Role == RoleFunctionCall {
			*m = Turn{Role: RoleGPT, Text: "<tool_call>\n" + m.Text + "\n</tool_call>"}
		}
	}
	if a.Role != b.Role {
		a.Role = RoleHuman
	}
	a.Text += "\n" + b.Text
	return a
}

// turn returns a message as a turn.
func (m Message) turn(l Losses) Turn {
	var b strings.Builder
	for _, p := range m.withThinking(l) {
		if p.Image != "" {
			p.loseData(l)
			b.WriteString(imageMarker)
			continue
		}
		if strings.Contains(p.Text, imageMarker) {
			l.Add("word " + imageMarker + " in a text, now \"< image>\"")
		}
		b.WriteString(strings.ReplaceAll(p.Text, imageMarker, "< image>"))
	}
	if m.Trained != nil && m.Role == qa.Assistant {
		l.Add("weight of a turn of the assistant: mask_history decides")
	}
	switch m.Role {
	case qa.Assistant:
		return m.answer(b.String())
	case qa.ToolResult:
		return Turn{Role: RoleObservation, Text: b.String()}
	case qa.System:
		l.Add("system message after the first one, now of the user")
	}
	return Turn{Role: RoleHuman, Text: b.String()}
}

// remote reports whether an image is no file.
func (p Part) remote() bool {
	return strings.HasPrefix(p.Image, "data:") || strings.Contains(p.Image, "://")
}

// loseData counts an image that is no file: trainers open files.
func (p Part) loseData(l Losses) {
	if p.remote() {
		l.Add("image that is no file, which the reader will not find")
	}
}

// answer returns a turn of the assistant. A call beside a text is text in the form of Qwen and Hermes.
func (m Message) answer(said string) Turn {
	if len(m.Calls) == 0 {
		return Turn{Role: RoleGPT, Text: said}
	}
	calls := make([]string, len(m.Calls))
	for i, c := range m.Calls {
		calls[i] = pythonJSON(chatFunction{c.Name, object(c.Arguments)})
	}
	switch {
	case said != "":
		return Turn{Role: RoleGPT, Text: said + "\n<tool_call>\n" + strings.Join(calls, "\n</tool_call>\n<tool_call>\n") + "\n</tool_call>"}
	case len(calls) == 1:
		return Turn{Role: RoleFunctionCall, Text: calls[0]}
	}
	return Turn{Role: RoleFunctionCall, Text: "[" + strings.Join(calls, ", ") + "]"}
}

// pythonJSON is JSON with the spaces that chat templates print.
func pythonJSON(v any) string {
	line, err := ledger.Encode(v)
	if err != nil {
		return "{}"
	}
	value, err := python.FromJSON(line)
	if err != nil {
		return strings.TrimSpace(string(line))
	}
	return python.JSON(value)
}

func toShareGPT(c Conversation, s shape, l Losses) (any, error) {
	type turn struct {
		From  string `json:"from"`
		Value string `json:"value"`
	}
	row := struct {
		ID     *string   `json:"id,omitempty"`
		System string    `json:"system"`
		Tools  *string   `json:"tools,omitempty"`
		Turns  []turn    `json:"conversations"`
		Images *[]string `json:"images,omitempty"`
	}{ID: s.id(c)}
	p := c.Dialogue(l)
	row.System = p.System
	if s.tools {
		row.Tools = &p.Tools
	}
	if s.images {
		row.Images = &[]string{}
	}
	for _, m := range p.Turns {
		row.Turns = append(row.Turns, turn{m.Role, m.Text})
	}
	for _, im := range p.Images {
		*row.Images = append(*row.Images, im.Path)
	}
	switch {
	case len(row.Turns) == 0:
		return nil, errors.New("no turn of the assistant")
	case answers(p.Turns[0]):
		l.Add("row that begins with the assistant, which LLaMA-Factory drops")
	}
	return row, nil
}
