package llm

import (
	"context"
	"encoding/json"
	"net/http"
	"regexp"
	"strings"

	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/openai"

	"airqa/qa"
)

// openAIProtocol is chat completions, as OpenAI, Gemini's compatible door and most servers speak it.
func openAIProtocol() protocol {
	return protocol{
		path:     "/chat/completions",
		settings: openAISettings,
		chat:     openAIChat,
		ask:      askOpenAI,
		body:     openAIBody,
		read: func(body []byte) (qa.Reply, error) {
			got, err := parseCompletion(body)
			if err != nil {
				return qa.Reply{}, err
			}
			return got.reply(), nil
		},
		stream: map[string]any{"stream": true, "stream_options": map[string]any{"include_usage": true}},
		readStream: func(body []byte) (qa.Reply, error) {
			got, err := joinCompletion(body)
			if err != nil {
				return qa.Reply{}, err
			}
			return got.reply(), nil
		},
		authorize: func(h http.Header, key string) {
			if key == "" {
				h.Del("Authorization")
			}
		},
		empty:  `{"choices":[{"message":{"role":"assistant","content":""}}]}`,
		thinks: true,
	}
}

// openAISettings renames the token limit for the models that are known to refuse max_tokens: those of OpenAI's own hosts, and
// what the list of models names. Compatible servers know max_tokens, and several ignore the newer name without a word;
// where one refuses it, the error says so, see [quirks].
func openAISettings(fields map[string]any, s scope) map[string]any {
	limit, ok := fields["max_tokens"]
	own := s.host == "api.openai.com" || strings.HasSuffix(s.host, ".openai.azure.com")
	if ok && (s.newLimit || own && (s.reasoning || newerModel.MatchString(s.model))) {
		delete(fields, "max_tokens")
		fields["max_completion_tokens"] = limit
	}
	return fields
}

// newerModel matches o1, o3-mini, gpt-5, gpt-5.1-mini and their fine-tuned forms.
var newerModel = regexp.MustCompile(`^(ft:)?(o[1-9]|gpt-([5-9]|[1-9][0-9]))`)

func openAIChat(messages []qa.Message, m *mask) []llms.MessageContent {
	chat := make([]llms.MessageContent, len(messages))
	for i, message := range messages {
		chat[i] = toContent(message, m, urlPart)
		if message.Role == qa.ToolResult {
			chat[i].Parts = []llms.ContentPart{llms.ToolCallResponse{
				ToolCallID: message.ToolCallID, Content: m.text(message.Text),
			}}
		}
		for _, call := range message.ToolCalls {
			chat[i].Parts = append(chat[i].Parts, llms.ToolCall{
				ID: call.ID, Type: "function",
				FunctionCall: &llms.FunctionCall{Name: call.Name, Arguments: m.text(string(argumentObject(call.Arguments)))},
			})
		}
	}
	return chat
}

func askOpenAI(ctx context.Context, d *doer, chat []llms.MessageContent) error {
	client, err := openai.New(
		openai.WithToken(orPlaceholder(d.endpoint.key)), openai.WithModel(placeholder),
		openai.WithBaseURL(d.endpoint.base.String()), openai.WithOrganization(""), openai.WithHTTPClient(d),
	)
	if err != nil {
		return err
	}
	_, err = client.GenerateContent(ctx, chat)
	return err
}

func openAIBody(fields map[string]json.RawMessage, c conversation) (map[string]any, error) {
	messages, err := unsealOpenAI(fields["messages"], c.messages)
	if err != nil {
		return nil, err
	}
	full := map[string]any{"messages": messages}
	if len(c.tools) > 0 {
		full["tools"] = functions(c.tools)
		full["parallel_tool_calls"] = false // endpoints that refuse it are asked without it, see [quirks]
	}
	return full, nil
}

// functions are tools as OpenAI and Ollama take them.
func functions(tools []qa.ToolSpec) []any {
	out := make([]any, len(tools))
	for i, tool := range tools {
		out[i] = map[string]any{"type": "function", "function": tool}
	}
	return out
}

// unsealOpenAI puts back what a server sent beside its tool calls, by the id of the call. Gemini refuses calls without
// the signature that it put there.
func unsealOpenAI(raw json.RawMessage, messages []qa.Message) (json.RawMessage, error) {
	var list []map[string]json.RawMessage
	for i, message := range messages {
		var extra map[string]json.RawMessage
		if len(message.ToolCalls) == 0 || json.Unmarshal(message.Sealed, &extra) != nil {
			continue
		}
		if list == nil {
			if err := json.Unmarshal(raw, &list); err != nil {
				return nil, err
			}
		}
		calls, err := unsealCalls(list[i]["tool_calls"], extra)
		if err != nil {
			return nil, err
		}
		list[i]["tool_calls"] = calls
	}
	if list == nil {
		return raw, nil
	}
	return json.Marshal(list)
}

func unsealCalls(raw json.RawMessage, extra map[string]json.RawMessage) (json.RawMessage, error) {
	var calls []map[string]json.RawMessage
	if err := json.Unmarshal(raw, &calls); err != nil {
		return nil, err
	}
	for _, call := range calls {
		var id string
		if json.Unmarshal(call["id"], &id) == nil && extra[id] != nil {
			call["extra_content"] = extra[id]
		}
	}
	return json.Marshal(calls)
}
