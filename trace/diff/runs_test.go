package diff_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/internal/testkit/reporttest"
	"airqa/qa"
	"airqa/runlog"
	"airqa/trace/diff"
)

// written writes a run with an episode for each question, as in trajectory, and its verdicts ("" is no score).
func written(t *testing.T, model string, episodes [][3]string) diff.Source {
	t.Helper()
	world := reporttest.World{Baseline: "agentic-rag", Model: model, Scoring: runlog.Scoring{Mode: "reference", Judge: "none"}}
	var examples []qa.Example
	for _, e := range episodes {
		uuid, repeat := qa.SplitEpisodeID(e[0])
		steps := trajectory(e[1]).Steps
		for i, s := range steps {
			steps[i].Action.Text = fmt.Sprintf("%s(query='%s')", s.Action.Name, s.Action.Args["query"])
		}
		world.Episodes = append(world.Episodes, reporttest.Episode{UUID: uuid, Repeat: repeat, Steps: steps, Outcome: qa.Answered})
		examples = append(examples, qa.Example{UUID: uuid, Question: "question " + uuid})
		if e[2] != "" {
			world.Scores = append(world.Scores, qa.Score{UUID: uuid, Repeat: repeat, Verdict: qa.Verdict(e[2])})
		}
	}
	return diff.Source{Run: world.Run(t), Examples: examples}
}

func TestOfRuns(t *testing.T) {
	a := written(t, "m", [][3]string{
		{"same#0", "q1=x a1", "right"},
		{"worse#0", "q1=x a1", "right"},
		{"better#0", "q1=x a1", "wrong"},
		{"changed#0", "q1=x a1", "wrong"},
		{"first#0", "q1=x a1", "unparseable"},
		{"failed#0", "q1=x a1", "unscored"},
		{"equal#1", "q1=x a1", "right"},
		{"only#0", "q1=x a1", "right"},
		{"still wrong#0", "q1=x a1", "wrong"},
		{"not scored#0", "q1=x a1", ""},
	})
	b := written(t, "n", [][3]string{
		{"same#0", "r1=x a1", "right"},
		{"worse#0", "q1=x a2", "wrong"},
		{"better#0", "q1=x r1=y a1", "right"},
		{"changed#0", "q1=y a1", "right"},
		{"first#0", "r1=x a1", "right"},
		{"failed#0", "q1=x", "wrong"},
		{"equal#1", "q1=x a1", "wrong"},
		{"still wrong#0", "q1=x a1", "unparseable"},
		{"not scored#0", "q2=x a1", ""},
	})
	r, err := diff.OfRuns(t.Context(), a, b)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range r.Flips {
		got = append(got, strings.Join([]string{f.Episode, string(f.Change), string(f.Diverged), string(rune('0' + f.Step)), f.A.Action, f.B.Action}, " "))
	}
	want := []string{
		"worse#0 lost never 2 Answer(query='1') Answer(query='2')",
		"better#0 won later_action 2 Answer(query='1') Retrieve(query='1')",
		"changed#0 won other_result 1 Query(query='1') Query(query='1')",
		"first#0 won first_action 1 Query(query='1') Retrieve(query='1')",
		"failed#0 no_verdict never 2 Answer(query='1') ",
		"equal#1 lost never 0  ",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("flips (-want +got):\n%s", diff)
	}
	if r.Both != 8 || r.Other != 1 {
		t.Errorf("%d in both, %d in one", r.Both, r.Other)
	}
	if f := r.Flips[2]; f.Result == nil || f.Result.A != "x" || f.Question != "question changed" || f.B.Verdict != qa.Right {
		t.Errorf("flip %+v", f)
	}
	if diff := cmp.Diff([]runlog.Change{{Key: "model.model", Old: `"m"`, New: `"n"`}}, r.Settings); diff != "" {
		t.Errorf("settings (-want +got):\n%s", diff)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("stopped"))
	if _, err := diff.OfRuns(ctx, a, b); err == nil || err.Error() != "stopped" {
		t.Errorf("a cancelled comparison: %v", err)
	}
}

func TestUnscoredRuns(t *testing.T) {
	a, b := written(t, "m", [][3]string{{"u#0", "q1=x a1", "right"}}), written(t, "m", [][3]string{{"u#0", "q1=x a2", ""}})
	if _, err := diff.OfRuns(t.Context(), a, b); !errors.Is(err, runlog.ErrNoScores) {
		t.Errorf("error %v", err)
	}
	q, err := diff.OfEpisodes(a, b, "u#0", "u#0")
	if err != nil {
		t.Fatal(err)
	}
	if q.A.Score == nil || q.A.Score.Verdict != qa.Right || q.A.Judge != "none" || q.B.Score != nil || q.B.Model != "openai:m" || q.Question != "question u" {
		t.Errorf("%+v\n%+v", q.A, q.B)
	}
	if len(q.Settings) != 0 || count(q.Diff, diff.Equal) != 1 {
		t.Errorf("settings %v, pairs %v", q.Settings, lines(q.Diff))
	}
	a.Scoring = "fixed"
	if _, err := diff.OfEpisodes(a, b, "u#0", "u#0"); !errors.Is(err, runlog.ErrOtherScores) {
		t.Errorf("error %v", err)
	}
}
