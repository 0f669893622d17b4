package llm_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"airqa/internal/testkit/openaitest"
	"airqa/llm"
	"airqa/llm/catalog"
	"airqa/qa"
)

// picky is an endpoint that rejects settings with some vendor's error, and answers requests without them.
type picky struct {
	*httptest.Server
	mu   sync.Mutex
	sent []map[string]any
}

func newPicky(t *testing.T, refusal func(sent map[string]any) string) *picky {
	t.Helper()
	p := &picky{}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		sent := map[string]any{}
		if err := json.Unmarshal(body, &sent); err != nil {
			t.Error(err)
		}
		p.mu.Lock()
		p.sent = append(p.sent, sent)
		p.mu.Unlock()
		if message := refusal(sent); message != "" {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, message)
			return
		}
		_, _ = io.WriteString(w, `{"choices":[{"message":{"content":"fine"},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":1}}`)
	}))
	t.Cleanup(p.Close)
	return p
}

// refusing answers with an error while a request has a setting.
func refusing(name, message string) func(map[string]any) string {
	return func(sent map[string]any) string {
		if sent[name] == nil {
			return ""
		}
		return message
	}
}

func openAIError(message string) string {
	return `{"error":{"message":"` + message + `","type":"invalid_request_error","code":"unsupported_parameter"}}`
}

func TestRefusedSettings(t *testing.T) {
	tests := []struct {
		name, setting, message, instead, notice string
	}{
		{
			"OpenAI, max_tokens", "max_tokens",
			openAIError("Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."),
			"max_completion_tokens", "takes max_completion_tokens instead of max_tokens",
		},
		{
			"OpenAI, temperature", "temperature",
			openAIError("Unsupported value: 'temperature' does not support 0.5 with this model. Only the default (1) value is supported."),
			"", "refuses temperature, which is not sent",
		},
		{
			"Azure, max_tokens", "max_tokens", openAIError("Unsupported parameter: 'max_tokens'. Only 'max_completion_tokens' is supported with this model."),
			"max_completion_tokens", "takes max_completion_tokens instead of max_tokens",
		},
		{"OpenAI, top_p", "top_p", openAIError("Unsupported parameter: 'top_p' is not supported with this model."), "", "refuses top_p"},
		{"Anthropic, both", "top_p", openAIError("`temperature` and `top_p` cannot both be specified for this model. Please use only one."), "", "refuses top_p"},
		{"LiteLLM", "temperature", `{"error":{"message":"litellm.UnsupportedParamsError: openai does not support parameters: ['temperature'], for model=o1"}}`, "", "refuses temperature"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := newPicky(t, refusing(test.setting, test.message))
			var notices []string
			c := llm.Config{
				Spec: "openai:alias", Access: llm.Access{BaseURL: p.URL}, MaxRetries: -1, Pool: llm.NewPool(0),
				Sampling: qa.Sampling{Temperature: new(0.5), TopP: new(0.9), MaxTokens: 700},
				OnNotice: func(text string) { notices = append(notices, text) },
			}
			first, err := ask(t, c)
			if err != nil || first.Text != "fine" {
				t.Fatalf("%q, %v", first.Text, err)
			}
			if len(first.Attempts) != 2 || first.Attempts[0].Error != qa.FailBadRequest || first.Attempts[0].Status != 400 {
				t.Errorf("attempts %+v, want a refusal and a reply", first.Attempts)
			}
			// Another model of the pool at the address knows it already.
			if _, err := ask(t, c); err != nil || len(p.sent) != 3 {
				t.Errorf("%d requests, want 3: %v", len(p.sent), err)
			}
			last := p.sent[2]
			if last[test.setting] != nil || test.instead != "" && last[test.instead] != 700.0 || len(last) < 4 {
				t.Errorf("sent at last: %v", last)
			}
			if len(notices) != 1 || !strings.Contains(notices[0], test.notice) {
				t.Errorf("notices %q, want one with %q", notices, test.notice)
			}
		})
	}
}

