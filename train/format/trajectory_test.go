package format_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"airqa/internal/testkit/golden"
	"airqa/qa"
	"airqa/train/format"
)

func at(s int) time.Time { return time.Date(2024, 5, 6, 7, 8, s, 0, time.UTC) }

// episode makes the messages of an episode from its steps, as a run directory has them.
func episode(first []qa.Message, steps ...qa.Step) format.Episode {
	t := qa.Trajectory{Episode: "q1#0", UUID: "q1", Messages: first, Steps: steps, Outcome: qa.Answered}
	for _, s := range steps {
		if s.Reply == nil {
			continue
		}
		t.Messages = append(t.Messages, s.Message())
		if s.Observation != nil {
			t.Messages = append(t.Messages, s.ObservationMessage())
		}
	}
	return format.Episode{
		Trajectory: t, ID: "id of q1#0", Run: "run", Baseline: "hybrid", Program: "1.2", Model: "openai:m",
		Turn:      func(i int) qa.Message { return steps[i].Message() },
		Edit:      func(m qa.Message) qa.Message { m.Text = strings.ReplaceAll(m.Text, "secret", "[redacted]"); return m },
		ImagePath: func(im qa.Image) string { return "../images/" + im.SHA256 + ".png" },
	}
}

func call(n int, text string, action *qa.Action, o *qa.Observation) qa.Step {
	return qa.Step{
		N: n, By: qa.ByModel, Reply: &qa.Reply{Text: text, Usage: qa.Usage{Prompt: 100 * n, Completion: 10, Cached: n}}, Kept: len(text),
		Action: action, Observation: o, Started: at(n), Acted: at(n + 1), Ended: at(n + 2),
	}
}

// textual is an episode whose model writes its actions as text: with an unreadable reply, an action of the program, and
// an image.
func textual() format.Episode {
	steps := []qa.Step{
		{N: 1, By: qa.ByProgram, Action: &qa.Action{Name: "Retrieve", Args: map[string]any{"query": "x"}}, Observation: &qa.Observation{Status: qa.StatusOK, Text: "passages"}, Started: at(1)},
		call(2, "I do not know the secret", nil, &qa.Observation{Status: qa.StatusParse, Text: "no action"}),
		call(3, "View(page=1)", &qa.Action{Name: "View", Args: map[string]any{"page": int64(1)}}, &qa.Observation{Status: qa.StatusOK, Text: "page 1 <b>", Images: []qa.Image{{SHA256: "abc", MIME: "image/png"}}}),
		call(4, "Answer(answer=[1, 2])", &qa.Action{Name: "Answer", Args: map[string]any{"answer": []any{int64(1), "2"}}}, nil),
	}
	steps[2].Reply.Reasoning, steps[2].Reply.Model, steps[2].Reply.Cached = "look", "m-2024", true
	e := episode([]qa.Message{{Role: qa.System, Text: "be brief"}, {Role: qa.User, Text: "which?"}}, steps...)
	e.Rows = map[int]string{3: "row3", 4: "row4"}
	e.Reasoning, e.Price, e.Score = true, &qa.Price{Prompt: 1000, Completion: 1e4}, &qa.Score{Verdict: qa.Right, Value: 1}
	e.Copied = func(i int) bool { return i == 1 }
	return e
}

// native is an episode with native calls: two in one turn, and broken arguments.
func native() format.Episode {
	calls := []qa.ToolCall{
		{ID: "a", Name: "Query", Arguments: json.RawMessage(`{"sql":"SELECT '<'"}`)},
		{ID: "b", Name: "View", Arguments: json.RawMessage(`{}`)},
	}
	first := call(1, "", &qa.Action{Name: "Query"}, &qa.Observation{Status: qa.StatusOK, Text: "rows"})
	first.Reply.ToolCalls, first.Called, first.Others = calls, &calls[0], []qa.CallResult{{ID: "b", Text: qa.NotRunResult}}
	broken := qa.ToolCall{Name: "Query", Arguments: json.RawMessage(`"{sql:"`)}
	second := call(2, "again", nil, &qa.Observation{Status: qa.StatusParse, Text: "no JSON"})
	second.Called = &broken
	e := episode([]qa.Message{{Role: qa.User, Text: "which?"}}, first, second)
	e.Tools = []qa.ToolSpec{{Name: "Query", Description: "SQL", Parameters: json.RawMessage(`{"type":"object"}`)}}
	return e
}

