package export

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"

	"airqa/qa"
	"airqa/train/windows"
)

// contentHash identifies what a row trains on.
type contentHash [sha256.Size]byte

// contents identifies what rows train on: their messages and tools. It hashes a long text of an episode once, although
// it recurs from row to row.
type contents struct {
	hash.Hash
	long map[string]contentHash
	// buffer avoids a copy of every text as bytes.
	buffer [4 << 10]byte
}

func newContents() *contents {
	return &contents{Hash: sha256.New(), long: make(map[string]contentHash)}
}

// of returns the content of a row, or of a pair.
func (c *contents) of(row, against *windows.Row) (sum contentHash) {
	c.Reset()
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
	c.Sum(sum[:0])
	return sum
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
	c.add(c, binary.LittleEndian.AppendUint64(c.buffer[:0], uint64(len(s))))
	if len(s) < keepFrom {
		c.add(c, append(c.buffer[:0], s...))
		return
	}
	sum, known := c.long[s]
	if !known {
		sum = c.sum(s)
		c.long[s] = sum
	}
	c.add(c, append(c.buffer[:0], sum[:]...))
}

func (c *contents) sum(s string) (sum contentHash) {
	h := sha256.New()
	for s != "" {
		n := copy(c.buffer[:], s)
		c.add(h, c.buffer[:n])
		s = s[n:]
	}
	h.Sum(sum[:0])
	return sum
}

func (*contents) add(h hash.Hash, data []byte) {
	_, _ = h.Write(data) // a hash never fails
}