// An error that asks for nothing that can be done is an error, after one request.
func TestRefusalsWithoutRemedy(t *testing.T) {
	for _, message := range []string{
		"max_tokens is too large: 7. This model supports at most 4 completion tokens.",
		"messages: unknown role", "The parameter seed is not supported.", "streaming is not supported with this model",
	} {
		p := newPicky(t, func(map[string]any) string { return openAIError(message) })
		_, err := ask(t, llm.Config{Spec: "openai:m", Access: llm.Access{BaseURL: p.URL}, Sampling: qa.Sampling{MaxTokens: 7, Seed: new(1)}})
		if qa.ClassOf(err) != qa.FailBadRequest || len(p.sent) != 1 {
			t.Errorf("%s: %d requests, %v", message, len(p.sent), err)
		}
	}
	// The same refusal again although the setting is gone does not repeat the request for ever.
	p := newPicky(t, func(map[string]any) string { return openAIError("'temperature' is not supported") })
	if _, err := ask(t, llm.Config{Spec: "openai:m", Access: llm.Access{BaseURL: p.URL}, Sampling: qa.Sampling{Temperature: new(0.0)}}); err == nil || len(p.sent) != 2 {
		t.Errorf("%d requests, %v", len(p.sent), err)
	}
}

// A list of models can have it from the start.
func TestListedNewLimit(t *testing.T) {
	list := openCatalog(t, `{"format":1,"models":[{"name":"openai:alias","max_completion_tokens":true}]}`)
	p := newPicky(t, refusing("max_tokens", openAIError("use max_completion_tokens")))
	_, err := ask(t, llm.Config{Spec: "openai:alias", Access: llm.Access{BaseURL: p.URL}, Catalog: list, Sampling: qa.Sampling{MaxTokens: 7}})
	if err != nil || len(p.sent) != 1 || p.sent[0]["max_completion_tokens"] != 7.0 {
		t.Errorf("sent %v, %v", p.sent, err)
	}
}

