package llm_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"airqa/env/embed"
	"airqa/internal/testkit/openaitest"
	"airqa/llm"
	"airqa/qa"
)

func TestClassesOfOtherProviders(t *testing.T) {
	anthropic := func(kind, message string) string {
		return `{"type":"error","error":{"type":"` + kind + `","message":"` + message + `"},"request_id":"req_1"}`
	}
	google := func(code, message string) string {
		return `[{"error":{"code":` + code + `,"message":"` + message + `","status":"X","details":[{"retryDelay": "3.5s"}]}}]`
	}
	tests := []struct {
		provider string
		status   int
		body     string
		class    qa.FailureClass
		text     string
	}{
		{"anthropic", 529, anthropic("overloaded_error", "Overloaded"), "server", "HTTP 529: Overloaded"},
		{"anthropic", 429, anthropic("rate_limit_error", "Slow down"), "rate_limit", "HTTP 429: Slow down"},
		{"anthropic", 401, anthropic("authentication_error", "invalid x-api-key"), "auth", "invalid x-api-key"},
		{"anthropic", 400, anthropic("invalid_request_error", "Your credit balance is too low"), "auth", "credit balance"},
		{"anthropic", 400, anthropic("invalid_request_error", "temperature: too large"), "bad_request", "temperature"},
		{"anthropic", 404, anthropic("not_found_error", "model: claude"), "bad_request", "model: claude"},
		{"anthropic", 413, anthropic("request_too_large", "Request exceeds the maximum size"), "bad_request", "413"},
		{"anthropic", 200, anthropic("overloaded_error", "Overloaded"), "garbage", "Overloaded"},
		{"anthropic", 200, `{"choices":[]}`, "garbage", "not a message"},
		{"google", 429, google("429", "Quota exceeded"), "rate_limit", "HTTP 429: Quota exceeded"},
		{"google", 400, google("400", "API key not valid. Please pass a valid API key."), "auth", "API key not valid"},
		{"google", 503, google("503", "The model is overloaded."), "server", "HTTP 503: The model is overloaded."},
		{"ollama", 404, `{"error":"model 'm' not found"}`, "bad_request", "HTTP 404: model 'm' not found"},
		{"ollama", 500, `{"error":"llama runner process has terminated"}`, "server", "HTTP 500: llama runner"},
		{"ollama", 200, `{"error":"out of memory"}`, "garbage", "out of memory"},
		{"ollama", 503, `{"error":"server busy, please try again"}`, "server", "busy"},
	}
	for _, test := range tests {
		t.Run(fmt.Sprintf("%s/%s", test.provider, test.text), func(t *testing.T) {
			s := start(t, openaitest.Config{})
			s.Fail(openaitest.Body(test.status, test.body))
			c := endpoints(s)[test.provider]
			c.MaxRetries = -1
			_, err := ask(t, c)
			if qa.ClassOf(err) != test.class || !strings.Contains(fmt.Sprint(err), test.text) {
				t.Errorf("error %v of class %s, want class %s", err, qa.ClassOf(err), test.class)
			}
			var status *llm.HTTPError
			if errors.As(err, &status) && test.provider == "google" && status.RetryAfter != 3500*time.Millisecond {
				t.Errorf("retry after %v", status.RetryAfter)
			}
		})
	}
}

// ambient is the environment of someone with keys and addresses of every kind.
func ambient(t *testing.T, address string) {
	t.Helper()
	for _, name := range []string{
		"OPENAI_BASE_URL", "OPENAI_API_BASE", "ANTHROPIC_BASE_URL", "OLLAMA_HOST", "GOOGLE_BASE_URL",
	} {
		t.Setenv(name, address)
	}
	for _, name := range append(llm.KeyVariables(), "OPENAI_MODEL", "OPENAI_ORGANIZATION") {
		t.Setenv(name, "ambient")
	}
}

