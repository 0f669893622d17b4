package rows

import (
	"errors"
	"fmt"
	"slices"

	"airqa/internal/python"
	"airqa/train/preflight/template"
)

// Message is a turn. A content that is not text stops the trainer later.
type Message struct {
	Role    string
	Content python.Value
}

// Row is what the trainer makes of a row. An empty prompt is dropped.
type Row struct {
	Prompt, Response       []Message
	System, Tools          python.Value
	Images, Videos, Audios []python.Value
	// Warnings are the trainer's, by their first words.
	Warnings []string
}

// Warnings for a row that is dropped.
const (
	InvalidRole  = "Invalid role tag"
	InvalidCount = "Invalid message count"
	Skipping     = "Skipping this abnormal"
)

// roleTags are the tags of roles. Equal tags take the last role, as in a dictionary.
var roleTags = []struct{ tag, role string }{
	{"user_tag", template.User},
	{"assistant_tag", template.Assistant},
	{"observation_tag", template.Observation},
	{"function_tag", template.Function},
	{"system_tag", "system"},
}

// accepts reports whether a role may be at position n.
func (i Info) accepts(role python.Value, n int) bool {
	if n%2 == 0 {
		return same(role, i.tags["user_tag"]) || same(role, i.tags["observation_tag"])
	}
	return same(role, i.tags["assistant_tag"]) || same(role, i.tags["function_tag"])
}

// role returns the trainer's role for one of the file.
func (i Info) role(name python.Value) (string, error) {
	for _, t := range slices.Backward(roleTags) {
		if same(i.tags[t.tag], name) {
			return t.role, nil
		}
	}
	return "", keyError(name)
}

// same compares a tag with a value of the file.
func same(a, b python.Value) bool {
	switch x := a.(type) {
	case nil:
		return b == nil
	case string:
		return b == x
	}
	return false
}

func keyError(key python.Value) error { return fmt.Errorf("KeyError: %s", python.Repr(key)) }

// Convert turns a row into a prompt and a response. The error is one that stops the trainer.
func (i Info) Convert(row Cell) (Row, error) {
	c := converter{Info: i, row: row}
	switch i.Formatting {
	case "sharegpt":
		return c.shareGPT()
	case "openai":
		return c.openAI()
	case "alpaca":
		return c.alpaca()
	}
	return Row{}, fmt.Errorf("ValueError: Dataset converter %s not found", i.Formatting)
}

// converter converts one row.
type converter struct {
	Info
	row Cell
	out Row
}

// column returns the value of one of the trainer's columns.
func (c *converter) column(name string) (Cell, error) {
	key := c.columns[name]
	if key, ok := key.(string); ok {
		if cell, ok := c.row.Get(key); ok {
			return cell, nil
		}
	}
	return Cell{}, keyError(key)
}

// optional returns the value of a column that may be unset.
func (c *converter) optional(name string) (python.Value, error) {
	if !python.Truth(c.columns[name]) {
		return "", nil
	}
	cell, err := c.column(name)
	return cell.Python(), err
}

// messages returns the turns of a row, without a system turn at the start.
func (c *converter) messages() ([]Cell, error) {
	cell, err := c.column("messages")
	if err != nil {
		return nil, err
	}
	if !cell.IsList() {
		return nil, fmt.Errorf("TypeError: messages must be a list, not %s", python.Type(cell.Value))
	}
	list := cell.Items()
	if tag := c.tags["system_tag"]; python.Truth(tag) && len(list) > 0 {
		role, err := c.tagged(list[0], "role_tag")
		if err != nil {
			return nil, err
		}
		if same(role, tag) {
			c.out.System, err = c.tagged(list[0], "content_tag")
			return list[1:], err
		}
	}
	c.out.System, err = c.optional("system")
	if c.Formatting == "openai" && err != nil {
		c.out.System, err = "", nil
	}
	return list, err
}

var errNotObject = errors.New("TypeError: a message must be an object")

// tagged returns the role or the content of a message.
func (c *converter) tagged(m Cell, tag string) (python.Value, error) {
	if !m.IsObject() {
		return nil, errNotObject
	}
	key := c.tags[tag]
	if name, ok := key.(string); ok {
		if cell, ok := m.Get(name); ok {
			return cell.Python(), nil
		}
	}
	return nil, keyError(key)
}

