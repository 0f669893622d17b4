package llm_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/internal/testkit/golden"
	"airqa/internal/testkit/openaitest"
	"airqa/llm"
	"airqa/qa"
)

// endpoints are the built-in providers as a test server takes them.
func endpoints(s *openaitest.Server) map[string]llm.Config {
	all := map[string]llm.Config{}
	for provider, base := range map[string]string{
		"openai": s.URL(), "openai-responses": s.URL(), "google": s.URL(), "anthropic": s.URL(), "ollama": s.Root(),
	} {
		c := config(s, "m")
		c.Spec, c.BaseURL = provider+":m", base
		all[provider] = c
	}
	return all
}

var page = qa.Image{Data: []byte("png"), MIME: "image/png", Width: 10, Height: 20}

var lookup = qa.ToolSpec{
	Name: "Retrieve", Description: "Search the passages.",
	Parameters: json.RawMessage(`{"type":"object","properties":{"query":{"type":"string"}},"required":["query"]}`),
}

var everything = qa.Sampling{
	Temperature: new(0.0), TopP: new(0.9), Seed: new(0), MaxTokens: 100,
	ReasoningEffort: "low",
}

// requests are the inputs of a contract.
var requests = []struct {
	name     string
	sampling qa.Sampling
	messages []qa.Message
	tools    []qa.ToolSpec
}{
	{"text", qa.Sampling{}, []qa.Message{
		{Role: qa.System, Text: "Be <brief>."},
		{Role: qa.User, Text: "Why?"},
		{Role: qa.Assistant, Text: "Thus."},
		{Role: qa.User, Text: "Is it \"so\"?"},
		{Role: qa.System, Text: "Late rule."},
	}, nil},
	{"image", qa.Sampling{}, []qa.Message{{Role: qa.User, Text: "Look.", Images: []qa.Image{page, {Data: []byte("x")}}}}, nil},
	{"sampling", everything, []qa.Message{{Role: qa.User, Text: "Why?"}}, nil},
	{"tools", qa.Sampling{}, []qa.Message{
		{Role: qa.User, Text: "Why?"},
		{Role: qa.Assistant, Text: "I look.", ToolCalls: []qa.ToolCall{
			{ID: "a", Name: "Retrieve", Arguments: json.RawMessage(`{"query": "é", "n": 12345678901234567890}`)},
			{ID: "b", Name: "View", Arguments: json.RawMessage(`"{broken"`)},
		}},
		{Role: qa.ToolResult, Text: "found", Images: []qa.Image{page}, ToolCallID: "a"},
		{Role: qa.ToolResult, ToolCallID: "b"},
		{Role: qa.Assistant, ToolCalls: []qa.ToolCall{{ID: "c", Name: "Retrieve"}}},
		{Role: qa.ToolResult, Text: "more", ToolCallID: "c"},
		{Role: qa.User, Text: "Go on."},
	}, []qa.ToolSpec{lookup}},
}

// TestWire compares the exact requests.
func TestWire(t *testing.T) {
	for _, provider := range []string{"openai", "openai-responses", "google", "anthropic", "ollama"} {
		for _, r := range requests {
			t.Run(provider+"/"+r.name, func(t *testing.T) {
				s := start(t, openaitest.Config{Key: plantedKey})
				c := endpoints(s)[provider]
				c.Sampling = r.sampling
				if _, err := open(t, c).Complete(t.Context(), qa.Request{Messages: r.messages, Tools: r.tools}); err != nil {
					t.Fatal(err)
				}
				golden.Check(t, "wire/"+provider+"-"+r.name+".txt", wireText(t, s.Requests()[0]))
			})
		}
	}
}

// wireText shows the request's path, the headers that carry meaning, and its body on many lines.
func wireText(t *testing.T, r openaitest.Request) string {
	t.Helper()
	var out bytes.Buffer
	fmt.Fprintf(&out, "POST %s\n", r.Path)
	for _, name := range []string{"Anthropic-Beta", "Anthropic-Version", "Authorization", "Content-Type", "User-Agent", "X-Api-Key"} {
		if value := r.Header.Get(name); value != "" {
			fmt.Fprintf(&out, "%s: %s\n", name, value)
		}
	}
	out.WriteString("\n")
	if err := json.Indent(&out, r.Body, "", "  "); err != nil {
		t.Fatal(err)
	}
	return out.String() + "\n"
}

