package cache

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"airqa/internal/ledger"
	"airqa/qa"
)

// entry is one line of the file. The key comes first so that it can be read without parsing the rest.
type entry struct {
	Key    string    `json:"key"`
	Format int       `json:"format"`
	Time   time.Time `json:"time"`
	Model  string    `json:"model"`
	Repeat int       `json:"repeat"`
	Reply  reply     `json:"reply"`
}

// reply is qa.Reply without its requests. Its texts keep invalid UTF-8.
type reply struct {
	Text      ledger.Text     `json:"text"`
	Reasoning ledger.Text     `json:"reasoning,omitempty"`
	ToolCalls []qa.ToolCall   `json:"tool_calls,omitempty"`
	Sealed    json.RawMessage `json:"sealed,omitempty"`
	Model     string          `json:"model,omitempty"`
	ID        string          `json:"id,omitempty"`
	Finish    string          `json:"finish,omitempty"`
	Usage     qa.Usage        `json:"usage"`
}

func replyOf(r qa.Reply) reply {
	return reply{
		Text: ledger.Text(r.Text), Reasoning: ledger.Text(r.Reasoning), ToolCalls: r.ToolCalls, Sealed: r.Sealed,
		Model: r.Model, ID: r.ID, Finish: r.Finish, Usage: r.Usage,
	}
}

// hit returns the reply as a cache hit.
func (r reply) hit() qa.Reply {
	return qa.Reply{
		Text: string(r.Text), Reasoning: string(r.Reasoning), ToolCalls: r.ToolCalls, Sealed: r.Sealed,
		Model: r.Model, ID: r.ID, Finish: r.Finish, Usage: r.Usage, Cached: true,
	}
}

var keyHead = []byte(`{"key":"`)

// place reads only the key at the start of a line.
func place(line []byte, at ledger.Span) (k Key, _ ledger.Span, err error) {
	rest, found := bytes.CutPrefix(line, keyHead)
	if !found || len(rest) <= 2*len(k) || rest[2*len(k)] != '"' {
		return k, at, ledger.ErrDamaged
	}
	if _, err := hex.Decode(k[:], rest[:2*len(k)]); err != nil {
		return k, at, ledger.ErrDamaged
	}
	return k, at, nil
}

func decode(line []byte) (entry, error) {
	var e entry
	if err := json.Unmarshal(line, &e); err != nil {
		return e, err
	}
	if e.Format != Format {
		return e, fmt.Errorf("entry of format %d; this program reads format %d", e.Format, Format)
	}
	return e, nil
}
