package llm

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

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
		ReasoningContent text `json:"reasoning_content"`
		Reasoning        text `json:"reasoning"`
	} `json:"message"`
	FinishReason string `json:"finish_reason"`
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

func (c completion) reply() qa.Reply {
	first := c.Choices[0]
	reasoning := first.Message.ReasoningContent
	if reasoning == "" {
		reasoning = first.Message.Reasoning
	}
	return qa.Reply{
		Reasoning: string(reasoning), Model: c.Model, ID: c.ID, Finish: first.FinishReason,
		Usage: qa.Usage{
			Prompt: c.Usage.Prompt, Completion: c.Usage.Completion,
			Cached:    max(c.Usage.PromptDetails.Cached, c.Usage.CacheHit),
			Reasoning: c.Usage.CompletionDetails.Reasoning,
		},
	}
}

func (c completion) plain() ([]byte, error) {
	message := map[string]any{"role": qa.Assistant, "content": string(c.Choices[0].Message.Content)}
	return json.Marshal(map[string]any{"choices": []any{map[string]any{"message": message}}})
}

// statusOf reads an error code that is an HTTP status; 0 when it is something else.
func statusOf(code string) int {
	status, err := strconv.Atoi(code)
	if err != nil || status < 400 || status > 599 {
		return 0
	}
	return status
}