func TestReplyOfEveryProtocol(t *testing.T) {
	usage := qa.Usage{Prompt: 100, Completion: 20, Cached: 64, Reasoning: 12}
	want := map[string]qa.Reply{
		"openai":           {ID: "chatcmpl-test", Usage: usage},
		"google":           {ID: "chatcmpl-test", Usage: usage},
		"openai-responses": {ID: "resp_test", Usage: usage},
		"anthropic":        {ID: "msg_test", Usage: qa.Usage{Prompt: 100, Completion: 20, Cached: 64}},
		"ollama":           {Usage: qa.Usage{Prompt: 100, Completion: 20}},
	}
	s := start(t, openaitest.Config{
		Reply: openaitest.Script("the answer"), Reasoning: "let me think", Model: "served",
		Usage: &openaitest.Usage{Prompt: 100, Completion: 20, Cached: 64, Reasoning: 12},
	})
	for provider, c := range endpoints(s) {
		t.Run(provider, func(t *testing.T) {
			got, err := ask(t, c)
			if err != nil {
				t.Fatal(err)
			}
			got.Attempts, got.Sealed = nil, nil
			want := want[provider]
			want.Text, want.Reasoning, want.Model, want.Finish = "the answer", "let me think", "served", "stop"
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("reply (-want +got):\n%s", diff)
			}
		})
	}
}

func TestToolCallsOfEveryProtocol(t *testing.T) {
	s := start(t, openaitest.Config{
		Reply: openaitest.Script(""),
		ToolCalls: func([]openaitest.Message) []openaitest.ToolCall {
			return []openaitest.ToolCall{
				{ID: "a", Name: "Retrieve", Arguments: `{"query":"x","n":3}`}, {ID: "b", Name: "View", Arguments: `{}`},
			}
		},
	})
	for provider, c := range endpoints(s) {
		t.Run(provider, func(t *testing.T) {
			got, err := open(t, c).Complete(t.Context(), qa.Request{Messages: requests[0].messages, Tools: []qa.ToolSpec{lookup}})
			if err != nil {
				t.Fatal(err)
			}
			want := []qa.ToolCall{
				{ID: "a", Name: "Retrieve", Arguments: json.RawMessage(`{"query":"x","n":3}`)},
				{ID: "b", Name: "View", Arguments: json.RawMessage(`{}`)},
			}
			if provider == "ollama" { // it names no calls
				want[0].ID, want[1].ID = "call_0", "call_1"
			}
			if diff := cmp.Diff(want, got.ToolCalls); diff != "" {
				t.Errorf("calls (-want +got):\n%s", diff)
			}
			if finish := map[string]string{"ollama": "stop"}[provider]; got.Finish != finish && got.Finish != "tool_calls" {
				t.Errorf("finish %q", got.Finish)
			}
		})
	}
}

