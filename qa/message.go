package qa

import "encoding/json"

// Role is the speaker of a [Message].
type Role string

// The roles of a chat.
const (
	System    Role = "system"
	User      Role = "user"
	Assistant Role = "assistant"
	// ToolResult is what a tool gave back for a [ToolCall].
	ToolResult Role = "tool"
)

// Message is one turn of a chat: a text, and images that belong to it.
type Message struct {
	Role   Role    `json:"role"`
	Text   string  `json:"text"`
	Images []Image `json:"images,omitempty"`
	// ToolCalls are what the model asked for in an [Assistant] message.
	ToolCalls []ToolCall `json:"tool_calls,omitempty"`
	// ToolCallID names the call that a [ToolResult] message answers.
	ToolCallID string `json:"tool_call_id,omitempty"`
	// NotRun are the ids of further calls beside the one that a [ToolResult] message answers. Each gets a result of its own
	// that says so, since protocols want one for every call.
	NotRun []string `json:"not_run,omitempty"`
	// Sealed is the [Reply]'s in an [Assistant] message.
	Sealed json.RawMessage `json:"sealed,omitempty"`
}

// Image is a picture of a page or of a part of it. Data is not stored in the log: SHA256 names the file.
type Image struct {
	// SHA256 is the hash of Data in lower-case hex.
	SHA256 string `json:"sha256"`
	// MIME is the media type, "image/png" for everything that View draws.
	MIME    string `json:"mime"`
	PaperID string `json:"paper_id,omitempty"`
	// Page counts from 1.
	Page int `json:"page,omitempty"`
	// Box is [x0, y0, width, height] in points from the top left of the page as shown.
	Box []float64 `json:"box,omitempty"`
	// Width and Height are in pixels.
	Width  int    `json:"width"`
	Height int    `json:"height"`
	Data   []byte `json:"-"`
}
