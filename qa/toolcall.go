package qa

import "encoding/json"

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
