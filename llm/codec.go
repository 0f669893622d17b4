package llm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"

	"github.com/tmc/langchaingo/llms"
)

// codec is a provider's wire format: it writes a conversation of langchaingo's types and reads the reply as one of its choices.
type codec struct {
	// path follows the base URL.
	path string
	// settings gives the sampling the names of the protocol; fields is a copy of its own.
	settings func(fields map[string]any, s scope) map[string]any
	// body is a request without model and settings.
	body func(chat []llms.MessageContent, tools []llms.Tool) (map[string]any, error)
	// read reads a success, readStream one that is a stream; nil where the protocol has none.
	read, readStream func(body []byte) (*llms.ContentChoice, error)
	// stream asks for a stream.
	stream map[string]any
	// authorize writes the key and what else the protocol wants in the header.
	authorize func(h http.Header, key string)
	// thinks is true where models may write their reasoning at the head of the reply.
	thinks bool
}

// scope decides the names of settings.
type scope struct {
	host      string
	model     string
	reasoning bool
	// newLimit is true for models that the catalog lists as taking max_completion_tokens.
	newLimit bool
	window   int
}

// Keys of GenerationInfo that the codecs write, for what langchaingo's types have no field for.
const (
	infoID     = "id"
	infoModel  = "model"
	infoUsage  = "usage"  // qa.Usage
	infoSealed = "sealed" // json.RawMessage, see [qa.Reply]
	infoStatus = "status" // of HTTP
)

// sealedPart carries the [qa.Message]'s Sealed. Only our codecs read it.
type sealedPart struct {
	llms.TextContent
	data json.RawMessage
}

// message is a message of langchaingo's, its parts sorted by kind; the order within a kind is kept.
type message struct {
	role   llms.ChatMessageType
	text   string
	images []llms.BinaryContent
	calls  []llms.ToolCall
	// results has at most one element in a conversation of ours.
	results []llms.ToolCallResponse
	sealed  json.RawMessage
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
			out.sealed = p.data
		default:
			return out, fmt.Errorf("a part of type %T cannot be sent", part)
		}
	}
	return out, nil
}

// wireRole is the role by the name that all protocols share.
func wireRole(role llms.ChatMessageType) string {
	switch role {
	case llms.ChatMessageTypeSystem:
		return "system"
	case llms.ChatMessageTypeAI:
		return "assistant"
	case llms.ChatMessageTypeTool:
		return "tool"
	}
	return "user"
}

// functions are tools as OpenAI and Ollama take them.
func functions(tools []llms.Tool) []any {
	out := make([]any, len(tools))
	for i, tool := range tools {
		out[i] = map[string]any{"type": tool.Type, "function": tool.Function}
	}
	return out
}

// content is a choice with the parts that every protocol has.
func content(text, reasoning, finish string, calls []llms.ToolCall, info map[string]any) *llms.ContentChoice {
	return &llms.ContentChoice{
		Content: text, ReasoningContent: reasoning, StopReason: finish, ToolCalls: calls, GenerationInfo: info,
	}
}

func toolCall(id, name string, arguments json.RawMessage) llms.ToolCall {
	return llms.ToolCall{ID: id, Type: "function", FunctionCall: &llms.FunctionCall{Name: name, Arguments: argumentText(arguments)}}
}

// encode writes an object with its keys in order. What is JSON already, mostly the messages with their images, is copied
// as it is: encoding/json would check and compact every byte of it again.
func encode(fields map[string]any) ([]byte, error) {
	var out bytes.Buffer
	between := byte('{')
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		out.WriteByte(between)
		fmt.Fprintf(&out, "%q:", key)
		value, isRaw := fields[key].(json.RawMessage)
		if !isRaw {
			var err error
			if value, err = json.Marshal(fields[key]); err != nil {
				return nil, err
			}
		}
		out.Write(value)
		between = ','
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}
