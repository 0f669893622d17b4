package llm_test

import (
	"context"
	"io"
	"log"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"airqa/internal/testkit/openaitest"
	"airqa/llm"
	"airqa/qa"
)

func TestAccessKeepsKeysAtTheirHost(t *testing.T) {
	tests := []struct {
		name, spec    string
		environment   map[string]string
		pair, at      string
		key, withheld string
	}{
		{name: "own host", spec: "openai:m", key: "k"},
		{name: "own host, in full", spec: "openai:m", at: "https://API.openai.com:443/v2/", key: "k"},
		{name: "another scheme", spec: "openai:m", at: "http://api.openai.com/v1", withheld: "api.openai.com"},
		{name: "another host", spec: "openai:m", at: "http://127.0.0.1:2/v1", withheld: "api.openai.com"},
		{
			name: "gateway to own host", spec: "openai:m", environment: map[string]string{"OPENAI_BASE_URL": "http://gw:4200/v1"},
			withheld: "gw:4200",
		},
		{
			name: "gateway to itself", spec: "openai:m", environment: map[string]string{"OPENAI_BASE_URL": "http://gw:4200/v1"},
			at: "http://gw:4200/other", key: "k",
		},
		{
			name: "another port", spec: "openai:m", environment: map[string]string{"OPENAI_BASE_URL": "http://gw:4200/v1"},
			at: "http://gw:4201/v1", withheld: "gw:4200",
		},
		{
			name: "another provider's address", spec: "anthropic:m", environment: map[string]string{"OPENAI_BASE_URL": "http://gw/v1"},
			key: "k",
		},
		{name: "paired with a gateway", spec: "google:m", pair: "http://gw/v1", at: "http://gw/v1", key: "k"},
		{name: "paired with a gateway, own host", spec: "google:m", pair: "http://gw/v1", withheld: "gw"},
		{name: "not a URL", spec: "openai:m", at: "gw:4200", withheld: "api.openai.com"},
		{
			name: "not a URL either", spec: "openai:m", environment: map[string]string{"OPENAI_BASE_URL": "gw:4200"},
			at: "gw:4200", withheld: "",
		},
		{name: "no key", spec: "ollama:m", environment: map[string]string{"OLLAMA_API_KEY": ""}, at: "http://gw"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			environment := map[string]string{
				"OPENAI_API_KEY": "k", "ANTHROPIC_API_KEY": "k", "GOOGLE_API_KEY": "k", "OLLAMA_API_KEY": "k",
			}
			maps.Copy(environment, test.environment)
			got := llm.FromEnvironment(test.spec, func(name string) string { return environment[name] }).Pair(test.pair).At(test.at)
			if got.Key != test.key || got.Withheld != test.withheld || got.BaseURL != test.at {
				t.Errorf("key %q at %q, withheld for %q; want %q and %q", got.Key, got.BaseURL, got.Withheld, test.key, test.withheld)
			}
		})
	}
}

// Anthropic's own SDKs append /v1 to ANTHROPIC_BASE_URL; an address that already has it works as well.
func TestAnthropicAddresses(t *testing.T) {
	s := start(t, openaitest.Config{})
	for _, address := range []string{s.Root(), s.Root() + "/", s.Root() + "/v1", s.Root() + "/v1/"} {
		environment := map[string]string{"ANTHROPIC_BASE_URL": address}
		access := llm.FromEnvironment("anthropic:m", func(name string) string { return environment[name] })
		if _, err := ask(t, llm.Config{Spec: "anthropic:m", Access: llm.Access{BaseURL: access.BaseURL}, MaxRetries: -1}); err != nil {
			t.Errorf("%s: %v", address, err)
		}
	}
	described, err := llm.Describe(llm.Config{Spec: "anthropic:m", Access: llm.Access{BaseURL: "http://gw/anthropic"}})
	if want := "http://gw/anthropic/v1"; err != nil || described["base_url"] != want {
		t.Errorf("base_url %v, %v, want %s", described["base_url"], err, want)
	}
}

// TLS errors are permanent and come with a hint.
func TestEncryptionErrors(t *testing.T) {
	secure := httptest.NewUnstartedServer(http.NotFoundHandler())
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	defer secure.Close()
	plain := start(t, openaitest.Config{})
	tests := []struct {
		name, address string
		class         qa.FailureClass
		text          string
	}{
		{"unknown authority", secure.URL, qa.FailTLS, "SSL_CERT_FILE"},
		{"https to http", "https://" + plain.Host(), qa.FailTLS, "write http:// in the base URL"},
		{"http to https", "http://" + secure.Listener.Addr().String(), qa.FailBadRequest, "write https:// in the base URL"},
		{"the whole address", plain.URL() + "/chat/completions", qa.FailBadRequest, "/v1/chat/completions/chat/completions: HTTP 404"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := ask(t, llm.Config{Spec: "openai:m", Access: llm.Access{BaseURL: test.address}, Sleep: never(t)})
			if qa.ClassOf(err) != test.class || !strings.Contains(err.Error(), test.text) {
				t.Errorf("%v of class %s, want %q of class %s", err, qa.ClassOf(err), test.text, test.class)
			}
		})
	}
}

// never is a pause that fails the test.
func never(t *testing.T) func(context.Context, time.Duration) error {
	return func(context.Context, time.Duration) error {
		t.Error("the request was made again")
		return context.Canceled
	}
}
