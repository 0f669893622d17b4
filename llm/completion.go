package llm

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tmc/langchaingo/llms"

	"airqa/internal/lazyregexp"
	"airqa/qa"
)

// completion holds the fields of a chat completion that are read.
type completion struct {
	ID      string   `json:"id"`
	Model   string   `json:"model"`
	Choices []choice `json:"choices"`
	Usage   usage    `json:"usage"`
}

// decode reads a reply. A field of an unexpected type is left empty: few fields are needed, and one that is shows in what
// it leaves out.
func decode(data []byte, v any) error {
	err := json.Unmarshal(data, v)
	if errors.As(err, new(*json.UnmarshalTypeError)) && bytes.HasPrefix(bytes.TrimSpace(data), []byte("{")) {
		return nil
	}
	return err
}

type choice struct {
	Message      answer `json:"message"`
	FinishReason string `json:"finish_reason"`
}

type answer struct {
	Content text `json:"content"`
	// ReasoningContent is the name used by DeepSeek, vLLM and SGLang, Reasoning by OpenRouter and newer vLLM, Thinking by
	// Ollama.
	ReasoningContent aside          `json:"reasoning_content"`
	Reasoning        aside          `json:"reasoning"`
	Thinking         aside          `json:"thinking"`
	ToolCalls        []functionCall `json:"tool_calls"`
	// Refusal is sent by OpenAI instead of the content.
	Refusal aside `json:"refusal"`
	// raw is the whole message.
	raw json.RawMessage
}

func (a *answer) UnmarshalJSON(data []byte) error {
	type plain answer
	a.raw = slices.Clone(data)
	return decode(data, (*plain)(a))
}

// functionCall is a tool call in the format of OpenAI, with arguments as a JSON string, or of Ollama, with arguments as
// JSON.
type functionCall struct {
	ID       string `json:"id"`
	Function struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"function"`
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
	// CacheHit is DeepSeek's name for cached tokens.
	CacheHit int `json:"prompt_cache_hit_tokens"`
}

// text is a string, null, a part with a text, or a list of parts, whose texts are joined.
type text string

func (t *text) UnmarshalJSON(data []byte) error {
	var value any
	if err := json.Unmarshal(data, &value); err != nil {
		return err
	}
	parts, ok := value.([]any)
	if !ok {
		parts = []any{value}
	}
	*t = ""
	for _, part := range parts {
		switch p := part.(type) {
		case nil:
		case string:
			*t += text(p)
		case map[string]any:
			words, _ := p["text"].(string)
			if kind, _ := p["type"].(string); slices.Contains([]string{"", "text", "output_text"}, kind) {
				*t += text(words)
			}
		default:
			return errors.New("neither a text nor a list of parts")
		}
	}
	return nil
}

// aside is a text that a reply can do without.
type aside string

func (a *aside) UnmarshalJSON(data []byte) error {
	_ = (*text)(a).UnmarshalJSON(data)
	return nil
}

// failedReply is an error in a response with a success status.
type failedReply struct{ refusal }

func (f failedReply) Error() string { return f.message }

// failedFinish matches finish reasons of a reply that the endpoint did not finish.
var failedFinish = lazyregexp.New(`(?i)error|abort|cancel|fail|insufficient|interrupt|shut_?down|time_?out|overload|unavailable`)

// checkSuccess reports an error in a response with a success status, or in an event of a stream: some servers send an empty
// one with every reply. MiniMax has base_resp.
func checkSuccess(body []byte) error {
	var got struct {
		Error, Errors any
		Choices       []struct{ Error any }
		BaseResp      struct {
			Code    int    `json:"status_code"`
			Message string `json:"status_msg"`
		} `json:"base_resp"`
	}
	if decode(body, &got) != nil {
		return nil // the reader explains it
	}
	var r refusal
	r.read("error", got.Error)
	r.read("error", got.Errors)
	for _, c := range got.Choices {
		r.read("error", c.Error)
	}
	if got.BaseResp.Code != 0 {
		r.add("error", got.BaseResp.Message)
	}
	if got.Error == true {
		r = readRefusal(body)
	}
	if !r.found() {
		return nil
	}
	return failedReply{r}
}

func (c completion) choice() *llms.ContentChoice {
	first := c.Choices[0]
	if first.Message.Content == "" && first.Message.Refusal != "" {
		first.FinishReason = qa.FinishRefusal
	}
	reasoning := string(cmp.Or(first.Message.ReasoningContent, first.Message.Reasoning, first.Message.Thinking))
	return &llms.ContentChoice{
		Content:          string(cmp.Or(first.Message.Content, text(first.Message.Refusal))),
		ReasoningContent: reasoning, StopReason: first.FinishReason, ToolCalls: toolCalls(first.Message.ToolCalls),
		GenerationInfo: map[string]any{
			infoSealed: seal(first.Message.raw, reasoning), infoModel: c.Model, infoID: c.ID, infoUsage: qa.Usage{
				Prompt: c.Usage.Prompt, Completion: c.Usage.Completion,
				Cached:    max(c.Usage.PromptDetails.Cached, c.Usage.CacheHit),
				Reasoning: c.Usage.CompletionDetails.Reasoning,
			},
		},
	}
}

// toolCalls assigns ids to calls without one, because results refer to calls by id.
func toolCalls(calls []functionCall) []llms.ToolCall {
	var out []llms.ToolCall
	for i, call := range calls {
		id := cmp.Or(call.ID, fmt.Sprintf("call_%d", i))
		out = append(out, toolCall(id, call.Function.Name, call.Function.Arguments))
	}
	return out
}

// The tags around the reasoning of open models.
const (
	thinkOpen  = "<think>"
	thinkClose = "</think>"
)

// apart moves the reasoning at the start of a reply out of its text. A reply cut off inside its reasoning has no text.
// With unopened, the reasoning may begin without a tag, because the templates of several models end in the opening tag.
func apart(reply *qa.Reply, unopened bool) {
	head := strings.TrimLeft(reply.Text, " \t\r\n")
	opened := strings.HasPrefix(head, thinkOpen) || unopened && strings.Contains(head, thinkClose)
	if !opened {
		return
	}
	thought, rest, _ := strings.Cut(strings.TrimPrefix(head, thinkOpen), thinkClose)
	reply.Reasoning = cmp.Or(reply.Reasoning, strings.TrimSpace(thought))
	reply.Text = strings.TrimLeft(rest, " \t\r\n")
}
