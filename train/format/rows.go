package format

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"

	"airqa/qa"
)

// Rows appends conversations as the rows of one file, which all have the same keys.
type Rows struct {
	// Tools and Images report whether any row of the file has tools or images.
	Tools, Images bool
	// Undecided means that Tools and Images are not known yet: Append marks what depends on them, and a Rows that knows them
	// decides with [Rows.Settle].
	Undecided bool
	// Whole means that rows of ShareGPT and TRL train several turns: each message has a weight, 1 for those to train. TRL
	// has the list of messages instead of a prompt and a completion.
	Whole bool
}

// Append appends a conversation as a row of ShareGPT, OpenAI or TRL, or of the format's preference pairs if it has a
// rejected message. The row ends without a line break.
func (r *Rows) Append(dst []byte, f Format, c Conversation) []byte {
	if f == ShareGPT {
		return r.appendDialogue(dst, c)
	}
	context, target := c.Messages, []Message(nil)
	if n := len(c.Messages); f == TRL && !r.Whole || c.Rejected != nil {
		context, target = c.Messages[:n-1], c.Messages[n-1:]
	}
	o := begin(dst)
	switch {
	case f == TRL:
		o.text("id", c.ID)
		r.tools(&o, c.Tools)
		r.images(&o, c)
		r.trained(&o, c, context, target)
		o.columns(c.Columns)
	case c.Rejected == nil:
		r.chat(&o, c, context)
	default:
		o.key("input")
		input := begin(o.dst)
		r.chat(&input, c, context)
		o.dst = input.end()
		r.messages(&o, "preferred_output", f, target)
		r.messages(&o, "non_preferred_output", f, []Message{*c.Rejected})
	}
	return o.end()
}

func (r *Rows) trained(o *object, c Conversation, context, target []Message) {
	if r.Whole {
		r.messages(o, "messages", TRL, context)
		return
	}
	r.messages(o, "prompt", TRL, context)
	if c.Rejected == nil {
		r.messages(o, "completion", TRL, target)
		return
	}
	r.messages(o, "chosen", TRL, target)
	r.messages(o, "rejected", TRL, []Message{*c.Rejected})
}

// appendDialogue appends a row of ShareGPT. With a rejected message it is one of LLaMA-Factory's ranking format: an odd
// number of turns and two answers.
func (r *Rows) appendDialogue(dst []byte, c Conversation) []byte {
	appendTurn := func(dst []byte, m Message) []byte {
		t := m.turn()
		o := begin(dst)
		o.text("from", t.Role)
		o.text("value", t.Text)
		if r.Whole {
			o.number("weight", m.weight())
		}
		return o.end()
	}
	system, turns := "", c.Messages
	if len(turns) > 0 && turns[0].Role == qa.System {
		system, turns = turns[0].Text(), turns[1:]
	}
	var answers []Message
	if c.Rejected != nil {
		last := len(turns) - 1
		turns, answers = turns[:last], []Message{turns[last], *c.Rejected}
	}
	o := begin(dst)
	o.text("id", c.ID)
	o.text("system", system)
	r.tools(&o, c.Tools)
	o.key("conversations")
	o.dst = appendList(o.dst, turns, appendTurn)
	r.images(&o, c)
	for i, m := range answers {
		o.key([]string{"chosen", "rejected"}[i])
		o.dst = appendTurn(o.dst, m)
	}
	o.columns(c.Columns)
	return o.end()
}

// Marks around what depends on the other rows of a file. They begin with bytes that JSON does not have.
const (
	begins   = '\x01'
	ifTools  = "\x01t"
	ifImages = "\x01i"
	ends     = '\x02'
)

// Settle appends a row of an undecided Rows without its marks, and without what this Rows does not have.
func (r *Rows) Settle(dst, row []byte) []byte {
	for {
		at := bytes.IndexByte(row, begins)
		if at < 0 {
			return append(dst, row...)
		}
		size := bytes.IndexByte(row[at:], ends)
		dst = append(dst, row[:at]...)
		if mark := string(row[at : at+2]); r.Tools && mark == ifTools || r.Images && mark == ifImages {
			dst = append(dst, row[at+2:at+size]...)
		}
		row = row[at+size+1:]
	}
}

// optional appends what a file has or not: between marks if that is undecided.
func (r *Rows) optional(dst []byte, has bool, mark string, value func([]byte) []byte) []byte {
	switch {
	case r.Undecided:
		return append(value(append(dst, mark...)), ends)
	case has:
		return value(dst)
	}
	return dst
}

func (r *Rows) tools(o *object, list json.RawMessage) {
	o.dst = r.optional(o.dst, r.Tools, ifTools, func(dst []byte) []byte {
		o.dst = dst
		o.text("tools", string(list))
		return o.dst
	})
}

