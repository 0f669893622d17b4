package format

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"airqa/qa"
)

// Conversion names a file, or a folder of trajectories, and the format to convert it to.
type Conversion struct {
	Path string
	To   Format
	// Absolute makes the paths of images absolute, for a file in another folder.
	Absolute bool
}

// Converted describes a conversion.
type Converted struct {
	// From is the format of the first record.
	From   Format
	Rows   int
	Losses Losses
}

// Convert converts a file. It is read twice.
func Convert(c Conversion, out io.Writer) (Converted, error) {
	x := converter{Conversion: c, Converted: Converted{Losses: make(Losses)}, row: make([]byte, 0, 1<<16)}
	switch c.To {
	case ShareGPT, OpenAI, TRL, ATIF:
	default:
		return x.Converted, fmt.Errorf("unknown format %q", c.To)
	}
	for rec, err := range Records(c.Path) {
		if err != nil {
			return x.Converted, err
		}
		x.see(rec)
	}
	if x.Rows == 0 {
		return x.Converted, fmt.Errorf("%s has no conversation", c.Path)
	}
	w := bufio.NewWriterSize(out, 1<<20)
	if x.lead > 0 {
		if err := x.write(w, func(n int) bool { return n == x.lead }); err != nil {
			return x.Converted, err
		}
	}
	if err := x.write(w, func(n int) bool { return n != x.lead }); err != nil {
		return x.Converted, err
	}
	return x.Converted, w.Flush()
}

// converter converts one file.
type converter struct {
	Conversion
	Converted
	shape Rows
	// lead is the first row with images, which must come first: some readers of tables take the columns from the first
	// rows, and an empty list has no type.
	lead int
	row  []byte
}

// see notes which keys a record has, since every row has the same keys.
func (x *converter) see(rec Record) {
	if x.Rows == 0 {
		x.From = rec.Format
	}
	x.Rows++
	x.shape.IDs = x.shape.IDs || rec.ID != ""
	x.shape.Tools = x.shape.Tools || len(rec.Tools) > 0
	if x.lead == 0 && len(rec.images()) > 0 {
		x.shape.Images, x.lead = true, x.Rows
	}
}

// write writes the chosen rows.
func (x *converter) write(w io.Writer, chosen func(n int) bool) error {
	n := 0
	for rec, err := range Records(x.Path) {
		if err != nil {
			return err
		}
		if n++; !chosen(n) {
			continue
		}
		for what, count := range rec.Losses {
			x.Losses[what] += count
		}
		if x.Absolute {
			if err := rec.absolute(); err != nil {
				return err
			}
		}
		if err := x.convert(rec.Conversation); err != nil {
			return fmt.Errorf("%s: %w", rec.Place, err)
		}
		if _, err := w.Write(append(x.row, '\n')); err != nil {
			return err
		}
	}
	return nil
}

// convert makes the row of a conversation. What its format cannot hold is lost, and counted.
func (x *converter) convert(c Conversation) (err error) {
	l, dst := x.Losses, x.row[:0]
	switch x.To {
	case ATIF:
		var t Trajectory
		if t, err = c.trajectory(l); err == nil {
			x.row, err = t.Line()
			x.row = x.row[:max(len(x.row)-1, 0)]
		}
	case ShareGPT:
		d := c.Dialogue(l)
		if len(d.Turns) == 0 {
			return errors.New("no assistant turn")
		}
		if answers(d.Turns[0]) {
			l.Add("row that begins with the assistant, which LLaMA-Factory drops")
		}
		x.row = x.shape.appendDialogue(dst, c, d)
	case OpenAI:
		x.row = x.shape.Append(dst, OpenAI, c.forOpenAI(l))
	case TRL:
		if c, err = c.forTRL(l); err == nil {
			x.row = x.shape.Append(dst, TRL, c)
		}
	}
	return err
}

func (c Conversation) forOpenAI(l Losses) Conversation {
	if c.ID != "" {
		l.Add("id of a row, which OpenAI does not have")
	}
	for _, m := range c.Messages {
		if m.Role != qa.User && len(m.Images()) > 0 {
			l.Add("image outside of a message of the user, which OpenAI refuses")
		}
	}
	return c.asChat(l)
}

// forTRL makes the last turn of the assistant the last message: the completion. The keys "prompt" and "completion" are
// never empty, since TRL does not load such a file.
func (c Conversation) forTRL(l Losses) (Conversation, error) {
	c = c.untilAnswer(l)
	if len(c.Messages) < 2 {
		return c, errors.New("no assistant turn after another message")
	}
	for _, m := range c.Messages[:len(c.Messages)-1] {
		if m.Role == qa.Assistant && (m.Trained == nil || *m.Trained) {
			l.Add("turn of the assistant before the last one, which TRL does not train here")
		}
	}
	return c.asChat(l), nil
}

// asChat returns a conversation of messages as endpoints take them: reasoning is text, and every result has a call.
func (c Conversation) asChat(l Losses) Conversation {
	c = c.withCallIDs()
	for i := range c.Messages {
		m := &c.Messages[i]
		m.Parts = m.withThinking(l)
		if m.Role == qa.ToolResult && m.CallID == "" {
			l.Add("result without a call, now a message of the user")
			m.Role = qa.User
		}
	}
	return c
}

// withCallIDs gives an id to every call that has none, and to its result. The messages are copied.
func (c Conversation) withCallIDs() Conversation {
	messages := append([]Message(nil), c.Messages...)
	open := ""
	for i, m := range messages {
		if m.Role == qa.ToolResult && m.CallID == "" {
			messages[i].CallID, open = open, ""
		}
		for j, call := range m.Calls {
			if call.ID == "" {
				if j == 0 {
					messages[i].Calls = append([]qa.ToolCall(nil), m.Calls...)
				}
				open = fmt.Sprintf("call_%d_%d", i+1, j+1)
				messages[i].Calls[j].ID = open
			}
		}
	}
	c.Messages = messages
	return c
}

// untilAnswer drops what follows the last turn of the assistant.
func (c Conversation) untilAnswer(l Losses) Conversation {
	n := len(c.Messages)
	for n > 0 && c.Messages[n-1].Role != qa.Assistant {
		n--
		l.Add("message after the last turn of the assistant")
	}
	c.Messages = c.Messages[:n]
	return c
}

// withThinking returns the parts with the reasoning before them, as models of most families write it.
func (m Message) withThinking(l Losses) []Part {
	if m.Reasoning == "" {
		return m.Parts
	}
	l.Add("reasoning apart from the text, now in <think> tags")
	return append(text("<think>\n"+m.Reasoning+"\n</think>\n\n"), m.Parts...)
}
