package llm

import (
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/tmc/langchaingo/llms"
)

// codec is a provider's wire format: it encodes a conversation and decodes the reply, both in langchaingo's types.
type codec struct {
	// path follows the base URL.
	path string
	// settings renames the sampling settings for the protocol; it may modify fields.
	settings func(fields map[string]any, s scope) map[string]any
	// body is a request without model and settings.
	body func(chat []llms.MessageContent, tools []llms.Tool) (map[string]any, error)
	// read decodes a successful reply, readStream a streamed one; nil if the protocol has no streams.
	read, readStream func(body []byte) (*llms.ContentChoice, error)
	// stream holds the fields that request a stream.
	stream map[string]any
	// authorize sets the key and other required headers.
	authorize func(h http.Header, key string)
	// thinks is true for models that may write their reasoning at the start of the reply.
	thinks bool
}

// scope determines the names of settings.
type scope struct {
	host      string
	model     string
	reasoning bool
	// newLimit is true for models that the catalog lists as requiring max_completion_tokens.
	newLimit bool
	window   int
}

// Keys of GenerationInfo for values without a field in langchaingo's types.
const (
	infoID     = "id"
	infoModel  = "model"
	infoUsage  = "usage"  // qa.Usage
	infoSealed = "sealed" // *sealed
	infoStatus = "status" // of HTTP
)

// message is a langchaingo message with its parts sorted by kind; the order within a kind is kept.
type message struct {
	role   llms.ChatMessageType
	text   string
	images []llms.BinaryContent
	calls  []llms.ToolCall
	// results has at most one element in our conversations.
	results []llms.ToolCallResponse
	sealed  sealed
}

func sortParts(m llms.MessageContent) (message, error) {
	out := message{role: m.Role}
	for _, part := range m.Parts {
		switch p := part.(type) {
		case llms.TextContent:
			out.text += p.Text
		case llms.BinaryContent:
			out.images = append(out.images, p)
		case llms.ToolCall:
			out.calls = append(out.calls, p)
		case llms.ToolCallResponse:
			out.results = append(out.results, p)
		case sealedPart:
			out.sealed = p.sealed
		default:
			return out, fmt.Errorf("a part of type %T cannot be sent", part)
		}
	}
	return out, nil
}

// wireRoles are the role names that all protocols share.
var wireRoles = map[llms.ChatMessageType]string{
	llms.ChatMessageTypeSystem: "system", llms.ChatMessageTypeHuman: "user",
	llms.ChatMessageTypeAI: "assistant", llms.ChatMessageTypeTool: "tool",
}

// functions converts tools to the format of OpenAI and Ollama.
func functions(tools []llms.Tool) []any {
	out := make([]any, len(tools))
	for i, tool := range tools {
		out[i] = map[string]any{"type": tool.Type, "function": tool.Function}
	}
	return out
}

func toolCall(id, name string, arguments json.RawMessage) llms.ToolCall {
	return llms.ToolCall{ID: id, Type: "function", FunctionCall: &llms.FunctionCall{Name: name, Arguments: argumentText(arguments)}}
}