func (r *Rows) images(o *object, c Conversation) {
	var list []Part
	for _, m := range c.Messages {
		list = append(list, m.Images()...)
	}
	o.dst = r.optional(o.dst, r.Images, ifImages, func(dst []byte) []byte {
		o.dst = dst
		o.key("images")
		return appendList(o.dst, list, func(dst []byte, p Part) []byte { return appendString(dst, p.Image) })
	})
}

func (r *Rows) chat(o *object, c Conversation, messages []Message) {
	r.messages(o, "messages", OpenAI, messages)
	if len(c.Tools) <= len("[]") {
		return
	}
	o.raw("tools", c.Tools)
	several := slices.ContainsFunc(messages, func(m Message) bool { return len(m.Calls) > 1 })
	o.raw("parallel_tool_calls", strconv.AppendBool(nil, several))
}

// messages appends messages as OpenAI and TRL have them. For TRL, the arguments of calls are objects, and images are in
// a column of their own.
func (r *Rows) messages(o *object, name string, f Format, list []Message) {
	o.key(name)
	o.dst = appendList(o.dst, list, func(dst []byte, m Message) []byte {
		o := begin(dst)
		o.text("role", string(m.Role))
		o.key("content")
		o.dst = r.content(o.dst, f, m)
		if len(m.Calls) > 0 {
			o.key("tool_calls")
			o.dst = appendList(o.dst, m.Calls, func(dst []byte, c qa.ToolCall) []byte {
				o := begin(dst)
				o.text("id", c.ID)
				o.text("type", "function")
				o.key("function")
				function := begin(o.dst)
				function.text("name", c.Name)
				if f == TRL {
					function.raw("arguments", Compact([]byte(c.Sent())))
				} else {
					function.text("arguments", c.Sent())
				}
				o.dst = function.end()
				return o.end()
			})
		}
		if m.CallID != "" || f == OpenAI && m.Role == qa.ToolResult {
			o.text("tool_call_id", m.CallID)
		}
		if f == OpenAI && m.Role == qa.Assistant && m.Trained != nil || f == TRL && r.Whole {
			o.number("weight", m.weight())
		}
		return o.end()
	})
}

// weight is 1 for a message to train.
func (m Message) weight() int {
	if m.Trained != nil && *m.Trained {
		return 1
	}
	return 0
}

// content appends the content of a message. If the file has images, every content is a list of parts, because readers of
// tables want one type per column.
func (r *Rows) content(dst []byte, f Format, m Message) []byte {
	if !r.Images && !r.Undecided {
		return appendString(dst, m.Text())
	}
	parts := m.Parts
	if len(parts) == 0 {
		parts = []Part{{}}
	}
	if r.Undecided && len(parts) == 1 && parts[0].Image == "" {
		dst = append(append(dst, ifImages+`[{"type":"text","text":`...), ends)
		return append(append(appendString(dst, parts[0].Text), ifImages+`}]`...), ends)
	}
	return appendList(dst, parts, func(dst []byte, p Part) []byte {
		o := begin(dst)
		switch {
		case p.Image == "":
			o.text("type", "text")
			o.text("text", p.Text)
		case f == TRL:
			o.text("type", "image")
		default:
			o.text("type", "image_url")
			o.key("image_url")
			url := begin(o.dst)
			url.text("url", p.Image)
			o.dst = url.end()
		}
		return o.end()
	})
}

// CallsInText returns a message with its calls in its text, as the templates of Qwen and Hermes models print them.
func (m Message) CallsInText() Message {
	if len(m.Calls) > 0 {
		m.Parts, m.Calls = []Part{{Text: withCalls(m.Text(), m.Calls)}}, nil
	}
	return m
}

func withCalls(text string, calls []qa.ToolCall) string {
	for _, call := range calls {
		if text != "" {
			text += "\n"
		}
		text += "<tool_call>\n" + callText(call) + "\n</tool_call>"
	}
	return text
}

// callText returns a call as JSON with the spaces that chat templates print.
func callText(c qa.ToolCall) string {
	return `{"name": ` + string(appendString(nil, c.Name)) + `, "arguments": ` + Spaced([]byte(c.Sent())) + `}`
}

// ToolList returns tools in the form of OpenAI's endpoints, as all formats have them.
func ToolList(specs []qa.ToolSpec) json.RawMessage {
	return appendList(nil, specs, func(dst []byte, s qa.ToolSpec) []byte {
		o := begin(dst)
		o.text("type", "function")
		o.key("function")
		function := begin(o.dst)
		function.text("name", s.Name)
		function.text("description", s.Description)
		function.raw("parameters", s.Parameters)
		o.dst = function.end()
		return o.end()
	})
}

// Compact returns JSON without whitespace.
func Compact(raw json.RawMessage) json.RawMessage {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return raw
	}
	return b.Bytes()
}
