package llm_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/internal/testkit/openaitest"
	"airqa/llm"
	"airqa/qa"
)

// responseWith is a completed response with these members.
func responseWith(members string) string {
	return `{"id":"r","object":"response","model":"m","status":"completed","error":null,"incomplete_details":null,` + members + `}`
}

// sse is a stream of events, each a JSON object.
func sse(events ...string) string { return "data: " + strings.Join(events, "\n\ndata: ") + "\n\n" }

const (
	thoughtItem = `{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"one"},{"type":"summary_text","text":"two"}],"encrypted_content":"e=="}`
	textItem    = `{"type":"message","id":"msg_1","role":"assistant","status":"completed","phase":"commentary","content":[` +
		`{"type":"output_text","text":"I ","annotations":[]},{"type":"output_text","text":"look.","annotations":[]}]}`
	callItem    = `{"type":"function_call","id":"fc_1","call_id":"c1","name":"F","arguments":"{\"a\": 1}","status":"completed"}`
	refusalItem = `{"type":"message","id":"msg_1","role":"assistant","content":[{"type":"refusal","refusal":"I will not."}]}`
)

func TestResponsesReplies(t *testing.T) {
	called := []qa.ToolCall{{ID: "c1", Name: "F", Arguments: json.RawMessage(`{"a": 1}`)}}
	completed := `{"type":"response.completed","response":` + responseWith(`"output":[]`) + `}`
	tests := []struct {
		name, body string
		want       qa.Reply
	}{
		{"all items", responseWith(`"output":[` + thoughtItem + `,` + textItem + `,` + callItem + `]`), qa.Reply{Text: "I look.", Reasoning: "one\n\ntwo", ToolCalls: called, Finish: "tool_calls"}},
		{"refusal", responseWith(`"output":[` + refusalItem + `]`), qa.Reply{Text: "I will not.", Finish: qa.FinishRefusal}},
		{"unknown item", responseWith(`"output":[{"type":"web_search_call","id":"w"},` + textItem + `]`), qa.Reply{Text: "I look.", Finish: "stop"}},
		{"open reasoning", responseWith(`"output":[{"type":"reasoning","id":"rs","summary":[],"content":[{"type":"reasoning_text","text":"hm"}]},` + textItem + `]`), qa.Reply{Text: "I look.", Reasoning: "hm", Finish: "stop"}},
		{"empty thought", responseWith(`"output":[{"type":"reasoning","id":"rs","summary":[],"encrypted_content":"e"},` + textItem + `]`), qa.Reply{Text: "I look.", Finish: "stop"}},
		{
			"too long", strings.NewReplacer(`"completed","error"`, `"incomplete","error"`, `"incomplete_details":null`, `"incomplete_details":{"reason":"max_output_tokens"}`).Replace(responseWith(`"output":[` + textItem + `]`)),
			qa.Reply{Text: "I look.", Finish: qa.FinishLength},
		},
		{
			"filtered before any item", strings.NewReplacer(`"completed","error"`, `"incomplete","error"`, `"incomplete_details":null`, `"incomplete_details":{"reason":"content_filter"}`).Replace(responseWith(`"output":[]`)),
			qa.Reply{Finish: qa.FinishFilter},
		},
		{"incomplete without a reason", strings.Replace(responseWith(`"output":[]`), `"completed"`, `"incomplete"`, 1), qa.Reply{Finish: "incomplete"}},
		{"no status", `{"output":[` + textItem + `]}`, qa.Reply{Text: "I look.", Finish: "stop"}},
		{"no id of the call", responseWith(`"output":[{"type":"function_call","name":"F"}]`), qa.Reply{ToolCalls: []qa.ToolCall{{ID: "call_0", Name: "F", Arguments: json.RawMessage(`{}`)}}, Finish: "tool_calls"}},
		{
			"stream, items when done", sse(`{"type":"response.created","response":{"output":[]}}`, `{"type":"response.output_item.added","output_index":1,"item":{"type":"function_call"}}`,
				`{"type":"response.output_item.done","output_index":1,"item":`+callItem+`}`, `{"type":"response.output_item.done","output_index":0,"item":`+textItem+`}`, completed),
			qa.Reply{Text: "I look.", ToolCalls: called, Finish: "tool_calls"},
		},
		{
			"stream, pieces alone", sse(`{"type":"response.output_item.added","output_index":0,"item":{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"e"}}`,
				`{"type":"response.reasoning_summary_text.delta","output_index":0,"summary_index":0,"delta":"o"}`, `{"type":"response.reasoning_summary_text.delta","output_index":0,"summary_index":0,"delta":"ne"}`,
				`{"type":"response.output_item.added","output_index":1,"item":{"type":"message","id":"msg_1","role":"assistant","content":[]}}`,
				`{"type":"response.content_part.added","output_index":1,"content_index":0,"part":{"type":"output_text","text":""}}`,
				`{"type":"response.output_text.delta","output_index":1,"content_index":0,"delta":"I lo"}`, `{"type":"response.output_text.delta","output_index":1,"content_index":0,"delta":"ok."}`,
				`{"type":"response.output_item.added","output_index":2,"item":{"type":"function_call","call_id":"c1","name":"F","arguments":""}}`,
				`{"type":"response.function_call_arguments.delta","output_index":2,"delta":"{\"a\":"}`, `{"type":"response.function_call_arguments.delta","output_index":2,"delta":" 1}"}`,
				`{"type":"response.output_text.delta","output_index":9,"delta":"of no item"}`, completed),
			qa.Reply{Text: "I look.", Reasoning: "one", ToolCalls: called, Finish: "tool_calls"},
		},
		{"stream, refusal", sse(`{"type":"response.output_item.added","item":{"type":"message"}}`, `{"type":"response.refusal.delta","delta":"I will not."}`, completed), qa.Reply{Text: "I will not.", Finish: qa.FinishRefusal}},
		{
			"stream, incomplete", sse(`{"type":"response.output_item.done","item":`+textItem+`}`, `{"type":"response.incomplete","response":{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"}}}`),
			qa.Reply{Text: "I look.", Finish: qa.FinishLength},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := ask(t, atResponses(answers(t, test.body)))
			if err != nil || len(got.Attempts) != 1 {
				t.Fatalf("%v after %+v", err, got.Attempts)
			}
			got = qa.Reply{Text: got.Text, Reasoning: got.Reasoning, ToolCalls: got.ToolCalls, Finish: got.Finish}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("reply (-want +got):\n%s", diff)
			}
		})
	}
}

