package llm_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"airqa/llm"
	"airqa/qa"
)

func describe(t *testing.T, c llm.Config) string {
	t.Helper()
	got, err := llm.Describe(c)
	if err != nil {
		t.Fatal(err)
	}
	return marshal(t, got)
}

func marshal(t *testing.T, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestDescribe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.jsonl")
	if err := os.WriteFile(path, []byte(`"a"`), 0o600); err != nil {
		t.Fatal(err)
	}
	added := map[string]llm.Provider{"offline": nil}
	tests := []struct {
		name   string
		config llm.Config
		want   string
	}{
		{
			"default address",
			llm.Config{Spec: "openai:gpt-4o", Access: llm.Access{Key: plantedKey}, Timeout: time.Second},
			`{"base_url":"https://api.openai.com/v1","model":"gpt-4o","provider":"openai","sampling":{}}`,
		},
		{"all", llm.Config{
			Spec: "openai:a:b", Access: llm.Access{BaseURL: "http://h:8000/v1/"}, MaxRetries: 3,
			Sampling: qa.Sampling{Temperature: new(0.0), TopP: new(0.9), Seed: new(0), MaxTokens: 5},
		}, `{"base_url":"http://h:8000/v1","model":"a:b","provider":"openai","sampling":{"max_tokens":5,"seed":0,` +
			`"temperature":0,"top_p":0.9}}`},
		{"script", llm.Config{Spec: "scripted:" + path, Access: llm.Access{BaseURL: "http://h"}}, `{"model":"s.jsonl","provider":"scripted",` +
			`"sampling":{},"script_sha256":"ac8d8342bbb2362d13f0a559a3621bb407011368895164b628a54f7fc33fc43c"}`},
		{"added", llm.Config{Spec: "offline", Providers: added}, `{"model":"","provider":"offline","sampling":{}}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, describe(t, test.config)); diff != "" {
				t.Errorf("description (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDescribeErrors(t *testing.T) {
	for _, c := range []llm.Config{
		{Spec: "openai:m", Access: llm.Access{BaseURL: "http://me:secret@h"}},
		{Spec: "scripted:nowhere.jsonl"},
	} {
		if got, err := llm.Describe(c); err == nil {
			t.Errorf("%s: %v", c.Spec, got)
		}
	}
}

func TestAddedProviders(t *testing.T) {
	var got llm.Config
	c := llm.Config{Spec: "offline:x:y", Providers: map[string]llm.Provider{
		"offline": func(c llm.Config) (qa.Model, error) {
			got = c
			return llm.NewScript([]llm.Episode{{Replies: []string{"here"}}}), nil
		},
	}}
	if reply, err := ask(t, c); err != nil || reply.Text != "here" {
		t.Errorf("reply %q, %v", reply.Text, err)
	}
	if _, model := llm.SplitSpec(got.Spec); model != "x:y" || got.Now == nil {
		t.Errorf("config %+v", got)
	}
	c.Providers["offline"] = func(llm.Config) (qa.Model, error) { return nil, errors.New("no data") }
	if _, err := llm.Open(c); err == nil || err.Error() != `model "offline:x:y": no data` {
		t.Errorf("error %v", err)
	}
}
