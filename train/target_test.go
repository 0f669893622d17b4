package train_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/agent/action"
	"airqa/internal/testkit/recordtest"
	"airqa/qa"
	"airqa/runlog"
	"airqa/tools"
	"airqa/train"
)

// A canonical target is read as the same action as the reply, and ends with it.
func TestCanonicalTargets(t *testing.T) {
	printed, protocols := 0, []qa.Protocol{qa.ReActText, "react-json", "react-xml", "react-yaml"}
	for i := range protocols {
		c := recordtest.Config{Dir: recordtest.Dir(t, "run"), Baseline: "agentic-hybrid-view", Settings: qa.DefaultSettings(), Repeats: 8, Seed: uint64(i), Thinking: true}
		c.Settings.Protocol = protocols[i]
		made := recordtest.Make(t, c)
		run := open(t, made.Run)
		specs := tools.Called(nil).Specs()
		grammar := action.Grammar{Specs: specs, Format: action.Format(c.Settings.Protocol.Format())}
		for rec, err := range made.Run.Episodes() {
			if err != nil {
				t.Fatal(err)
			}
			rows, _ := run.Rows(rec, train.RowOptions{Turns: train.Canonical})
			raw, _ := run.Rows(rec, train.RowOptions{Turns: train.Raw})
			for j, row := range rows {
				s := rec.Steps[row.Turn-1]
				got := grammar.Read(row.Target.Text)
				if got.Action == nil || got.Action.Text != s.Action.Text && got.Action.Text != s.Action.LaTeX || got.Kept != len(row.Target.Text) {
					t.Errorf("%s: target %q is not the action %s", c.Settings.Protocol, row.Target.Text, s.Action.Text)
				}
				if strings.Contains(row.Target.Text, "invented by the model") {
					t.Errorf("text after the action is trained: %q", row.Target.Text)
				}
				if c.Settings.Protocol == qa.ReActText && strings.HasSuffix(row.Target.Text, s.Action.Text) {
					printed++
				}
				reply := s.Reply.Text
				if s.Reply.Reasoning != "" {
					reply = "<think>\n" + s.Reply.Reasoning + "\n</think>\n\n" + reply
				}
				if raw[j].Target.Text != reply {
					t.Errorf("raw target %q, want %q", raw[j].Target.Text, reply)
				}
			}
		}
	}
	if printed == 0 {
		t.Error("no action was printed in canonical form")
	}
}

