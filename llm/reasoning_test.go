package llm_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/internal/testkit/openaitest"
	"airqa/llm"
)

func TestReasoningApart(t *testing.T) {
	tests := []struct {
		name, model     string
		reasons         bool
		given           string
		text, reasoning string
	}{
		{"tags", "m", false, "<think>\nhm\n</think>\n\nThe answer.", "The answer.", "hm"},
		{"blank before", "m", false, "\n <think>hm</think>The answer.", "The answer.", "hm"},
		{"empty thought", "m", false, "<think>\n\n</think>\n\nThe answer.", "The answer.", ""},
		{"cut in the thought", "m", false, "<think>hm, let me", "", "hm, let me"},
		{"not at the head", "m", false, "Say <think>x</think>.", "Say <think>x</think>.", ""},
		{"a second thought", "m", false, "<think>a</think>b<think>c</think>", "b<think>c</think>", "a"},
		{"unopened", "m", true, "hm\n</think>\nThe answer.", "The answer.", "hm"},
		{"unopened of a known model", "Qwen/QwQ-32B", false, "hm\n</think>\nThe answer.", "The answer.", "hm"},
		{"unopened of a plain model", "m", false, "Write </think> last.", "Write </think> last.", ""},
		{"reasons and says nothing about it", "m", true, "The answer.", "The answer.", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := start(t, openaitest.Config{Reply: openaitest.Script(test.given)})
			for _, provider := range []string{"openai", "ollama"} {
				c := endpoints(s)[provider]
				c.Spec = provider + ":" + test.model
				if test.reasons {
					c.Sampling.ReasoningEffort = "low"
				}
				got, err := ask(t, c)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff([]string{test.text, test.reasoning}, []string{got.Text, got.Reasoning}); diff != "" {
					t.Errorf("%s: text and reasoning (-want +got):\n%s", provider, diff)
				}
			}
		})
	}
}

func TestThinkTagsOfOthersStay(t *testing.T) {
	s := start(t, openaitest.Config{Reply: openaitest.Script("<think>a</think>b")})
	got, err := ask(t, endpoints(s)["anthropic"])
	if err != nil || got.Text != "<think>a</think>b" {
		t.Errorf("text %q, %v", got.Text, err)
	}
}

func TestOtherNameOfTheReasoningAndTags(t *testing.T) {
	s := start(t, openaitest.Config{Reply: openaitest.Script("<think>b</think>c"), Reasoning: "a"})
	got, err := ask(t, config(s, "m"))
	if err != nil || got.Text != "c" || got.Reasoning != "a" {
		t.Errorf("text %q, reasoning %q, %v", got.Text, got.Reasoning, err)
	}
}

// TestSettledSampling shows what is sent to models that refuse some of it, and that the description says so.
func TestSettledSampling(t *testing.T) {
	tests := []struct{ spec, want string }{
		{"openai:m", `{"model":"m","provider":"openai","sampling":{"max_tokens":100,"reasoning_effort":"low","seed":0,` +
			`"temperature":0,"top_p":0.9}}`},
		{"openai:gpt-5-2025-08-07", `{"model":"gpt-5-2025-08-07","not_sent":["temperature","top_p"],"provider":"openai",` +
			`"sampling":{"max_tokens":100,"reasoning_effort":"low","seed":0}}`},
		{"anthropic:claude-sonnet-4-5", `{"model":"claude-sonnet-4-5","not_sent":["seed","top_p"],"provider":"anthropic",` +
			`"sampling":{"max_tokens":100,"reasoning_effort":"low","temperature":0}}`},
		{"ollama:qwen3:8b", `{"context_window":32768,"model":"qwen3:8b","provider":"ollama","sampling":{"max_tokens":100,` +
			`"reasoning_effort":"low","seed":0,"temperature":0,"top_p":0.9}}`},
	}
	for _, test := range tests {
		t.Run(test.spec, func(t *testing.T) {
			got, err := llm.Describe(llm.Config{Spec: test.spec, Sampling: everything, Access: llm.Access{BaseURL: "http://h/v1"}})
			if err != nil || got["base_url"] != "http://h/v1" {
				t.Fatalf("%v at %v", err, got["base_url"])
			}
			delete(got, "base_url")
			if diff := cmp.Diff(test.want, marshal(t, got)); diff != "" {
				t.Errorf("description (-want +got):\n%s", diff)
			}
		})
	}
}
