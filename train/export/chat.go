package export

import (
	"encoding/json"
	"slices"

	"airqa/qa"
)

// shape is what all rows of an export have in common: every row has the same keys.
type shape struct {
	// tools and images report whether any row has tools or images.
	tools, images bool
}

// chat converts the messages of a row as endpoints get them: the images of tool results follow in a user message, and
// calls that were not executed have a result that says so.
func (t *texts) chat(messages []qa.Message) []qa.Message {
	var out []qa.Message
	var images []qa.Image
	flush := func() {
		if len(images) > 0 {
			out = append(out, qa.Message{Role: qa.User, Images: images})
			images = nil
		}
	}
	for _, m := range messages {
		m.Text = t.safe(m.Text)
		if m.Role == qa.ToolResult {
			images = append(images, m.Images...)
			m.Images = nil
		} else {
			flush()
		}
		out = append(out, m)
		for _, id := range m.NotRun {
			out = append(out, qa.Message{Role: qa.ToolResult, Text: qa.NotRunResult, ToolCallID: id})
		}
	}
	flush()
	return out
}

// openAI appends a line of OpenAI's chat format. Only the last message has weight 1.
func (s shape) openAI(dst []byte, t *texts, p *pair) []byte {
	row := &p.row
	o := begin(dst)
	context, target := t.chat(row.Context), t.chat([]qa.Message{row.Target})
	o.key("messages")
	o.dst = append(o.dst, '[')
	for i, m := range slices.Concat(context, target) {
		if i > 0 {
			o.dst = append(o.dst, ',')
		}
		weight := 0
		if i >= len(context) {
			weight = 1
		}
		o.dst = s.openAIMessage(o.dst, t, m, weight)
	}
	o.dst = append(o.dst, ']')
	s.openAITools(&o, t, row.Tools)
	return o.end()
}

func (s shape) openAITools(o *object, t *texts, specs []qa.ToolSpec) {
	if len(specs) > 0 {
		o.raw("tools", []byte(t.functions(specs)))
		o.raw("parallel_tool_calls", []byte("false"))
	}
}

// noWeight leaves out the weight of a message.
const noWeight = -1

// openAIMessage appends a message. If the export has images, every content is a list of parts, because readers of tables
// want one type per column.
func (s shape) openAIMessage(dst []byte, t *texts, m qa.Message, weight int) []byte {
	o := begin(dst)
	o.text("role", string(m.Role))
	s.content(&o, t, m, func(dst []byte, im qa.Image) []byte {
		url := begin(dst)
		url.text("type", "image_url")
		url.key("image_url")
		inner := begin(url.dst)
		inner.text("url", dataURL(im))
		url.dst = inner.end()
		return url.end()
	})
	if len(m.ToolCalls) > 0 {
		o.key("tool_calls")
		o.dst = appendList(o.dst, m.ToolCalls, func(dst []byte, c qa.ToolCall) []byte {
			return appendCall(dst, c, t.safe(c.Name), appendString(nil, t.safe(argumentText(c.Arguments))))
		})
	}
	if m.Role == qa.ToolResult {
		o.text("tool_call_id", m.ToolCallID)
	}
	if m.Role == qa.Assistant && weight != noWeight {
		o.number("weight", weight)
	}
	return o.end()
}

// content appends the content of a message: a text, or parts with the text first, as endpoints get them.
func (s shape) content(o *object, t *texts, m qa.Message, image func([]byte, qa.Image) []byte) {
	o.key("content")
	if !s.images {
		o.dst = t.appendString(o.dst, m.Text)
		return
	}
	o.dst = append(o.dst, '[')
	if m.Text != "" || len(m.Images) == 0 {
		text := begin(o.dst)
		text.text("type", "text")
		text.key("text")
		text.dst = t.appendString(text.dst, m.Text)
		o.dst = text.end()
	}
	for i, im := range m.Images {
		if i > 0 || m.Text != "" {
			o.dst = append(o.dst, ',')
		}
		o.dst = image(o.dst, im)
	}
	o.dst = append(o.dst, ']')
}

// appendCall appends a native call with its arguments as JSON.
func appendCall(dst []byte, c qa.ToolCall, name string, arguments []byte) []byte {
	o := begin(dst)
	o.text("id", c.ID)
	o.text("type", "function")
	o.key("function")
	inner := begin(o.dst)
	inner.text("name", name)
	inner.raw("arguments", arguments)
	o.dst = inner.end()
	return o.end()
}

// argumentText returns the arguments as the model wrote them.
func argumentText(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	return string(raw)
}

// functions returns tools as endpoints get them.
func functions(specs []qa.ToolSpec) []byte {
	return appendList(nil, specs, func(dst []byte, s qa.ToolSpec) []byte {
		o := begin(dst)
		o.text("type", "function")
		o.key("function")
		inner := begin(o.dst)
		inner.text("name", s.Name)
		inner.text("description", s.Description)
		inner.raw("parameters", s.Parameters)
		o.dst = inner.end()
		return o.end()
	})
}
