package report_test

import (
	"strings"
	"testing"

	"airqa/qa"
	"airqa/report"
	"airqa/runlog"
)

// A trace counts cut replies, if any.
func TestTraceCountsCutReplies(t *testing.T) {
	for finish, want := range map[string]bool{qa.FinishLength: true, "stop": false} {
		steps := []qa.Step{{N: 1, Reply: &qa.Reply{Text: "a", Finish: "stop"}}, {N: 2, Reply: &qa.Reply{Text: "b", Finish: finish}}}
		traced := report.NewTraced(qa.Example{}, runlog.Recorded{Trajectory: qa.Trajectory{Steps: steps}}, nil)
		var object strings.Builder
		if err := traced.WriteJSON(&object); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(object.String(), `"cut_replies":1`) != want {
			t.Errorf("finish %s: %s", finish, object.String())
		}
	}
}