// A failed response with a success status is a failed request.
func TestResponsesFailures(t *testing.T) {
	failed := func(failure string) string {
		return strings.NewReplacer(`"completed"`, `"failed"`, `"error":null`, `"error":`+failure).Replace(responseWith(`"output":[]`))
	}
	tests := []struct {
		name, body string
		class      qa.FailureClass
		text       string
	}{
		{"server", failed(`{"code":"server_error","message":"it broke"}`), qa.FailServer, "it broke"},
		{"rate", failed(`{"code":"rate_limit_exceeded","message":"slow down"}`), qa.FailRateLimit, "slow down"},
		{"prompt", failed(`{"code":"invalid_prompt","message":"not this"}`), qa.FailBadRequest, "not this"},
		{"length", failed(`{"code":"context_length_exceeded","message":"Your input exceeds the context window."}`), qa.FailContextOverflow, "window"},
		{"a code that is not known", failed(`{"code":"vector_store_timeout","message":"late"}`), qa.FailGarbage, "late"},
		{"no error", failed(`null`), qa.FailGarbage, "status failed"},
		{"cancelled", strings.Replace(responseWith(`"output":[]`), `"completed"`, `"cancelled"`, 1), qa.FailGarbage, "cancelled"},
		{"in the background", strings.Replace(responseWith(`"output":[]`), `"completed"`, `"queued"`, 1), qa.FailGarbage, "queued"},
		{"another protocol", `{"choices":[{"message":{"content":"hi"}}]}`, qa.FailGarbage, "no output"},
		{"stream, failed", sse(`{"type":"response.failed","response":` + failed(`{"code":"server_error","message":"it broke"}`) + `}`), qa.FailServer, "it broke"},
		{"stream, error", sse(`{"type":"error","code":"rate_limit_exceeded","message":"slow down","param":null}`), qa.FailRateLimit, "slow down"},
		{"stream, nested error", sse(`{"type":"error","error":{"type":"server_error","code":null,"message":"it broke"}}`), qa.FailServer, "it broke"},
		{"stream, cut", sse(`{"type":"response.output_item.done","item":` + textItem + `}`), qa.FailGarbage, "ended before the reply did"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := atResponses(answers(t, test.body))
			c.MaxRetries = -1
			if _, err := ask(t, c); err == nil || qa.ClassOf(err) != test.class || !strings.Contains(err.Error(), test.text) {
				t.Errorf("error %v of class %s, want %q of %s", err, qa.ClassOf(err), test.text, test.class)
			}
		})
	}
}

