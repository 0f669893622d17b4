package llm_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/internal/testkit/openaitest"
	"airqa/llm"
	"airqa/qa"
)

const calledF = `"tool_calls":[{"id":"f1","type":"function","function":{"name":"F","arguments":"{\"a\": 1}"}}]`

// backFor is the message that follows a reply.
func backFor(r qa.Reply) []qa.Message {
	s := qa.Step{Reply: &r, Kept: len(r.Text), Observation: &qa.Observation{Text: "seen"}}
	if len(r.ToolCalls) > 0 {
		s.Called = &r.ToolCalls[0]
		for _, call := range r.ToolCalls[1:] {
			s.Others = append(s.Others, qa.CallResult{ID: call.ID, Text: qa.NotRunResult})
		}
	}
	return []qa.Message{{Role: qa.User, Text: "Why?"}, s.Message(), s.ObservationMessage()}
}

// assistant is the assistant message of a request, compact and with sorted keys.
func assistant(t *testing.T, body []byte) string {
	t.Helper()
	var request struct{ Messages []map[string]any }
	if err := json.Unmarshal(body, &request); err != nil {
		t.Fatal(err)
	}
	for _, m := range request.Messages {
		if m["role"] == "assistant" {
			return marshal(t, m)
		}
	}
	t.Fatalf("no assistant message in %s", body)
	return ""
}

// backTests are messages of replies and what is sent of them in the next request.
var backTests = []struct{ name, message, want string }{
	{"reasoning_content, text alone", `{"content":"a","reasoning_content":"hm"}`, `{"content":"a","reasoning_content":"hm","role":"assistant"}`},
	{"reasoning, text and call", `{"content":"a","reasoning":"hm",` + calledF + `}`, `{"content":"a","reasoning":"hm","role":"assistant",` + calledF + `}`},
	{
		"both, and other texts", `{"content":null,"reasoning":"hm","reasoning_content":"hm","reasoning_opaque":"b2Fr",` + calledF + `}`,
		`{"content":"","reasoning":"hm","reasoning_content":"hm","reasoning_opaque":"b2Fr","role":"assistant",` + calledF + `}`,
	},
	{
		"two texts", `{"content":"a","reasoning":"summary","reasoning_content":"the whole"}`,
		`{"content":"a","reasoning":"summary","reasoning_content":"the whole","role":"assistant"}`,
	},
	{
		"blocks", `{"content":"","thinking_blocks":[{"type":"thinking","thinking":"hm, so","signature":"s"}],` + calledF + `}`,
		`{"content":"","role":"assistant","thinking_blocks":[{"signature":"s","thinking":"hm, so","type":"thinking"}],` + calledF + `}`,
	},
	{
		"empty and known members", `{"role":"assistant","content":"a","reasoning_content":"","reasoning":null,"reasoning_details":[],"refusal":null,` +
			`"annotations":[{"x":1}],"audio":null,"function_call":null,"provider_specific_fields":{"refusal":null,"list":[""]}}`,
		`{"content":"a","role":"assistant"}`,
	},
	{
		"parallel calls", `{"content":"","reasoning_details":[{"type":"reasoning.encrypted","data":"d","index":0}],"tool_calls":[` +
			`{"index":0,"id":"a","type":"function","extra_content":{"google":{"thought_signature":"s="}},"function":{"name":"F","arguments":"{}"}},` +
			`{"index":1,"id":"b","type":"function","note":7,"function":{"name":"G","arguments":"{}","provider_specific_fields":{"thought_signature":"t="}}}]}`,
		`{"content":"","reasoning_details":[{"data":"d","index":0,"type":"reasoning.encrypted"}],"role":"assistant","tool_calls":[` +
			`{"extra_content":{"google":{"thought_signature":"s="}},"function":{"arguments":"{}","name":"F"},"id":"a","type":"function"},` +
			`{"function":{"arguments":"{}","name":"G","provider_specific_fields":{"thought_signature":"t="}},"id":"b","note":7,"type":"function"}]}`,
	},
	{
		"calls without ids", `{"content":"","tool_calls":[{"type":"function","sig":"s","function":{"name":"F","arguments":"{}"}}]}`,
		`{"content":"","role":"assistant","tool_calls":[{"function":{"arguments":"{}","name":"F"},"id":"call_0","sig":"s","type":"function"}]}`,
	},
}

