package report_test

import (
	"encoding/json"
	"strings"
	"testing"

	"airqa/qa"
	"airqa/report"
	"airqa/run/runlog"
)

// A trace shows which of several native calls ran and which did not.
func TestTraceOfSeveralCalls(t *testing.T) {
	calls := []qa.ToolCall{
		{ID: "a", Name: "Retrieve", Arguments: json.RawMessage(`{"query":"x"}`)},
		{ID: "b", Name: "Query", Arguments: json.RawMessage(`{"sql":"S"}`)},
	}
	step := qa.Step{
		N: 1, By: qa.ByModel, Called: &calls[0], Reply: &qa.Reply{ToolCalls: calls, Finish: "content_filter"},
		Action: &qa.Action{Name: "Retrieve", Text: "Retrieve(query='x', limit=5)"},
	}
	var out strings.Builder
	traced := report.NewTraced(qa.Example{}, runlog.Recorded{Trajectory: qa.Trajectory{Steps: []qa.Step{step}}}, nil)
	if err := traced.Write(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Retrieve was run", `Query {"sql":"S"}`, "content filter"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}

// A trace counts cut replies, if any, in each of its formats.
func TestTraceCountsCutReplies(t *testing.T) {
	for finish, want := range map[string]bool{qa.FinishLength: true, "stop": false} {
		steps := []qa.Step{{N: 1, Reply: &qa.Reply{Text: "a", Finish: "stop"}}, {N: 2, Reply: &qa.Reply{Text: "b", Finish: finish}}}
		traced := report.NewTraced(qa.Example{}, runlog.Recorded{Trajectory: qa.Trajectory{Steps: steps}}, nil)
		var whole, object strings.Builder
		for _, err := range []error{traced.Write(&whole), traced.WriteJSON(&object)} {
			if err != nil {
				t.Fatal(err)
			}
		}
		for text, part := range map[string]string{
			whole.String(): "; 1 of 2 replies cut off at the limit of tokens", object.String(): `"cut_replies":1`,
		} {
			if strings.Contains(text, part) != want {
				t.Errorf("finish %s: %q in\n%s", finish, part, text)
			}
		}
	}
}
