package format

import (
	"bufio"
	"fmt"
	"io"

	"airqa/internal/ledger"
)

// Converted describes a conversion.
type Converted struct {
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

// Conversion names a file, or a folder of trajectories, and the format to convert it to.
type Conversion struct {
	Path string
	To   Format
	// Absolute makes the paths of images absolute, for a file in another folder.
	Absolute bool
}

// Convert converts a file. It is read twice.
func Convert(c Conversion, out io.Writer) (r Converted, err error) {
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
func (c Conversion) write(s shape, first bool, w io.Writer, l Losses) error {
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