// TestOf compares trajectories with golden files, which Harbor 0.25.0 accepts.
func TestOf(t *testing.T) {
	for name, e := range map[string]format.Episode{"textual": textual(), "native": native()} {
		t.Run(name, func(t *testing.T) {
			trajectory, err := format.NewTrajectory(e)
			if err != nil {
				t.Fatal(err)
			}
			line, err := trajectory.Line()
			if err != nil {
				t.Fatal(err)
			}
			var b bytes.Buffer
			if err := json.Indent(&b, line, "", "  "); err != nil {
				t.Fatal(err)
			}
			golden.Check(t, name+".json", b.String())
			again, err := format.ReadTrajectory(line)
			if err != nil {
				t.Fatal(err)
			}
			if back, err := again.Line(); err != nil || !bytes.Equal(back, line) {
				t.Errorf("read and written again: %v\n%s", err, back)
			}
		})
	}
}

func TestCheck(t *testing.T) {
	const start = `{"schema_version":"ATIF-v1.5","agent":{"name":"a","version":"1"},"steps":[`
	for _, c := range []struct{ name, text, want string }{
		{"good", start + `{"step_id":1,"source":"user","message":"x","timestamp":"2024-05-06T07:08:09Z"}]}`, ""},
		{"parts", start + `{"step_id":1,"source":"user","message":[{"type":"text","text":""},{"type":"image","source":{"media_type":"image/png","path":"x"}}]}]}`, ""},
		{"version", `{"schema_version":"2","agent":{"name":"a","version":"1"},"steps":[]}`, `schema_version "2": want ATIF-v1.x`},
		{"no steps", start + `]}`, "no steps"},
		{"unknown key", start + `{"step_id":1,"source":"user","message":"x","mood":1}]}`, `unknown field "mood"`},
		{"order", start + `{"step_id":2,"source":"user","message":"x"}]}`, "steps[0]: step_id is 2; want 1"},
		{"source", start + `{"step_id":1,"source":"tool","message":"x"}]}`, `source "tool"`},
		{"field of the agent", start + `{"step_id":1,"source":"user","message":"x","reasoning_content":"y"}]}`, "field of the agent"},
		{"no model", start + `{"step_id":1,"source":"agent","message":"x","llm_call_count":0,"metrics":{}}]}`, "without a model call"},
		{"time", start + `{"step_id":1,"source":"user","message":"x","timestamp":"yesterday"}]}`, "ISO 8601"},
		{"call", start + `{"step_id":1,"source":"agent","message":"","tool_calls":[{"tool_call_id":"a","function_name":"f","arguments":"x"}]}]}`, "arguments of f"},
		{"result", start + `{"step_id":1,"source":"agent","message":"","observation":{"results":[{"source_call_id":"a","content":"x"}]}}]}`, `call "a"`},
		{"part", start + `{"step_id":1,"source":"user","message":[{"type":"image","text":"x"}]}]}`, `type "image"`},
		{"subagent", start + `{"step_id":1,"source":"user","message":"x"}],"subagent_trajectories":[` + start + `]}]}`, "subagent"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := format.ReadTrajectory([]byte(c.text))
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

// FuzzRead reads anything: what is accepted can be written and read again.
func FuzzRead(f *testing.F) {
	for _, name := range []string{"textual", "native"} {
		raw, err := os.ReadFile(filepath.Join("testdata", name+".json"))
		if err == nil {
			f.Add(raw)
		}
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		trajectory, err := format.ReadTrajectory(raw)
		if err != nil {
			return
		}
		line, err := trajectory.Line()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := format.ReadTrajectory(line); err != nil {
			t.Errorf("%s: %v", line, err)
		}
	})
}
