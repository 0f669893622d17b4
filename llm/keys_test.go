package llm_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/internal/testkit/openaitest"
	"airqa/llm"
	"airqa/qa"
)

// leaks are ways in which an endpoint can repeat the key.
func leaks(t *testing.T) map[string]openaitest.Fault {
	t.Helper()
	escaped, err := json.Marshal(map[string]any{"error": map[string]any{"message": "bad key " + plantedKey}})
	if err != nil {
		t.Fatal(err)
	}
	return map[string]openaitest.Fault{
		"message":      openaitest.Body(401, `{"error":{"message":"bad key `+plantedKey+`"}}`),
		"escaped":      openaitest.Body(401, strings.ReplaceAll(string(escaped), "/", `\/`)),
		"page":         openaitest.Body(500, "<p>Authorization: Bearer "+plantedKey),
		"at the cut":   openaitest.Body(400, strings.Repeat(" ", 1990)+plantedKey),
		"garbage":      openaitest.Body(200, plantedKey),
		"late garbage": openaitest.Body(200, strings.Repeat(" ", 1990)+plantedKey),
		"in a success": openaitest.Body(200, `{"error":{"message":"`+plantedKey+`","code":500}}`),
		"cut":          openaitest.Cut(),
	}
}

func TestKeyInNoError(t *testing.T) {
	for name, fault := range leaks(t) {
		t.Run(name, func(t *testing.T) {
			s := start(t, openaitest.Config{})
			s.Fail(fault)
			c := config(s, "m")
			c.MaxRetries = -1
			_, err := ask(t, c)
			if err == nil {
				t.Fatal("no error")
			}
			text := fmt.Sprintf("%v\n%+v\n%#v", err, err, err)
			var status *llm.HTTPError
			if errors.As(err, &status) {
				text += fmt.Sprintf("%#v", *status)
			}
			if strings.Contains(text, "planted") || strings.Contains(text, "sk-p") {
				t.Errorf("the key is in %s", text)
			}
			if got := s.Requests()[0].Header.Get("Authorization"); got != "Bearer "+plantedKey {
				t.Errorf("authorization sent: %q", got)
			}
		})
	}
}

