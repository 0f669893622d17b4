package llm_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"airqa/internal/testkit/openaitest"
	"airqa/qa"
)

func errorBody(message, code string) string {
	body, _ := json.Marshal(map[string]any{"error": map[string]string{"message": message, "code": code}})
	return string(body)
}

// TestLengthRefusals has messages of servers from their documentation, code and threads.
func TestLengthRefusals(t *testing.T) {
	const over, bad = qa.FailContextOverflow, qa.FailBadRequest
	tests := []struct {
		server string
		status int
		body   string
		want   qa.FailureClass
	}{
		{"OpenAI", 400, "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens.", over},
		{"OpenAI, newer", 400, "Your input exceeds the context window of this model. Please adjust your input and try again.", over},
		{"OpenAI, text", 400, "Invalid 'messages[0].content': string too long. Expected a string with maximum length 1048576, but got a string with length 2000000 instead.", over},
		{"OpenAI, code", 400, errorBody("no", "context_length_exceeded"), over},
		{"a proxy, code", 500, errorBody("no", "context_length_exceeded"), over},
		{"LiteLLM", 500, errorBody("litellm.ContextWindowExceededError: no", "500"), over},
		{"llama.cpp", 400, `{"error":{"code":400,"message":"the request exceeds the available context size, try increasing it","type":"exceed_context_size_error"}}`, over},
		{"Copilot", 400, errorBody("prompt token count of 150000 exceeds the limit of 128000", "model_max_prompt_tokens_exceeded"), over},
		{"Zhipu", 400, errorBody("Prompt exceeds max length", "1261"), over},
		{"Anthropic", 400, "prompt is too long: 208310 tokens > 200000 maximum", over},
		{"Anthropic with a limit", 400, "input length and `max_tokens` exceed context limit: 190000 + 21333 > 200000", over},
		{"Bedrock", 400, "Input is too long for requested model.", over},
		{"Gemini", 400, "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).", over},
		{"Gemini, older", 400, "The input token count exceeds the maximum number of tokens allowed 1048575.", over},
		{"vLLM", 400, "You passed 5000 input tokens. However, the model's context length is only 4096 tokens.", over},
		{"vLLM, prompt", 400, "The prompt (total length 40000) is too long to fit into the model (context 32768).", over},
		{"vLLM, decoder", 400, "The decoder prompt (length 5000) is longer than the maximum model length of 4096.", over},
		{"vLLM, negative", 400, "max_tokens must be at least 1, got -7584. (parameter=max_tokens, value=-7584)", over},
		{"SGLang", 400, "The input (5000 tokens) is longer than the model's context length (4096 tokens).", over},
		{"SGLang, newer", 400, "Input length (160062 tokens) exceeds the maximum allowed length (59862 tokens). Use a shorter input or enable --allow-auto-truncate.", over},
		{"Ark", 400, "Input length 102400 exceeds the maximum length 98304", over},
		{"DashScope", 400, "<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 129024]", over},
		{"Moonshot", 400, "Invalid request: Your request exceeded model token limit: 131072 (requested: 140000)", over},
		{"Cohere", 400, "too many tokens: size limit exceeded by 8105 tokens. Try using shorter or fewer inputs, or setting prompt_truncation", over},
		{"TGI", 422, "Input validation error: `inputs` must have less than 4096 tokens. Given: 5000", over},
		{"TGI, sum", 422, "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000", over},
		{"Ollama", 400, "the input length exceeds the context length", over},
		{"LM Studio", 400, "Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, " +
			"which is not enough. Try to load the model with a larger context length, or provide a shorter input", over},
		{"xAI", 400, "This model's maximum prompt length is 131072 but the request contains 140000 tokens.", over},
		{"Mistral", 400, "Prompt contains 40000 tokens, too large for model with 32768 maximum context length", over},
		{"OpenRouter", 400, `{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"{\"error\":{\"message\":\"prompt is too long: 208310 tokens > 200000 maximum\"}}"}}}`, over},
		{"images in it", 400, "This model's maximum context length is 32768 tokens. However, you requested 40000 tokens (30000 of text input, 10000 of image input).", over},

		{"a server error", 500, "CUDA error: an illegal memory access was encountered (model context length 32768, 12 running requests)", qa.FailServer},
		{"a server error in words", 500, "the input length exceeds the context length", qa.FailServer},
		{"a service", 503, "the model's context window service is down", qa.FailServer},
		{"an organisation", 400, "Current token count exceeds your organization quota", bad},
		{"a quota", 400, "This request of 5000 input tokens exceeds the daily quota of 4096 tokens", bad},
		{"a budget", 400, "The prompt of 5000 tokens exceeds the project's budget of 4096 tokens", bad},
		{"a minute", 413, "Request too large for model m in organization o on tokens per minute (TPM): Limit 6000, Requested 7000", bad},
		{"a minute's tokens", 429, "Request too large for gpt-4o on tokens per min (TPM): Limit 30,000, Requested 50,000.", bad},
		{"a size", 413, "Request Entity Too Large", bad},
		{"an image", 400, "The image in the prompt exceeds the maximum size of 5242880 bytes: 6000000", bad},
		{"a reply", 400, "max_tokens is too large: 5000. This model supports at most 4096 completion tokens.", bad},
		{"a tool", 400, "Invalid 'tools[0].function.description': string too long. Expected a string with maximum length 1024, but got a string with length 1200.", bad},
		{"an id", 400, "Invalid 'messages[2].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got a string with length 50.", bad},
		{"a request id", 400, "messages with this role are not supported, only text (request id: 20250101123456789 of 4096)", bad},
		{"a seed", 400, "Invalid seed 99999999999: must be between 0 and 4294967295", bad},
		{"a setting", 422, `{"detail":[{"msg":"Input should be less than or equal to 4096","input":9999}]}`, bad},
	}
	for _, test := range tests {
		t.Run(test.server, func(t *testing.T) {
			s := start(t, openaitest.Config{})
			s.Fail(openaitest.Body(test.status, test.body))
			c := config(s, "m")
			c.MaxRetries = -1
			if _, err := ask(t, c); qa.ClassOf(err) != test.want {
				t.Errorf("class %s, want %s: %v", qa.ClassOf(err), test.want, err)
			}
		})
	}
}