// TestMembersGoBack shows which members of a message come back to the endpoint that made it, and to no other.
func TestMembersGoBack(t *testing.T) {
	for _, test := range backTests {
		t.Run(test.name, func(t *testing.T) {
			s, other := start(t, openaitest.Config{}), start(t, openaitest.Config{})
			s.Fail(openaitest.Body(200, `{"choices":[{"message":`+test.message+`}]}`))
			reply, err := ask(t, config(s, "m"))
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(reply.Sealed), `"hm"`) {
				t.Errorf("the reasoning is stored twice: %s", reply.Sealed)
			}
			var want, plain map[string]any
			if err := json.Unmarshal([]byte(test.want), &want); err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal([]byte(test.want), &plain); err != nil {
				t.Fatal(err)
			}
			for name := range plain {
				if name != "role" && name != "content" && name != "tool_calls" {
					delete(plain, name)
				}
			}
			for name, c := range map[string]llm.Config{"same": config(s, "m"), "other model": config(s, "n"), "other endpoint": config(other, "m")} {
				if _, err := ask(t, c, backFor(reply)...); err != nil {
					t.Fatal(err)
				}
				requests := append(other.Requests(), s.Requests()...)
				if name == "other endpoint" {
					requests = other.Requests()
				}
				got := assistant(t, requests[len(requests)-1].Body)
				if name == "same" {
					if diff := cmp.Diff(marshal(t, want), got); diff != "" {
						t.Errorf("%s (-want +got):\n%s", name, diff)
					}
				} else if strings.Contains(got, "hm") || strings.Contains(got, "signature") || strings.Contains(got, "reasoning") || strings.Contains(got, "sig\"") {
					t.Errorf("%s was sent %s", name, got)
				}
			}
		})
	}
}

