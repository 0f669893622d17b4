package llm_test

import (
	"errors"
	"strings"
	"testing"

	"airqa/internal/testkit/openaitest"
	"airqa/llm"
	"airqa/qa"
)

// fatal are the classes that a second request cannot fix.
var fatal = map[qa.FailureClass]bool{
	qa.FailAuth: true, qa.FailBadRequest: true, qa.FailContextOverflow: true, qa.FailCancelled: true,
	qa.FailImages: true,
}

func TestClasses(t *testing.T) {
	tests := []struct {
		name  string
		fault openaitest.Fault
		class qa.FailureClass
		text  string
	}{
		{"401", openaitest.Status(401, "invalid_api_key", "bad key"), "auth", "HTTP 401: bad key"},
		{"402", openaitest.Status(402, "", "no credit"), "auth", "HTTP 402: no credit"},
		{"403", openaitest.Body(403, "forbidden"), "auth", "HTTP 403: forbidden"},
		{"no quota", openaitest.Status(429, "insufficient_quota", "pay first"), "auth", "HTTP 429: pay first"},
		{"429", openaitest.RateLimited("1"), "rate_limit", "HTTP 429: Rate limit reached"},
		{"400", openaitest.Status(400, "x", "bad seed"), "bad_request", "HTTP 400: bad seed"},
		{"404", openaitest.Body(404, ""), "bad_request", "HTTP 404: Not Found (check the model's name and the base URL"},
		{"405", openaitest.Body(405, ""), "bad_request", "HTTP 405: Method Not Allowed (check the model's name and the base URL"},
		{"a titled page", openaitest.Body(403, "<!DOCTYPE html><title>403 &amp;\n gone</title>xxxx"), "auth", `HTTP 403: a web page, "403 & gone" (the key`},
		{"quota in words", openaitest.Status(429, "", "You exceeded your current quota"), "auth", "the account has no credit or quota left"},
		{"no credit", openaitest.Status(402, "", "Insufficient credits"), "auth", "the account has no credit or quota left"},
		{
			"reply limit", openaitest.Status(400, "", "'max_tokens' is too large: 1500. This model's maximum context length is 3000 tokens and your request has 2331 input tokens"),
			"context_overflow", "lower --max-tokens",
		},
		{"http to https", openaitest.Body(400, "Client sent an HTTP request to an HTTPS server."), "bad_request", "write https://"},
		{"llama.cpp, image", openaitest.Status(500, "", "image input is not supported - hint: if this is unexpected, you may need to provide the mmproj"), "images", "agentic-hybrid-view"},
		{"vLLM, image", openaitest.Status(400, "", "/models/qwen is not a multimodal model"), "images", "accepts no images"},
		{"OpenAI, image", openaitest.Status(400, "", "Invalid content type. image_url is only supported by certain models."), "images", ""},
		{"OpenRouter, image", openaitest.Status(404, "", "No endpoints found that support image input"), "images", ""},
		{"DeepSeek, image", openaitest.Status(400, "", "unknown variant `image_url`, expected `text`"), "images", ""},
		{"overflow by code", openaitest.Status(400, "context_length_exceeded", "too long"), "context_overflow", "too long"},
		{
			"overflow by words", openaitest.Body(400, `{"message":"This model's maximum context length is 800 tokens, you sent 900"}`),
			"context_overflow", "HTTP 400: This model's maximum context length is 800",
		},
		{"400 in a text is not a status", openaitest.Status(500, "x", "1400 tokens"), "server", "1400 tokens"},
		{"408", openaitest.Body(408, "late"), "timeout", "HTTP 408: late"},
		{"504", openaitest.Body(504, "late"), "timeout", "HTTP 504: late"},
		{"502 with a page", openaitest.Body(502, "<html>\n <b>Bad gateway</b>"), "server", "502: a web page (the fault is at the endpoint: see its log)"},
		{"text error", openaitest.Body(404, `{"error":"model not found"}`), "bad_request", "404: model not found"},
		{"detail", openaitest.Body(422, `{"detail":"no such field"}`), "bad_request", "422: no such field"},
		{"redirect", openaitest.Redirect("http://127.0.0.1:1/"), "bad_request", "HTTP 307: redirects are not followed; it points to http://127.0.0.1:1/ (if that"},
		{"redirect with a key", openaitest.Redirect("http://me:pw@127.0.0.1:1/a?key=1"), "bad_request", "it points to http://127.0.0.1:1/a (if"},
		{"connection cut", openaitest.Cut(), "network", "EOF"},
		{"body cut", openaitest.CutBody(`{"id"`), "network", "read the reply: unexpected EOF"},
		{"page", openaitest.Body(200, "<html>login</html>"), "garbage", "the reply is a web page (this is not a chat endpoint: most base URLs end in /v1)"},
		{"half an object", openaitest.Body(200, `{"choices":[{"mess`), "garbage", "not a chat completion"},
		{"no choices", openaitest.Body(200, `{"choices":[]}`), "garbage", "no choices"},
		{"empty", openaitest.Body(200, ""), "garbage", "not a chat completion"},
		{
			"error in a success", openaitest.Body(200, `{"error":{"message":"upstream","code":503}}`), "server",
			"HTTP 503: upstream",
		},
		{"error without a status", openaitest.Body(200, `{"error":{"message":"upstream"}}`), "garbage", "upstream"},
		{"content of a wrong type", openaitest.Body(200, `{"choices":[{"message":{"content":7}}]}`), "garbage", "neither"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := start(t, openaitest.Config{})
			s.Fail(test.fault, test.fault)
			c := config(s, "m")
			c.MaxRetries = 1
			message := qa.Message{Role: qa.User, Text: "why?"}
			if test.class == qa.FailImages {
				message.Images = []qa.Image{{MIME: "image/png", Data: []byte("png")}}
			}
			_, err := ask(t, c, message)
			if qa.ClassOf(err) != test.class || !strings.Contains(err.Error(), test.text) {
				t.Errorf("error %q of class %s, want class %s", err, qa.ClassOf(err), test.class)
			}
			if once := s.Calls() == 1; once != fatal[test.class] {
				t.Errorf("%d requests", s.Calls())
			}
		})
	}
}

func TestHTTPErrorSurvives(t *testing.T) {
	s := start(t, openaitest.Config{})
	s.Fail(openaitest.RateLimited("90"))
	c := config(s, "m")
	c.MaxRetries = -1
	_, err := ask(t, c)
	var got *llm.HTTPError
	if !errors.As(err, &got) {
		t.Fatalf("error %v", err)
	}
	if got.Status != 429 || got.RetryAfter.Seconds() != 90 || got.Endpoint != s.Host()+"/v1/chat/completions" || got.Message == "" {
		t.Errorf("%+v", got)
	}
}

func TestNobodyListens(t *testing.T) {
	s := openaitest.New(openaitest.Config{})
	c := config(s, "m")
	s.Close()
	_, err := ask(t, c)
	if qa.ClassOf(err) != qa.FailUnreachable || !strings.HasPrefix(err.Error(), "after 6 requests: POST "+s.Host()+"/v1/chat/completions: dial") {
		t.Errorf("error %v of class %s", err, qa.ClassOf(err))
	}
}