func TestOpenErrors(t *testing.T) {
	const providers = "anthropic, cohere, google, mistral, ollama, openai, openai-responses, scripted"
	const known = "want PROVIDER:MODEL with a provider of " + providers
	tests := []struct {
		name   string
		config llm.Config
		want   string
	}{
		{"misspelt provider", llm.Config{Spec: "antropic:c"}, `model "antropic:c": unknown provider "antropic": did you mean anthropic:c? The providers are ` + providers},
		{"provider of another kind", llm.Config{Spec: "zz:c"}, `model "zz:c": unknown provider "zz": ` + known},
		{"slash for a colon", llm.Config{Spec: "google/gemini"}, `model "google/gemini" has no provider: did you mean google:gemini? The providers are ` + providers},
		{"no provider", llm.Config{Spec: "gpt-4o"}, `model "gpt-4o" has no provider: did you mean openai:gpt-4o? The providers are ` + providers},
		{"unknown", llm.Config{Spec: "lamas:x"}, `model "lamas:x": unknown provider "lamas": ` + known},
		{"empty", llm.Config{}, `model "": unknown provider "": ` + known},
		{"no model", llm.Config{Spec: "openai:"}, `model "openai:": the model's name is missing: want openai:MODEL`},
		{"no key", llm.Config{Spec: "openai:m"}, `model "openai:m": no API key for api.openai.com: set OPENAI_API_KEY, ` +
			`or give the base URL of another endpoint`},
		{"no key at Anthropic", llm.Config{Spec: "anthropic:m"}, `model "anthropic:m": no API key for api.anthropic.com: set ` +
			`ANTHROPIC_API_KEY, or give the base URL of another endpoint`},
		{"no key at Google", llm.Config{Spec: "google:m"}, `model "google:m": no API key for ` +
			`generativelanguage.googleapis.com: set GOOGLE_API_KEY or GEMINI_API_KEY, or give the base URL of another endpoint`},
		{"no model of Ollama", llm.Config{Spec: "ollama:"}, `model "ollama:": the model's name is missing: want ollama:MODEL`},
		{"broken key", llm.Config{Spec: "openai:m", Access: llm.Access{Key: "sk planted"}}, `model "openai:m": the API key has an invalid ` +
			`character (a space or line break?): check OPENAI_API_KEY`},
		{"key in the URL", llm.Config{Spec: "openai:m", Access: llm.Access{BaseURL: "https://me:planted@h/v1"}}, `model "openai:m": the base ` +
			`URL must not contain credentials or a fragment: put the key in OPENAI_API_KEY or a header`},
		{"key in the query", llm.Config{Spec: "openai:m", Access: llm.Access{BaseURL: "https://h/v1?v=1&api-key=planted"}}, `model "openai:m": the base ` +
			`URL must not contain credentials or a fragment: put the key in OPENAI_API_KEY or a header`},
		{"no scheme", llm.Config{Spec: "openai:m", Access: llm.Access{BaseURL: "localhost:8000/v1"}}, `model "openai:m": the base URL must ` +
			`start with http:// or https://: write http://localhost:8000/v1`},
		{"a bare address", llm.Config{Spec: "openai:m", Access: llm.Access{BaseURL: "127.0.0.1:4100"}}, `model "openai:m": the base URL must ` +
			`start with http:// or https://: write http://127.0.0.1:4100`},
		{"another scheme", llm.Config{Spec: "openai:m", Access: llm.Access{BaseURL: "ftp://h/v1"}}, `model "openai:m": the base URL must ` +
			`start with http:// or https:// and a host`},
		{"a key for an address", llm.Config{Spec: "openai:m", Access: llm.Access{BaseURL: "sk-planted"}}, `model "openai:m": the base URL must ` +
			`start with http:// or https:// and a host`},
		{"bad URL", llm.Config{Spec: "openai:m", Access: llm.Access{BaseURL: "http://planted\x01"}}, `model "openai:m": invalid base URL`},
		{
			"temperature",
			llm.Config{Spec: "openai:m", Sampling: qa.Sampling{Temperature: new(-1.0)}},
			`model "openai:m": temperature must be at least 0`,
		},
		{
			"top p",
			llm.Config{Spec: "openai:m", Sampling: qa.Sampling{TopP: new(0.0)}},
			`model "openai:m": top_p must be above 0 and at most 1`,
		},
		{
			"max tokens",
			llm.Config{Spec: "openai:m", Sampling: qa.Sampling{MaxTokens: -1}},
			`model "openai:m": max tokens must not be negative`,
		},
		{"no script", llm.Config{Spec: "scripted:"}, `model "scripted:": the file is missing: want scripted:FILE`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := llm.Open(test.config)
			if err == nil {
				t.Fatal("no error")
			}
			if diff := cmp.Diff(test.want, err.Error()); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
		})
	}
}

func TestOnlyTheConfiguredHost(t *testing.T) {
	elsewhere := start(t, openaitest.Config{})
	for _, name := range []string{"OPENAI_BASE_URL", "OPENAI_API_BASE"} {
		t.Setenv(name, elsewhere.URL())
	}
	for _, name := range []string{"OPENAI_MODEL", "OPENAI_ORGANIZATION", "OPENAI_API_KEY"} {
		t.Setenv(name, "ambient")
	}
	s := start(t, openaitest.Config{})
	s.Fail(openaitest.Redirect(elsewhere.URL() + "/chat/completions"))
	hosts := map[string]bool{}
	c := config(s, "m")
	c.Key = ""
	c.HTTPClient = &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
		hosts[r.URL.Host] = true
		return http.DefaultTransport.RoundTrip(r)
	})}
	if _, err := ask(t, c); qa.ClassOf(err) != qa.FailBadRequest {
		t.Errorf("a redirect: %v", err)
	}
	if _, err := ask(t, c); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(map[string]bool{s.Host(): true}, hosts); diff != "" {
		t.Errorf("hosts (-want +got):\n%s", diff)
	}
	for _, r := range s.Requests() {
		if got := fmt.Sprint(r.Header, string(r.Body)); strings.Contains(got, "ambient") || r.Header.Get("Authorization") != "" {
			t.Errorf("sent %s", got)
		}
	}
}