// What the history does not keep of a reply does not go back, nor the reasoning that led to it.
func TestResponsesItemsGoBack(t *testing.T) {
	second := strings.NewReplacer("fc_1", "fc_2", "c1", "c2").Replace(callItem)
	hosted := `{"type":"web_search_call","id":"w"}`
	edited := `{"content":[{"annotations":[],"text":"I l","type":"output_text"}],"id":"msg_1","phase":"commentary","role":"assistant","status":"completed","type":"message"}`
	tests := []struct {
		name, output string
		change       func(*qa.Message)
		want         []string
	}{
		{"as they came", thoughtItem + "," + textItem + "," + callItem, func(*qa.Message) {}, []string{thoughtItem, textItem, callItem}},
		{"two calls", thoughtItem + "," + callItem + "," + second, func(*qa.Message) {}, []string{thoughtItem, callItem, second}},
		{"an unknown item", hosted + "," + callItem, func(*qa.Message) {}, []string{hosted, callItem}},
		{"text cut off", thoughtItem + "," + textItem, func(m *qa.Message) { m.Text = "I l" }, []string{thoughtItem, edited}},
		{"a message cut off", textItem + "," + thoughtItem + "," + strings.Replace(textItem, "msg_1", "msg_2", 1), func(m *qa.Message) { m.Text = "I look." }, []string{textItem}},
		{"calls of a reply whose text was the action", thoughtItem + "," + textItem + "," + callItem, func(m *qa.Message) { m.ToolCalls = nil }, []string{thoughtItem, textItem}},
		{"reasoning at the end", textItem + "," + thoughtItem, func(*qa.Message) {}, []string{textItem}},
		{
			"arguments that are not an object", thoughtItem + `,{"type":"function_call","id":"f","call_id":"c1","name":"F","arguments":"[1]"}`, func(*qa.Message) {},
			[]string{thoughtItem, `{"arguments":"{\"arguments\":\"[1]\"}","call_id":"c1","id":"f","name":"F","type":"function_call"}`},
		},
		{"another text", thoughtItem + "," + textItem, func(m *qa.Message) { m.Text = "You look." }, []string{`{"content":"You look.","role":"assistant","type":"message"}`}},
		{"reasoning that is only at the server", strings.Replace(thoughtItem, `"e=="`, `null`, 1) + "," + textItem, func(*qa.Message) {}, []string{`{"content":"I look.","role":"assistant","type":"message"}`}},
		{"tags around thinking", `{"type":"message","content":[{"type":"output_text","text":"<think>hm</think>So."}]}`, func(*qa.Message) {}, []string{`{"content":"So.","role":"assistant","type":"message"}`}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := answers(t, responseWith(`"output":[`+test.output+`]`))
			c := atResponses(s)
			reply, err := ask(t, c)
			if err != nil {
				t.Fatal(err)
			}
			m := qa.Message{Role: qa.Assistant, Text: reply.Text, ToolCalls: reply.ToolCalls, Reasoning: reply.Reasoning, Sealed: reply.Sealed}
			test.change(&m)
			chat := []qa.Message{m}
			for _, call := range m.ToolCalls {
				chat = append(chat, qa.Message{Role: qa.ToolResult, Text: "seen", ToolCallID: call.ID})
			}
			s.Fail(openaitest.Body(http.StatusOK, responseWith(`"output":[]`)))
			if _, err := ask(t, c, append(chat, qa.Message{Role: qa.User, Text: "So?"})...); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, ofReplies(inputOf(t, s))); diff != "" {
				t.Errorf("sent (-want +got):\n%s", diff)
			}
			other := c
			other.Spec = "openai-responses:other"
			s.Fail(openaitest.Body(http.StatusOK, responseWith(`"output":[]`)))
			if _, err := ask(t, other, append(chat, qa.Message{Role: qa.User, Text: "So?"})...); err != nil {
				t.Fatal(err)
			}
			if sent := string(s.Requests()[s.Calls()-1].Body); strings.Contains(sent, "rs_1") || strings.Contains(sent, "msg_1") {
				t.Errorf("another model was sent %s", sent)
			}
		})
	}
}

