package report_test

import (
	"encoding/json"
	"strings"
	"testing"

	"airqa/qa"
	"airqa/report"
	"airqa/run/runlog"
)

// A trace says which of several native calls was run, and which were not.
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
