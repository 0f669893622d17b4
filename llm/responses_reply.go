package llm

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tmc/langchaingo/llms"

	"airqa/qa"
)

// responseItem is an item of a response: a message, a call, reasoning or one that is not read.
type responseItem struct {
	Type      string          `json:"type"`
	ID        string          `json:"id"`
	CallID    string          `json:"call_id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	Content   []responsePart  `json:"content"`
	Summary   []responsePart  `json:"summary"`
	Encrypted string          `json:"encrypted_content"`
}

type responsePart struct {
	Type    string `json:"type"`
	Text    string `json:"text"`
	Refusal string `json:"refusal"`
}

func (item responseItem) texts() (text, refusal string) {
	for _, part := range item.Content {
		text, refusal = text+part.Text, refusal+part.Refusal
	}
	return text, refusal
}

// thoughts are a summary of the reasoning, or the reasoning itself, which servers of open models send.
func (item responseItem) thoughts() []string {
	var all []string
	for _, part := range item.Summary {
		all = append(all, part.Text)
	}
	if text, _ := item.texts(); len(all) == 0 && text != "" {
		return []string{text}
	}
	return all
}

type response struct {
	ID         string            `json:"id"`
	Model      string            `json:"model"`
	Status     string            `json:"status"`
	Error      any               `json:"error"`
	Output     []json.RawMessage `json:"output"`
	Incomplete struct {
		Reason string `json:"reason"`
	} `json:"incomplete_details"`
	Usage struct {
		Input        int `json:"input_tokens"`
		Output       int `json:"output_tokens"`
		InputDetails struct {
			Cached int `json:"cached_tokens"`
		} `json:"input_tokens_details"`
		OutputDetails struct {
			Reasoning int `json:"reasoning_tokens"`
		} `json:"output_tokens_details"`
	} `json:"usage"`
}

func (got response) choice() (*llms.ContentChoice, error) {
	var r refusal
	r.read("error", got.Error)
	switch {
	case r.found():
		return nil, failedReply{r}
	case !slices.Contains([]string{"completed", "incomplete", ""}, got.Status):
		return nil, failedReply{refusal{message: "the response has the status " + got.Status}}
	case got.Output == nil:
		return nil, errors.New("the response has no output")
	}
	c := &llms.ContentChoice{StopReason: "stop", GenerationInfo: map[string]any{
		infoModel: got.Model, infoID: got.ID, infoUsage: qa.Usage{
			Prompt: got.Usage.Input, Completion: got.Usage.Output,
			Cached: got.Usage.InputDetails.Cached, Reasoning: got.Usage.OutputDetails.Reasoning,
		},
	}}
	readItems(c, got.Output)
	if got.Status == "incomplete" {
		c.StopReason = cmp.Or(got.Incomplete.Reason, got.Status)
		if c.StopReason == "max_output_tokens" {
			c.StopReason = qa.FinishLength
		}
	}
	return c, nil
}

// readItems reads the items, and seals them unless some reasoning is only on the server.
func readItems(c *llms.ContentChoice, items []json.RawMessage) {
	var refused string
	var thoughts []string
	var calls []functionCall
	whole := true
	for _, raw := range items {
		var item responseItem
		_ = decode(raw, &item) // an item that is no object has no type
		switch item.Type {
		case "message":
			text, refusal := item.texts()
			c.Content, refused = c.Content+text, refused+refusal
		case "reasoning":
			thoughts = append(thoughts, item.thoughts()...)
			whole = whole && (item.Encrypted != "" || len(item.Content) > 0)
		case "function_call":
			call := functionCall{ID: cmp.Or(item.CallID, item.ID)}
			call.Function.Name, call.Function.Arguments = item.Name, item.Arguments
			calls = append(calls, call)
		}
	}
	c.ReasoningContent = strings.Join(thoughts, "\n\n")
	if c.ToolCalls = toolCalls(calls); len(calls) > 0 {
		c.StopReason = "tool_calls"
	}
	if c.Content == "" && refused != "" {
		c.Content, c.StopReason = refused, qa.FinishRefusal
	}
	if whole && len(items) > 0 {
		c.GenerationInfo[infoSealed] = &sealed{Items: items}
	}
}

// deltas are the places of a text in an item by the event with its pieces: the list, the type of the part and the member.
var deltas = map[string]struct{ list, part, text string }{
	"response.output_text.delta":             {"content", "output_text", "text"},
	"response.refusal.delta":                 {"content", "refusal", "refusal"},
	"response.reasoning_text.delta":          {"content", "reasoning_text", "text"},
	"response.reasoning_summary_text.delta":  {"summary", "summary_text", "text"},
	"response.function_call_arguments.delta": {text: "arguments"},
}

// joinResponse returns the response of a stream's last event. Servers that leave its output empty have sent the items
// before, whole or in pieces.
func joinResponse(body []byte) (*llms.ContentChoice, error) {
	items := map[int]map[string]any{}
	for _, raw := range events(body) {
		var event struct {
			Type     string         `json:"type"`
			Response response       `json:"response"`
			Item     map[string]any `json:"item"`
			Output   int            `json:"output_index"`
			Delta    string         `json:"delta"`
		}
		if err := decode(raw, &event); err != nil {
			return nil, fmt.Errorf("the reply is not a stream of a response: %w", err)
		}
		item := items[event.Output]
		switch event.Type {
		case "error":
			return nil, failedReply{readRefusal(raw)}
		case "response.output_item.added", "response.output_item.done":
			items[event.Output] = event.Item
		case "response.completed", "response.incomplete", "response.failed":
			if len(event.Response.Output) == 0 {
				event.Response.Output = inOrder(items)
			}
			return event.Response.choice()
		default:
			if _, ok := deltas[event.Type]; ok && item != nil {
				before, _ := item[event.Type].(string)
				item[event.Type] = before + event.Delta
			}
		}
	}
	return nil, errCutStream
}

// inOrder returns the items by their indexes. The texts of an item that was not sent whole are under their events.
func inOrder(items map[int]map[string]any) []json.RawMessage {
	out := []json.RawMessage{}
	for _, at := range slices.Sorted(maps.Keys(items)) {
		item := items[at]
		for event, to := range deltas {
			text, ok := item[event]
			delete(item, event)
			switch {
			case ok && to.list == "":
				item[to.text] = text
			case ok:
				item[to.list] = []any{map[string]any{"type": to.part, to.text: text}}
			}
		}
		raw, _ := json.Marshal(item) // it was read from JSON
		out = append(out, raw)
	}
	return out
}