// An endpoint that refuses parts of a request is asked without them, and what it does not refuse is sent.
func TestResponsesRefusals(t *testing.T) {
	tests := []struct {
		name, refused, message, param string
		status                        int
		kept, notice                  string
	}{
		{"include", `"include"`, "Encrypted content is not supported with this model.", "include", 400, `"rs_1"`, "refuses include"},
		{"summary", `"summary":"auto"`, "Your organization must be verified to generate reasoning summaries.", "reasoning.summary", 400, `"effort":"low"`, "refuses reasoning.summary"},
		{"ids, Azure", `"id":`, "Item with id 'rs_1' not found. Items are not persisted when `store` is set to false.", "input", 404, `"encrypted_content":"e=="`, "refuses id"},
		{"ids by name", `"id":`, "Unknown parameter: 'input[1].id'.", "input[1].id", 400, `"encrypted_content":"e=="`, "refuses id"},
		{"encrypted content", `"encrypted_content":`, "The encrypted content gAA could not be verified.", "", 400, `"I look."`, "refuses encrypted_content"},
		{"unknown member", `"encrypted_content":`, "Unknown parameter: 'input[1].encrypted_content'.", "", 400, `"I look."`, "refuses encrypted_content"},
		{"order", `"rs_1"`, "Item 'rs_1' of type 'reasoning' was provided without its required following item.", "input", 400, `"I look."`, "refuses encrypted_content"},
		{"unknown item", `"type":"reasoning"`, "Invalid value: 'reasoning'. Supported values are: 'message'.", "input[1].type", 400, `"I look."`, "refuses encrypted_content"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			failure, err := json.Marshal(map[string]any{"error": map[string]any{"message": test.message, "param": test.param, "code": "unsupported_value"}})
			if err != nil {
				t.Fatal(err)
			}
			s := start(t, openaitest.Config{Refuse: func(body []byte) openaitest.Fault {
				if strings.Contains(string(body), test.refused) {
					return openaitest.Body(test.status, string(failure))
				}
				return openaitest.Body(http.StatusOK, responseWith(`"output":[`+thoughtItem+`,`+textItem+`]`))
			}})
			var notices []string
			c := atResponses(s)
			c.Sampling, c.OnNotice = qa.Sampling{ReasoningEffort: "low"}, func(text string) { notices = append(notices, text) }
			reply, err := ask(t, c)
			for range 2 {
				if err == nil {
					_, err = ask(t, c, backFor(reply)...)
				}
			}
			if err != nil || s.Calls() != 4 || len(notices) != 1 || !strings.Contains(notices[0], test.notice+",") {
				t.Errorf("%v; %d requests, want 4; notices %q", err, s.Calls(), notices)
			}
			if sent := string(s.Requests()[s.Calls()-1].Body); !strings.Contains(sent, test.kept) {
				t.Errorf("no %s in %s", test.kept, sent)
			}
		})
	}
}

