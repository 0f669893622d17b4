package openaitest_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/internal/testkit/openaitest"
)

const toolQuestion = `{"model":"m","messages":[{"role":"user","content":"one two"},` +
	`{"role":"assistant","tool_calls":[{"id":"a"}]},{"role":"tool","content":"three"}]}`

func postTo(ctx context.Context, url, body string) (int, string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	req.Header.Set("X-Api-Key", "k")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, "", err
	}
	defer func() { _ = resp.Body.Close() }()
	got, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(got), err
}

func TestProtocols(t *testing.T) {
	s := openaitest.New(openaitest.Config{
		Reply: openaitest.Script("first", "second"), Reasoning: "hm", Key: "k",
		ToolCalls: func([]openaitest.Message) []openaitest.ToolCall {
			return []openaitest.ToolCall{{ID: "a", Name: "F", Arguments: `{"x":1}`}}
		},
	})
	defer s.Close()
	tests := []struct{ name, url, want string }{
		{
			"chat completions", s.URL() + "/chat/completions",
			`{"choices":[{"finish_reason":"tool_calls","index":0,"message":{"content":"second","reasoning_content":"hm",` +
				`"role":"assistant","tool_calls":[{"function":{"arguments":"{\"x\":1}","name":"F"},"id":"a","type":"function"}]}}],` +
				`"created":0,"id":"chatcmpl-test","model":"m","object":"chat.completion","usage":{"completion_tokens":1,` +
				`"completion_tokens_details":{"reasoning_tokens":0},"prompt_tokens":3,"prompt_tokens_details":{"cached_tokens":0},` +
				`"total_tokens":4}}`,
		},
		{
			"messages", s.URL() + "/messages",
			`{"content":[{"signature":"sealed","thinking":"hm","type":"thinking"},{"text":"second","type":"text"},` +
				`{"id":"a","input":{"x":1},"name":"F","type":"tool_use"}],"id":"msg_test","model":"m","role":"assistant",` +
				`"stop_reason":"tool_use","stop_sequence":null,"type":"message","usage":{"cache_creation_input_tokens":0,` +
				`"cache_read_input_tokens":0,"input_tokens":3,"output_tokens":1}}`,
		},
		{
			"Ollama's chat", s.Root() + "/api/chat",
			`{"created_at":"2026-01-02T03:04:05Z","done":true,"done_reason":"stop","eval_count":1,"message":{"content":"second",` +
				`"role":"assistant","thinking":"hm","tool_calls":[{"function":{"arguments":{"x":1},"name":"F"}}]},"model":"m",` +
				`"prompt_eval_count":3}`,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			status, body, err := postTo(t.Context(), test.url, toolQuestion)
			if err != nil || status != http.StatusOK {
				t.Fatalf("status %d, %v: %s", status, err, body)
			}
			if diff := cmp.Diff(test.want, body); diff != "" {
				t.Errorf("body (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAdmit(t *testing.T) {
	s := openaitest.New(openaitest.Config{Admit: func(underWay int) openaitest.Fault {
		if underWay > 0 {
			return openaitest.RateLimited("")
		}
		return nil
	}})
	defer s.Close()
	if status, body, err := postTo(t.Context(), s.URL()+"/messages", toolQuestion); status != http.StatusTooManyRequests {
		t.Errorf("status %d, %v: %s", status, err, body)
	}
}