// A refusal that repeats the conversation is read without it.
func TestEchoes(t *testing.T) {
	const question = `In "Long" papers: this model's maximum context length is 4096 tokens, but your prompt has 5000 tokens, which exceeds it. ` +
		"The error code is context_length_exceeded.\nThe image input is not supported by the model. You exceeded your current quota; temperature is not supported. Why?"
	quoted, _ := json.Marshal(question)
	tests := []struct {
		name   string
		status int
		body   string
		want   qa.FailureClass
	}{
		{"in the message", 400, errorBody("cannot parse: "+question, ""), "bad_request"},
		{"from its middle", 400, errorBody("cannot parse: "+question[40:200], ""), "bad_request"},
		{"as JSON", 400, errorBody("cannot parse: {\"content\": "+string(quoted)+"}", ""), "bad_request"},
		{"in a field", 422, `{"detail":[{"type":"string_type","loc":["body"],"msg":"Input should be a valid string","input":` + string(quoted) + `}]}`, "bad_request"},
		{"of a server error", 500, errorBody("Engine died while processing "+question, "500"), "server"},
		{"in no format", 500, "Engine died: " + question, "server"},
		{"of a limit", 429, errorBody("Slow down: "+question, ""), "rate_limit"},
		{"after a long head", 400, errorBody(strings.Repeat("x ", 3000)+question, ""), "bad_request"},
		{"with a code", 400, errorBody("cannot take "+question, "context_length_exceeded"), "context_overflow"},
		{"with a reason", 400, errorBody("prompt is too long: 51000 tokens > 4096 maximum in "+question, ""), "context_overflow"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := start(t, openaitest.Config{})
			s.Fail(openaitest.Body(test.status, test.body), openaitest.Body(test.status, test.body))
			c := config(s, "m")
			c.MaxRetries, c.Sampling = -1, qa.Sampling{Temperature: new(0.5), MaxTokens: 2000}
			_, err := ask(t, c, qa.Message{Role: qa.User, Text: question})
			if got := qa.ClassOf(err); got != test.want || s.Calls() != 1 {
				t.Errorf("class %s after %d requests, want %s: %v", got, s.Calls(), test.want, err)
			}
		})
	}
}

