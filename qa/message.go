package qa

import (
	"bytes"
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
	// Others are the results of the other calls in the reply that a [ToolResult] message answers, since protocols require
	// one per call.
	Others []CallResult `json:"others,omitempty"`
	// Reasoning and Sealed come from the [Reply] of an [Assistant] message. The endpoint that made both gets them back.
	Reasoning string          `json:"reasoning,omitempty"`
	Sealed    json.RawMessage `json:"sealed,omitempty"`
}

// CallResult is the result of a call that did not become the action of its reply. airqa runs one call of a reply, the first;
// agents whose runs are imported ran others, too.
type CallResult struct {
	ID string `json:"id"`
	// Status is empty if the call was not run.
	Status Status `json:"status,omitempty"`
	Text   string `json:"text"`
}

// Failed reports whether a call was run and failed.
func (r CallResult) Failed() bool { return r.Status.Failed() }

// SplitResults returns a conversation as protocols have it: each call has a result of its own, and the images of tool results
// are in a user message after them. Results hold only text, and the results of one turn must not be separated.
func SplitResults(messages []Message) []Message {
	out := make([]Message, 0, len(messages)+1)
	var images []Image
	flush := func() {
		if len(images) > 0 {
			out = append(out, Message{Role: User, Images: images})
			images = nil
		}
	}
	for _, message := range messages {
		if message.Role != ToolResult {
			flush()
		} else {
			images = append(images, message.Images...)
			message.Images = nil
		}
		out = append(out, message)
		for _, other := range message.Others {
			out = append(out, Message{Role: ToolResult, Text: other.Text, ToolCallID: other.ID})
		}
	}
	flush()
	return out
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
	// Arguments is the JSON that the model wrote, byte for byte, or a JSON string with its text if that is not valid JSON.
	Arguments json.RawMessage `json:"arguments"`
}

// plainCall is a [ToolCall] without methods.
type plainCall ToolCall

// MarshalJSON adds the member "written" to a call whose arguments contain whitespace that the encoder removes.
func (c ToolCall) MarshalJSON() ([]byte, error) {
	call := struct {
		plainCall
		Written string `json:"written,omitempty"`
	}{plainCall: plainCall(c)}
	var compact bytes.Buffer
	if json.Compact(&compact, c.Arguments) == nil && compact.Len() < len(c.Arguments) {
		call.Written = string(c.Arguments)
	}
	return encode(call)
}

// UnmarshalJSON restores the arguments as they were.
func (c *ToolCall) UnmarshalJSON(data []byte) error {
	call := struct {
		*plainCall
		Written string `json:"written"`
	}{plainCall: (*plainCall)(c)}
	err := json.Unmarshal(data, &call)
	if json.Valid([]byte(call.Written)) {
		c.Arguments = json.RawMessage(call.Written)
	}
	return err
}

// Sent returns the arguments as the model is shown them again: its own text, or an object with that text under the name
// "arguments" if it is not a JSON object, since endpoints refuse anything else.
func (c ToolCall) Sent() string {
	var object map[string]json.RawMessage
	if len(c.Arguments) == 0 {
		return "{}"
	}
	if json.Unmarshal(c.Arguments, &object) == nil && object != nil {
		return string(c.Arguments)
	}
	var text string
	if json.Unmarshal(c.Arguments, &text) != nil {
		text = string(c.Arguments)
	}
	wrapped, err := encode(map[string]string{"arguments": text})
	if err != nil {
		return "{}"
	}
	return string(bytes.TrimSpace(wrapped))
}

// encode returns JSON that escapes no character for HTML: the arguments of calls keep their bytes.
func encode(v any) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return out.Bytes(), err
}
