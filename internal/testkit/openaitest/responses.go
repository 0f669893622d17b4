package openaitest

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// responsesFields are the parameters of a request without state on the server, by the published schema.
var responsesFields = []string{
	"include", "input", "instructions", "max_output_tokens", "metadata", "model", "parallel_tool_calls", "reasoning", "store", "stream",
	"temperature", "text", "tool_choice", "tools", "top_p", "truncation",
}

// itemFields are the members of the items of an input. The first ones are required.
var itemFields = map[string]struct{ required, optional []string }{
	"message":              {[]string{"type", "role", "content"}, []string{"id", "status", "phase"}},
	"function_call":        {[]string{"type", "call_id", "name", "arguments"}, []string{"id", "status"}},
	"function_call_output": {[]string{"type", "call_id", "output"}, []string{"id", "status"}},
	"reasoning":            {[]string{"type", "summary"}, []string{"id", "encrypted_content", "content", "status"}},
}

// partFields are the members of the parts of a message. Only replies have the last two.
var partFields = map[string]struct{ required, optional []string }{
	"input_text":  {[]string{"type", "text"}, nil},
	"input_image": {[]string{"type", "image_url", "detail"}, nil},
	"output_text": {[]string{"type", "text", "annotations"}, []string{"logprobs"}},
	"refusal":     {[]string{"type", "refusal"}, nil},
}

// refusal is an error in OpenAI's words.
type refusal string

func (r refusal) Error() string { return string(r) }

func refuse(format string, values ...any) error { return refusal(fmt.Sprintf(format, values...)) }

// object is a JSON object that is checked; at is its path, as in OpenAI's errors.
type object struct {
	at      string
	members map[string]json.RawMessage
}

func readObject(at string, raw []byte) (object, error) {
	o := object{at: at}
	if err := json.Unmarshal(raw, &o.members); err != nil || o.members == nil {
		return o, refuse("Invalid type for '%s': expected an object.", at)
	}
	return o, nil
}

