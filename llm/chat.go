package llm

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/tmc/langchaingo/llms"

	"airqa/qa"
)

// checkMessages finds what no protocol can send.
func checkMessages(messages []qa.Message, tools []qa.ToolSpec) error {
	if len(messages) == 0 {
		return errors.New("no messages")
	}
	for i, message := range messages {
		if err := checkMessage(message); err != nil {
			return fmt.Errorf("message %d: %w", i+1, err)
		}
	}
	for _, tool := range tools {
		if tool.Name == "" || !isObject(tool.Parameters) {
			return fmt.Errorf("tool %q needs a name and a JSON Schema of an object", tool.Name)
		}
	}
	return nil
}

func checkMessage(message qa.Message) error {
	if _, ok := chatRole(message.Role); !ok {
		return fmt.Errorf("unknown role %q", message.Role)
	}
	if len(message.ToolCalls) > 0 && message.Role != qa.Assistant {
		return fmt.Errorf("tool calls in a message of role %q", message.Role)
	}
	for _, image := range message.Images {
		if len(image.Data) == 0 {
			return fmt.Errorf("image %s has no data", image.SHA256)
		}
		if message.Role != qa.User && message.Role != qa.ToolResult {
			return fmt.Errorf("an image in a message of role %q", message.Role)
		}
	}
	return nil
}

// notRun is the result of a call beside the one that was run.
const notRun = "[Error]: not run. One call is run in each turn, the first. Call this tool again if you still need it."

// imagesApart gives each call that was not run a result, and moves the images of tool results into a user message behind the run of results: results hold text only,
// and those of one turn may not be parted.
func imagesApart(messages []qa.Message) []qa.Message {
	out := make([]qa.Message, 0, len(messages)+1)
	var images []qa.Image
	flush := func() {
		if len(images) > 0 {
			out = append(out, qa.Message{Role: qa.User, Images: images})
			images = nil
		}
	}
	for _, message := range messages {
		if message.Role != qa.ToolResult {
			flush()
		} else {
			images = append(images, message.Images...)
			message.Images = nil
		}
		out = append(out, message)
		for _, id := range message.NotRun {
			out = append(out, qa.Message{Role: qa.ToolResult, Text: notRun, ToolCallID: id})
		}
	}
	flush()
	return out
}

func chatRole(role qa.Role) (llms.ChatMessageType, bool) {
	switch role {
	case qa.System:
		return llms.ChatMessageTypeSystem, true
	case qa.User:
		return llms.ChatMessageTypeHuman, true
	case qa.Assistant:
		return llms.ChatMessageTypeAI, true
	case qa.ToolResult:
		return llms.ChatMessageTypeTool, true
	}
	return "", false
}

// toContent writes a message as its text and its images behind it; an empty message has an empty text.
func toContent(message qa.Message, m *mask, image func(*mask, qa.Image) llms.ContentPart) llms.MessageContent {
	role, _ := chatRole(message.Role)
	content := llms.MessageContent{Role: role}
	if message.Text != "" || len(message.Images) == 0 {
		content.Parts = append(content.Parts, llms.TextPart(m.text(message.Text)))
	}
	for _, i := range message.Images {
		content.Parts = append(content.Parts, image(m, i))
	}
	return content
}

func binaryPart(m *mask, image qa.Image) llms.ContentPart {
	return llms.BinaryPart(mediaType(image), m.binary(image.Data))
}

// urlPart writes an image as a data URL: langchaingo's OpenAI client sends binary parts in a form that no server reads.
func urlPart(m *mask, image qa.Image) llms.ContentPart {
	return llms.ImageURLPart("data:" + mediaType(image) + ";base64," + m.base64(image.Data))
}

func mediaType(image qa.Image) string {
	if image.MIME == "" {
		return "image/png"
	}
	return image.MIME
}

// readArguments keeps arguments that are valid JSON as they are written, and anything else as a JSON string.
func readArguments(text string) json.RawMessage {
	if strings.TrimSpace(text) == "" {
		return json.RawMessage("{}")
	}
	if json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	quoted, err := json.Marshal(text)
	if err != nil {
		return json.RawMessage("{}")
	}
	return quoted
}

// argumentText is the inverse of readArguments.
func argumentText(arguments json.RawMessage) string {
	var text string
	switch {
	case len(arguments) == 0:
		return "{}"
	case json.Unmarshal(arguments, &text) == nil:
		return text
	}
	return string(arguments)
}

// argumentObject is what protocols take that want an object: what is none goes under the name "arguments".
func argumentObject(arguments json.RawMessage) json.RawMessage {
	if isObject(arguments) {
		return arguments
	}
	wrapped, err := json.Marshal(map[string]string{"arguments": argumentText(arguments)})
	if err != nil || len(arguments) == 0 {
		return json.RawMessage("{}")
	}
	return wrapped
}

func isObject(data json.RawMessage) bool {
	var object map[string]json.RawMessage
	return json.Unmarshal(data, &object) == nil && object != nil
}

// nameCalls gives the calls of servers that name none an id, since a result has to say which call it answers.
func nameCalls(calls []qa.ToolCall) []qa.ToolCall {
	for i := range calls {
		if calls[i].ID == "" {
			calls[i].ID = fmt.Sprintf("call_%d", i)
		}
	}
	return calls
}