func openCatalog(t *testing.T, text string) *catalog.Catalog {
	t.Helper()
	path := t.TempDir() + "/models.json"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	list, err := catalog.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

const streamedText = `: keep-alive

data: {"id":"c1","model":"served","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}

data: {"id":"c1","choices":[{"index":0,"delta":{"reasoning_content":"hm"}}]}

data: {"id":"c1","choices":[{"index":0,"delta":{"content":"one "}},{"index":1,"delta":{"content":"other"}}]}

data: {"id":"c1","choices":[{"index":0,"delta":{"content":"two"},"finish_reason":"stop"}]}

data: {"id":"c1","choices":[],"usage":{"prompt_tokens":11,"completion_tokens":5,"completion_tokens_details":{"reasoning_tokens":2}}}

data: [DONE]

`

const streamedCalls = `data: {"id":"c2","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"lookup","arguments":""}}]}}]}

data: {"id":"c2","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"word\":"}},{"index":1,"id":"b","function":{"name":"lookup","arguments":"{}"}}]}}]}

data: {"id":"c2","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"\"x\"}"}}]},"finish_reason":"tool_calls"}]}

`

func TestStreamOnlyEndpoints(t *testing.T) {
	texts := []string{
		"This model only supports streaming", "This model only support stream mode, please enable the stream parameter to access the model.",
		"parameter.enable_thinking must be set to false for non-streaming calls", "Thinking is unavailable in non-stream mode.",
		"Stream must be set to true", "Non-streaming requests are not supported for this model", "`stream` is required to be true",
	}
	for _, text := range texts {
		t.Run(text, func(t *testing.T) {
			s := start(t, openaitest.Config{})
			s.Fail(openaitest.Body(400, openAIError(text)), openaitest.Body(200, streamedText), openaitest.Body(200, streamedText))
			c := config(s, "m")
			got, err := ask(t, c)
			if err != nil || got.Text != "one two" || got.Reasoning != "hm" || got.Finish != "stop" || got.Model != "served" || got.ID != "c1" {
				t.Fatalf("%+v, %v", got, err)
			}
			if want := (qa.Usage{Prompt: 11, Completion: 5, Reasoning: 2}); got.Usage != want {
				t.Errorf("usage %+v, want %+v", got.Usage, want)
			}
			if sent := string(s.Requests()[1].Body); !strings.Contains(sent, `"stream":true`) || !strings.Contains(sent, `"include_usage":true`) {
				t.Errorf("sent %s", sent)
			}
		})
	}
}

// Some servers always stream.
func TestUnaskedStreams(t *testing.T) {
	s := start(t, openaitest.Config{})
	s.Fail(openaitest.Body(200, streamedText), openaitest.Body(200, streamedCalls))
	if got, err := ask(t, config(s, "m")); err != nil || got.Text != "one two" {
		t.Errorf("%+v, %v", got, err)
	}
	got, err := open(t, config(s, "m")).Complete(t.Context(), qa.Request{Messages: requests[1].messages, Tools: []qa.ToolSpec{lookup}})
	if err != nil || len(got.ToolCalls) != 2 || string(got.ToolCalls[0].Arguments) != `{"word":"x"}` || got.ToolCalls[1].ID != "b" {
		t.Errorf("%+v, %v", got, err)
	}
	anthropic := endpoints(s)["anthropic"]
	s.Fail(openaitest.Body(200, streamedMessage))
	got, err = open(t, anthropic).Complete(t.Context(), qa.Request{Messages: requests[1].messages, Tools: []qa.ToolSpec{lookup}})
	if err != nil || got.Text != "I look." || got.Reasoning != "hm" || got.Finish != "tool_calls" || len(got.ToolCalls) != 1 ||
		string(got.ToolCalls[0].Arguments) != `{"word":"x"}` || !strings.Contains(string(got.Sealed), `"signature":"s"`) {
		t.Errorf("%+v, %v", got, err)
	}
	if want := (qa.Usage{Prompt: 9, Completion: 7, Cached: 2}); got.Usage != want {
		t.Errorf("usage %+v, want %+v", got.Usage, want)
	}
}

const streamedMessage = `event: message_start
data: {"type":"message_start","message":{"id":"m1","type":"message","role":"assistant","model":"claude","content":[],"usage":{"input_tokens":7,"cache_read_input_tokens":2,"output_tokens":1}}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":""}}

data: {"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hm"}}

data: {"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"s"}}

data: {"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}}

data: {"type":"ping"}

data: {"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"I look."}}

data: {"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"t1","name":"lookup","input":{}}}

data: {"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{\"word\":"}}

data: {"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"\"x\"}"}}

data: {"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":7}}

data: {"type":"message_stop"}

`

func TestBrokenStreams(t *testing.T) {
	cut := streamedText[:strings.Index(streamedText, `data: {"id":"c1","choices":[{"index":0,"delta":{"content":"two"}`)]
	failed := cut + `data: {"error":{"message":"upstream is gone","code":502}}` + "\n\n"
	tests := []struct {
		name, body string
		class      qa.FailureClass
		text       string
	}{
		{"cut", cut, qa.FailGarbage, "the stream ended before the reply did"},
		{"an error inside", failed, qa.FailServer, "upstream is gone"},
		{"no stream", "data: page\n\n", qa.FailGarbage, "not a stream"},
		{"too large", "data: " + strings.Repeat("x", 33<<20), qa.FailGarbage, "larger than 32 MiB"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := start(t, openaitest.Config{})
			s.Fail(openaitest.Body(200, test.body))
			c := config(s, "m")
			c.MaxRetries = -1
			_, err := ask(t, c)
			if qa.ClassOf(err) != test.class || !strings.Contains(err.Error(), test.text) {
				t.Errorf("%v of class %s, want %q of class %s", err, qa.ClassOf(err), test.text, test.class)
			}
		})
	}
}

