package llm_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/llm"
	"airqa/qa"
)

// recorded is an exchange with llama.cpp's server, from a session of make nightly. The server sent the reply to the
// request as a stream, and the reply to the same request without the fields that ask for one as an object.
type recorded struct {
	Request json.RawMessage
	Status  int
	Stream  string
	Whole   string
}

// sentBefore is a request of the client, as far as it is in the recordings.
type sentBefore struct {
	Messages []struct {
		Role       string
		Content    string
		ToolCalls  []recordedCall `json:"tool_calls"`
		ToolCallID string         `json:"tool_call_id"`
	}
	Tools       []struct{ Function qa.ToolSpec }
	Temperature *float64
	TopP        *float64 `json:"top_p"`
	Seed        *int
	MaxTokens   int `json:"max_tokens"`
}

type recordedCall struct {
	ID       string
	Function struct{ Name, Arguments string }
}

func (s sentBefore) request() qa.Request {
	var r qa.Request
	for _, m := range s.Messages {
		message := qa.Message{Role: qa.Role(m.Role), Text: m.Content, ToolCallID: m.ToolCallID}
		if m.Role == "tool" {
			message.Role = qa.ToolResult
		}
		for _, call := range m.ToolCalls {
			f := call.Function
			message.ToolCalls = append(message.ToolCalls, qa.ToolCall{ID: call.ID, Name: f.Name, Arguments: json.RawMessage(f.Arguments)})
		}
		r.Messages = append(r.Messages, message)
	}
	for _, tool := range s.Tools {
		r.Tools = append(r.Tools, tool.Function)
	}
	return r
}

// said is what a reply contains.
type said struct {
	Text, Finish        string
	Calls               []recordedCall
	Prompt, Completions int
}

// wholeReply reads the object that llama.cpp sent.
func wholeReply(t *testing.T, raw string) said {
	t.Helper()
	var whole struct {
		Choices []struct {
			Message struct {
				Content   string
				ToolCalls []recordedCall `json:"tool_calls"`
			}
			FinishReason string `json:"finish_reason"`
		}
		Usage struct {
			Prompt     int `json:"prompt_tokens"`
			Completion int `json:"completion_tokens"`
		}
	}
	if err := json.Unmarshal([]byte(raw), &whole); err != nil {
		t.Fatal(err)
	}
	c := whole.Choices[0]
	s := said{c.Message.Content, c.FinishReason, c.Message.ToolCalls, whole.Usage.Prompt, whole.Usage.Completion}
	for i := range s.Calls {
		s.Calls[i].ID = "" // each reply has its own
	}
	return s
}

func saidIn(r qa.Reply) said {
	s := said{Text: r.Text, Finish: r.Finish, Prompt: r.Usage.Prompt, Completions: r.Usage.Completion}
	for _, call := range r.ToolCalls {
		var c recordedCall
		c.Function.Name = call.Name
		if json.Unmarshal(call.Arguments, &c.Function.Arguments) != nil { // else a text that is no JSON
			c.Function.Arguments = string(call.Arguments)
		}
		s.Calls = append(s.Calls, c)
	}
	return s
}

// TestRecorded replays the exchanges: the client sends the same requests, and reads the same reply from a stream as from
// an object.
func TestRecorded(t *testing.T) {
	raw, err := os.ReadFile("testdata/recorded/llamacpp.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	calls, overflows := 0, 0
	for line := range bytes.Lines(raw) {
		var x recorded
		var before sentBefore
		if err := json.Unmarshal(line, &x); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(x.Request, &before); err != nil {
			t.Fatal(err)
		}
		for _, streams := range []bool{false, true} {
			reply, err := replayed(t, x, before, streams)
			if x.Status != http.StatusOK {
				overflows++
				if got := llm.Classify(err); got != qa.FailContextOverflow || len(qa.Tried(err)) > 2 {
					t.Errorf("class %s after %d requests, want %s: %v", got, len(qa.Tried(err)), qa.FailContextOverflow, err)
				}
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			want := wholeReply(t, x.Whole)
			calls += len(want.Calls)
			if diff := cmp.Diff(want, saidIn(reply)); diff != "" || reply.Usage.Estimated {
				t.Errorf("streams %v (-sent +read):\n%s", streams, diff)
			}
		}
	}
	if calls == 0 || overflows == 0 {
		t.Errorf("the recordings have %d calls and %d refusals for length", calls, overflows)
	}
}

// replayed sends a recorded request to a server that sends the recorded reply.
func replayed(t *testing.T, x recorded, before sentBefore, streams bool) (qa.Reply, error) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		var fields, want map[string]any
		if err := json.Unmarshal(got, &fields); err != nil {
			t.Error(err)
		}
		if err := json.Unmarshal(x.Request, &want); err != nil {
			t.Error(err)
		}
		body := x.Stream
		switch {
		case fields["stream"] != nil:
			w.Header().Set("Content-Type", "text/event-stream")
		case streams:
			w.WriteHeader(http.StatusBadRequest)
			_, _ = w.Write([]byte(`{"error":{"message":"This model only supports streaming."}}`))
			return
		default:
			delete(want, "stream")
			delete(want, "stream_options")
			body = x.Whole
		}
		if diff := cmp.Diff(want, fields); diff != "" {
			t.Errorf("request (-recorded +sent):\n%s", diff)
		}
		w.WriteHeader(x.Status)
		_, _ = w.Write([]byte(body))
	}))
	defer server.Close()
	m, err := llm.Open(llm.Config{Spec: "openai:smollm2", Access: llm.Access{BaseURL: server.URL + "/v1"}, Sampling: qa.Sampling{
		Temperature: before.Temperature, TopP: before.TopP, Seed: before.Seed, MaxTokens: before.MaxTokens,
	}})
	if err != nil {
		t.Fatal(err)
	}
	return m.Complete(t.Context(), before.request())
}
