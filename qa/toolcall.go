package qa

import "encoding/json"

// ToolSpec offers a tool to a model that calls tools natively.
type ToolSpec struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	// Parameters is the JSON Schema of the arguments, an object.
	Parameters json.RawMessage `json:"parameters"`
}

// ToolCall is a model's wish to run a tool.
type ToolCall struct {
	// ID ties the call to its result; some servers give none.
	ID   string `json:"id,omitempty"`
	Name string `json:"name"`
	// Arguments is what the model wrote: a JSON object, or a JSON string of its text when the text is not valid JSON.
	Arguments json.RawMessage `json:"arguments"`
}
