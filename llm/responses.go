package llm

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/tmc/langchaingo/llms"
)

// responsesCodec speaks OpenAI's Responses API without state on the server: every request has the whole conversation,
// and reasoning goes back encrypted.
func responsesCodec() codec {
	return codec{
		path: "responses", settings: responsesSettings, body: responsesBody, authorize: bearer, thinks: true,
		stream: map[string]any{"stream": true}, readStream: joinResponse,
		read: func(body []byte) (*llms.ContentChoice, error) {
			var got response
			if err := decode(body, &got); err != nil {
				return nil, fmt.Errorf("the reply is not a response: %w", err)
			}
			return got.choice()
		},
	}
}

// responsesSettings asks reasoning models for a summary: without one, nothing of their reasoning can be read.
func responsesSettings(fields map[string]any, s scope) map[string]any {
	rename(fields, "max_tokens", "max_output_tokens")
	reasoning := map[string]any{}
	if s.reasoning {
		reasoning["summary"] = "auto"
	}
	if effort, ok := fields["reasoning_effort"]; ok {
		delete(fields, "reasoning_effort")
		reasoning["effort"] = effort
	}
	if len(reasoning) > 0 {
		fields["reasoning"] = reasoning
	}
	return fields
}

// responsesBody turns off what is on by default: storage, strict schemas, which forbid optional parameters, and parallel
// calls.
func responsesBody(chat []llms.MessageContent, tools []llms.Tool) (map[string]any, error) {
	input := []any{}
	for _, c := range chat {
		m, err := sortParts(c)
		if err != nil {
			return nil, err
		}
		for _, result := range m.results {
			input = append(input, map[string]any{"type": "function_call_output", "call_id": result.ToolCallID, "output": result.Content})
		}
		items, ok := returnedItems(m)
		if !ok && len(m.results) == 0 {
			items = nil
			if m.text != "" || len(m.calls) == 0 {
				items = append(items, map[string]any{"type": "message", "role": wireRoles[m.role], "content": responsesContent(m)})
			}
			for _, call := range m.calls { // without ids, which belong to items of a reply
				items = append(items, map[string]any{
					"type": "function_call", "call_id": call.ID, "name": call.FunctionCall.Name, "arguments": call.FunctionCall.Arguments,
				})
			}
		}
		input = append(input, items...)
	}
	full := map[string]any{"input": input, "store": false, "include": []string{"reasoning.encrypted_content"}}
	if len(tools) > 0 {
		list := make([]any, len(tools))
		for i, tool := range tools {
			f := tool.Function
			list[i] = map[string]any{
				"type": tool.Type, "name": f.Name, "description": f.Description, "parameters": f.Parameters, "strict": f.Strict,
			}
		}
		full["tools"] = list
		full["parallel_tool_calls"] = false
	}
	return full, nil
}

func responsesContent(m message) any {
	if len(m.images) == 0 {
		return m.text
	}
	var parts []any
	if m.text != "" {
		parts = append(parts, map[string]any{"type": "input_text", "text": m.text})
	}
	for _, image := range m.images {
		parts = append(parts, map[string]any{"type": "input_image", "image_url": image.String(), "detail": "auto"})
	}
	return parts
}

// returnedItems are the items of a reply as they came, except for text and calls that the message no longer has, and the
// reasoning before them: OpenAI refuses reasoning without the item that it led to. ok is false if the message has
// anything else.
func returnedItems(m message) (items []any, ok bool) {
	text, calls := m.text, slices.Clone(m.calls)
	var before []any // the next message or call
	for _, raw := range m.sealed.Items {
		var item responseItem
		_ = decode(raw, &item) // it was read before
		var kept any
		switch item.Type {
		case "message":
			kept, text = keptText(raw, item, text)
		case "function_call":
			kept, calls = keptCall(raw, item, calls)
		default:
			before = append(before, raw)
			continue
		}
		if kept != nil {
			items = append(append(items, before...), kept)
		}
		before = nil
	}
	return items, len(m.sealed.Items) > 0 && text == "" && len(calls) == 0
}

// keptText is a message up to the end of a text, nil if nothing of it is kept, and the rest of the text.
func keptText(raw json.RawMessage, item responseItem, text string) (kept any, rest string) {
	plain, refusal := item.texts()
	own := cmp.Or(plain, refusal)
	rest, whole := strings.CutPrefix(text, own)
	switch {
	case whole:
		return raw, rest
	case text != "" && strings.HasPrefix(own, text):
		return withMember(raw, "content", []any{map[string]any{"type": "output_text", "text": text, "annotations": []any{}}}), ""
	}
	return nil, text
}

// keptCall is a call with the arguments that are sent, nil if it is not one of calls, and the other calls.
func keptCall(raw json.RawMessage, item responseItem, calls []llms.ToolCall) (kept any, rest []llms.ToolCall) {
	i := slices.IndexFunc(calls, func(c llms.ToolCall) bool { return c.ID == item.CallID })
	if i < 0 {
		return nil, calls
	}
	kept = raw
	if sent := calls[i].FunctionCall.Arguments; sent != argumentText(item.Arguments) {
		kept = withMember(raw, "arguments", sent)
	}
	return kept, slices.Delete(calls, i, i+1)
}

// withMember is an object with a member replaced, or removed if the value is nil.
func withMember(object json.RawMessage, name string, value any) members {
	var all members
	_ = json.Unmarshal(object, &all) // the caller has read it
	if delete(all, name); value != nil {
		all[name], _ = json.Marshal(value) // of texts
	}
	return all
}
