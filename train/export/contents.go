package export

import (
	"crypto/sha256"
	"encoding/binary"

	"airqa/qa"
	"airqa/train"
)

// contentHash identifies what a row trains on.
type contentHash [sha256.Size]byte

// contents identifies what rows train on: their messages and tools. It hashes a long text of an episode once, although
// it recurs from row to row.
type contents struct {
	long map[string]contentHash
	all  []byte
}

// of returns the content of a row, or of a pair.
func (c *contents) of(row, against *train.Row) contentHash {
	c.all = c.all[:0]
	for _, m := range row.Context {
		c.message(m)
	}
	c.message(row.Target)
	if against != nil {
		c.message(against.Target)
	}
	for _, t := range row.Tools {
		c.text(t.Name)
		c.text(t.Description)
		c.text(string(t.Parameters))
	}
	return sha256.Sum256(c.all)
}

func (c *contents) message(m qa.Message) {
	c.text(string(m.Role))
	c.text(m.Text)
	for _, im := range m.Images {
		c.text(im.SHA256)
	}
	for _, call := range m.ToolCalls {
		c.text(call.Name)
		c.text(string(call.Arguments))
	}
}

// text adds a text with its length, so that no two lists of texts are alike. A long text is added as its hash.
func (c *contents) text(s string) {
	c.all = binary.LittleEndian.AppendUint64(c.all, uint64(len(s)))
	if len(s) < keepFrom {
		c.all = append(c.all, s...)
		return
	}
	sum, known := c.long[s]
	if !known {
		end := len(c.all)
		c.all = append(c.all, s...)
		sum = sha256.Sum256(c.all[end:]) // in the buffer, without a copy of its own
		c.all = c.all[:end]
		c.long[s] = sum
	}
	c.all = append(c.all, sum[:]...)
}
