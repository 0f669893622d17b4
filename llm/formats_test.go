package llm_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"airqa/internal/testkit/openaitest"
	"airqa/qa"
)

// withHeader is a response with headers, as NAME: VALUE.
func withHeader(status int, body string, headers ...string) openaitest.Fault {
	return func(w http.ResponseWriter, _ *http.Request, _ <-chan struct{}) {
		for _, h := range headers {
			name, value, _ := strings.Cut(h, ": ")
			w.Header().Set(name, value)
		}
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}
}

// Formats of errors and of limits: the class, the message and the wait before a second request.
func TestErrorFormats(t *testing.T) {
	const (
		over, bad, auth  = qa.FailContextOverflow, qa.FailBadRequest, qa.FailAuth
		rate, server, no = qa.FailRateLimit, qa.FailServer, time.Duration(0)
	)
	problem := `{"type":"https://example.org/problems/too-long","title":"Prompt too long","status":400,"detail":"The prompt has 140000 tokens; the limit is 131072"}`
	tests := []struct {
		name    string
		fault   openaitest.Fault
		class   qa.FailureClass
		wait    time.Duration
		message string
	}{
		{"problem+json", openaitest.Body(400, problem), over, no, "The prompt has 140000 tokens"},
		{"problem+json, title alone", openaitest.Body(403, `{"type":"about:blank","title":"No access to this deployment","status":403}`), auth, no, "No access to this deployment"},
		{"problem+json, limit", withHeader(429, `{"title":"Too Many Requests","status":429,"detail":"Slow down"}`, "Retry-After: 7"), rate, 7 * time.Second, "Slow down"},
		{"errors, a list", openaitest.Body(400, `{"errors":[{"message":"seed must be an integer","code":"bad_seed"}]}`), bad, no, "HTTP 400: seed must be an integer"},
		{"errors, texts", openaitest.Body(400, `{"errors":["seed must be an integer"]}`), bad, no, "HTTP 400: seed must be an integer"},
		{"Cloudflare Workers AI", openaitest.Body(400, `{"success":false,"result":{},"messages":[],"errors":[{"code":5021,"message":"AiError: The estimated number of input and maximum output tokens (35000) exceeded this model context window limit (24000)."}]}`), over, no, "AiError"},
		{"detail, an object", openaitest.Body(400, `{"detail":{"error":{"message":"seed must be an integer"}}}`), bad, no, "HTTP 400: seed must be an integer"},
		{"detail, a code", openaitest.Body(400, `{"detail":{"code":"context_length_exceeded","message":"no"}}`), over, no, "HTTP 400: no"},
		{"Fireworks, fault", openaitest.Body(429, `{"fault":"rate limit exceeded, please try again later"}`), rate, time.Second, "rate limit exceeded"},
		{"gRPC status", openaitest.Body(429, `{"code":8,"message":"quota of the project","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"4s"}]}`), rate, 4 * time.Second, "quota of the project"},
		{"AWS", openaitest.Body(400, `{"__type":"ValidationException","message":"Input is too long for requested model."}`), over, no, "Input is too long"},
		{"AWS, throttled", openaitest.Body(429, `{"__type":"ThrottlingException","Message":"Too many tokens per day, please wait before trying again."}`), auth, no, "Too many tokens per day"},
		{"AWS, throttled for a moment", openaitest.Body(429, `{"message":"Too many requests, please wait before trying again."}`), rate, time.Second, "Too many requests"},
		{"a page", openaitest.Body(400, "<html><head><title>400 Bad Request</title></head><body>context_length_exceeded</body></html>"), bad, no, "a web page"},
		{"a page of a proxy", openaitest.Body(413, "<html>\r\n<head><title>413 Request Entity Too Large</title></head></html>"), bad, no, "a web page"},
		{"a page with a delay", withHeader(503, "<html><title>Down</title></html>", "Retry-After: 30"), server, 30 * time.Second, "a web page"},
		{"529", openaitest.Body(529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`), server, time.Second, "Overloaded"},
		{"503 with a delay", withHeader(503, `{"error":{"message":"loading","code":503}}`, "Retry-After: 20"), server, 20 * time.Second, "loading"},
		{"503 with a delay in the message", openaitest.Body(503, `{"error":"Model is loading","estimated_time":20.0}`), server, time.Second, "Model is loading"},
		{"a date", withHeader(429, "", "Retry-After: Fri, 02 Jan 2026 03:04:35 GMT"), rate, 30 * time.Second, "Too Many Requests"},
		{"milliseconds in a header", withHeader(429, "", "Retry-After-Ms: 2500"), rate, 2500 * time.Millisecond, "Too Many"},
		{"minutes and seconds", openaitest.Body(429, errorBody("Please try again in 1m30s.", "")), rate, 90 * time.Second, "try again"},
		{"milliseconds", openaitest.Body(429, errorBody("Limit reached. Please retry after 1250 milliseconds.", "")), rate, 1250 * time.Millisecond, "Limit"},
		{"a number of seconds", openaitest.Body(429, `{"error":{"message":"slow down","code":"rate_limit","retry_after":12}}`), rate, 12 * time.Second, "slow down"},
		{"a number beside it", openaitest.Body(429, `{"message":"slow down","retry_after_seconds":12.5}`), rate, 12500 * time.Millisecond, "slow down"},
		{"a camel", openaitest.Body(429, `{"message":"slow down","retryAfter":"15"}`), rate, 15 * time.Second, "slow down"},
		{"a quota of a day with a delay", openaitest.Body(429, `{"error":{"code":429,"message":"Quota exceeded","details":[{"violations":[{"quotaId":"InputTokensPerModelPerDay-FreeTier"}]},{"retryDelay":"30s"}]}}`), auth, no, "Quota exceeded"},
		{"a quota of a day in words, a short delay", openaitest.Body(429, errorBody("Rate limit reached for gpt-4 on requests per day (RPD): Limit 10000, Used 10000, Requested 1. Please try again in 8.64s.", "rate_limit_exceeded")), rate, 8640 * time.Millisecond, "RPD"},
		{"a delay of hours", withHeader(429, errorBody("Too many requests", ""), "Retry-After: 86400"), rate, 2 * time.Minute, "Too many requests"},
		{"Chinese quota", openaitest.Body(429, `{"error":{"code":"1113","message":"余额不足或无可用资源包,请充值。"}}`), rate, time.Second, "余额不足"},
		{"Chinese limit", openaitest.Body(429, `{"error":{"code":"1302","message":"您的账户已达到速率限制"}}`), rate, time.Second, "速率"},
		{"billing code", openaitest.Body(429, `{"error":{"message":"please add a payment method","type":"billing_not_active","code":"billing_not_active"}}`), auth, no, "payment"},
		{"a balance as a code", openaitest.Body(429, `{"error":{"message":"suspended","type":"exceeded_current_quota_error"}}`), auth, no, "suspended"},
		{"raw, an object", openaitest.Body(400, `{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":{"error":{"message":"no","code":"context_length_exceeded"}}}}}`), over, no, "no"},
		{"raw, a text", openaitest.Body(400, `{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"prompt is too long: 208310 tokens > 200000 maximum"}}}`), over, no, "208310"},
		{"twice nested", openaitest.Body(400, `{"error":{"message":"{\"error\":{\"message\":\"no\",\"code\":\"context_length_exceeded\"}}"}}`), over, no, "no"},
		{"a list of two", openaitest.Body(400, `[{"error":{"code":"context_length_exceeded","message":"no"}},{"error":{"message":"other"}}]`), over, no, "no"},
		{"Mistral", openaitest.Body(400, `{"object":"error","message":"Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length","type":"invalid_request_prompt_too_long","code":"3051"}`), over, no, "Prompt contains"},
		{"Portuguese", openaitest.Body(400, errorBody("O prompt tem 40000 tokens e excede o limite de 32768 tokens", "")), over, no, "O prompt"},
		{"German", openaitest.Body(400, errorBody("Die Eingabe hat 40000 Token, erlaubt sind 32768 Token", "")), over, no, "Die Eingabe"},
		{"Chinese", openaitest.Body(400, errorBody("输入长度 40000 tokens 超过最大长度 32768 tokens", "")), over, no, "输入"},
		{"Databricks", openaitest.Body(400, `{"error_code":"BAD_REQUEST","message":"Input token count 140000 exceeds the maximum of 131072 tokens."}`), over, no, "Input token"},
		{"Perplexity", openaitest.Body(400, errorBody("Requested tokens 140000 exceed context window of 127072", "")), over, no, "Requested"},
		{"llama-cpp-python", openaitest.Body(500, errorBody("Requested tokens (5000) exceed context window of 4096", "context_length_exceeded")), over, no, "Requested"},
		{"a name of a code", openaitest.Body(400, errorBody("no", "ContextWindowExceededError")), over, no, "no"},
		{"an input code", openaitest.Body(400, errorBody("no", "input_too_long")), over, no, "no"},
		{"a code of tools", openaitest.Body(400, errorBody("too many tools: 300 > 128", "tools_limit_exceeded")), bad, no, "tools"},
		{"a code of text", openaitest.Body(400, errorBody("string too long", "string_above_max_length")), bad, no, "string"},
		{"a rate with 400", openaitest.Body(400, errorBody("Requested 40000 tokens per minute; the limit of the project is 30000 tokens", "")), bad, no, "Requested"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := start(t, openaitest.Config{})
			s.Fail(test.fault)
			c := config(s, "m")
			c.MaxRetries = -1
			_, err := ask(t, c)
			if qa.ClassOf(err) != test.class || !strings.Contains(fmt.Sprint(err), test.message) {
				t.Errorf("class %s, want %s: %v", qa.ClassOf(err), test.class, err)
			}
			if test.wait == 0 {
				return
			}
			s.Fail(test.fault)
			got, err := ask(t, config(s, "m"))
			if err != nil || got.Attempts[1].Wait != test.wait.Seconds() {
				t.Errorf("%+v, %v; want a wait of %v", got.Attempts, err, test.wait)
			}
		})
	}
}

// Values of a reply that mean success.
func TestUnusualSuccess(t *testing.T) {
	reply := func(message, rest string) string {
		return `{"choices":[{"index":0,"message":` + message + `,"finish_reason":"stop"}]` + rest + `}`
	}
	finish := func(reason string) string {
		return `{"choices":[{"message":{"content":"fine"},"finish_reason":"` + reason + `"}]}`
	}
	for _, body := range []string{
		reply(`{"content":"fine"}`, `,"code":"0"`), reply(`{"content":"fine"}`, `,"code":0,"message":"success"`), reply(`{"content":"fine"}`, `,"code":200,"msg":"ok"`),
		reply(`{"content":"fine"}`, `,"error":{"code":"0","message":""}`), reply(`{"content":"fine"}`, `,"error":{"code":null,"message":null}`),
		reply(`{"content":"fine"}`, `,"error":[]`), reply(`{"content":"fine"}`, `,"error":0`), reply(`{"content":"fine"}`, `,"error":"0"`), reply(`{"content":"fine"}`, `,"errors":[]`),
		reply(`{"content":"fine"}`, `,"error":"null"`), reply(`{"content":"fine"}`, `,"usage":null`), reply(`{"content":"fine"}`, `,"usage":{"prompt_tokens":null,"completion_tokens":"3"}`),
		reply(`{"content":[{"type":"output_text","text":"fine"}]}`, ``), reply(`{"content":{"type":"text","text":"fine"}}`, ``), reply(`{"content":"fine","tool_calls":null}`, ``),
		reply(`{"content":"fine","tool_calls":""}`, ``), reply(`{"content":"fine","refusal":null,"annotations":{}}`, ``),
		finish("eos"), finish("stop_sequence"), finish("complete"), finish("length"), finish("EOS_TOKEN"), finish("end_turn"), finish(""), finish("content_filter"), finish("max_tokens"),
		finish("tool_calls"), finish("completed"), finish("SAFETY"), finish("stop_str"), finish("incomplete"),
		"data: {\"choices\":[{\"delta\":{\"content\":\"fine\"},\"index\":\"0\",\"finish_reason\":\"eos\"}],\"error\":null}\n\n",
		"data: {\"choices\":[{\"delta\":{\"content\":[{\"type\":\"text\",\"text\":\"fi\"}]}}]}\n\ndata: {\"choices\":[{\"delta\":{\"content\":[{\"type\":\"text\",\"text\":\"ne\"}]},\"finish_reason\":\"stop\"}]}\n\n",
		"data: {\"choices\":[{\"delta\":{\"content\":\"fine\"}}]}\n\ndata: {\"choices\":[{\"delta\":null,\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":\"x\"}}\n\n",
		`data: {"choices":[{"delta":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]}]}}]}` + "\n\n" +
			`data: {"choices":[{"delta":{"content":"fi"}}]}` + "\n\n" + `data: {"choices":[{"delta":{"content":"ne"},"finish_reason":"stop"}]}` + "\n\n",
		`data: {"choices":[{"delta":{"content":"fi","parts":[{"index":[1],"id":{}}]}}]}` + "\n\n" +
			`data: {"choices":[{"delta":{"content":[{"type":"text","text":"ne"}],"parts":[{"index":[1],"id":{}}]},"finish_reason":"stop"}]}` + "\n\n",
		"data: {\"choices\":[{\"message\":{\"content\":\"fine\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n",
	} {
		s := start(t, openaitest.Config{})
		s.Fail(openaitest.Body(200, body))
		c := config(s, "m")
		c.MaxRetries = -1
		if got, err := ask(t, c); err != nil || got.Text != "fine" {
			t.Errorf("%s: %+v, %v", body, got, err)
		}
	}
}

// Failures in a response with a success status.
func TestUnusualFailures(t *testing.T) {
	tests := []struct {
		body  string
		class qa.FailureClass
		text  string
	}{
		{`{"choices":[{"message":{"content":"I"},"finish_reason":"engine_overloaded"}]}`, "garbage", "engine_overloaded"},
		{`{"choices":[{"message":{"content":"I"},"finish_reason":"cancelled"}]}`, "garbage", "cancelled"},
		{`{"choices":[{"message":{"content":"I"},"finish_reason":"network_error"}]}`, "garbage", "network_error"},
		{`{"error":["it broke"]}`, "garbage", "it broke"},
		{`{"errors":[{"message":"it broke","code":503}]}`, "server", "it broke"},
		{`{"detail":"it broke"}`, "garbage", "it broke"},
		{`{"error":{"message":"it broke","status":"UNAVAILABLE","code":503}}`, "server", "it broke"},
		{`{"error":{"message":"too fast","code":429,"retry_after":3}}`, "rate_limit", "too fast"},
		{`{"error":{"message":"no","code":"context_length_exceeded"}}`, "context_overflow", "no"},
		{`{"error":{"message":"no","type":"rate_limit_error"}}`, "garbage", "no"},
		{`{"status":503,"title":"it broke"}`, "server", "it broke"},
		{"event: error\ndata: {\"error\":\"it broke\"}\n\n", "garbage", "it broke"},
		{"data: {\"message\":\"it broke\",\"code\":503,\"object\":\"error\"}\n\ndata: [DONE]\n\n", "server", "it broke"},
		{"data: {\"choices\":[],\"error\":{\"message\":\"it broke\",\"code\":\"503\"}}\n\ndata: [DONE]\n\n", "server", "it broke"},
	}
	for _, test := range tests {
		s := start(t, openaitest.Config{})
		s.Fail(openaitest.Body(200, test.body))
		c := config(s, "m")
		c.MaxRetries = -1
		if _, err := ask(t, c); qa.ClassOf(err) != test.class || !strings.Contains(fmt.Sprint(err), test.text) {
			t.Errorf("%s: class %s, want %s: %v", test.body, qa.ClassOf(err), test.class, err)
		}
	}
}

// Calls of a whole reply and of a stream.
func TestUnusualCalls(t *testing.T) {
	whole := func(calls string) string {
		return `{"choices":[{"message":{"content":null,"tool_calls":[` + calls + `]},"finish_reason":"tool_calls"}]}`
	}
	tests := []struct {
		name, body string
		want       string
	}{
		{"an object", whole(`{"id":"a","function":{"name":"Retrieve","arguments":{"n":1}}}`), `a Retrieve {"n":1}`},
		{"an empty id", whole(`{"id":"","function":{"name":"Retrieve","arguments":"{}"}}`), `call_0 Retrieve {}`},
		{"a null id", whole(`{"id":null,"function":{"name":"Retrieve","arguments":""}}`), `call_0 Retrieve {}`},
		{"an id twice", whole(`{"id":"a","function":{"name":"Retrieve","arguments":"{}"}},{"id":"a","function":{"name":"Answer","arguments":"{}"}}`), `a Retrieve {}|a Answer {}`},
		{"stream, an id only at first", streamOf(`{"index":0,"id":"a","type":"function","function":{"name":"Retrieve"}}`, `{"index":0,"id":"","function":{"name":"","arguments":"{\"n\""}}`,
			`{"index":0,"id":null,"function":{"name":null,"arguments":":1}"}}`), `a Retrieve {"n":1}`},
		{"stream, the name in each", streamOf(`{"index":0,"id":"a","function":{"name":"Retrieve","arguments":"{"}}`, `{"index":0,"id":"a","function":{"name":"Retrieve","arguments":"\"n\""}}`,
			`{"index":0,"id":"a","function":{"name":"Retrieve","arguments":":1}"}}`), `a Retrieve {"n":1}`},
		{"stream, an index as text", streamOf(`{"index":"0","id":"a","function":{"name":"Retrieve","arguments":"{\"n\""}}`, `{"index":"0","function":{"arguments":":1}"}}`,
			`{"index":"1","id":"b","function":{"name":"Answer","arguments":"{}"}}`), `a Retrieve {"n":1}|b Answer {}`},
		{"stream, no index", streamOf(`{"id":"a","function":{"name":"Retrieve","arguments":"{\"n\""}}`, `{"function":{"arguments":":1}"}}`,
			`{"id":"b","function":{"name":"Retrieve","arguments":"{\"n\""}}`, `{"function":{"arguments":":2}"}}`), `a Retrieve {"n":1}|b Retrieve {"n":2}`},
		{"stream, an object", streamOf(`{"index":0,"id":"a","function":{"name":"Retrieve","arguments":{"n":1}}}`), `a Retrieve {"n":1}`},
		{"stream, null arguments", streamOf(`{"index":0,"id":"a","function":{"name":"Retrieve","arguments":null}}`, `{"index":0,"function":{"arguments":"{}"}}`), `a Retrieve {}`},
		{
			"stream, one empty id for two", streamOf(`{"index":0,"id":"","function":{"name":"Retrieve","arguments":"{}"}}`, `{"index":1,"id":"","function":{"name":"Retrieve","arguments":"{}"}}`),
			`call_0 Retrieve {}|call_1 Retrieve {}`,
		},
		{
			"stream, one id for two", streamOf(`{"index":0,"id":"a","function":{"name":"Retrieve","arguments":"{}"}},{"index":1,"id":"a","function":{"name":"Answer","arguments":"{}"}}`),
			`a Retrieve {}|a Answer {}`,
		},
		{"stream, whole at the end", "data: {\"choices\":[{\"delta\":{\"role\":\"assistant\"}}]}\n\ndata: {\"choices\":[{\"delta\":{},\"message\":{\"tool_calls\":[" +
			`{"id":"a","function":{"name":"Retrieve","arguments":"{}"}}` + "]},\"finish_reason\":\"tool_calls\"}]}\n\n", `a Retrieve {}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := start(t, openaitest.Config{})
			s.Fail(openaitest.Body(200, test.body))
			c := config(s, "m")
			c.MaxRetries = -1
			reply, err := open(t, c).Complete(t.Context(), qa.Request{Messages: requests[0].messages, Tools: []qa.ToolSpec{lookup}})
			var got []string
			for _, call := range reply.ToolCalls {
				got = append(got, call.ID+" "+call.Name+" "+string(call.Arguments))
			}
			if all := strings.Join(got, "|"); err != nil || all != test.want {
				t.Errorf("%s, %v; want %s", all, err, test.want)
			}
		})
	}
}
