package format

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

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
	d := c.Turns(l)
	var joined []Turn
	for _, turn := range d.Turns {
		last := len(joined) - 1
		if last < 0 || answers(joined[last]) != answers(turn) {
			joined = append(joined, turn)
			continue
		}
		l.Add("turn joined with the one before: ShareGPT alternates")
		joined[last] = join(joined[last], turn)
	}
	d.Turns = joined
	return d
}

// Turns returns a conversation turn by turn, up to the last answer.
func (c Conversation) Turns(l Losses) Dialogue {
	d := Dialogue{Tools: string(c.Tools)}
	for i, m := range c.untilAnswer(l).Messages {
		if i == 0 && m.Role == qa.System {
			d.System = m.Text()
			continue
		}
		d.Turns = append(d.Turns, m.turn(l))
		d.Images = append(d.Images, m.Images()...)
	}
	return d
}

func answers(t Turn) bool { return t.Role == RoleGPT || t.Role == RoleFunctionCall }

// join joins two turns of one side. A function_call is JSON and cannot be joined with text: it takes the form of text.
func join(a, b Turn) Turn {
	for _, t := range []*Turn{&a, &b} {
		if t.Role == RoleFunctionCall {
			*t = Turn{RoleGPT, "<tool_call>\n" + t.Text + "\n</tool_call>"}
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
	if m.Trained != nil && m.Role == qa.Assistant {
		l.Add("weight of a turn of the assistant: mask_history decides")
	}
	text := markedText(m.withThinking(l), l)
	switch m.Role {
	case qa.Assistant:
		return answer(text, m.Calls)
	case qa.ToolResult:
		return Turn{RoleObservation, text}
	case qa.System:
		l.Add("system message after the first one, now of the user")
	}
	return Turn{RoleHuman, text}
}

// markedText returns parts as a text with markers in the place of images.
func markedText(parts []Part, l Losses) string {
	var text strings.Builder
	for _, p := range parts {
		if p.Image != "" {
			p.loseData(l)
			text.WriteString(imageMarker)
			continue
		}
		if strings.Contains(p.Text, imageMarker) {
			l.Add("word " + imageMarker + " in a text, now \"< image>\"")
			p.Text = strings.ReplaceAll(p.Text, imageMarker, "< image>")
		}
		text.WriteString(p.Text)
	}
	return text.String()
}

// answer returns a turn of the model. A call without words is a function_call, which the trainer renders in the form of
// its template. It has no place for words before a call, so these turns are text.
func answer(text string, calls []qa.ToolCall) Turn {
	if len(calls) == 0 || text != "" {
		return Turn{RoleGPT, withCalls(text, calls)}
	}
	list := make([]string, len(calls))
	for i, c := range calls {
		list[i] = callText(c)
	}
	if len(list) == 1 {
		return Turn{RoleFunctionCall, list[0]}
	}
	return Turn{RoleFunctionCall, "[" + strings.Join(list, ", ") + "]"}
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