func (o object) check(required, optional []string) error {
	for _, name := range required {
		if o.members[name] == nil {
			return refuse("Missing required parameter: '%s.%s'.", o.at, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(o.members)) {
		if !slices.Contains(required, name) && !slices.Contains(optional, name) {
			return refuse("Unknown parameter: '%s.%s'.", o.at, name)
		}
	}
	return nil
}

// text is a member that is a string; empty for anything else.
func (o object) text(name string) string {
	var text string
	_ = json.Unmarshal(o.members[name], &text)
	return text
}

// parseResponses checks a request of the Responses API against the schema and the rules that OpenAI has beyond it.
func parseResponses(body []byte) (chatRequest, error) {
	var chat chatRequest
	o, err := readObject("body", body)
	if err == nil {
		err = o.check([]string{"model", "input", "store"}, responsesFields)
	}
	if err != nil {
		return chat, err
	}
	var wire struct {
		Model   string            `json:"model"`
		Input   []json.RawMessage `json:"input"`
		Include []string          `json:"include"`
		Store   bool              `json:"store"`
		Stream  bool              `json:"stream"`
		Limit   *int              `json:"max_output_tokens"`
		Tools   []json.RawMessage `json:"tools"`
		Think   json.RawMessage   `json:"reasoning"`
	}
	if err := json.Unmarshal(body, &wire); err != nil {
		return chat, err
	}
	switch {
	case wire.Store:
		return chat, refuse("'store' must be false")
	case len(wire.Include) > 1 || len(wire.Include) == 1 && wire.Include[0] != "reasoning.encrypted_content":
		return chat, refuse("Invalid value for 'include': %q", wire.Include)
	case wire.Limit != nil && *wire.Limit < 16:
		return chat, refuse("Invalid 'max_output_tokens': expected a value >= 16")
	}
	if err := checkTools(wire.Tools, wire.Think); err != nil {
		return chat, err
	}
	messages, err := readInput(wire.Input)
	return chatRequest{Model: wire.Model, Messages: messages, Stream: wire.Stream}, err
}

func checkTools(tools []json.RawMessage, reasoning json.RawMessage) error {
	for i, raw := range tools {
		tool, err := readObject(fmt.Sprintf("tools[%d]", i), raw)
		if err == nil {
			err = tool.check([]string{"type", "name", "parameters", "strict"}, []string{"description"})
		}
		if err == nil && (tool.text("type") != "function" || string(tool.members["strict"]) != "false") {
			err = refuse("Invalid value for '%s'", tool.at)
		}
		if err != nil {
			return err
		}
	}
	if reasoning == nil {
		return nil
	}
	o, err := readObject("reasoning", reasoning)
	if err != nil {
		return err
	}
	return o.check(nil, []string{"effort", "summary"})
}

// input is the conversation of a request while it is read.
type input struct {
	messages []Message
	// open are the calls without an output.
	open []string
	// reasoning is the id of the reasoning whose item must come next; own is true within the items of one reply.
	reasoning string
	own       bool
}

func readInput(items []json.RawMessage) ([]Message, error) {
	var in input
	for i, raw := range items {
		item, err := readObject(fmt.Sprintf("input[%d]", i), raw)
		if err != nil {
			return nil, err
		}
		fields, ok := itemFields[item.text("type")]
		if !ok {
			return nil, refuse("Invalid value: '%s' for '%s.type'.", item.text("type"), item.at)
		}
		if err := item.check(fields.required, fields.optional); err != nil {
			return nil, err
		}
		if err := in.add(item); err != nil {
			return nil, err
		}
	}
	if len(in.open) > 0 {
		return nil, refuse("No tool output found for function call %s.", in.open[0])
	}
	return in.messages, in.needsItem()
}

// needsItem is OpenAI's error on reasoning without the item that it led to.
func (in *input) needsItem() error {
	if in.reasoning == "" {
		return nil
	}
	return refuse("Item '%s' of type 'reasoning' was provided without its required following item.", in.reasoning)
}

func (in *input) add(item object) error {
	kind, id := item.text("type"), item.text("call_id")
	reply := kind == "reasoning" || kind == "function_call" || item.text("role") == "assistant"
	if err := in.needsItem(); err != nil && !reply {
		return err
	}
	if reply && !in.own {
		in.messages = append(in.messages, Message{Role: "assistant"})
	}
	in.own, in.reasoning = reply, ""
	switch kind {
	case "reasoning":
		in.reasoning = cmp.Or(item.text("id"), "rs")
		return checkSeal(item.text("encrypted_content"), in.reasoning)
	case "function_call":
		in.open = append(in.open, id)
	case "function_call_output":
		at := slices.Index(in.open, id)
		if at < 0 {
			return refuse("No tool call found for function call output with call_id %s.", id)
		}
		in.open = slices.Delete(in.open, at, at+1)
		in.messages = append(in.messages, Message{Role: "tool", Text: item.text("output")})
	default:
		return in.addMessage(item, reply)
	}
	return nil
}

func (in *input) addMessage(item object, reply bool) error {
	if !reply {
		in.messages = append(in.messages, Message{Role: item.text("role")})
	}
	m := &in.messages[len(in.messages)-1]
	var parts []json.RawMessage
	if json.Unmarshal(item.members["content"], &parts) != nil {
		m.Text += item.text("content")
		return nil
	}
	for i, raw := range parts {
		part, err := readObject(fmt.Sprintf("%s.content[%d]", item.at, i), raw)
		if err != nil {
			return err
		}
		kind := part.text("type")
		fields, ok := partFields[kind]
		if !ok || reply != (kind == "output_text" || kind == "refusal") {
			return refuse("Invalid value: '%s' for '%s.type'.", kind, part.at)
		}
		if err := part.check(fields.required, fields.optional); err != nil {
			return err
		}
		m.Text += part.text("text") + part.text("refusal")
		if url := part.text("image_url"); url != "" {
			m.Images = append(m.Images, url)
		}
	}
	return nil
}

// sealText is the encrypted content of a reasoning item. It contains characters that JSON may escape.
func sealText(id string) string {
	sum := sha256.Sum256([]byte(id))
	return "gA<&>/+" + base64.StdEncoding.EncodeToString(append(sum[:], id...))
}

// checkSeal refuses encrypted content of an item that this server has not made.
func checkSeal(text, item string) error {
	raw, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(text, "gA<&>/+"))
	if err == nil && len(raw) >= sha256.Size && text == sealText(string(raw[sha256.Size:])) {
		return nil
	}
	return refuse("The encrypted content for item %s could not be verified.", item)
}

// response is a reply in the format of the Responses API.
func (c Config) response(chat chatRequest) map[string]any {
	text, u := c.reply(chat)
	n := len(chat.Messages)
	output := []any{}
	if c.Reasoning != "" {
		id := fmt.Sprintf("rs_%d", n)
		output = append(output, map[string]any{
			"type": "reasoning", "id": id, "encrypted_content": sealText(id),
			"summary": []any{map[string]any{"type": "summary_text", "text": c.Reasoning}},
		})
	}
	if text != "" {
		output = append(output, map[string]any{
			"type": "message", "id": fmt.Sprintf("msg_%d", n), "role": "assistant", "status": "completed",
			"content": []any{map[string]any{"type": "output_text", "text": text, "annotations": []any{}, "logprobs": []any{}}},
		})
	}
	for i, call := range c.calls(chat) {
		output = append(output, map[string]any{
			"type": "function_call", "id": fmt.Sprintf("fc_%d_%d", n, i), "status": "completed",
			"call_id": call.ID, "name": call.Name, "arguments": call.Arguments,
		})
	}
	out := map[string]any{
		"id": "resp_test", "object": "response", "created_at": 0, "status": "completed", "error": nil, "incomplete_details": nil,
		"model": c.served(chat), "output": output, "parallel_tool_calls": true, "store": false, "usage": nil,
	}
	if !c.OmitUsage {
		out["usage"] = map[string]any{
			"input_tokens": u.Prompt, "output_tokens": u.Completion, "total_tokens": u.Prompt + u.Completion,
			"input_tokens_details":  map[string]any{"cached_tokens": u.Cached},
			"output_tokens_details": map[string]any{"reasoning_tokens": u.Reasoning},
		}
	}
	return out
}

// streamResponse is a response as server-sent events. The last one has the output, as at OpenAI.
func streamResponse(whole map[string]any) []byte {
	var out bytes.Buffer
	send := func(kind string, fields map[string]any) {
		fields["type"] = kind
		raw, _ := json.Marshal(fields)
		fmt.Fprintf(&out, "event: %s\ndata: %s\n\n", kind, raw)
	}
	started := maps.Clone(whole)
	started["status"], started["output"], started["usage"] = "in_progress", []any{}, nil
	send("response.created", map[string]any{"response": started})
	items, _ := whole["output"].([]any)
	for i, item := range items {
		send("response.output_item.added", map[string]any{"output_index": i, "item": item})
		send("response.output_item.done", map[string]any{"output_index": i, "item": item})
	}
	send("response.completed", map[string]any{"response": whole})
	return out.Bytes()
}