func TestTarget(t *testing.T) {
	reply := func(text string) qa.Step { return qa.Step{N: 1, Reply: &qa.Reply{Text: text}, Kept: len(text)} }
	acting := func(text, call string) qa.Step {
		s := reply(text)
		action.Grammar{Specs: tools.Set{tools.Query{}, tools.Answer{}}.Specs()}.ReadStep(&s, action.AsText)
		if s.Action == nil || s.Action.Text != call {
			t.Fatalf("%q is read as %+v", text, s.Action)
		}
		return s
	}
	reasoned := reply("[Action]: none")
	reasoned.Reply.Reasoning = "hm"
	calls := []qa.ToolCall{{ID: "1", Name: "Query", Arguments: json.RawMessage(`{"sql":"x"}`)}, {ID: "2", Name: "Query"}}
	native := qa.Step{N: 1, Reply: &qa.Reply{Text: "look", ToolCalls: calls, Sealed: json.RawMessage(`{}`)}, Kept: 4, Called: &calls[0], Others: []qa.CallResult{{ID: "2", Text: qa.NotRunResult}}}
	tests := []struct {
		name string
		step qa.Step
		o    train.RowOptions
		want qa.Message
	}{
		{"quotes as printed", acting("[Thought]: x\n[Action]: Query(sql=\"SELECT 1\")", "Query(sql='SELECT 1')"), train.RowOptions{}, text("[Thought]: x\n[Action]: Query(sql='SELECT 1')")},
		{"text after the action", acting("[Action]: Query(sql='a')\n[Observation]: 3", "Query(sql='a')"), train.RowOptions{}, text("[Action]: Query(sql='a')")},
		{"as received", acting("[Action]: Query(sql='a')\n[Observation]: 3", "Query(sql='a')"), train.RowOptions{Turns: train.Raw}, text("[Action]: Query(sql='a')\n[Observation]: 3")},
		{"a code fence", acting("[Action]:\n```\nQuery(sql=\"a\")\n```", "Query(sql='a')"), train.RowOptions{}, text("[Action]:\n```\nQuery(sql='a')\n```")},
		{"LaTeX", acting(`[Action]: Answer(answer="\frac{1}{2}")`, `Answer(answer='\x0crac{1}{2}')`), train.RowOptions{}, text(`[Action]: Answer(answer='\\frac{1}{2}')`)},
		{"reasoning", reasoned, train.RowOptions{}, text("<think>\nhm\n</think>\n\n[Action]: none")},
		{"reasoning of the last turn", reasoned, train.RowOptions{Thinking: train.ThinkingLast}, text("<think>\nhm\n</think>\n\n[Action]: none")},
		{"reasoning dropped", reasoned, train.RowOptions{Thinking: train.ThinkingDrop}, text("[Action]: none")},
		{"a block", reply("<think>\nhm\n</think>\n\nyes"), train.RowOptions{}, text("<think>\nhm\n</think>\n\nyes")},
		{"a block dropped", reply("<think>\nhm\n</think>\n\nyes"), train.RowOptions{Thinking: train.ThinkingDrop}, text("yes")},
		{"a block without its start dropped", reply("hm\n</think>\n\nyes"), train.RowOptions{Thinking: train.ThinkingDrop}, text("yes")},
		{"another name", reply("<thinking>hm</thinking>yes"), train.RowOptions{Thinking: train.ThinkingDrop}, text("yes")},
		{"a tag inside an action", reply("[Action]: Query(sql='</think>')"), train.RowOptions{Thinking: train.ThinkingDrop}, text("[Action]: Query(sql='</think>')")},
		{"a call", native, train.RowOptions{}, qa.Message{Role: qa.Assistant, Text: "look", ToolCalls: calls[:1]}},
		{"all calls", native, train.RowOptions{Turns: train.Raw}, qa.Message{Role: qa.Assistant, Text: "look", ToolCalls: calls}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			rec := runlog.Recorded{Trajectory: qa.Trajectory{Steps: []qa.Step{tt.step}}}
			if diff := cmp.Diff(tt.want, (&train.Run{}).RowAt(rec, 0, tt.o).Target); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func text(s string) qa.Message { return qa.Message{Role: qa.Assistant, Text: s} }

// Thinking of earlier turns stays or goes, and nothing else changes.
func TestThinkingInContext(t *testing.T) {
	thought := "<think>\nhm\n</think>\n\n[Action]: Query(sql='a')"
	messages := []qa.Message{{Role: qa.System, Text: "<think>"}, {Role: qa.User, Text: "<think>a</think>b"}, text(thought), {Role: qa.User, Text: "[Observation]: <think>x</think>"}}
	step := qa.Step{N: 2, Shown: []qa.Span{{First: 0, End: 4}}, Reply: &qa.Reply{Text: "x"}, Kept: 1}
	rec := runlog.Recorded{Trajectory: qa.Trajectory{Messages: messages, Steps: []qa.Step{step}}}
	for thinking, want := range map[train.Thinking]string{
		"": thought, train.ThinkingKeep: thought, train.ThinkingLast: "[Action]: Query(sql='a')", train.ThinkingDrop: "[Action]: Query(sql='a')",
	} {
		got := (&train.Run{}).RowAt(rec, 0, train.RowOptions{Thinking: thinking}).Context
		expected := append([]qa.Message(nil), messages...)
		expected[2].Text = want
		if diff := cmp.Diff(expected, got); diff != "" {
			t.Errorf("--thinking %s (-want +got):\n%s", thinking, diff)
		}
	}
	if messages[2].Text != thought {
		t.Error("the recorded messages were changed")
	}
}

func TestFailure(t *testing.T) {
	broken := func(kind string) qa.Step {
		return qa.Step{Reply: &qa.Reply{}, ParseError: &qa.ParseError{Kind: kind, Reason: "why"}, Observation: &qa.Observation{Status: qa.StatusParse}}
	}
	acted := func(status qa.Status, text string) qa.Step {
		return qa.Step{Reply: &qa.Reply{}, Action: &qa.Action{Name: "Query"}, Observation: &qa.Observation{Status: status, Text: text}}
	}
	program := func(status qa.Status) qa.Step {
		return qa.Step{By: qa.ByProgram, Action: &qa.Action{Name: "Query"}, Observation: &qa.Observation{Status: status, Text: "no such column\nat all"}}
	}
	asked := qa.Step{Reply: &qa.Reply{}}
	tests := []struct {
		name    string
		outcome qa.Outcome
		steps   []qa.Step
		want    train.Drop // of the first step
	}{
		{"no action", qa.Answered, []qa.Step{broken(qa.ErrNoAction), asked}, train.Drop{Reason: train.NoAction, Detail: "why"}},
		{"syntax", qa.Answered, []qa.Step{broken(qa.ErrSyntax), asked}, train.Drop{Reason: train.BadSyntax, Detail: "why"}},
		{"unknown action", qa.Answered, []qa.Step{broken(qa.ErrUnknownAction), asked}, train.Drop{Reason: train.UnknownAction, Detail: "why"}},
		{"parameter", qa.Answered, []qa.Step{broken(qa.ErrParameter), asked}, train.Drop{Reason: train.BadParameter, Detail: "why"}},
		{"a kind of a later version", qa.Answered, []qa.Step{broken("other"), asked}, train.Drop{Reason: train.BadSyntax, Detail: "why"}},
		{"SQL error", qa.Answered, []qa.Step{acted(qa.StatusError, "[Error]: bad\nmore"), asked}, train.Drop{Reason: train.ActionFailed, Detail: "[Error]: bad"}},
		{"result", qa.Answered, []qa.Step{acted(qa.StatusOK, "x"), asked}, train.Drop{}},
		{"empty result", qa.Answered, []qa.Step{acted(qa.StatusEmpty, ""), asked}, train.Drop{}},
		{"answer", qa.Answered, []qa.Step{asked}, train.Drop{}},
		{"stopped", qa.ToolFailure, []qa.Step{asked}, train.Drop{Reason: train.NoResult, Detail: "tool_failure"}},
		{"killed", "", []qa.Step{asked}, train.Drop{Reason: train.NoResult}},
		{"the program's statement fails", qa.Answered, []qa.Step{asked, program(qa.StatusError), asked}, train.Drop{Reason: train.ActionFailed, Detail: "no such column"}},
		{"the program's statement runs", qa.Answered, []qa.Step{asked, program(qa.StatusOK), asked}, train.Drop{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			rec := runlog.Recorded{Trajectory: qa.Trajectory{Outcome: tt.outcome, Steps: tt.steps}}
			reason, detail := train.Failure(rec, 0)
			if got := (train.Drop{Reason: reason, Detail: detail}); got != tt.want {
				t.Errorf("%+v, want %+v", got, tt.want)
			}
		})
	}
}

func TestEmptyTarget(t *testing.T) {
	dir := recordtest.Dir(t, "run")
	made := recordtest.Make(t, recordtest.Config{Dir: dir, Baseline: "question-only", Questions: 1})
	run := open(t, made.Run)
	rec := runlog.Recorded{Trajectory: qa.Trajectory{Outcome: qa.Answered, Steps: []qa.Step{{N: 1, Reply: &qa.Reply{}}}}}
	rows, dropped := run.Rows(rec, train.RowOptions{})
	if len(rows) != 0 || len(dropped) != 1 || dropped[0].Reason != train.EmptyTarget || dropped[0].ID != run.Turn(rec, 0) {
		t.Errorf("rows %v, dropped %v", rows, dropped)
	}
}
