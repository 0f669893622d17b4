package check

import (
	"fmt"
	"strings"

	"airqa/internal/python"
	"airqa/internal/tokens"
	"airqa/train/preflight"
	"airqa/train/preflight/chattemplate"
	"airqa/train/preflight/table"
)

// turn is a message of a chat. Turns are comparable.
type turn struct {
	role, text string
	noText     bool
	weight     python.Value
	// toolCalls is a list of tool calls in JSON.
	toolCalls string
}

// calls returns the tool calls.
func (t turn) calls() (list []*python.Dict) {
	v, _ := python.FromJSON([]byte(t.toolCalls))
	items, _ := v.(python.List)
	for _, item := range items {
		if d, ok := item.(*python.Dict); ok {
			list = append(list, d)
		}
	}
	return list
}

// turns reads a list of messages with role and content, or from and value.
func turns(cell table.Cell, column string) ([]turn, error) {
	if cell.Value == nil || cell.Type.Kind != table.List {
		return nil, fmt.Errorf("TypeError: %s must be a list of messages, not %s", column, python.Type(cell.Value))
	}
	var list []turn
	for i, m := range cell.Items() {
		role, text := field(m, "role", "from"), field(m, "content", "value")
		r, ok := role.(string)
		if !ok {
			return nil, fmt.Errorf("TypeError: message %d of %s has no role", i, column)
		}
		body, ok := text.(string)
		if !ok && text != nil {
			return nil, fmt.Errorf("TypeError: message %d of %s has no text: its content is %s", i, column, python.Type(text))
		}
		calls := ""
		if v := field(m, "tool_calls"); v != nil {
			calls = python.JSON(withoutNulls(v))
		}
		list = append(list, turn{r, body, text == nil, field(m, "weight"), calls})
	}
	return list, nil
}

// field returns the first of two keys that has a value.
func field(m table.Cell, names ...string) python.Value {
	for _, name := range names {
		if cell, ok := m.Get(name); ok && cell.Value != nil {
			return cell.Python()
		}
	}
	return nil
}

// withoutNulls leaves out the keys of objects that have no value, as datasets 5 does in a column of messages.
func withoutNulls(v python.Value) python.Value {
	switch v := v.(type) {
	case python.List:
		list := make(python.List, len(v))
		for i, item := range v {
			list[i] = withoutNulls(item)
		}
		return list
	case *python.Dict:
		d := &python.Dict{}
		for key, value := range v.All() {
			if value != nil {
				d.Set(key, withoutNulls(value))
			}
		}
		return d
	}
	return v
}

func (t turn) render() string { return "<|im_start|>" + t.role + "\n" + t.text + "<|im_end|>\n" }

// header opens the answer.
const header = chattemplate.Header

// count counts tokens, exactly with a tokenizer.
func count(c preflight.Config, text string) int {
	if c.Tokenizer != nil {
		return c.Tokenizer.Count(text)
	}
	return tokens.Count(text)
}

// common returns the number of tokens that two texts begin with, and the number of tokens of the second.
func common(c preflight.Config, prompt, whole string) (same, all int) {
	if c.Tokenizer == nil {
		answer, ok := strings.CutPrefix(whole, prompt)
		if !ok {
			answer = ""
		}
		same = count(c, prompt)
		return same, same + count(c, answer)
	}
	a, b := c.Tokenizer.Encode(nil, prompt), c.Tokenizer.Encode(nil, whole)
	for same < min(len(a), len(b)) && a[same] == b[same] {
		same++
	}
	return same, len(b)
}
