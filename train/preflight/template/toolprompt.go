package template

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"airqa/internal/python"
)

const qwenTools = "\n\n# Tools\n\nYou may call one or more functions to assist with the user query.\n\n" +
	"You are provided with function signatures within <tools></tools> XML tags:\n<tools>%s" +
	"\n</tools>\n\nFor each function call, return a json object with function name and arguments within " +
	"<tool_call></tool_call> XML tags:\n<tool_call>\n{\"name\": <function-name>, " +
	"\"arguments\": <args-json-object>}\n</tool_call>"

const llama3Tools = "Cutting Knowledge Date: December 2023\nToday Date: %s\n\n" +
	"You have access to the following functions. To call a function, please respond with JSON for a function call. " +
	"Respond in the format {\"name\": function name, \"parameters\": dictionary of argument name and its value}. " +
	"Do not use variables.\n\n%s"

const plainTools = "You have access to the following tools:\n%s" +
	"Use the following format if using a tool:\n" +
	"```\n" +
	"Action: tool name (one of [%s])\n" +
	"Action Input: the input to the tool, in a JSON format representing the kwargs " +
	"(e.g. ```{\"input\": \"hello world\", \"num_beams\": 5}```)\n" +
	"```\n"

var errTool = errors.New("AttributeError: a tool is an object with name, description and parameters")

// toolText renders the tools of a row, a JSON list in a string.
func toolText(style, date, text string) (string, error) {
	v, err := python.FromJSON([]byte(text))
	if err != nil {
		return "", fmt.Errorf("RuntimeError: Invalid JSON format in tool description: %w", err)
	}
	list, ok := v.(python.List)
	if !ok {
		return notList(v)
	}
	if len(list) == 0 {
		return "", nil
	}
	switch style {
	case "qwen":
		return wrappedTools(list, func(t *python.Dict) string { return "\n" + python.JSON(t) }, qwenTools)
	case "llama3":
		return wrappedTools(list, func(t *python.Dict) string { return python.JSONIndent(t) + "\n\n" },
			strings.Replace(llama3Tools, "%s", strings.ReplaceAll(date, "%", "%%"), 1))
	}
	return describedTools(list)
}

// notList handles tools that are not a list: an empty text or object means none.
func notList(v python.Value) (string, error) {
	if d, ok := v.(*python.Dict); ok && d.Len() == 0 || v == "" {
		return "", nil
	}
	switch v.(type) {
	case *python.Dict, string:
		return "", errTool
	}
	return "", fmt.Errorf("TypeError: object of type '%s' has no len()", python.Type(v))
}

// wrappedTools prints each tool in OpenAI's wrapper and puts them into the prompt.
func wrappedTools(list python.List, one func(*python.Dict) string, prompt string) (string, error) {
	var b strings.Builder
	for _, item := range list {
		d, ok := item.(*python.Dict)
		if !ok {
			return "", errTool
		}
		if kind, _ := d.Get("type"); kind != "function" {
			d = object("type", "function", "function", d)
		}
		b.WriteString(one(d))
	}
	return fmt.Sprintf(prompt, b.String()), nil
}

// describedTools prints the tools as a list with their arguments.
func describedTools(list python.List) (string, error) {
	var b strings.Builder
	var names []string
	for _, item := range list {
		d, ok := item.(*python.Dict)
		if !ok {
			return "", errTool
		}
		if kind, _ := d.Get("type"); kind == "function" {
			inner, _ := d.Get("function")
			if d, ok = inner.(*python.Dict); !ok {
				return "", errTool
			}
		}
		name, arguments, err := describe(d)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "> Tool Name: %s\nTool Description: %s\nTool Args:\n%s\n", name, text(d, "description"), arguments)
		names = append(names, name)
	}
	return fmt.Sprintf(plainTools, b.String(), strings.Join(names, ", ")), nil
}

// describe prints the arguments of a tool.
func describe(d *python.Dict) (name, arguments string, err error) {
	parameters, ok := child(d, "parameters")
	if !ok {
		return "", "", errors.New("KeyError: 'parameters'")
	}
	properties, ok := child(parameters, "properties")
	if !ok {
		return "", "", errors.New("KeyError: 'properties'")
	}
	required, _ := parameters.Get("required")
	var b strings.Builder
	for key, v := range properties.All() {
		p, ok := v.(*python.Dict)
		if !ok {
			return "", "", errTool
		}
		fmt.Fprintf(&b, "  - %s (%s%s): %s%s\n", python.Str(key), text(p, "type"), requiredMark(required, key), text(p, "description"), limits(p))
	}
	v, ok := d.Get("name")
	if !ok {
		return "", "", errors.New("KeyError: 'name'")
	}
	return python.Str(v), b.String(), nil
}

func requiredMark(required, key python.Value) string {
	list, _ := required.(python.List)
	if slices.Contains(list, key) {
		return ", required"
	}
	return ""
}

// limits prints the allowed values and the item type of a parameter.
func limits(p *python.Dict) (out string) {
	if v, _ := p.Get("enum"); v != nil {
		if list, ok := v.(python.List); ok && len(list) > 0 {
			var values []string
			for _, item := range list {
				values = append(values, python.Str(item))
			}
			out = ", should be one of [" + strings.Join(values, ", ") + "]"
		}
	}
	if items, ok := child(p, "items"); ok && items.Len() > 0 {
		out += ", where each item should be " + text(items, "type")
	}
	return out
}

func child(d *python.Dict, key string) (*python.Dict, bool) {
	v, _ := d.Get(key)
	c, ok := v.(*python.Dict)
	return c, ok
}

func text(d *python.Dict, key string) string {
	v, ok := d.Get(key)
	if !ok {
		return ""
	}
	return python.Str(v)
}