func TestBrokenArguments(t *testing.T) {
	tests := []struct{ name, arguments, want string }{
		{"none", `""`, `{}`},
		{"no field", `null`, `{}`},
		{"not JSON", `"{\"query\": \"x"`, `"{\"query\": \"x"`},
		{"an object instead of a text", `{"query":"x"}`, `{"query":"x"}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := start(t, openaitest.Config{})
			s.Fail(openaitest.Body(200, `{"choices":[{"message":{"content":null,"tool_calls":[{"id":"a","type":"function",`+
				`"function":{"name":"F","arguments":`+test.arguments+`}}]}}]}`))
			got, err := ask(t, config(s, "m"))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]qa.ToolCall{{ID: "a", Name: "F", Arguments: json.RawMessage(test.want)}}, got.ToolCalls); diff != "" {
				t.Errorf("calls (-want +got):\n%s", diff)
			}
		})
	}
}

// TestSealedComesBack is a round trip of opaque provider data.
func TestSealedComesBack(t *testing.T) {
	tests := []struct{ provider, reply, want string }{
		{
			"google", `{"choices":[{"message":{"content":"","tool_calls":[{"id":"f1","type":"function","function":{"name":"F",` +
				`"arguments":"{}"},"extra_content":{"google":{"thought_signature":"sig="}}}]}}]}`,
			`"extra_content":{"google":{"thought_signature":"sig="}}`,
		},
		{
			"anthropic", `{"type":"message","content":[{"type":"thinking","thinking":"hm","signature":"s"},` +
				`{"type":"redacted_thinking","data":"d"},{"type":"text","text":"I look."},` +
				`{"type":"tool_use","id":"f1","name":"F","input":{}}],"usage":{"input_tokens":1,"output_tokens":1}}`,
			`"content":[{"type":"thinking","thinking":"hm","signature":"s"},{"type":"redacted_thinking","data":"d"},` +
				`{"type":"text","text":"I look."},{"id":"f1","input":{},"name":"F","type":"tool_use"}]`,
		},
	}
	for _, test := range tests {
		t.Run(test.provider, func(t *testing.T) {
			s := start(t, openaitest.Config{})
			s.Fail(openaitest.Body(200, test.reply))
			m := open(t, endpoints(s)[test.provider])
			asked := []qa.Message{{Role: qa.User, Text: "Why?"}}
			got, err := m.Complete(t.Context(), qa.Request{Messages: asked})
			if err != nil {
				t.Fatal(err)
			}
			asked = append(asked, qa.Message{Role: qa.Assistant, Text: got.Text, ToolCalls: got.ToolCalls, Sealed: got.Sealed},
				qa.Message{Role: qa.ToolResult, Text: "seen", ToolCallID: got.ToolCalls[0].ID})
			for provider, c := range endpoints(s) {
				if _, err := open(t, c).Complete(t.Context(), qa.Request{Messages: asked}); err != nil {
					t.Fatalf("%s: %v", provider, err)
				}
				last := s.Requests()[s.Calls()-1]
				own := provider == test.provider || provider == "openai" && test.provider == "google"
				if strings.Contains(string(last.Body), test.want) != own {
					t.Errorf("%s was sent %s", provider, last.Body)
				}
			}
		})
	}
}

func TestUnsendableTools(t *testing.T) {
	s := start(t, openaitest.Config{})
	user := []qa.Message{{Role: qa.User, Text: "Why?"}}
	tests := []struct {
		name     string
		messages []qa.Message
		tools    []qa.ToolSpec
		want     string
	}{
		{"no name", user, []qa.ToolSpec{{Parameters: lookup.Parameters}}, `tool "" needs a name and a JSON Schema of an object`},
		{"no schema", user, []qa.ToolSpec{{Name: "F"}}, `tool "F" needs a name and a JSON Schema of an object`},
		{
			"calls of a user",
			[]qa.Message{{Role: qa.User, ToolCalls: []qa.ToolCall{{Name: "F"}}}},
			nil,
			`message 1: tool calls in a message of role "user"`,
		},
		{
			"image of an assistant",
			[]qa.Message{{Role: qa.Assistant, Images: []qa.Image{page}}},
			nil,
			`message 1: an image in a message of role "assistant"`,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := open(t, config(s, "m")).Complete(t.Context(), qa.Request{Messages: test.messages, Tools: test.tools})
			if err == nil || err.Error() != test.want || qa.ClassOf(err) != qa.FailBadRequest {
				t.Errorf("error %v", err)
			}
		})
	}
}

func TestNoMessageLeft(t *testing.T) {
	s := start(t, openaitest.Config{})
	_, err := ask(t, endpoints(s)["anthropic"], qa.Message{Role: qa.System, Text: "alone"})
	if qa.ClassOf(err) != qa.FailBadRequest || s.Calls() != 0 {
		t.Errorf("error %v, %d requests", err, s.Calls())
	}
}