// TestMembersOfStreams joins the pieces of a stream.
func TestMembersOfStreams(t *testing.T) {
	delta := func(delta string) string { return `data: {"choices":[{"index":0,"delta":` + delta + `}]}` + "\n\n" }
	stream := delta(`{"role":"assistant","content":null,"reasoning":"ha","reasoning_details":[{"type":"reasoning.text","text":"ha","index":0,"format":"f"}]}`) +
		delta(`{"reasoning":"ha","reasoning_details":[{"type":"reasoning.text","text":"ha","index":0,"format":"f"}]}`) +
		delta(`{"reasoning_details":[{"type":"reasoning.text","signature":"s=","index":0}]}`) +
		delta(`{"reasoning_details":[{"type":"reasoning.encrypted","data":"d","index":1,"id":"f1"}]}`) +
		delta(`{"tool_calls":[{"index":0,"id":"f1","type":"function","extra_content":{"sig":"x"},"function":{"name":"F","arguments":""}}]}`) +
		delta(`{"tool_calls":[{"index":0,"extra_content":{"sig":"x"},"function":{"arguments":"{\"a\": "}}]}`) +
		delta(`{"tool_calls":[{"index":0,"function":{"arguments":"1}"}}]}`) + "data: [DONE]\n\n"
	s := start(t, openaitest.Config{})
	s.Fail(openaitest.Body(200, stream))
	reply, err := ask(t, config(s, "m"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ask(t, config(s, "m"), backFor(reply)...); err != nil {
		t.Fatal(err)
	}
	want := `{"content":"","reasoning":"haha","reasoning_details":[{"format":"f","index":0,"signature":"s=","text":"haha","type":"reasoning.text"},` +
		`{"data":"d","id":"f1","index":1,"type":"reasoning.encrypted"}],"role":"assistant","tool_calls":[{"extra_content":{"sig":"x"},` +
		`"function":{"arguments":"{\"a\": 1}","name":"F"},"id":"f1","type":"function"}]}`
	if diff := cmp.Diff(want, assistant(t, s.Requests()[1].Body)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestRefusedMembers drops what an endpoint refuses, and remembers it.
func TestRefusedMembers(t *testing.T) {
	const message = `{"content":"a","reasoning_content":"hm","reasoning_details":[{"data":"d"}],"tool_calls":[` +
		`{"id":"f1","type":"function","Extra.x":1,"function":{"name":"F","arguments":"{}"}}]}`
	tests := []struct{ name, member, refusal, notice string }{
		{"Mistral", "reasoning_content", `{"detail":[{"type":"extra_forbidden","loc":["body","messages",1,"assistant","reasoning_content"],"msg":"Extra inputs are not permitted"}]}`, "reasoning_content"},
		{"Groq", "reasoning_content", openAIError("'messages.1' : for 'role:assistant' the following must be satisfied[('messages.1' : property 'reasoning_content' is unsupported)]"), "reasoning_content"},
		{"an older DeepSeek", "reasoning_content", openAIError("The reasoning_content of earlier turns should be removed from the input"), "reasoning_content"},
		{"in another language", "reasoning_details", openAIError("参数 reasoning_details 不合法"), "reasoning_details"},
		{"of a call", "Extra.x", openAIError("Unknown parameter: 'messages[1].tool_calls[0].Extra.x'"), "Extra.x"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var notices []string
			s := start(t, openaitest.Config{Refuse: func(body []byte) openaitest.Fault {
				if strings.Contains(string(body), `"`+test.member+`"`) {
					return openaitest.Body(400, test.refusal)
				}
				return nil
			}})
			s.Fail(openaitest.Body(200, `{"choices":[{"message":`+message+`}]}`))
			c := config(s, "m")
			c.Pool, c.OnNotice = llm.NewPool(0), func(text string) { notices = append(notices, text) }
			reply, err := ask(t, c)
			if err != nil {
				t.Fatal(err)
			}
			for range 2 {
				if _, err := ask(t, c, backFor(reply)...); err != nil {
					t.Fatal(err)
				}
			}
			if s.Calls() != 4 || len(notices) != 1 || !strings.Contains(notices[0], "refuses "+test.notice+",") {
				t.Errorf("%d requests, want 4; notices %q", s.Calls(), notices)
			}
			if last := assistant(t, s.Requests()[3].Body); strings.Count(last, "reasoning_")+strings.Count(last, "Extra.x") != 2 {
				t.Errorf("more was dropped than refused: %s", last)
			}
		})
	}
}

// An error about a missing member does not drop it for long from the messages that have it.
func TestMissedMember(t *testing.T) {
	s := start(t, openaitest.Config{Refuse: func(body []byte) openaitest.Fault {
		if strings.Count(string(body), `"reasoning_content"`) < strings.Count(string(body), `"assistant"`) {
			return openaitest.Body(400, `{"error":{"message":"The reasoning_content is not allowed to be absent","code":"invalid_request_error"}}`)
		}
		return nil
	}})
	s.Fail(openaitest.Body(200, `{"choices":[{"message":{"content":"a","reasoning_content":"hm"}}]}`))
	c := config(s, "m")
	var notices []string
	c.Pool, c.OnNotice = llm.NewPool(0), func(text string) { notices = append(notices, text) }
	reply, err := ask(t, c)
	if err != nil {
		t.Fatal(err)
	}
	without := append(backFor(reply), qa.Message{Role: qa.Assistant, Text: "b"}, qa.Message{Role: qa.User, Text: "c"})
	for range 2 {
		if _, err := ask(t, c, without...); err == nil {
			t.Error("the error is gone")
		}
		if _, err := ask(t, c, backFor(reply)...); err != nil || !strings.Contains(string(s.Requests()[s.Calls()-1].Body), `"reasoning_content":"hm"`) {
			t.Errorf("%v; sent %s", err, s.Requests()[s.Calls()-1].Body)
		}
	}
	if s.Calls() != 1+3+1+1+1 || len(notices) != 2 || !strings.Contains(notices[1], "needs reasoning_content") {
		t.Errorf("%d requests; notices %q", s.Calls(), notices)
	}
}

// What goes back counts in the estimate of a prompt.
func TestReasoningCounts(t *testing.T) {
	forecast := llm.Forecast(0)
	plain := forecast(qa.Request{Messages: []qa.Message{{Role: qa.Assistant, Text: "a"}}}).Prompt
	with := forecast(qa.Request{Messages: []qa.Message{{Role: qa.Assistant, Text: "a", Reasoning: "one two three", Sealed: json.RawMessage(`{}`)}}}).Prompt
	if with < plain+3 {
		t.Errorf("%d tokens with reasoning, %d without", with, plain)
	}
}
