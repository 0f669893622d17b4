package trace_test

import (
	"bytes"
	"strings"
	"testing"

	"airqa/internal/testkit/golden"
	"airqa/internal/testkit/reporttest"
	"airqa/qa"
	"airqa/runlog"
	"airqa/trace"
)

// A trace counts cut replies, if any.
func TestTraceCountsCutReplies(t *testing.T) {
	for finish, want := range map[string]bool{qa.FinishLength: true, "stop": false} {
		steps := []qa.Step{{N: 1, Reply: &qa.Reply{Text: "a", Finish: "stop"}}, {N: 2, Reply: &qa.Reply{Text: "b", Finish: finish}}}
		traced := trace.NewTraced(qa.Example{}, runlog.Recorded{Trajectory: qa.Trajectory{Steps: steps}}, nil)
		var object strings.Builder
		if err := traced.WriteJSON(&object); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(object.String(), `"cut_replies":1`) != want {
			t.Errorf("finish %s: %s", finish, object.String())
		}
	}
}

// A trace is one line of JSON that is safe to print.
func TestTrace(t *testing.T) {
	r := reporttest.Small(t)
	rec, err := r.Episode("a", 0)
	if err != nil {
		t.Fatal(err)
	}
	score := &qa.Score{UUID: "a", Verdict: qa.Right, Value: 1, Func: "eval_int_exact_match"}
	traced := trace.NewTraced(reporttest.Questions()[0], rec, score)
	var b bytes.Buffer
	if err := traced.WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	if strings.ContainsRune(b.String(), '\x1b') {
		t.Error("a control character of a question reaches the terminal")
	}
	golden.Check(t, "trace.txt", b.String())
}