// A limit that the endpoint does not accept is lowered, as with chat completions.
func TestResponsesLimit(t *testing.T) {
	s := start(t, openaitest.Config{})
	s.Fail(openaitest.Status(400, "integer_above_max_value", "Invalid 'max_output_tokens': integer above maximum value. Expected a value <= 4096, but got 8000 instead."))
	c := atResponses(s)
	c.Sampling.MaxTokens = 8000
	if _, err := ask(t, c); err != nil || s.Calls() != 2 || !strings.Contains(string(s.Requests()[1].Body), `"max_output_tokens":4096`) {
		t.Errorf("%v; %d requests, last %s", err, s.Calls(), s.Requests()[s.Calls()-1].Body)
	}
}

// Models that OpenAI serves only with the Responses API are asked with it at OpenAI's own address.
func TestResponsesOfListedModels(t *testing.T) {
	tests := []struct{ spec, base, want string }{
		{"openai:gpt-5-pro", "", "https://api.openai.com/v1/responses"},
		{"openai:gpt-5-pro-2025-10-06", "https://api.openai.com/v1/", "https://api.openai.com/v1/responses"},
		{"openai:o3-pro", "http://127.0.0.1:9/v1", "http://127.0.0.1:9/v1/chat/completions"},
		{"openai:gpt-5.1-codex", "https://api.openai.com.example/v1", "https://api.openai.com.example/v1/chat/completions"},
		{"openai:gpt-5", "", "https://api.openai.com/v1/chat/completions"},
		{"openai-responses:gpt-5", "", "https://api.openai.com/v1/responses"},
		{"openai-responses:gpt-5-pro", "http://127.0.0.1:9/v1", "http://127.0.0.1:9/v1/responses"},
	}
	for _, test := range tests {
		t.Run(test.spec, func(t *testing.T) {
			var got, body string
			c := llm.Config{Spec: test.spec, Access: llm.Access{BaseURL: test.base, Key: plantedKey}, MaxRetries: -1, Sampling: everything}
			c.HTTPClient = &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
				sent := make([]byte, r.ContentLength)
				_, _ = r.Body.Read(sent)
				got, body = r.URL.String(), string(sent)
				return nil, errors.New("no network")
			})}
			_, _ = ask(t, c)
			if got != test.want {
				t.Errorf("asked %s, want %s", got, test.want)
			}
			described, err := llm.Describe(c)
			if err != nil {
				t.Fatal(err)
			}
			unsent := marshal(t, described["not_sent"])
			if responses := strings.HasSuffix(test.want, "/responses"); responses != strings.Contains(unsent, `"seed"`) ||
				responses != strings.Contains(body, `"max_output_tokens":100`) {
				t.Errorf("not sent: %s; body %s", unsent, body)
			}
		})
	}
}

// An endpoint that does not have the model with chat completions gets a hint.
func TestHintOfResponses(t *testing.T) {
	s := start(t, openaitest.Config{})
	s.Fail(openaitest.Status(404, "invalid_request_error", "This model is only supported in v1/responses and not in v1/chat/completions."))
	_, err := ask(t, config(s, "m"))
	var call *qa.CallError
	if !errors.As(err, &call) || !strings.Contains(call.Hint, "-m openai-responses:NAME") {
		t.Errorf("error %v, %+v", err, call)
	}
}
