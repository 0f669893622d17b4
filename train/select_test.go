package train_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/qa"
	"airqa/train"
)

// episode is one that the default filter selects.
func episode(change func(*train.Episode)) train.Episode {
	act := func(text string) qa.Step {
		return qa.Step{
			By: qa.ByModel, Action: &qa.Action{Name: "Query", Text: text},
			Reply: &qa.Reply{Usage: qa.Usage{Prompt: 100, Completion: 10}, Cached: text == "b"},
		}
	}
	e := train.Episode{
		Trajectory: qa.Trajectory{UUID: "q1", Outcome: qa.Answered, Steps: []qa.Step{act("a"), act("b"), act("a"), act("c")}},
		Example:    qa.Example{UUID: "q1", Tags: []string{"table", "single"}},
		Repeats:    train.Repeats{Model: "openai:gpt-4o", Baseline: "hybrid"}, Score: &qa.Score{Verdict: qa.Right, Value: 1},
	}
	if change != nil {
		change(&e)
	}
	return e
}

func TestCheck(t *testing.T) {
	wrong := func(e *train.Episode) { e.Score = &qa.Score{Verdict: qa.Wrong} }
	for _, c := range []struct {
		name   string
		filter train.Filter
		change func(*train.Episode)
		want   string
	}{
		{"right", train.Filter{}, nil, " "},
		{"unfinished", train.Filter{}, func(e *train.Episode) { e.Outcome = "" }, "unfinished "},
		{"no scores", train.Filter{}, func(e *train.Episode) { e.Score = nil }, "unscored "},
		{"judge failed", train.Filter{}, func(e *train.Episode) { e.Score = &qa.Score{Verdict: qa.Unscored, Reason: "judge is down"} }, "scoring_failed unscored judge is down"},
		{"endpoint failed", train.Filter{}, func(e *train.Episode) { e.Outcome, e.Score = qa.EndpointError, nil }, "generation_failed endpoint_error"},
		{"wrong", train.Filter{}, wrong, "wrong wrong"},
		{"unparseable", train.Filter{}, func(e *train.Episode) { e.Score = &qa.Score{Verdict: qa.Unparseable} }, "wrong unparseable"},
		{"wrong included", train.Filter{Include: []string{"wrong"}}, wrong, " "},
		{"unscored included", train.Filter{Include: []string{"unscored"}}, func(e *train.Episode) { e.Score = nil }, " "},
		{"score", train.Filter{Include: []string{"wrong"}, MinScore: new(0.5)}, wrong, "score 0"},
		{"maximum score", train.Filter{MaxScore: new(0.0)}, nil, "score 1"},
		{"outcome", train.Filter{Outcome: []string{"turn_limit"}}, nil, "outcome answered"},
		{"model", train.Filter{OfModel: []string{"gpt-4"}}, nil, "model openai:gpt-4o"},
		{"model without provider", train.Filter{OfModel: []string{"gpt-4o"}}, nil, " "},
		{"model with provider", train.Filter{OfModel: []string{"openai:gpt-4o"}}, nil, " "},
		{"baseline", train.Filter{OfBaseline: []string{"rag"}}, nil, "baseline hybrid"},
		{"tag", train.Filter{Tag: []string{"table", "!single"}}, nil, "tag table single"},
		{"few turns", train.Filter{MinTurns: 5}, nil, "turns 4"},
		{"many turns", train.Filter{MaxTurns: 3}, nil, "turns 4"},
		{"few tokens", train.Filter{MinTokens: 441}, nil, "tokens 440"},
		{"many tokens", train.Filter{MaxTokens: 439}, nil, "tokens 440"},
		{"limits met", train.Filter{MinTurns: 4, MaxTurns: 4, MinTokens: 440, MaxTokens: 440, MaxRepetition: new(0.25)}, nil, " "},
		{"repetition", train.Filter{MaxRepetition: new(0.0)}, nil, "repetition 0.25"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := train.NewSelector(c.filter)
			if err != nil {
				t.Fatal(err)
			}
			reason, detail := s.Check(episode(c.change))
			if got := string(reason) + " " + detail; got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestBadFilter(t *testing.T) {
	for _, f := range []train.Filter{{Include: []string{"right"}}, {MinScore: new(-1.0)}, {MaxRepetition: new(1.5)}} {
		if _, err := train.NewSelector(f); err == nil {
			t.Errorf("%+v: no error", f)
		}
	}
}

func TestAdmit(t *testing.T) {
	s, err := train.NewSelector(train.Filter{MaxPerQuestion: 2, MaxPerPaper: 3})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, q := range []string{"q1", "q1", "q1", "q2", "q3", "q4"} {
		ex := qa.Example{UUID: q, AnchorPDF: []string{"p1"}}
		if q == "q4" {
			ex.AnchorPDF = []string{"p2"}
		}
		reason, detail := s.Admit(ex)
		got = append(got, strings.TrimSpace(fmt.Sprint(reason, " ", detail)))
	}
	want := []string{"", "", "per_question q1", "", "per_paper p1", ""}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestIDs(t *testing.T) {
	ids, err := train.ReadIDs(strings.NewReader("r1\n\n  q2#0 \r\nr9\n"))
	if err != nil {
		t.Fatal(err)
	}
	for names, want := range map[string]bool{"r1 q1#0": true, "r2 q1#0": false, "r3 q2#0": true} {
		if got := ids.Has(strings.Fields(names)...); got != want {
			t.Errorf("%s: %t, want %t", names, got, want)
		}
	}
	if diff := cmp.Diff([]string{"r9"}, ids.Missing()); diff != "" {
		t.Errorf("missing (-want +got)\n%s", diff)
	}
	if none := (*train.IDs)(nil); !none.Has("r1") {
		t.Error("no list does not have every row")
	}
}