func TestOnlyTheConfiguredHostOfEveryProvider(t *testing.T) {
	elsewhere := start(t, openaitest.Config{})
	ambient(t, elsewhere.URL())
	s := start(t, openaitest.Config{})
	for provider, c := range endpoints(s) {
		t.Run(provider, func(t *testing.T) {
			hosts := map[string]bool{}
			c.Key = ""
			c.HTTPClient = &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
				hosts[r.URL.Host] = true
				return http.DefaultTransport.RoundTrip(r)
			})}
			s.Fail(openaitest.Redirect(elsewhere.URL() + "/chat/completions"))
			if _, err := ask(t, c); qa.ClassOf(err) != qa.FailBadRequest {
				t.Errorf("a redirect: %v", err)
			}
			if _, err := open(t, c).Complete(t.Context(), qa.Request{Messages: requests[1].messages, Tools: []qa.ToolSpec{lookup}}); err != nil {
				t.Error(err)
			}
			if diff := cmp.Diff(map[string]bool{s.Host(): true}, hosts); diff != "" {
				t.Errorf("hosts (-want +got):\n%s", diff)
			}
		})
	}
	for _, r := range s.Requests() {
		if sent := fmt.Sprint(r.Header, string(r.Body)); strings.Contains(sent, "ambient") {
			t.Errorf("sent %s", sent)
		}
	}
	if elsewhere.Calls() != 0 {
		t.Errorf("%d requests went elsewhere", elsewhere.Calls())
	}
}

// TestEmbeddingsStayAtTheirHost shows the same of the embedding endpoint with a client of [llm.HTTPClient].
func TestEmbeddingsStayAtTheirHost(t *testing.T) {
	elsewhere := start(t, openaitest.Config{})
	ambient(t, elsewhere.URL())
	s := start(t, openaitest.Config{})
	s.Fail(openaitest.Redirect(elsewhere.URL() + "/embeddings"))
	e, err := embed.NewOpenAI(embed.OpenAIConfig{BaseURL: s.URL(), Model: "m", Attempts: 1, Client: llm.HTTPClient(time.Minute)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Embed(t.Context(), []string{"text"}); err == nil {
		t.Error("a redirect was followed")
	}
	if s.Calls() != 1 || elsewhere.Calls() != 0 {
		t.Errorf("%d requests, %d elsewhere", s.Calls(), elsewhere.Calls())
	}
}

func TestFromEnvironment(t *testing.T) {
	environment := map[string]string{
		"OPENAI_API_KEY": "o", "ANTHROPIC_API_KEY": "a", "GEMINI_API_KEY": "g", "OPENAI_BASE_URL": "http://o/v1",
		"OLLAMA_HOST": "0.0.0.0",
	}
	tests := []struct{ spec, key, base string }{
		{"openai:m", "o", "http://o/v1"},
		{"anthropic:m", "a", ""},
		{"google:m", "g", ""},
		{"ollama:m", "", "http://127.0.0.1:11434"},
		{"scripted:f", "", ""},
	}
	for _, test := range tests {
		got := llm.FromEnvironment(test.spec, func(name string) string { return environment[name] })
		if got.Key != test.key || got.BaseURL != test.base {
			t.Errorf("%s: key %q at %q", test.spec, got.Key, got.BaseURL)
		}
	}
	for host, want := range map[string]string{
		"box": "http://box:11434", "box:1": "http://box:1", "https://box": "https://box", "http://box:2/": "http://box:2/",
	} {
		if got := llm.FromEnvironment("ollama:m", func(name string) string {
			return map[string]string{"OLLAMA_HOST": host}[name]
		}); got.BaseURL != want {
			t.Errorf("%s: %s, want %s", host, got.BaseURL, want)
		}
	}
}

func TestOwnAddresses(t *testing.T) {
	want := map[string]string{
		"openai":           "https://api.openai.com/v1/chat/completions",
		"openai-responses": "https://api.openai.com/v1/responses",
		"anthropic":        "https://api.anthropic.com/v1/messages",
		"google":           "https://generativelanguage.googleapis.com/v1beta/openai/chat/completions",
		"ollama":           "http://127.0.0.1:11434/api/chat",
	}
	for provider, address := range want {
		var got string
		client := &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
			got = r.URL.String()
			return nil, errors.New("no network")
		})}
		_, err := ask(t, llm.Config{Spec: provider + ":m", Access: llm.Access{Key: plantedKey}, HTTPClient: client, MaxRetries: -1})
		if got != address || qa.ClassOf(err) != qa.FailNetwork {
			t.Errorf("%s: %s, %v", provider, got, err)
		}
	}
}

func TestReplyTooLarge(t *testing.T) {
	s := start(t, openaitest.Config{Reply: openaitest.Script(strings.Repeat("x", 33<<20))})
	c := config(s, "m")
	c.MaxRetries = -1
	_, err := ask(t, c)
	if want := "POST " + s.Host() + "/v1/chat/completions: the reply is larger than 32 MiB"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}
