package chattemplate

import (
	"slices"
	"strings"

	"airqa/internal/python"
)

const (
	qwenSystem = "You are Qwen, created by Alibaba Cloud. You are a helpful assistant."
	toolsAbove = "# Tools\n\nYou may call one or more functions to assist with the user query.\n\n" +
		"You are provided with function signatures within <tools></tools> XML tags:\n<tools>"
	toolsBelow = "\n</tools>\n\nFor each function call, return a json object with function name and arguments within " +
		"<tool_call></tool_call> XML tags:\n<tool_call>\n{\"name\": <function-name>, \"arguments\": <args-json-object>}\n</tool_call>"
)

// opening renders the system prompt, which may be a default, with the tools. gap separates the default from the tools.
func opening(fallback, gap string) func([]Message, python.List) string {
	return func(list []Message, tools python.List) string {
		system, gap := fallback, gap
		if len(list) > 0 && list[0].Role == "system" {
			system, gap = list[0].Text, "\n\n"
		}
		if len(tools) > 0 {
			system += gap + toolsAbove
			for _, t := range tools {
				system += "\n" + python.JSON(t)
			}
			system += toolsBelow
		} else if system == "" && (len(list) == 0 || list[0].Role != "system") {
			return ""
		}
		return plain(Message{Role: "system", Text: system})
	}
}

// qwen25 trains an answer from the line break before it to the one after its end token.
func qwen25(c chat, i int) ([]Segment, error) {
	m := c.list[i]
	if m.Role != "assistant" {
		return c.other(i, true)
	}
	if len(m.Calls) == 0 && m.NoText {
		return nil, errNoText
	}
	body := "\n" + m.Text
	if len(m.Calls) > 0 && m.Text == "" {
		body = ""
	}
	for _, call := range m.Calls {
		body += "\n" + callText(call, python.JSON)
	}
	return []Segment{{Text: strings.TrimSpace(Header)}, {body + end, true}}, nil
}

// other renders a message that is not the assistant's; one with an unknown role is left out. Tool results in a row are one
// message of the user.
func (c chat) other(i int, needsText bool) ([]Segment, error) {
	m := c.list[i]
	if m.NoText && needsText {
		return nil, errNoText
	}
	switch {
	case m.Role == "user", m.Role == "system" && i > 0:
		return []Segment{{Text: plain(m)}}, nil
	case m.Role != "tool":
		return nil, nil
	}
	text := "\n<tool_response>\n" + m.Text + "\n</tool_response>"
	if i == 0 || c.list[i-1].Role != "tool" {
		text = "<|im_start|>user" + text
	}
	if i == len(c.list)-1 || c.list[i+1].Role != "tool" {
		text += end
	}
	return []Segment{{Text: text}}, nil
}

// callText renders a tool call; text renders arguments that are a text.
func callText(call *python.Dict, text func(python.Value) string) string {
	if inner, _ := call.Get("function"); inner != nil {
		if d, ok := inner.(*python.Dict); ok {
			call = d
		}
	}
	name, _ := call.Get("name")
	arguments, _ := call.Get("arguments")
	body := python.JSON(arguments)
	if s, ok := arguments.(string); ok {
		body = text(s)
	}
	return "<tool_call>\n{\"name\": \"" + python.Str(name) + "\", \"arguments\": " + body + "}\n</tool_call>"
}

// qwen3 renders thinking as a block of its own. With marks every answer has one; without, the template leaves it out
// before the last question.
func qwen3(c chat, i int) ([]Segment, error) {
	m := c.list[i]
	if m.Role != "assistant" {
		return c.other(i, false)
	}
	thought, text := thinking(m.Text)
	if c.marked || i > c.lastQuestion() && (i == len(c.list)-1 || thought != "") {
		text = "<think>\n" + strings.Trim(thought, "\n") + "\n</think>\n\n" + strings.TrimLeft(text, "\n")
	}
	_, content := thinking(m.Text)
	for k, call := range m.Calls {
		if k > 0 || content != "" {
			text += "\n"
		}
		text += callText(call, func(v python.Value) string { return v.(string) })
	}
	return []Segment{{Text: Header}, {text + end, true}}, nil
}

// thinking splits a text at its thinking.
func thinking(text string) (thought, rest string) {
	parts := strings.Split(text, "</think>")
	if len(parts) == 1 {
		return "", text
	}
	before := strings.Split(strings.TrimRight(parts[0], "\n"), "<think>")
	return strings.TrimLeft(before[len(before)-1], "\n"), strings.TrimLeft(parts[len(parts)-1], "\n")
}

// lastQuestion returns the index of the last message of the user that is no tool result.
func (c chat) lastQuestion() int {
	for i, m := range slices.Backward(c.list) {
		isResult := strings.HasPrefix(m.Text, "<tool_response>") && strings.HasSuffix(m.Text, "</tool_response>")
		if m.Role == "user" && !m.NoText && !isResult {
			return i
		}
	}
	return len(c.list) - 1
}
