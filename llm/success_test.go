package llm_test

import (
	"strings"
	"testing"

	"airqa/internal/testkit/openaitest"
	"airqa/qa"
)

// An error in a response with a success status is a failed request, and is made again.
func TestErrorsInSuccess(t *testing.T) {
	const whole = `"choices":[{"index":0,"message":{"role":"assistant","content":"I will"},"finish_reason":"stop"}]`
	chunk := func(rest string) string {
		return `data: {"choices":[{"index":0,"delta":{"content":"I will"}` + rest + "}]}\n\ndata: [DONE]\n\n"
	}
	tests := []struct {
		name, body string
		class      qa.FailureClass
		text       string
	}{
		{
			"OpenRouter, empty choice",
			`{"choices":[{"message":{"content":null},"finish_reason":"stop"}],"error":{"message":"Provider returned error","code":429}}`,
			"rate_limit", "Provider returned error",
		},
		{
			"OpenRouter, in the choice",
			`{"choices":[{"message":{"content":"I will"},"finish_reason":"error","error":{"code":502,"message":"Upstream error"}}]}`,
			"server", "Upstream error",
		},
		{"beside a whole choice", `{` + whole + `,"error":{"message":"it broke"}}`, "garbage", "it broke"},
		{"a text", `{` + whole + `,"error":"it broke"}`, "garbage", "it broke"},
		{"a status as text", `{` + whole + `,"error":{"message":"it broke","code":"503"}}`, "server", "it broke"},
		{"the cause", `{"error":{"message":"Provider returned error","code":503,"metadata":{"raw":"{\"message\":\"no capacity\"}"}}}`, "server", "error: no capacity"},
		{"finish reason alone", strings.Replace(`{`+whole+`}`, `"stop"`, `"error"`, 1), "garbage", "finish reason error"},
		{"Cohere", strings.Replace(`{`+whole+`}`, `"stop"`, `"ERROR"`, 1), "garbage", "finish reason ERROR"},
		{"vLLM", strings.Replace(`{`+whole+`}`, `"stop"`, `"abort"`, 1), "garbage", "finish reason abort"},
		{"DeepSeek", strings.Replace(`{`+whole+`}`, `"stop"`, `"insufficient_system_resource"`, 1), "garbage", "insufficient_system_resource"},
		{"a flag", `{"error":true,"code":429,"message":"slow down"}`, "rate_limit", "slow down"},
		{"MiniMax", `{"choices":null,"base_resp":{"status_code":1002,"status_msg":"rate limit exceeded(RPM)"}}`, "garbage", "exceeded(RPM)"},
		{"SiliconFlow", `{"code":50505,"msg":"Model service overloaded","data":null}`, "garbage", "overloaded"},
		{"stream, in the choice", chunk(`,"error":{"code":429,"message":"slow down"}`), "rate_limit", "slow down"},
		{"stream, finish reason", chunk(`,"finish_reason":"error"`), "garbage", "finish reason error"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := start(t, openaitest.Config{Reply: openaitest.Script("fine")})
			s.Fail(openaitest.Body(200, test.body))
			got, err := ask(t, config(s, "m"))
			if err != nil || got.Text != "fine" || len(got.Attempts) != 2 || got.Attempts[0].Error != test.class {
				t.Errorf("%q after %+v, %v", got.Text, got.Attempts, err)
			}
			s.Fail(openaitest.Body(200, test.body))
			c := config(s, "m")
			c.MaxRetries = -1
			if _, err := ask(t, c); err == nil || !strings.Contains(err.Error(), test.text) {
				t.Errorf("error %v, want %q", err, test.text)
			}
		})
	}
	s := start(t, openaitest.Config{})
	s.Fail(openaitest.Body(200, `{"type":"message","content":[{"type":"text","text":"I"}],"stop_reason":"error"}`),
		openaitest.Body(200, `{"message":{"content":"I"},"error":"it broke"}`))
	for _, provider := range []string{"anthropic", "ollama"} {
		c := endpoints(s)[provider]
		c.MaxRetries = -1
		if got, err := ask(t, c); err == nil {
			t.Errorf("%s: %+v", provider, got)
		}
	}
}

// A field that is not needed costs no reply, whatever its type.
func TestFieldsOfAnotherType(t *testing.T) {
	const (
		message = `{"choices":[{"message":{"content":"fine"`
		rest    = `},"finish_reason":"stop"}]`
	)
	for _, body := range []string{
		message + rest + `,"error":null}`, message + rest + `,"error":{}}`, message + rest + `,"error":""}`, message + rest + `,"error":false}`,
		message + rest + `,"error":{"message":"","code":0,"details":[]}}`, message + rest + `,"base_resp":{"status_code":0,"status_msg":"success"}}`,
		message + rest + `,"base_resp":"none"}`, message + rest + `,"id":17,"model":{"name":"m"}}`,
		message + rest + `,"usage":"none"}`, message + rest + `,"usage":{"prompt_tokens":"7","completion_tokens":1.5}}`,
		message + rest + `,"usage":{"prompt_tokens_details":[]}}`, message + `,"reasoning_content":{"text":"hm"}` + rest + `}`,
		message + `,"reasoning":[1]` + rest + `}`, message + `,"refusal":false` + rest + `}`, message + `,"tool_calls":{}` + rest + `}`,
		message + `},"finish_reason":{"type":"stop"}}]}`, message + `},"finish_reason":null}]}`, message + `},"index":"0","finish_reason":3}]}`,
		`{"choices":[{"message":{"content":[{"type":"text","text":"fine"},{"type":"image","text":7}]}}]}`,
		`{"choices":[{"message":{"content":["fi","ne"]}}]}`,
		"data: {\"id\":1,\"choices\":[{\"index\":0,\"delta\":{\"content\":\"fine\",\"reasoning\":{}},\"finish_reason\":\"stop\"}],\"usage\":[]}\n\n",
	} {
		s := start(t, openaitest.Config{})
		s.Fail(openaitest.Body(200, body))
		if got, err := ask(t, config(s, "m")); err != nil || got.Text != "fine" || s.Calls() != 1 {
			t.Errorf("%s: %+v, %v", body, got, err)
		}
	}
}
