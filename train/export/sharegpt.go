package export

import (
	"encoding/json"
	"strings"

	"airqa/qa"
	"airqa/train/format"
	"airqa/train/windows"
)

// imageMarker stands for an image in a text of ShareGPT.
const imageMarker = "<image>"

// conversation returns a row as ShareGPT has it: roles human, gpt, observation and function_call in turns.
func (t *texts) conversation(row *windows.Row, tools string) format.Dialogue {
	c := format.Dialogue{Tools: tools}
	for i, m := range row.Context {
		if i == 0 && m.Role == qa.System {
			c.System = t.safe(m.Text)
			continue
		}
		c.Turns = append(c.Turns, t.turn(m))
		for _, im := range m.Images {
			c.Images = append(c.Images, format.Image{Path: imagePath(im), Width: im.Width, Height: im.Height})
		}
	}
	c.Turns = append(c.Turns, t.turn(row.Target))
	return c
}

// turn returns a message with its role.
func (t *texts) turn(m qa.Message) format.Turn {
	text := t.safe(m.Text)
	switch m.Role {
	case qa.Assistant:
		return t.answer(text, m.ToolCalls)
	case qa.ToolResult:
		for range m.NotRun {
			text += "\n" + qa.NotRunResult
		}
		return format.Turn{Role: format.RoleObservation, Text: text + strings.Repeat(imageMarker, len(m.Images))}
	}
	return format.Turn{Role: format.RoleHuman, Text: text + strings.Repeat(imageMarker, len(m.Images))}
}

// answer returns a turn of the model. A call without words is a function_call, which the trainer renders in the form of
// its template. It has no place for words before a call, so these turns are text.
func (t *texts) answer(text string, calls []qa.ToolCall) format.Turn {
	if len(calls) == 0 || text != "" {
		return format.Turn{Role: format.RoleGPT, Text: t.withCalls(text, calls)}
	}
	list := t.callTexts(calls)
	if len(list) == 1 {
		return format.Turn{Role: format.RoleFunctionCall, Text: list[0]}
	}
	return format.Turn{Role: format.RoleFunctionCall, Text: "[" + strings.Join(list, ", ") + "]"}
}

// callTexts returns calls as JSON, each with name and arguments.
func (t *texts) callTexts(calls []qa.ToolCall) []string {
	list := make([]string, len(calls))
	for i, c := range calls {
		list[i] = `{"name": ` + quoted(t.safe(c.Name)) + `, "arguments": ` + t.safe(spaced(argumentObject(c.Arguments))) + `}`
	}
	return list
}

// withCalls returns a turn with its calls as the templates of Qwen and Hermes models print them. The text must be safe.
func (t *texts) withCalls(text string, calls []qa.ToolCall) string {
	for _, call := range t.callTexts(calls) {
		if text != "" {
			text += "\n"
		}
		text += "<tool_call>\n" + call + "\n</tool_call>"
	}
	return text
}

func quoted(s string) string { return string(appendString(nil, s)) }

// argumentObject returns the arguments of a call as an object: text that is no JSON object is under the name
// "arguments", as endpoints get it.
func argumentObject(raw json.RawMessage) json.RawMessage {
	var object map[string]json.RawMessage
	if json.Unmarshal(raw, &object) == nil && object != nil {
		return raw
	}
	return json.RawMessage(`{"arguments":` + quoted(strings.ToValidUTF8(argumentText(raw), "\uFFFD")) + `}`)
}

// shareGPT appends a row of ShareGPT.
func (s shape) shareGPT(dst []byte, t *texts, p *pair) []byte {
	row := &p.row
	o := begin(dst)
	o.text("id", row.ID)
	s.conversation(&o, t, t.conversation(row, s.toolText(t, row)))
	return o.end()
}

// toolText returns the tools of a row as a JSON text.
func (s shape) toolText(t *texts, row *windows.Row) string {
	if !s.tools {
		return ""
	}
	return t.functions(row.Tools)
}

// conversation appends the members that all rows of ShareGPT have.
func (s shape) conversation(o *object, t *texts, c format.Dialogue) {
	o.key("system")
	o.dst = t.appendString(o.dst, c.System)
	if s.tools {
		o.text("tools", c.Tools)
	}
	o.key("conversations")
	o.dst = appendList(o.dst, c.Turns, t.appendTurn)
	if s.images {
		o.key("images")
		o.dst = appendList(o.dst, c.Images, func(dst []byte, im format.Image) []byte { return appendString(dst, im.Path) })
	}
}

func (t *texts) appendTurn(dst []byte, m format.Turn) []byte {
	o := begin(dst)
	o.text("from", m.Role)
	o.key("value")
	o.dst = t.appendString(o.dst, m.Text)
	return o.end()
}

// imagePath is the path of an image inside an export.
func imagePath(im qa.Image) string { return imagesDir + "/" + im.SHA256 + ".png" }