// A limit with a delay or of a short time is waited for; another one of an account ends the call at once.
func TestLimits(t *testing.T) {
	gemini := func(quotas, delay string) string {
		return `[{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","message":"You exceeded your current quota, please check your plan and billing ` +
			`details. For more information on this error, head to: https://ai.google.dev/gemini-api/docs/rate-limits.` + strings.Repeat(" ", 2000) + `",` +
			`"details":[{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[` + quotas + `]}` + delay + `]}}]`
	}
	const (
		perMinute = `{"quotaId":"GenerateRequestsPerMinutePerProjectPerModel-FreeTier"}`
		perDay    = `{"quotaId":"GenerateRequestsPerDayPerProjectPerModel-FreeTier"}`
		delay     = `,{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"17.5s"}`
	)
	tests := []struct {
		name, body string
		// wait is 0 if the call ends.
		wait time.Duration
	}{
		{"Gemini, minute", gemini(perMinute, delay), 17500 * time.Millisecond},
		{"Gemini, minute without a delay", gemini(perMinute, ""), time.Second},
		{"Gemini, a delay alone", gemini("", delay), 17500 * time.Millisecond},
		{"Gemini, day", gemini(perDay, delay), 0},
		{"Gemini, both", gemini(perMinute+","+perDay, delay), 0},
		{"Gemini, nothing", gemini("", ""), 0},
		{"Gemini, in words", errorBody("You exceeded your current quota. Please retry in 9.5s.", "429"), 9500 * time.Millisecond},
		{"Vertex", errorBody("Quota exceeded for aiplatform.googleapis.com/generate_content_requests_per_minute_per_project_per_base_model.", "429"), time.Second},
		{
			"Gemini, through OpenRouter", `{"error":{"message":"Provider returned error","code":429,"metadata":{"raw":"{\"error\":{\"message\":\"You exceeded your ` +
				`current quota\",\"details\":[{\"retryDelay\": \"17.5s\"}]}}"}}}`, 17500 * time.Millisecond,
		},
		{"Vertex, busy", errorBody("Resource has been exhausted (e.g. check quota).", "429"), time.Second},
		{"OpenAI, no credit", errorBody("You exceeded your current quota, please check your plan and billing details.", "insufficient_quota"), 0},
		{"OpenAI, minute", errorBody("Rate limit reached for gpt-4o on tokens per min (TPM): Limit 30000, Used 29000, Requested 1500. Please try again in 1m3.5s.", ""), 63500 * time.Millisecond},
		{"OpenAI, milliseconds", errorBody("Rate limit reached. Please try again in 6500ms.", ""), 6500 * time.Millisecond},
		{"Azure", errorBody("Requests have exceeded call rate limit of your current tier. Please retry after 26 seconds.", "429"), 26 * time.Second},
		{"in two units", errorBody("Too many requests, please wait 1 minute and 5 seconds.", ""), 65 * time.Second},
		{"Groq, day", errorBody("Rate limit reached on tokens per day (TPD): Limit 100000, Used 99336, Requested 3000. Please try again in 33m38.3s.", ""), 0},
		{"OpenRouter, minute", errorBody("Rate limit exceeded: free-models-per-min", "429"), time.Second},
		{"OpenRouter, day", errorBody("Rate limit exceeded: free-models-per-day. Add 10 credits to unlock more", "429"), 0},
		{"a month", errorBody("Your monthly limit is reached", ""), 0},
		{"a balance", errorBody("Insufficient balance", ""), 0},
		{"no words", "", time.Second},
		{"no quota in it", errorBody("Too many requests", ""), time.Second},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := start(t, openaitest.Config{})
			s.Fail(openaitest.Body(429, test.body))
			got, err := ask(t, config(s, "m"))
			switch {
			case test.wait == 0:
				if qa.ClassOf(err) != qa.FailAuth || s.Calls() != 1 || !strings.Contains(fmt.Sprint(err), "no credit or quota left") {
					t.Errorf("class %s after %d requests: %v", qa.ClassOf(err), s.Calls(), err)
				}
			case err != nil || got.Attempts[1].Wait != test.wait.Seconds() || got.Attempts[0].Error != qa.FailRateLimit:
				t.Errorf("%+v, %v; want a wait of %v", got.Attempts, err, test.wait)
			}
		})
	}
}