// A prompt that leaves less room than the limit of a reply is sent again with the room as the limit, or with half of it.
func TestReplyLimitTooLarge(t *testing.T) {
	// LIMIT is the limit that was sent, LEFT the window without it, and LEAST one token more.
	tests := []struct {
		name, message string
		// room is the greatest limit that the endpoint takes.
		room int
		want []float64
		ok   bool
	}{
		{
			"vLLM", "'max_tokens' or 'max_completion_tokens' is too large: LIMIT. This model's maximum context length is 32768 tokens and your " +
				"request has 30000 input tokens (LIMIT > 32768 - 30000). (parameter=max_tokens, value=LIMIT)", 2768, []float64{8000, 2768}, true,
		},
		{
			"vLLM, at least", "This model's maximum context length is 32768 tokens. However, you requested LIMIT output tokens and your prompt contains at " +
				"least LEAST input tokens, for a total of at least 32769 tokens.", 2768, []float64{8000, 4000, 2000}, true,
		},
		{
			"vLLM, short", "This model's maximum context length is LEFT tokens. However, your request has 30000 input tokens. Please reduce the length of " +
				"the input messages.", 2768, []float64{8000, 2768}, true,
		},
		{
			"vLLM, passed", "You passed 30000 input tokens and requested LIMIT output tokens. However, the model's context length is only 32768 tokens, " +
				"resulting in a maximum input length of LEFT tokens.", 2768, []float64{8000, 2768}, true,
		},
		{
			"OpenAI", "This model's maximum context length is 32,768 tokens. However, you requested 38,000 tokens (30,000 in the messages, 8,000 in the completion).",
			2768,
			[]float64{8000, 2768},
			true,
		},
		{
			"OpenRouter", "This endpoint's maximum context length is 32768 tokens. However, you requested about 38000 tokens (29500 of text input, 500 of tool " +
				"input, 8000 in the output).", 2768, []float64{8000, 2768}, true,
		},
		{
			"SGLang", "Requested token count exceeds the model's maximum context length of 32768 tokens. You requested a total of 38000 tokens: 30000 tokens " +
				"from the input messages and 8000 tokens for the completion.", 2768, []float64{8000, 2768}, true,
		},
		{"Anthropic", "input length and `max_tokens` exceed context limit: 30000 + LIMIT > 32768, decrease input length or `max_tokens`", 2768, []float64{8000, 2768}, true},
		{
			"a wrapped sentence", "litellm.BadRequestError: Hosted_vllmException - Error code: 400 - prompt of 30000 tokens and max_new_tokens of LIMIT do not fit: at " +
				"most 32768", 2768, []float64{8000, 2768}, true,
		},
		{"no amount", "Please reduce the length of the messages or completion.", 2768, []float64{8000, 4000, 2000}, true},
		{"no amount, no room", "Please reduce the length of the messages or completion.", 100, []float64{8000, 4000, 2000}, false},
		{"OpenAI's cap", "max_tokens is too large: LIMIT. This model supports at most 4096 completion tokens, whereas you provided LIMIT.", 4096, []float64{8000, 4096}, true},
		{"DeepSeek's cap", "Invalid max_tokens value, the valid range of max_tokens is [1, 4096]", 4096, []float64{8000, 4096}, true},
		{"Anthropic's cap", "max_tokens: LIMIT > 4096, which is the maximum allowed number of output tokens for claude-3-5-sonnet-20241022", 4096, []float64{8000, 4096}, true},
		{"Gemini's cap", "maxOutputTokens must be less than 4097", 4096, []float64{8000, 4097, 2048}, true},
		{"another setting", "temperature must be at most 1", 100, []float64{8000}, false},
		{"the prompt alone", "This model's maximum context length is 32768 tokens. However, you requested 98000 tokens (90000 in the messages, 8000 in the completion)", 0, []float64{8000}, false},
		{"no room", "This model's maximum context length is 32768 tokens and your request has 32760 input tokens", 10, []float64{8000}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := newPicky(t, func(sent map[string]any) string {
				sentLimit, _ := sent["max_tokens"].(float64)
				limit := int(sentLimit)
				if limit <= tt.room {
					return ""
				}
				return openAIError(strings.NewReplacer("LIMIT", strconv.Itoa(limit), "LEFT", strconv.Itoa(32768-limit), "LEAST", strconv.Itoa(32768-limit+1)).Replace(tt.message))
			})
			c := llm.Config{Spec: "openai:m", Access: llm.Access{BaseURL: p.URL, Key: "k"}, Sampling: qa.Sampling{MaxTokens: 8000}, Pool: llm.NewPool(0)}
			var notices []string
			c.OnNotice = func(text string) { notices = append(notices, text) }
			reply, err := ask(t, c)
			if (err == nil) != tt.ok {
				t.Errorf("error %v", err)
			}
			if got := len(reply.Attempts) + len(qa.Tried(err)); got != len(tt.want) {
				t.Errorf("%d requests recorded, want %d", got, len(tt.want))
			}
			var got []float64
			for _, sent := range p.sent {
				limit, _ := sent["max_tokens"].(float64)
				got = append(got, limit)
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("limits %v were sent, want %v", got, tt.want)
			}
			if !strings.Contains(tt.name, "cap") {
				return
			}
			// A cap that a second request meets holds for the third.
			before := len(p.sent)
			for _, text := range []string{"another", "a third"} {
				if _, err := ask(t, c, qa.Message{Role: qa.User, Text: text}); err != nil {
					t.Error(err)
				}
			}
			last := p.sent[before+len(tt.want)]["max_tokens"].(float64)
			if last > 4097 || len(notices) != 1 || !strings.Contains(notices[0], "replies of at most 409") {
				t.Errorf("limit %v, notices %q", last, notices)
			}
		})
	}
}
