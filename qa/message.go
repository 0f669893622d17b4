package qa

import (
	"encoding/json"
)

// Role is the speaker of a [Message].
type Role string

// The roles of a chat.
const (
	System    Role = "system"
	User      Role = "user"
	Assistant Role = "assistant"
	// ToolResult is the result of a [ToolCall].
	ToolResult Role = "tool"
)

// Message is one turn of a chat: a text with optional images.
type Message struct {
	Role   Role    `json:"role"`
	Text   string  `json:"text"`
	Images []Image `json:"images,omitempty"`
	// ToolCalls are the model's calls in an [Assistant] message.
	ToolCalls []ToolCall `json:"tool_calls,omitempty"`
	// ToolCallID is the id of the call answered by a [ToolResult] message.
	ToolCallID string `json:"tool_call_id,omitempty"`
	// NotRun are the ids of additional calls in the reply that a [ToolResult] message answers. Each gets its own result
	// saying so, since protocols require one per call.
	NotRun []string `json:"not_run,omitempty"`
	// Sealed is that of the [Reply] in an [Assistant] message.
	Sealed json.RawMessage `json:"sealed,omitempty"`
}

// NotRunResult is the result that the model gets for a call that was not executed.
const NotRunResult = "[Error]: not run. One call is run in each turn, the first. Call this tool again if you still need it."

// Image is an image of a page or a part of it. The log does not contain Data: SHA256 names the file.
type Image struct {
	// SHA256 is the hash of Data in lower-case hex.
	SHA256 string `json:"sha256"`
	// MIME is the media type, "image/png" for all images of View.
	MIME    string `json:"mime"`
	PaperID string `json:"paper_id,omitempty"`
	// Page counts from 1.
	Page int `json:"page,omitempty"`
	// Box is [x0, y0, width, height] in points from the top left of the page as displayed.
	Box []float64 `json:"box,omitempty"`
	// Width and Height are in pixels.
	Width  int    `json:"width"`
	Height int    `json:"height"`
	Data   []byte `json:"-"`
}

// ToolSpec describes a tool to a model with native tool calls.
type ToolSpec struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	// Parameters is the JSON Schema of the arguments, an object.
	Parameters json.RawMessage `json:"parameters"`
}

// ToolCall is a model's request to run a tool.
type ToolCall struct {
	// ID links the call to its result; some servers provide none.
	ID   string `json:"id,omitempty"`
	Name string `json:"name"`
	// Arguments is the model's JSON object, or a JSON string with its text if that is not valid JSON.
	Arguments json.RawMessage `json:"arguments"`
}