func (c *converter) shareGPT() (Row, error) {
	list, err := c.messages()
	if err != nil {
		return Row{}, err
	}
	var aligned []Message
	for n, m := range list {
		role, err := c.tagged(m, "role_tag")
		if err != nil {
			return Row{}, err
		}
		if !c.accepts(role, n) {
			c.warn(InvalidRole)
			break
		}
		content, err := c.tagged(m, "content_tag")
		if err != nil {
			return Row{}, err
		}
		mapped, err := c.role(role)
		if err != nil {
			return Row{}, err
		}
		aligned = append(aligned, Message{mapped, content})
	}
	if err := c.finish(aligned); err != nil {
		return Row{}, err
	}
	c.out.Tools, err = c.optional("tools")
	if err != nil {
		return Row{}, err
	}
	return c.withMedia()
}

func (c *converter) warn(text string) { c.out.Warnings = append(c.out.Warnings, text) }

// finish divides the turns into prompt and response.
func (c *converter) finish(aligned []Message) error {
	if c.Ranking == (len(aligned)%2 == 0) {
		c.warn(InvalidCount)
	}
	if len(c.out.Warnings) > 0 {
		c.warn(Skipping)
		return nil
	}
	good, labelled, err := c.label()
	if err != nil {
		return err
	}
	if labelled {
		c.split(aligned)
		c.out.Response = feedback(c.out.Response, good)
		return nil
	}
	pair, err := c.rankedPair(Cell.IsObject)
	if err != nil {
		return err
	}
	if pair != nil {
		c.out.Prompt = aligned
		return c.pair(pair)
	}
	c.split(aligned)
	return nil
}

// label returns the tag of a feedback row; ok is false for other rows.
func (c *converter) label() (good, ok bool, err error) {
	if !python.Truth(c.columns["kto_tag"]) {
		return false, false, nil
	}
	cell, err := c.column("kto_tag")
	if err != nil {
		return false, false, err
	}
	good, ok = cell.Python().(bool)
	return good, ok, nil
}

// rankedPair returns the chosen and the rejected answer of a ranked row; nil if one of them is of another kind.
func (c *converter) rankedPair(is func(Cell) bool) (pair []Cell, err error) {
	if !c.Ranking {
		return nil, nil
	}
	for _, name := range []string{"chosen", "rejected"} {
		cell, err := c.column(name)
		if err != nil || !is(cell) {
			return nil, err
		}
		pair = append(pair, cell)
	}
	return pair, nil
}

func (c *converter) split(aligned []Message) {
	if n := len(aligned); n > 0 {
		c.out.Prompt, c.out.Response = aligned[:n-1], aligned[n-1:]
	}
}

// feedback puts an empty answer after a good one or before a bad one.
func feedback(response []Message, good bool) []Message {
	empty := Message{template.Assistant, ""}
	if good {
		return append(response[:len(response):len(response)], empty)
	}
	return append([]Message{empty}, response...)
}

// pair adds the answers of a pair.
func (c *converter) pair(answers []Cell) error {
	for _, cell := range answers {
		tag, err := c.tagged(cell, "role_tag")
		if err != nil {
			return err
		}
		if !c.accepts(tag, 1) {
			c.warn(InvalidRole)
			break
		}
	}
	for _, cell := range answers {
		tag, err := c.tagged(cell, "role_tag")
		if err != nil {
			return err
		}
		role, err := c.role(tag)
		if err != nil {
			return err
		}
		content, err := c.tagged(cell, "content_tag")
		if err != nil {
			return err
		}
		c.out.Response = append(c.out.Response, Message{role, content})
	}
	return nil
}

// withMedia adds images, videos and audios.
func (c *converter) withMedia() (Row, error) {
	var err error
	for _, m := range []struct {
		column string
		to     *[]python.Value
	}{{"images", &c.out.Images}, {"videos", &c.out.Videos}, {"audios", &c.out.Audios}} {
		if *m.to, err = c.files(m.column); err != nil {
			return Row{}, err
		}
	}
	return c.out, c.checkMedia()
}

// files returns a column of files as a list.
func (c *converter) files(column string) ([]python.Value, error) {
	if !python.Truth(c.columns[column]) {
		return nil, nil
	}
	cell, err := c.column(column)
	if err != nil {
		return nil, err
	}
	switch v := cell.Python().(type) {
	case nil:
		return nil, nil
	case python.List:
		return v, nil
	default:
		return []python.Value{v}, nil
	}
}

// checkMedia reports paths that cannot be joined to a folder.
func (c *converter) checkMedia() error {
	for _, list := range [][]python.Value{c.out.Images, c.out.Videos, c.out.Audios} {
		if len(list) == 0 {
			continue
		}
		if _, ok := list[0].(string); !ok {
			continue
		}
		for _, v := range list {
			if _, ok := v.(string); !ok {
				return fmt.Errorf("TypeError: join() argument must be str, not %s", python.Type(v))
			}
		}
	}
	return nil
}
