package export

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"airqa/extractor/windows"
	"airqa/internal/python"
	"airqa/qa"
)

// trl appends a row of TRL's prompt-completion format.
func (s shape) trl(dst []byte, t *texts, p *pair) []byte {
	row := &p.row
	o := begin(dst)
	o.text("id", row.ID)
	s.trlPrompt(&o, t, row)
	s.trlMessages(&o, t, "completion", row, []qa.Message{row.Target})
	return o.end()
}

// trlPrompt appends the members of a row before its answer.
func (s shape) trlPrompt(o *object, t *texts, row *windows.Row) {
	if s.tools {
		o.text("tools", string(functions(row.Tools)))
	}
	if s.images {
		o.key("images")
		o.dst = appendList(o.dst, imagesOf(row.Context), func(dst []byte, im qa.Image) []byte { return appendString(dst, imagePath(im)) })
	}
	s.trlMessages(o, t, "prompt", row, row.Context)
}

func (s shape) trlMessages(o *object, t *texts, name string, row *windows.Row, messages []qa.Message) {
	o.key(name)
	types := typesOf(row.Tools)
	o.dst = appendList(o.dst, t.chat(messages), func(dst []byte, p part) []byte { return s.trlMessage(dst, t, p, types) })
}

func (s shape) trlMessage(dst []byte, t *texts, p part, types map[string]string) []byte {
	o := begin(dst)
	o.text("role", string(p.Role))
	s.content(&o, p, func(dst []byte, _ qa.Image) []byte {
		part := begin(dst)
		part.text("type", "image")
		return part.end()
	})
	if len(p.ToolCalls) > 0 {
		o.key("tool_calls")
		o.dst = appendList(o.dst, p.ToolCalls, func(dst []byte, c qa.ToolCall) []byte {
			return appendCall(dst, c, t.safe(c.Name), typed(t, c.Arguments, types))
		})
	}
	if p.Role == qa.ToolResult {
		o.text("tool_call_id", p.ToolCallID)
		o.text("name", p.Name)
	}
	return o.end()
}

// imagesOf lists the images of some messages.
func imagesOf(messages []qa.Message) (list []qa.Image) {
	for _, m := range messages {
		list = append(list, m.Images...)
	}
	return list
}

// typesOf returns the JSON types of the parameters of tools, by name. No two tools have a parameter of one name and
// different types.
func typesOf(specs []qa.ToolSpec) map[string]string {
	types := make(map[string]string)
	for _, s := range specs {
		var schema struct {
			Properties map[string]struct {
				Type string `json:"type"`
			} `json:"properties"`
		}
		if json.Unmarshal(s.Parameters, &schema) == nil {
			for name, p := range schema.Properties {
				types[name] = p.Type
			}
		}
	}
	return types
}

// others is the key of arguments that a tool does not have, or of the wrong type, as one JSON text.
const others = "other_arguments"

// typed returns the arguments of a call as an object whose values have the declared types, because a table has one type
// per column. A value of any type is a text.
func typed(t *texts, raw json.RawMessage, types map[string]string) []byte {
	v, err := python.FromJSON(argumentObject(raw))
	args, ok := v.(*python.Dict)
	if err != nil || !ok {
		return []byte("{}")
	}
	o := begin(nil)
	var rest []string
	for k, v := range args.All() {
		name := python.Str(k)
		value, fits := typedValue(t, v, types[name])
		if !fits {
			rest = append(rest, name+"="+python.Repr(v))
			continue
		}
		o.raw(name, value)
	}
	if len(rest) > 0 {
		o.text(others, t.safe(strings.Join(rest, ", ")))
	}
	return o.end()
}

func typedValue(t *texts, v python.Value, kind string) ([]byte, bool) {
	switch kind {
	case "string":
		return appendString(nil, t.safe(python.Str(v))), true
	case "integer":
		n, ok := v.(int64)
		return strconv.AppendInt(nil, n, 10), ok
	case "array":
		return numbers(v)
	}
	return nil, false
}

// numbers returns a list of numbers with a fraction each: a column that begins with integers takes no other numbers.
func numbers(v python.Value) ([]byte, bool) {
	list, ok := v.(python.List)
	fits := ok
	out := appendList(nil, list, func(dst []byte, v python.Value) []byte {
		var f float64
		switch n := v.(type) {
		case int64:
			f = float64(n)
		case float64:
			f = n
		default:
			fits = false
		}
		fits = fits && !math.IsInf(f, 0) && !math.IsNaN(f)
		text := strconv.FormatFloat(f, 'f', -1, 64)
		if !strings.Contains(text, ".") {
			text += ".0"
		}
		return append(dst, text...)
	})
	return out, fits
}
