package export

import (
	"crypto/sha256"
	"fmt"
	"io"
	"slices"

	"airqa/train"
)

// contentHash identifies what a row trains on.
type contentHash [sha256.Size]byte

// contentOf identifies what a row, or a pair, trains on: its messages and tools. Each text has its length in front, so that no
// two lists of texts are alike.
func contentOf(row, against *train.Row) contentHash {
	h := sha256.New() // takes everything
	add := func(texts ...string) {
		for _, s := range texts {
			_, _ = fmt.Fprintf(h, "%d ", len(s))
			_, _ = io.WriteString(h, s)
		}
	}
	messages := append(slices.Clip(row.Context), row.Target)
	if against != nil {
		messages = append(messages, against.Target)
	}
	for _, m := range messages {
		add(string(m.Role), m.Text)
		for _, im := range m.Images {
			add(im.SHA256)
		}
		for _, call := range m.ToolCalls {
			add(call.Name, string(call.Arguments))
		}
	}
	for _, t := range row.Tools {
		add(t.Name, t.Description, string(t.Parameters))
	}
	return contentHash(h.Sum(nil))
}
