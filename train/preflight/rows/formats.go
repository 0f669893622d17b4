package rows

import (
	"fmt"
	"slices"
	"strings"

	"airqa/internal/python"
	"airqa/train/preflight/template"
)

// openAI reads chat messages with tool calls.
func (c *converter) openAI() (Row, error) {
	list, err := c.messages()
	if err != nil {
		return Row{}, err
	}
	aligned, err := c.chat(list)
	if err != nil {
		return Row{}, err
	}
	for n, m := range aligned {
		odd := m.Role == template.User || m.Role == template.Observation
		even := m.Role == template.Assistant || m.Role == template.Function
		if n%2 == 0 && !odd || n%2 == 1 && !even {
			c.warn(InvalidRole)
			break
		}
	}
	if err := c.finish(aligned); err != nil {
		return Row{}, err
	}
	if err := c.chatTools(); err != nil {
		return Row{}, err
	}
	return c.withMedia()
}

// chat joins the replies of tools that follow each other; those at the end are lost.
func (c *converter) chat(list []Cell) (aligned []Message, err error) {
	var replies []string
	for _, m := range list {
		tag, content, err := c.called(m)
		if err != nil {
			return nil, err
		}
		if same(tag, c.tags["observation_tag"]) {
			text, ok := content.(string)
			if !ok {
				return nil, fmt.Errorf("TypeError: sequence item 0: expected str instance, %s found", python.Type(content))
			}
			replies = append(replies, text)
			continue
		}
		if len(replies) > 0 {
			aligned = append(aligned, Message{template.Observation, strings.Join(replies, "\n</tool_response>\n<tool_response>\n")})
			replies = nil
		}
		role, err := c.role(tag)
		if err != nil {
			return nil, err
		}
		aligned = append(aligned, Message{role, content})
	}
	return aligned, nil
}

// called returns the role and content of a message; tool calls take the place of its content.
func (c *converter) called(m Cell) (tag, content python.Value, err error) {
	if tag, err = c.tagged(m, "role_tag"); err != nil {
		return nil, nil, err
	}
	if content, err = c.tagged(m, "content_tag"); err != nil {
		return nil, nil, err
	}
	if !same(tag, c.tags["assistant_tag"]) && !same(tag, c.tags["function_tag"]) {
		return tag, content, nil
	}
	cell, ok := m.Get("tool_calls")
	if !ok || !python.Truth(cell.Python()) {
		return tag, content, nil
	}
	calls := python.List{}
	for _, item := range cell.Items() {
		f, ok := item.Get("function")
		if !ok {
			return nil, nil, keyError("function")
		}
		v := f.Python()
		if hasDate(v) {
			return nil, nil, ErrDates
		}
		calls = append(calls, v)
	}
	return c.tags["function_tag"], python.JSON(calls), nil
}

// ErrDates is the error of a text in a column of dates alone.
var ErrDates error = NotChecked("every value of a key is a date, which the trainer's reader may take for a timestamp instead of a text")

// hasDate reports whether a value contains one of a column of dates.
func hasDate(v python.Value) bool {
	switch x := v.(type) {
	case Date:
		return true
	case python.List:
		return slices.ContainsFunc(x, hasDate)
	case *python.Dict:
		for _, item := range x.All() {
			if hasDate(item) {
				return true
			}
		}
	}
	return false
}

// chatTools reads the tools and adds to the system prompt what the trainer adds.
func (c *converter) chatTools() error {
	tools, err := c.optional("tools")
	if err != nil {
		tools = ""
	}
	switch tools.(type) {
	case python.List, *python.Dict:
		if hasDate(tools) {
			return ErrDates
		}
		tools = python.JSON(tools)
	}
	c.out.Tools = tools
	const off = "detailed thinking off"
	system, isText := c.out.System.(string)
	switch {
	case !python.Truth(c.out.System) && python.Truth(tools):
	case !python.Truth(c.out.System):
		c.out.System = off
	case !isText:
		return fmt.Errorf("TypeError: the system prompt must be text, not %s", python.Type(c.out.System))
	case python.Truth(tools):
		c.out.System = system + "\n"
	case !strings.Contains(system, "detailed thinking on") && !strings.Contains(system, off):
		c.out.System = system + "\n" + off
	}
	return nil
}

// alpaca reads instruction, input and output.
func (c *converter) alpaca() (Row, error) {
	if err := c.history(); err != nil {
		return Row{}, err
	}
	var query []string
	for _, name := range []string{"prompt", "query"} {
		v, err := c.optional(name)
		if err != nil {
			return Row{}, err
		}
		if !python.Truth(v) {
			continue
		}
		text, ok := v.(string)
		if !ok {
			return Row{}, fmt.Errorf("TypeError: sequence item 0: expected str instance, %s found", python.Type(v))
		}
		query = append(query, text)
	}
	c.out.Prompt = append(c.out.Prompt, Message{template.User, strings.Join(query, "\n")})
	if err := c.answers(); err != nil {
		return Row{}, err
	}
	var err error
	if c.out.System, err = c.optional("system"); err != nil {
		return Row{}, err
	}
	if c.out.Tools, err = c.optional("tools"); err != nil {
		return Row{}, err
	}
	return c.withMedia()
}

func (c *converter) history() error {
	v, err := c.optional("history")
	if err != nil {
		return err
	}
	list, _ := v.(python.List)
	for _, item := range list {
		pair, ok := item.(python.List)
		if !ok || len(pair) != 2 {
			return fmt.Errorf("ValueError: an entry of the history must be a pair")
		}
		c.out.Prompt = append(c.out.Prompt, Message{template.User, pair[0]}, Message{template.Assistant, pair[1]})
	}
	return nil
}

// answers reads the response, the two of a pair, or that of a feedback row.
func (c *converter) answers() error {
	good, labelled, err := c.label()
	if err != nil {
		return err
	}
	if labelled {
		answer, err := c.column("response")
		if err == nil {
			c.out.Response = feedback([]Message{{template.Assistant, answer.Python()}}, good)
		}
		return err
	}
	pair, err := c.rankedPair(func(cell Cell) bool {
		_, ok := cell.Python().(string)
		return ok
	})
	if err != nil {
		return err
	}
	if pair != nil {
		c.out.Response = []Message{{template.Assistant, pair[0].Python()}, {template.Assistant, pair[1].Python()}}
		return nil
	}
	v, err := c.optional("response")
	if text, ok := v.(string); ok && python.Truth(c.columns["response"]) {
		c.out.Response = []Message{{template.Assistant, text}}
	}
	return err
}
