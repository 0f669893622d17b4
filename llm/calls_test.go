package llm_test

import (
	"encoding/json"
	"strings"
	"testing"

	"airqa/internal/testkit/openaitest"
	"airqa/qa"
)

// Every call of a reply gets a result, and each protocol is asked for one call only.
func TestCallsThatWereNotRun(t *testing.T) {
	messages := []qa.Message{
		{Role: qa.User, Text: "Why?"},
		{Role: qa.Assistant, ToolCalls: []qa.ToolCall{
			{ID: "a", Name: "Retrieve", Arguments: json.RawMessage(`{"query":"x"}`)},
			{ID: "b", Name: "Answer", Arguments: json.RawMessage(`[1]`)},
		}},
		{Role: qa.ToolResult, Text: "found", Images: []qa.Image{page}, ToolCallID: "a", Others: []qa.CallResult{{ID: "b", Text: qa.NotRunResult}}},
	}
	forbidden := map[string]string{
		"openai": `"parallel_tool_calls":false`, "openai-responses": `"parallel_tool_calls":false`, "google": `"parallel_tool_calls":false`, "anthropic": `"disable_parallel_tool_use":true`,
	}
	s := start(t, openaitest.Config{})
	for provider, c := range endpoints(s) {
		t.Run(provider, func(t *testing.T) {
			if _, err := open(t, c).Complete(t.Context(), qa.Request{Messages: messages, Tools: []qa.ToolSpec{lookup}}); err != nil {
				t.Fatal(err)
			}
			requests := s.Requests()
			body := string(requests[len(requests)-1].Body)
			if n := strings.Count(body, "not run. One call is run in each turn"); n != 1 {
				t.Errorf("%d results of calls that were not run, want 1:\n%s", n, body)
			}
			if !strings.Contains(body, forbidden[provider]) {
				t.Errorf("no %s in\n%s", forbidden[provider], body)
			}
			if !strings.Contains(body, `{"arguments":"[1]"}`) && !strings.Contains(body, `"{\"arguments\":\"[1]\"}"`) {
				t.Errorf("the arguments are not wrapped in\n%s", body)
			}
			if _, err := ask(t, c); err != nil {
				t.Fatal(err)
			}
			requests = s.Requests()
			if body := string(requests[len(requests)-1].Body); strings.Contains(body, "parallel") {
				t.Errorf("calls are forbidden without tools:\n%s", body)
			}
		})
	}
}
