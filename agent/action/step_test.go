package action_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/agent/action"
	"airqa/qa"
)

func TestReadStep(t *testing.T) {
	first := qa.ToolCall{ID: "a", Name: "Retrieve", Arguments: json.RawMessage(`{"query": "x", "limit": null}`)}
	second := qa.ToolCall{ID: "b", Name: "Answer", Arguments: json.RawMessage(`{"answer": 1}`)}
	s := qa.Step{Reply: &qa.Reply{Text: " I look. ", ToolCalls: []qa.ToolCall{first, second}}}
	grammar().ReadStep(&s, action.AsCall)
	if s.Action == nil || s.Action.Text != "Retrieve(query='x', limit=5)" || s.Thought() != "I look." {
		t.Fatalf("read %+v, %+v, thought %q", s.Action, s.ParseError, s.Thought())
	}
	if diff := cmp.Diff([]qa.CallResult{{ID: "b", Text: qa.NotRunResult}}, s.Others); diff != "" {
		t.Errorf("not run (-want +got):\n%s", diff)
	}
	if got := s.Message(); len(got.ToolCalls) != 2 {
		t.Errorf("the message holds %d calls, want both", len(got.ToolCalls))
	}
	s.Observation = &qa.Observation{Text: "found"}
	if diff := cmp.Diff(qa.Message{Role: qa.ToolResult, Text: "found", ToolCallID: "a", Others: []qa.CallResult{{ID: "b", Text: qa.NotRunResult}}}, s.ObservationMessage()); diff != "" {
		t.Errorf("result (-want +got):\n%s", diff)
	}
}

// Prompts for native tools do not mention labels, so messages must not, either.
func TestNativeWording(t *testing.T) {
	for name, reply := range map[string]qa.Reply{
		"nothing": {Text: "I am done.", Finish: "length"},
		"null":    {ToolCalls: []qa.ToolCall{{ID: "a", Name: "Query", Arguments: json.RawMessage(`{"sql": null}`)}}},
		"cut":     {ToolCalls: []qa.ToolCall{{ID: "a", Name: "Query", Arguments: json.RawMessage(`"{\"sql\": \"SEL"`)}}, Finish: "length"},
		"many":    {ToolCalls: []qa.ToolCall{{ID: "a", Name: "Answer", Arguments: json.RawMessage(`{"answer": 1e999}`)}}},
		"text":    {Text: "Query(sql='S')"},
	} {
		for _, p := range []action.Protocol{action.AsCall, action.AsTextOrCall} {
			s := qa.Step{Reply: &reply}
			grammar().ReadStep(&s, p)
			s.Observation = &qa.Observation{Text: "result"}
			if s.ParseError != nil {
				s.Observation.Text = s.ParseError.Reason
			}
			text := s.ObservationMessage().Text
			if strings.Contains(text, "[Observation]") || strings.Contains(text, "[Action]") || strings.Contains(text, "None") {
				t.Errorf("%s: %s", name, text)
			}
			if cut := strings.Contains(text, "cut off at the limit"); cut != (reply.Finish == "length") {
				t.Errorf("%s: cut off is %v in %s", name, cut, text)
			}
		}
	}
}

// Raw line breaks and LaTeX in the arguments of a native call are kept.
func TestLooseArguments(t *testing.T) {
	raw, err := json.Marshal("{\"answer\": \"\\alpha\nx\"}")
	if err != nil {
		t.Fatal(err)
	}
	a, bad := grammar().ReadCall(qa.ToolCall{Name: "Answer", Arguments: raw})
	if bad != nil || a.Text != `Answer(answer='\\alpha\nx')` {
		t.Errorf("read %+v, %+v", a, bad)
	}
}
