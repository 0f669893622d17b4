package template

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"airqa/internal/python"
)

// toolFormat is how a template writes tools and calls. templates.yaml explains its parts.
type toolFormat struct {
	Form          string `yaml:"form"`
	Prompt        string `yaml:"prompt"`
	Tool          string `yaml:"tool"`
	ToolSeparator string `yaml:"tool_separator"`
	Call          string `yaml:"call"`
	Argument      string `yaml:"argument"`
	Separator     string `yaml:"separator"`
	Calls         string `yaml:"calls"`
	Lone          bool   `yaml:"lone"`
	ParallelError string `yaml:"parallel_error"`
}

// Forms of a tool.
const (
	wrapped   = "wrapped"
	described = "described"
)

// calls renders the JSON of a function_call turn.
func (t *Template) calls(text string) (string, error) {
	calls, before, err := t.parseCalls(text)
	if err != nil {
		return "", err
	}
	f := t.tools
	if len(calls) > 1 && f.ParallelError != "" {
		return "", errors.New(f.ParallelError)
	}
	texts := make([]string, len(calls))
	for i, c := range calls {
		if texts[i], err = f.call(c); err != nil {
			return "", err
		}
	}
	rendered := strings.Join(texts, f.Separator)
	if f.Calls != "" && (len(calls) != 1 || !f.Lone) {
		rendered = strings.Replace(f.Calls, "{calls}", rendered, 1)
	}
	return before + rendered, nil
}

// call renders one call.
func (f toolFormat) call(c call) (string, error) {
	var each strings.Builder
	if f.Argument != "" {
		arguments, ok := c.arguments.(*python.Dict)
		if !ok {
			return "", fmt.Errorf("AttributeError: '%s' object has no attribute 'items'", python.Type(c.arguments))
		}
		for key, v := range arguments.All() {
			value, ok := v.(string)
			if !ok {
				value = python.JSON(v)
			}
			each.WriteString(strings.NewReplacer("{key}", python.Str(key), "{value}", value).Replace(f.Argument))
		}
	}
	return strings.NewReplacer(
		"{name}", python.Str(c.name), "{name_json}", python.JSON(c.name), "{arguments}", python.JSON(c.arguments), "{each}", each.String(),
	).Replace(f.Call), nil
}

// call is one function call; its arguments may be any JSON value.
type call struct{ name, arguments python.Value }

// defaultThought surrounds thinking in calls of templates without words for it.
var defaultThought = []string{"<think>\n", "\n</think>\n\n"}

// parseCalls reads the calls of a turn: between the first <tool_call> tags, or all of it but the first thought. Before
// is the text that stays in front of the calls. Templates that merge the system prompt know neither tags nor thoughts.
func (t *Template) parseCalls(text string) (calls []call, before string, err error) {
	thought := t.Thought
	if thought == nil {
		thought = defaultThought
	}
	body := text
	if !t.Merged {
		if whole, inner, ok := between(text, "<tool_call>", "</tool_call>"); ok {
			before, body = strings.ReplaceAll(text, whole, ""), inner
		} else if whole, _, ok := between(text, thought[0], thought[1]); ok {
			before, body = whole, strings.ReplaceAll(text, whole, "")
		}
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

var errTool = errors.New("AttributeError: a tool is an object with name, description and parameters")

// ToolText renders tools, a JSON list in a text, as Qwen's templates do.
func ToolText(tools string) (string, error) { return known().Tools["qwen"].list(tools, "") }

// list renders the tools of a row, a JSON list in a string.
func (f toolFormat) list(text, date string) (string, error) {
	v, err := python.FromJSON([]byte(text))
	if err != nil {
		return "", fmt.Errorf("RuntimeError: Invalid JSON format in tool description: %w", err)
	}
	list, ok := v.(python.List)
	if !ok {
		return noTools(v)
	}
	if len(list) == 0 {
		return "", nil
	}
	texts, names := make([]string, len(list)), make([]string, len(list))
	for i, item := range list {
		tool, ok := item.(*python.Dict)
		if !ok {
			return "", errTool
		}
		if tool, err = f.formed(tool); err != nil {
			return "", err
		}
		name, _ := tool.Get("name")
		names[i] = python.Str(name)
		if f.Form == described {
			texts[i], err = describe(tool)
		} else {
			texts[i] = strings.NewReplacer("{json}", python.JSON(tool), "{indented}", python.JSONIndent(tool), "{name}", names[i]).Replace(f.Tool)
		}
		if err != nil {
			return "", err
		}
	}
	return strings.NewReplacer(
		"{tools}", strings.Join(texts, f.ToolSeparator), "{names}", strings.Join(names, ", "), "{date}", date,
	).Replace(f.Prompt), nil
}

// noTools handles tools that are not a list: an empty text or object means none.
func noTools(v python.Value) (string, error) {
	if d, ok := v.(*python.Dict); ok && d.Len() == 0 || v == "" {
		return "", nil
	}
	switch v.(type) {
	case *python.Dict, string:
		return "", errTool
	}
	return "", fmt.Errorf("TypeError: object of type '%s' has no len()", python.Type(v))
}

// formed puts a tool into OpenAI's wrapper, or takes it out.
func (f toolFormat) formed(tool *python.Dict) (*python.Dict, error) {
	kind, _ := tool.Get("type")
	isWrapped := kind == "function"
	if f.Form == wrapped && !isWrapped {
		d := &python.Dict{}
		d.Set("type", "function")
		d.Set("function", tool)
		return d, nil
	}
	if f.Form == wrapped || !isWrapped {
		return tool, nil
	}
	inner, ok := child(tool, "function")
	if !ok {
		return nil, errTool
	}
	return inner, nil
}

// describe prints a tool with its arguments as prose.
func describe(d *python.Dict) (string, error) {
	parameters, ok := child(d, "parameters")
	if !ok {
		return "", errors.New("KeyError: 'parameters'")
	}
	properties, ok := child(parameters, "properties")
	if !ok {
		return "", errors.New("KeyError: 'properties'")
	}
	required, _ := parameters.Get("required")
	var b strings.Builder
	for key, v := range properties.All() {
		p, ok := v.(*python.Dict)
		if !ok {
			return "", errTool
		}
		mark := ""
		if list, _ := required.(python.List); slices.Contains(list, key) {
			mark = ", required"
		}
		fmt.Fprintf(&b, "  - %s (%s%s): %s%s\n", python.Str(key), member(p, "type"), mark, member(p, "description"), limits(p))
	}
	if _, ok := d.Get("name"); !ok {
		return "", errors.New("KeyError: 'name'")
	}
	return fmt.Sprintf("> Tool Name: %s\nTool Description: %s\nTool Args:\n%s\n", member(d, "name"), member(d, "description"), b.String()), nil
}

// limits prints the allowed values and the item type of a parameter.
func limits(p *python.Dict) (out string) {
	v, _ := p.Get("enum")
	if list, ok := v.(python.List); ok && len(list) > 0 {
		values := make([]string, len(list))
		for i, item := range list {
			values[i] = python.Str(item)
		}
		out = ", should be one of [" + strings.Join(values, ", ") + "]"
	}
	if items, ok := child(p, "items"); ok && items.Len() > 0 {
		out += ", where each item should be " + member(items, "type")
	}
	return out
}

func child(d *python.Dict, key string) (*python.Dict, bool) {
	v, _ := d.Get(key)
	c, ok := v.(*python.Dict)
	return c, ok
}

// member prints a member of an object; an absent one is empty.
func member(d *python.Dict, key string) string {
	v, ok := d.Get(key)
	if !ok {
		return ""
	}
	return python.Str(v)
}
