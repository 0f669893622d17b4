package llm_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/llm"
	"airqa/llm/catalog"
	"airqa/qa"
)

// Members, headers and the query of the address are part of every request; what the endpoint repeats of a header is removed.
func TestExtra(t *testing.T) {
	var body map[string]any
	var got *http.Request
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got, body = r, nil
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Error(err)
		}
		w.WriteHeader(http.StatusForbidden)
		_, _ = w.Write([]byte(`{"error": {"message": "no tenant for ` + r.Header.Get("X-Tenant") + ` ` + strings.TrimPrefix(r.Header.Get("Authorization"), "Token ") + `"}}`))
	}))
	defer server.Close()
	headers, err := llm.ParseHeaders("x-tenant=planted tenant\nAuthorization = Token planted-key==")
	if err != nil {
		t.Fatal(err)
	}
	c := llm.Config{
		Spec: "ollama:m", Access: llm.Access{BaseURL: server.URL + "/gate/?api-version=2024-10-21", Key: "own-planted-key", Headers: headers}, MaxRetries: -1,
		Sampling: qa.Sampling{Temperature: new(0.7), MaxTokens: 5},
		Body:     map[string]any{"keep_alive": "1h", "options": map[string]any{"temperature": 0.1, "top_k": 20.0}},
	}
	_, err = ask(t, c)
	if err == nil || strings.Contains(err.Error(), "planted") {
		t.Errorf("the error is %v", err)
	}
	if got.URL.Path != "/gate/api/chat" || got.URL.RawQuery != "api-version=2024-10-21" || got.Header.Get("Authorization") != "Token planted-key==" {
		t.Errorf("%s %s, %v", got.URL, got.Header.Get("Authorization"), got.Header)
	}
	want := map[string]any{"temperature": 0.1, "top_k": 20.0, "num_predict": 5.0, "num_ctx": 32768.0}
	if diff := cmp.Diff(want, body["options"]); diff != "" || body["keep_alive"] != "1h" {
		t.Errorf("%v (-want +got):\n%s", body, diff)
	}
	described := describe(t, c)
	if strings.Contains(described, "planted") || !strings.Contains(described, `"extra_body":{"keep_alive":"1h","options":{`) ||
		!strings.Contains(described, `/gate?api-version=2024-10-21"`) {
		t.Error(described)
	}
}

func TestOwnMembers(t *testing.T) {
	for spec, names := range map[string]string{
		"openai": "messages model tools stream", "openai-responses": "input model tools stream store", "anthropic": "system messages stream",
		"ollama": "messages stream tools", "mistral": "model",
	} {
		for name := range strings.FieldsSeq(names) {
			_, err := llm.Open(llm.Config{Spec: spec + ":m", Access: llm.Access{BaseURL: "http://127.0.0.1:9/v1"}, Body: map[string]any{"top_k": 1, name: nil}})
			if err == nil || !strings.Contains(err.Error(), "extra body: airqa sets "+name+" itself") {
				t.Errorf("%s, %s: %v", spec, name, err)
			}
		}
	}
}

// The configuration's members win over those that the catalog lists for the model.
func TestListedExtra(t *testing.T) {
	path := filepath.Join(t.TempDir(), "models.json")
	text := `{"format":1,"dated":"2031-01-02","models":[{"name":"openai:q","extra_body":{"top_k":1,"chat_template_kwargs":{"enable_thinking":false}}}]}`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	list, err := catalog.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	got := describe(t, llm.Config{Spec: "openai:q", Access: llm.Access{BaseURL: "http://h/v1"}, Catalog: list, Body: map[string]any{"top_k": 2}})
	if !strings.Contains(got, `"extra_body":{"chat_template_kwargs":{"enable_thinking":false},"top_k":2}`) {
		t.Error(got)
	}
}

func TestParseExtra(t *testing.T) {
	body, limit, err := llm.ParseBody(`{"top_k": 20, "max_completion_tokens": 77, "min_p": null}`)
	if diff := cmp.Diff(map[string]any{"top_k": 20.0, "min_p": nil}, body); diff != "" || limit != 77 || err != nil {
		t.Errorf("%d, %v (-want +got):\n%s", limit, err, diff)
	}
	for _, text := range []string{"", "null", "[]", `"a"`, `{"a": 1} x`, `{'a': 1}`} {
		if _, _, err := llm.ParseBody(text); err == nil {
			t.Errorf("%q is read", text)
		}
	}
	for line, want := range map[string]string{
		"planted": "header 1 is not NAME=VALUE", "Authorization: Bearer planted=": "header 1 is not NAME=VALUE", "=planted": "header 1 is not NAME=VALUE",
		"content-type=planted": "airqa sets the header Content-Type itself", "host=planted": "airqa sets the header Host itself",
		"a=planted\tb": "the value of the header A has an invalid character", "a=planté": "the value of the header A has an invalid character",
	} {
		if _, err := llm.ParseHeaders(line); err == nil || err.Error() != want {
			t.Errorf("%q: %v", line, err)
		}
	}
}
