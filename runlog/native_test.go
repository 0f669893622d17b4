package runlog_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"airqa/qa"
	"airqa/runlog"
)

// An episode with native calls, a stopped call and a failed one comes back from the log as it was.
func TestNativeCallsAndLostRequests(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	if err := runlog.Create(dir, runlog.Config{}, nil); err != nil {
		t.Fatal(err)
	}
	now := time.Date(2031, 5, 1, 12, 0, 0, 0, time.UTC)
	call := qa.ToolCall{ID: "c1", Name: "Query", Arguments: json.RawMessage(`{"sql":"SELECT '<b>' AS \"x\""}`)}
	step := qa.Step{
		N: 1, By: qa.ByModel, Shown: []qa.Span{{End: 1}}, Kept: 4, Called: &call, Others: []qa.CallResult{{ID: "c2", Text: qa.NotRunResult}}, Unlabelled: true, Started: now, Acted: now, Ended: now,
		Reply:       &qa.Reply{Text: "look", ToolCalls: []qa.ToolCall{call, {ID: "c2", Name: "Answer", Arguments: json.RawMessage(`{}`)}}, Sealed: json.RawMessage(`{"signature":"abc"}`)},
		Action:      &qa.Action{Name: "Query", Args: map[string]any{"sql": "SELECT '<b>' AS \"x\""}, Text: `Query(sql='SELECT \'<b>\' AS "x"')`},
		Observation: &qa.Observation{Status: qa.StatusOK, Text: "1 row"},
	}
	lost := qa.Attempt{Started: now, Error: "cancelled", Charged: &qa.Usage{Prompt: 7, Estimated: true}}
	failed := qa.Attempt{Started: now, Error: "server", Status: 500, Charged: &qa.Usage{Prompt: 3, Estimated: true}}

	write(t, dir, nil, func(e *runlog.Episode) error {
		for _, err := range []error{
			e.Message(qa.Message{Role: qa.User, Text: "question"}), e.Call(step), e.Observation(step), e.Lost([]qa.Attempt{lost}),
		} {
			if err != nil {
				return err
			}
		}
		return nil
	})
	if log, err := os.ReadFile(filepath.Join(dir, runlog.LogFile)); err != nil || !strings.Contains(string(log), `"text":"`+qa.NotRunResult) {
		t.Errorf("the result of the call that was not run is not in the log: %v\n%s", err, log)
	}
	prior := backFrom(t, dir)
	write(t, dir, &prior, func(e *runlog.Episode) error {
		return e.End(qa.Trajectory{Outcome: qa.EndpointError, FailedAttempts: append(prior.FailedAttempts, failed)})
	})

	got := backFrom(t, dir)
	if diff := cmp.Diff([]qa.Step{step}, got.Steps); diff != "" {
		t.Errorf("steps (-want +got):\n%s", diff)
	}
	messages := []qa.Message{
		{Role: qa.User, Text: "question"},
		{Role: qa.Assistant, Text: "look", ToolCalls: step.Reply.ToolCalls, Sealed: json.RawMessage(`{"signature":"abc"}`)},
		{Role: qa.ToolResult, Text: "1 row", ToolCallID: "c1", Others: []qa.CallResult{{ID: "c2", Text: qa.NotRunResult}}},
	}
	if diff := cmp.Diff(messages, got.Messages); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]qa.Attempt{lost, failed}, got.FailedAttempts); diff != "" {
		t.Errorf("requests without a reply (-want +got):\n%s", diff)
	}
	if charged := got.Charged(); charged.Prompt != 10 {
		t.Errorf("%d tokens charged, want 10", charged.Prompt)
	}
}

func write(t *testing.T, dir string, prior *runlog.Recorded, events func(*runlog.Episode) error) {
	t.Helper()
	w, err := runlog.OpenWriter(dir, runlog.WriterConfig{})
	if err != nil {
		t.Fatal(err)
	}
	e, err := w.Begin("u", 0, prior)
	if err == nil {
		err = events(e)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

func backFrom(t *testing.T, dir string) runlog.Recorded {
	t.Helper()
	r, err := runlog.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	rec, err := r.Episode("u", 0)
	if err != nil {
		t.Fatal(err)
	}
	return rec
}
