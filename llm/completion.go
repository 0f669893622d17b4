package llm

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/tmc/langchaingo/llms"

	"airqa/qa"
)

// completion is the part of a chat completion that is read. Unknown fields are others' business.
type completion struct {
	ID      string   `json:"id"`
	Model   string   `json:"model"`
	Choices []choice `json:"choices"`
	Usage   usage    `json:"usage"`
}

type choice struct {
	Message struct {
		Content text `json:"content"`
		// ReasoningContent is DeepSeek's, vLLM's and SGLang's name, Reasoning OpenRouter's and newer vLLM's.
		ReasoningContent text           `json:"reasoning_content"`
		Reasoning        text           `json:"reasoning"`
		ToolCalls        []functionCall `json:"tool_calls"`
		// Refusal is OpenAI's, in the place of the content.
		Refusal text `json:"refusal"`
	} `json:"message"`
	FinishReason string `json:"finish_reason"`
}

// functionCall is a tool call of OpenAI's and Ollama's form: arguments are a text of JSON in the one, JSON in the other.
type functionCall struct {
	ID       string `json:"id"`
	Function struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"function"`
	// Extra is Gemini's, with a signature in it.
	Extra json.RawMessage `json:"extra_content"`
}

type usage struct {
	Prompt        int `json:"prompt_tokens"`
	Completion    int `json:"completion_tokens"`
	PromptDetails struct {
		Cached int `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
	CompletionDetails struct {
		Reasoning int `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
	// CacheHit is DeepSeek's name for the cached tokens.
	CacheHit int `json:"prompt_cache_hit_tokens"`
}

// text is a string, null, or a list of parts of which those with a text count.
type text string

// UnmarshalJSON reads the three forms.
func (t *text) UnmarshalJSON(data []byte) error {
	var plain string
	if json.Unmarshal(data, &plain) == nil {
		*t = text(plain)
		return nil
	}
	var parts []struct{ Type, Text string }
	if err := json.Unmarshal(data, &parts); err != nil {
		return fmt.Errorf("neither a text nor a list of parts: %w", err)
	}
	var all strings.Builder
	for _, part := range parts {
		if part.Type == "text" || part.Type == "" {
			all.WriteString(part.Text)
		}
	}
	*t = text(all.String())
	return nil
}

func parseCompletion(body []byte) (completion, error) {
	var c completion
	if err := json.Unmarshal(body, &c); err != nil {
		return c, fmt.Errorf("the reply is not a chat completion: %w", err)
	}
	if len(c.Choices) == 0 {
		return c, errors.New("the reply has no choices")
	}
	return c, nil
}

func (c completion) choice() *llms.ContentChoice {
	first := c.Choices[0]
	if first.Message.Content == "" && first.Message.Refusal != "" {
		first.FinishReason = "refusal"
	}
	calls := toolCalls(first.Message.ToolCalls)
	return content(
		string(cmp.Or(first.Message.Content, first.Message.Refusal)),
		string(cmp.Or(first.Message.ReasoningContent, first.Message.Reasoning)), first.FinishReason, calls,
		map[string]any{
			infoSealed: sealCalls(first.Message.ToolCalls, calls), infoModel: c.Model, infoID: c.ID, infoUsage: qa.Usage{
				Prompt: c.Usage.Prompt, Completion: c.Usage.Completion,
				Cached:    max(c.Usage.PromptDetails.Cached, c.Usage.CacheHit),
				Reasoning: c.Usage.CompletionDetails.Reasoning,
			},
		})
}

// toolCalls gives the calls of servers that name none an id, since a result has to say which call it answers.
func toolCalls(calls []functionCall) []llms.ToolCall {
	var out []llms.ToolCall
	for i, call := range calls {
		id := cmp.Or(call.ID, fmt.Sprintf("call_%d", i))
		out = append(out, toolCall(id, call.Function.Name, call.Function.Arguments))
	}
	return out
}

// sealCalls keeps what came beside the calls, by their ids; nil when nothing did.
func sealCalls(calls []functionCall, named []llms.ToolCall) json.RawMessage {
	extra := map[string]json.RawMessage{}
	for i, call := range calls {
		if len(call.Extra) > 0 {
			extra[named[i].ID] = call.Extra
		}
	}
	if len(extra) == 0 {
		return nil
	}
	sealed, err := json.Marshal(extra)
	if err != nil {
		return nil
	}
	return sealed
}

// statusOf reads an error code that is an HTTP status; 0 when it is something else.
func statusOf(code string) int {
	status, err := strconv.Atoi(code)
	if err != nil || status < 400 || status > 599 {
		return 0
	}
	return status
}
