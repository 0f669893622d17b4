package llm_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/internal/testkit/openaitest"
	"airqa/llm"
	"airqa/qa"
	"airqa/runlog"
)

// atResponses is a configuration for the Responses API of a server.
func atResponses(s *openaitest.Server) llm.Config {
	c := config(s, "m")
	c.Spec, c.Pool = "openai-responses:m", llm.NewPool(0)
	return c
}

// answers makes a server that answers with bodies, one after the other, and with a plain reply after the last.
func answers(t *testing.T, bodies ...string) *openaitest.Server {
	t.Helper()
	s := start(t, openaitest.Config{})
	for _, body := range bodies {
		s.Fail(openaitest.Body(http.StatusOK, body))
	}
	return s
}

// inputOf is the input of a request.
func inputOf(t *testing.T, s *openaitest.Server) []json.RawMessage {
	t.Helper()
	var sent struct{ Input []json.RawMessage }
	all := s.Requests()
	if err := json.Unmarshal(all[len(all)-1].Body, &sent); err != nil {
		t.Fatal(err)
	}
	return sent.Input
}

// ofReplies are the items of replies in an input.
func ofReplies(input []json.RawMessage) (items []string) {
	for _, item := range input {
		if text := string(item); !strings.Contains(text, `"role":"user"`) && !strings.Contains(text, "function_call_output") {
			items = append(items, text)
		}
	}
	return items
}

// twoSteps is a server that calls two tools, then one, and then answers. With streaming, it only streams.
func twoSteps(t *testing.T, streaming bool) *openaitest.Server {
	t.Helper()
	return start(t, openaitest.Config{
		Reasoning: "I <think> & wonder.", Usage: &openaitest.Usage{Prompt: 100, Completion: 20, Cached: 64, Reasoning: 12},
		Reply: openaitest.Script("First.", "", "Thus 42."),
		ToolCalls: func(messages []openaitest.Message) []openaitest.ToolCall {
			call := func(n int) openaitest.ToolCall {
				return openaitest.ToolCall{ID: fmt.Sprintf("call_%d", n), Name: "Retrieve", Arguments: fmt.Sprintf(`{"query": "<%d>"}`, n)}
			}
			switch len(messages) {
			case 1:
				return []openaitest.ToolCall{call(1), call(2)}
			case 5: // with the result of the call that was not run, and an image
				return []openaitest.ToolCall{call(3)}
			}
			return nil
		},
		Refuse: func(body []byte) openaitest.Fault {
			if streaming && !strings.Contains(string(body), `"stream":true`) {
				return openaitest.Status(400, "invalid_request_error", "Stream must be set to true")
			}
			return nil
		},
	})
}

// A conversation with calls, an image and reasoning passes a server that refuses what OpenAI refuses, from memory and
// from a log.
func TestResponsesConversation(t *testing.T) {
	for name, streaming := range map[string]bool{"whole": false, "streamed": true} {
		t.Run(name, func(t *testing.T) {
			s := twoSteps(t, streaming)
			c := atResponses(s)
			c.Sampling = qa.Sampling{ReasoningEffort: "low", MaxTokens: 100}
			m := open(t, c)
			asked := []qa.Message{{Role: qa.User, Text: "Why?"}}
			var replies []qa.Reply
			for range 3 {
				reply, err := m.Complete(t.Context(), qa.Request{Messages: asked, Tools: []qa.ToolSpec{lookup}})
				if err != nil {
					t.Fatal(err)
				}
				replies = append(replies, reply)
				asked = append(asked, stepOf(len(replies), reply).Message(), stepOf(len(replies), reply).ObservationMessage())
			}
			if _, err := m.Complete(t.Context(), qa.Request{Messages: asked}); err != nil {
				t.Fatal(err)
			}
			last := replies[2]
			want := qa.Usage{Prompt: 100, Completion: 20, Cached: 64, Reasoning: 12}
			if last.Text != "Thus 42." || last.Finish != "stop" || last.Usage != want || last.Reasoning != "I <think> & wonder." || last.ID != "resp_test" {
				t.Errorf("last reply %+v", last)
			}
			if first := replies[0]; first.Finish != "tool_calls" || len(first.ToolCalls) != 2 || first.ToolCalls[1].ID != "call_2" {
				t.Errorf("first reply %+v", first)
			}
			before := inputOf(t, s)
			if _, err := open(t, c).Complete(t.Context(), qa.Request{Messages: fromLog(t, replies)}); err != nil {
				t.Fatal(err)
			}
			after := inputOf(t, s)
			if diff := cmp.Diff(ofReplies(before), ofReplies(after)); diff != "" {
				t.Errorf("input from the log (-memory +log):\n%s", diff)
			}
			var reasoning struct {
				Encrypted string `json:"encrypted_content"`
			}
			if err := json.Unmarshal(before[1], &reasoning); err != nil || !strings.HasPrefix(reasoning.Encrypted, "gA<&>/+") {
				t.Errorf("%v in %s", err, before[1])
			}
			if body := string(s.Requests()[s.Calls()-1].Body); !strings.Contains(body, `"reasoning":{"effort":"low","summary":"auto"}`) {
				t.Errorf("sent %s", body)
			}
		})
	}
}

// stepOf is a step that runs the first call of a reply.
func stepOf(n int, reply qa.Reply) qa.Step {
	step := qa.Step{N: n, By: qa.ByModel, Shown: []qa.Span{{End: 1}}, Reply: &reply, Kept: len(reply.Text)}
	step.Observation = &qa.Observation{Status: qa.StatusOK, Text: "seen", Images: []qa.Image{page}}
	for i, call := range reply.ToolCalls {
		if i == 0 {
			step.Called = &call
		} else {
			step.Others = append(step.Others, qa.CallResult{ID: call.ID, Text: qa.NotRunResult})
		}
	}
	return step
}

// fromLog is the conversation of steps with these replies as it comes back from a log, without its images.
func fromLog(t *testing.T, replies []qa.Reply) []qa.Message {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	must(runlog.Create(dir, runlog.Config{}, nil))
	w, err := runlog.OpenWriter(dir, runlog.WriterConfig{})
	must(err)
	e, err := w.Begin("u", 0, nil)
	must(err)
	must(e.Message(qa.Message{Role: qa.User, Text: "Why?"}))
	for i, reply := range replies {
		step := stepOf(i+1, reply)
		step.Observation.Images = nil
		must(e.Call(step))
		must(e.Observation(step))
	}
	must(w.Close())
	run, err := runlog.Open(dir)
	must(err)
	rec, err := run.Episode("u", 0)
	must(err)
	return rec.Messages
}
