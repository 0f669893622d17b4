package template

import (
	"fmt"
	"math/big"
	"strings"

	"airqa/internal/python"
)

// callText renders the JSON of a function_call turn.
func callText(style, text string) (string, error) {
	calls, before, err := parseCalls(text)
	if err != nil {
		return "", err
	}
	rendered, err := renderCalls(style, calls)
	return before + rendered, err
}

// call is one function call; its arguments may be any JSON value.
type call struct{ name, arguments python.Value }

// parseCalls reads the calls of a turn: between the first <tool_call> tags, or all of it but the first thought. Before
// is the text that stays in front of the calls.
func parseCalls(text string) (calls []call, before string, err error) {
	body := text
	if whole, inner, ok := between(text, "<tool_call>", "</tool_call>"); ok {
		before, body = strings.ReplaceAll(text, whole, ""), inner
	} else if whole, _, ok := between(text, thinkOpen, thinkClose); ok {
		before, body = whole, strings.ReplaceAll(text, whole, "")
	}
	v, err := python.FromJSON([]byte(body))
	if err != nil {
		return nil, "", fmt.Errorf("RuntimeError: Invalid JSON format in function message: %w", err)
	}
	list, ok := v.(python.List)
	if !ok {
		list = python.List{v}
	}
	for _, item := range list {
		c, err := parseCall(item)
		if err != nil {
			return nil, "", err
		}
		calls = append(calls, c)
	}
	return calls, before, nil
}

func parseCall(item python.Value) (call, error) {
	d, ok := item.(*python.Dict)
	if !ok {
		return call{}, fmt.Errorf("TypeError: a function call is an object, not %s", python.Type(item))
	}
	name, ok := d.Get("name")
	if !ok {
		return call{}, fmt.Errorf("KeyError: 'name': a function call has no name")
	}
	arguments, ok := d.Get("arguments")
	if !ok {
		return call{}, fmt.Errorf("KeyError: 'arguments': a function call has no arguments")
	}
	return call{name, arguments}, nil
}

// between returns the first part of text from open to close, with and without them.
func between(text, open, end string) (whole, inner string, ok bool) {
	from := strings.Index(text, open)
	if from < 0 {
		return "", "", false
	}
	n := strings.Index(text[from+len(open):], end)
	if n < 0 {
		return "", "", false
	}
	inner = text[from+len(open) : from+len(open)+n]
	return text[from : from+len(open)+n+len(end)], inner, true
}

func object(pairs ...python.Value) *python.Dict {
	d := &python.Dict{}
	for i := 0; i < len(pairs); i += 2 {
		d.Set(pairs[i], pairs[i+1])
	}
	return d
}

func renderCalls(style string, calls []call) (string, error) {
	texts := make([]string, 0, len(calls))
	switch style {
	case "qwen":
		for _, c := range calls {
			texts = append(texts, "<tool_call>\n"+dumps(object("name", c.name, "arguments", c.arguments))+"\n</tool_call>")
		}
	case "llama3":
		list := python.List{}
		for _, c := range calls {
			list = append(list, object("name", c.name, "parameters", c.arguments))
		}
		if len(list) == 1 {
			return dumps(list[0]), nil
		}
		return dumps(list), nil
	default:
		for _, c := range calls {
			texts = append(texts, "Action: "+python.Str(c.name)+"\nAction Input: "+dumps(c.arguments))
		}
	}
	return strings.Join(texts, "\n"), nil
}

// dumps prints a value as json.dumps(v, ensure_ascii=False).
func dumps(v python.Value) string { return string(appendJSON(nil, v, "")) }

// dumpsIndent prints a value as json.dumps(v, indent=4, ensure_ascii=False).
func dumpsIndent(v python.Value) string { return string(appendJSON(nil, v, "\n")) }

// appendJSON prints a value. A nonempty newline, a line break and the current indent, precedes items and keys.
func appendJSON(b []byte, v python.Value, newline string) []byte {
	switch x := v.(type) {
	case nil:
		return append(b, "null"...)
	case bool:
		if x {
			return append(b, "true"...)
		}
		return append(b, "false"...)
	case string:
		return appendJSONText(b, x)
	case float64:
		return append(b, jsonFloat(x)...)
	case *big.Int:
		return x.Append(b, 10)
	case python.List:
		return appendItems(b, x, newline)
	case *python.Dict:
		return appendMembers(b, x, newline)
	}
	return append(b, python.Repr(v)...)
}

// separate starts item i of a list or object.
func separate(b []byte, i int, inner string) []byte {
	switch {
	case i > 0 && inner == "":
		return append(b, ", "...)
	case i > 0:
		b = append(b, ',')
	}
	return append(b, inner...)
}

func deeper(newline string) string {
	if newline == "" {
		return ""
	}
	return newline + "    "
}

func appendItems(b []byte, list python.List, newline string) []byte {
	if len(list) == 0 {
		return append(b, "[]"...)
	}
	b = append(b, '[')
	for i, item := range list {
		b = appendJSON(separate(b, i, deeper(newline)), item, deeper(newline))
	}
	return append(append(b, newline...), ']')
}

func appendMembers(b []byte, d *python.Dict, newline string) []byte {
	if d.Len() == 0 {
		return append(b, "{}"...)
	}
	b = append(b, '{')
	i := 0
	for k, item := range d.All() {
		b = appendJSON(separate(b, i, deeper(newline)), k, "")
		b = appendJSON(append(b, ": "...), item, deeper(newline))
		i++
	}
	return append(append(b, newline...), '}')
}

func jsonFloat(f float64) string {
	switch s := python.Repr(f); s {
	case "nan":
		return "NaN"
	case "inf":
		return "Infinity"
	case "-inf":
		return "-Infinity"
	default:
		return s
	}
}

func appendJSONText(b []byte, s string) []byte {
	b = append(b, '"')
	for i := range len(s) {
		switch c := s[i]; c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\n':
			b = append(b, `\n`...)
		case '\r':
			b = append(b, `\r`...)
		case '\t':
			b = append(b, `\t`...)
		case '\b':
			b = append(b, `\b`...)
		case '\f':
			b = append(b, `\f`...)
		default:
			if c < 0x20 {
				b = fmt.Appendf(b, `\u%04x`, c)
			} else {
				b = append(b, c)
			}
		}
	}
	return append(b, '"')
}
