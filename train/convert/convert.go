// Package convert reads conversations of agents as other tools write them, in the formats of ATIF, OpenAI, ShareGPT and
// TRL, and writes them in another of these formats. Start from [File], or from [Read] for the conversations alone.
//
// No two of these formats can say the same, so a [Losses] counts what is left out.
package convert

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"airqa/internal/ledger"
	"airqa/qa"
)

// Format is a file format of conversations.
type Format string

// The formats.
const (
	ShareGPT Format = "sharegpt"
	OpenAI   Format = "openai"
	TRL      Format = "trl"
	ATIF     Format = "atif"
)

// Conversation is a conversation of any format.
type Conversation struct {
	// ID is empty if the format has none.
	ID       string
	Messages []Message
	// Tools is a JSON list of functions in OpenAI's form; nil for none.
	Tools json.RawMessage
	// agent is the agent of a trajectory; nil for other formats.
	agent *agent
}

// Message is one turn.
type Message struct {
	Role  qa.Role
	Parts []Part
	// Reasoning is the thinking of an assistant, apart from the text.
	Reasoning string
	Calls     []qa.ToolCall
	// CallID is the call that a result is of; empty if unknown.
	CallID string
	// Trained reports whether an assistant's turn is to be trained; nil if the format leaves it to the trainer.
	Trained *bool
}

// Part is a text or an image.
type Part struct {
	Text string
	// Image is a path or URL; empty for a text.
	Image string
}

func text(s string) []Part { return []Part{{Text: s}} }

// Text joins the texts of a message.
func (m Message) Text() string {
	var b strings.Builder
	for _, p := range m.Parts {
		b.WriteString(p.Text)
	}
	return b.String()
}

// Images lists the images of a message.
func (m Message) Images() []string {
	var list []string
	for _, p := range m.Parts {
		if p.Image != "" {
			list = append(list, p.Image)
		}
	}
	return list
}

// withThinking returns the parts with the reasoning before them, as models of most families write it.
func (m Message) withThinking(l Losses) []Part {
	if m.Reasoning == "" {
		return m.Parts
	}
	l.Add("reasoning apart from the text, now in <think> tags")
	return append(text("<think>\n"+m.Reasoning+"\n</think>\n\n"), m.Parts...)
}

// Losses counts what a conversion leaves out or changes, by description.
type Losses map[string]int

// Add counts one loss. A nil l counts nothing.
func (l Losses) Add(what string) {
	if l != nil {
		l[what]++
	}
}

// List returns the losses as lines, sorted.
func (l Losses) List() []string {
	var list []string
	for _, what := range slices.Sorted(maps.Keys(l)) {
		list = append(list, fmt.Sprintf("%s: %d", what, l[what]))
	}
	return list
}

// Result describes a conversion.
type Result struct {
	// From is the format of the first record.
	From   Format
	Rows   int
	Losses Losses
}

// shape is what the rows of a file have between them: every row has the same keys.
type shape struct {
	ids, tools, images bool
	// lead is the first row with images, which must come first: some readers of tables take the columns from the first
	// rows, and an empty list has no type.
	lead int
}

// Config names a file, or a folder of trajectories, and the format to convert it to.
type Config struct {
	Path string
	To   Format
	// Absolute makes the paths of images absolute, for a file in another folder.
	Absolute bool
}

// File converts a file. It is read twice.
func File(c Config, out io.Writer) (r Result, err error) {
	if writers[c.To] == nil {
		return r, fmt.Errorf("unknown format %q", c.To)
	}
	var s shape
	for rec, err := range Records(c.Path) {
		if err != nil {
			return r, err
		}
		if r.Rows == 0 {
			r.From = rec.Format
		}
		r.Rows++
		s.see(rec.Conversation, r.Rows)
	}
	if r.Rows == 0 {
		return r, fmt.Errorf("%s has no conversation", c.Path)
	}
	r.Losses = make(Losses)
	w := bufio.NewWriterSize(out, 1<<20)
	for _, first := range []bool{true, false} {
		if err := c.write(s, first, w, r.Losses); err != nil {
			return r, err
		}
	}
	return r, w.Flush()
}

// write writes the row that must come first, or the others.
func (c Config) write(s shape, first bool, w io.Writer, l Losses) error {
	if first && s.lead == 0 {
		return nil
	}
	n := 0
	for rec, err := range Records(c.Path) {
		if err != nil {
			return err
		}
		if n++; first != (n == s.lead) {
			continue
		}
		for what, count := range rec.Losses {
			l[what] += count
		}
		if c.Absolute {
			if err := rec.absolute(); err != nil {
				return err
			}
		}
		row, err := writers[c.To](rec.Conversation, s, l)
		if err != nil {
			return fmt.Errorf("%s: %w", rec.Place, err)
		}
		line, err := ledger.Encode(row)
		if err != nil {
			return fmt.Errorf("%s: %w", rec.Place, err)
		}
		if _, err := w.Write(line); err != nil {
			return err
		}
	}
	return nil
}

// id returns the id of a row; nil if no row has one.
func (s shape) id(c Conversation) *string {
	if !s.ids {
		return nil
	}
	return &c.ID
}

func (s *shape) see(c Conversation, n int) {
	s.ids = s.ids || c.ID != ""
	s.tools = s.tools || len(c.Tools) > 0
	for _, m := range c.Messages {
		if len(m.Images()) > 0 && s.lead == 0 {
			s.images, s.lead = true, n
		}
	}
}

// writer returns a conversation as a row, for encoding.
type writer func(c Conversation, s shape, l Losses) (any, error)

var writers = map[Format]writer{ShareGPT: toShareGPT, OpenAI: toOpenAI, TRL: toTRL, ATIF: toATIF}
