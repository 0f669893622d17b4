package export_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/internal/testkit/recordtest"
	"airqa/qa"
	"airqa/train"
	"airqa/train/export"
)

// Each pair has a right and a wrong repeat of one question, which saw the same messages and then took different turns.
// No turn is in two pairs.
func TestPairs(t *testing.T) {
	made := runs(t)
	out := write(t, export.Config{Runs: dirsOf(made), Format: export.DPO, Rules: export.Rules{Repeated: export.KeepAll}})
	turns := turnsOf(t, made)
	used := make(map[string]bool)
	late := 0
	for _, o := range linesOf[provenance](t, out, export.ProvenanceFile) {
		chosen, rejected := turns[o.ID], turns[o.Rejected]
		if chosen.verdict != qa.Right || rejected.verdict == qa.Right || chosen.row.UUID != rejected.row.UUID || chosen.row.Run != rejected.row.Run {
			t.Errorf("pair of %+v and %+v", chosen, rejected)
		}
		if diff := cmp.Diff(withoutIDs(chosen.row.Context), withoutIDs(rejected.row.Context)); diff != "" {
			t.Errorf("contexts of a pair (-chosen +rejected):\n%s", diff)
		}
		if cmp.Equal(withoutIDs([]qa.Message{chosen.row.Target}), withoutIDs([]qa.Message{rejected.row.Target})) {
			t.Errorf("both sides of the pair %s are the turn %q", o.ID, chosen.row.Target.Text)
		}
		for _, id := range []string{o.ID, o.Rejected} {
			if used[id] {
				t.Errorf("the turn %s is in two pairs", id)
			}
			used[id] = true
		}
		if chosen.failed {
			t.Errorf("the chosen turn %s failed", o.ID)
		}
		if o.Turn > 1 {
			late++
		}
	}
	if len(used) < 10 || late == 0 {
		t.Fatalf("%d turns in pairs, %d pairs after the first turn: too few to test anything", len(used), late)
	}
	rejected := 0
	for _, d := range linesOf[train.Drop](t, out, export.DroppedFile) {
		if d.Reason == export.RejectedTurn {
			rejected++
			if !used[d.ID] {
				t.Errorf("%s is no rejected turn", d.ID)
			}
		}
	}
	if rejected != len(used)/2 {
		t.Errorf("%d rejected turns for %d pairs", rejected, len(used)/2)
	}
	checkPairFiles(t, out, len(used)/2)
}

// checkPairFiles checks that all three forms have the same pairs.
func checkPairFiles(t *testing.T, out string, pairs int) {
	t.Helper()
	type message struct {
		Role, From, Value string
		Content           json.RawMessage
		Calls             json.RawMessage `json:"tool_calls"`
	}
	trl := linesOf[struct{ Prompt, Chosen, Rejected []message }](t, out, "data", "train.jsonl")
	ranking := linesOf[struct {
		Conversations    []message
		Chosen, Rejected message
	}](t, out, "sharegpt", "train.jsonl")
	openAI := linesOf[struct {
		Input struct{ Messages []message }
		Good  []message `json:"preferred_output"`
		Bad   []message `json:"non_preferred_output"`
	}](t, out, "openai", "train.jsonl")
	if len(trl) != pairs || len(ranking) != pairs || len(openAI) != pairs {
		t.Fatalf("%d, %d and %d lines for %d pairs", len(trl), len(ranking), len(openAI), pairs)
	}
	for i := range trl {
		if len(ranking[i].Conversations)%2 != 1 || ranking[i].Chosen.Value == ranking[i].Rejected.Value {
			t.Errorf("pair %d in ShareGPT: %+v", i, ranking[i])
		}
		if len(trl[i].Chosen) != 1 || len(openAI[i].Good) != 1 || len(trl[i].Prompt) != len(openAI[i].Input.Messages) {
			t.Errorf("pair %d: TRL %d messages, OpenAI %d", i, len(trl[i].Prompt), len(openAI[i].Input.Messages))
		}
		same := func(a, b message) bool { return b.Calls != nil || string(a.Content) == string(b.Content) } // calls are text for TRL
		if !same(trl[i].Chosen[0], openAI[i].Good[0]) || !same(trl[i].Rejected[0], openAI[i].Bad[0]) {
			t.Errorf("pair %d differs between TRL and OpenAI", i)
		}
	}
}

// turn is a turn of a run as a row, with the score of its episode.
type turn struct {
	row     train.Row
	verdict qa.Verdict
	failed  bool
}

func turnsOf(t *testing.T, made []recordtest.Made) map[string]turn {
	t.Helper()
	turns := make(map[string]turn)
	for _, m := range made {
		run, err := train.OpenRun(m.Run)
		if err != nil {
			t.Fatal(err)
		}
		for rec, err := range m.Run.Episodes() {
			if err != nil {
				t.Fatal(err)
			}
			verdict := qa.Wrong
			if rec.Answer.Text == "42" {
				verdict = qa.Right
			}
			for i, s := range rec.Steps {
				if s.Reply != nil {
					reason, _ := train.Failure(rec, i)
					turns[run.Turn(rec, i)] = turn{run.RowAt(rec, i, train.RowOptions{}), verdict, reason != ""}
				}
			}
		}
	}
	return turns
}

// withoutIDs removes the ids of calls, which differ between repeats and do not matter.
func withoutIDs(messages []qa.Message) []qa.Message {
	var list []qa.Message
	for _, m := range messages {
		m.ToolCallID, m.Others, m.Sealed = "", nil, nil
		calls := m.ToolCalls
		m.ToolCalls = nil
		for _, c := range calls {
			m.ToolCalls = append(m.ToolCalls, qa.ToolCall{Name: c.Name, Arguments: c.Arguments})
		}
		list = append(list, m)
	}
	return list
}

// Without a wrong repeat there is no pair, and the command says why.
func TestNoPairs(t *testing.T) {
	made := recordtest.Make(t, recordtest.Config{Dir: recordtest.Dir(t, "run"), Baseline: "question-only", Repeats: 2, Shared: 9, Scored: true})
	_, err := export.Write(export.Config{Runs: []string{made.Run.Dir}, Format: export.DPO, Out: recordtest.Dir(t, "out")})
	if !errors.Is(err, export.ErrNoPairs) || !strings.Contains(err.Error(), "no_pair") || !strings.Contains(err.Error(), "a right and a wrong repeat") {
		t.Errorf("error %v", err)
	}
}
