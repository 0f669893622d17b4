package template

import (
	"fmt"
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
			texts = append(texts, "<tool_call>\n"+python.JSON(object("name", c.name, "arguments", c.arguments))+"\n</tool_call>")
		}
	case "llama3":
		list := python.List{}
		for _, c := range calls {
			list = append(list, object("name", c.name, "parameters", c.arguments))
		}
		if len(list) == 1 {
			return python.JSON(list[0]), nil
		}
		return python.JSON(list), nil
	default:
		for _, c := range calls {
			texts = append(texts, "Action: "+python.Str(c.name)+"\nAction Input: "+python.JSON(c.arguments))
		}
	}
	return strings.Join(texts, "\n"), nil
}
