package cache

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"airqa/internal/ledger"
	"airqa/qa"
)

// Format is the format number of keys and entries.
const Format = 1

// Key names a request.
type Key [sha256.Size]byte

// String is the key in lower-case hex.
func (k Key) String() string { return hex.EncodeToString(k[:]) }

// asked is the input of a key. Texts are bytes, because JSON would replace invalid UTF-8.
type asked struct {
	Format   int            `json:"format"`
	Endpoint map[string]any `json:"endpoint"`
	Protocol string         `json:"protocol"`
	Repeat   int            `json:"repeat"`
	Tools    []qa.ToolSpec  `json:"tools"`
	Messages []said         `json:"messages"`
}

type said struct {
	Role       qa.Role       `json:"role"`
	Text       []byte        `json:"text"`
	Images     []image       `json:"images"`
	ToolCalls  []qa.ToolCall `json:"tool_calls"`
	ToolCallID string        `json:"tool_call_id"`
	Sealed     []byte        `json:"sealed"`
}

type image struct {
	SHA256 string `json:"sha256"`
	MIME   string `json:"mime"`
}

// KeyOf returns the key of a request to a model. endpoint describes the model and its address with every setting sent.
// The question's uuid and the step are not part of a key.
func KeyOf(endpoint map[string]any, protocol string, r qa.Request) (Key, error) {
	a := asked{Format: Format, Endpoint: endpoint, Protocol: protocol, Repeat: r.Repeat, Tools: r.Tools}
	for _, m := range r.Messages {
		s := said{Role: m.Role, Text: []byte(m.Text), ToolCalls: m.ToolCalls, ToolCallID: m.ToolCallID, Sealed: m.Sealed}
		for _, im := range m.Images {
			if im.SHA256 == "" {
				im.SHA256 = ledger.Hash(im.Data)
			}
			s.Images = append(s.Images, image{im.SHA256, im.MIME})
		}
		a.Messages = append(a.Messages, s)
	}
	raw, err := json.Marshal(a)
	if err != nil {
		return Key{}, err
	}
	return sha256.Sum256(raw), nil
}
