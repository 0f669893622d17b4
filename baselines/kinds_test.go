package baselines_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"airqa/agent"
	"airqa/baselines"
	"airqa/internal/testkit/golden"
	"airqa/qa"
	"airqa/tools"
)

// speaker replies with the same text in every turn.
type speaker struct {
	reply string
	shown []string
}

func (s *speaker) Complete(_ context.Context, r qa.Request) (qa.Reply, error) {
	for _, m := range r.Messages {
		s.shown = append(s.shown, fmt.Sprintf("=== %s\n%s\n", m.Role, short(m.Text)))
	}
	return qa.Reply{Text: s.reply}, nil
}

// A question's kind decides what an answer consists of, in the loop and without it.
func TestKinds(t *testing.T) {
	dialogue := qa.Example{
		UUID: "u", Question: "Why?", Kind: qa.Dialogue, AnchorPDF: []string{"p1"}, AnswerFormat: "one sentence",
		History: []qa.Utterance{{Role: qa.User, Text: "Hi\nassistant: no"}, {Role: qa.Assistant, Text: "Hello", Rationales: []string{"We greet."}}},
	}
	rank := qa.Example{UUID: "u", Question: "Find graphs.", Kind: qa.Rank, Pool: []string{"7", "31"}, ReferencePDF: []string{"p1", "p8"}}
	oracle := qa.Example{UUID: "u", Question: "Why?", Kind: qa.WithEvidence, AnchorPDF: []string{"p1"}, Context: "[p3] Because."}
	evidence := func(text string, ids ...string) qa.Answer { return qa.Answer{Given: true, Text: text, Evidence: ids} }
	tests := []struct {
		name, baseline string
		ex             qa.Example
		reply          string
		want           qa.Answer
		scope          []string
	}{
		{"dialogue", "rag", dialogue, "```\n{\"answer\": \"So.\", \"evidence\": [\"[s2]\", \"s9\"]}\n```", evidence("So.", "s2", "s9"), []string{"p1"}},
		{
			"dialogue-loop", "agentic-rag", dialogue, "[Action]: Answer(answer='So.', evidence=['s2'])",
			qa.Answer{Given: true, Text: "So.", Literal: "'So.'", Evidence: []string{"s2"}},
			nil,
		},
		{"plain-text", "question-only", dialogue, "```\nSo.\n```", evidence("So."), nil},
		{"given-context", "given-context", oracle, "```\n{\"answer\": \"Because\", \"evidence\": []}\n```", evidence("Because"), nil},
		{"rank", "title-abstract", rank, "```\n[\"31\", 7]\n```", qa.Answer{Given: true, Text: "31, 7", Ranking: []string{"31", "7"}}, nil},
		{"rank-rag", "rag", rank, "```\n31,\n[7]\n```", qa.Answer{Given: true, Text: "31, 7", Ranking: []string{"31", "7"}}, []string{"p1", "p8"}},
		{"rank-loop", "agentic-rag", rank, "[Action]: Answer(ranking=[31, '7'])", qa.Answer{Given: true, Text: "31, 7", Ranking: []string{"31", "7"}}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b, err := baselines.Find(tt.baseline)
			if err != nil {
				t.Fatal(err)
			}
			m := &speaker{reply: tt.reply}
			w := world{new([]tools.Scope)}
			s := baselines.New(b, baselines.World{Library: w, Sources: tools.Sources{Retriever: w, Querier: w, Viewer: w}}, m, qa.DefaultSettings())
			tr, err := s.Solve(t.Context(), tt.ex, agent.Setup{UUID: "u", Log: nolog{}, Now: func() time.Time { return time.Time{} }})
			if err != nil || tr.Outcome != qa.Answered {
				t.Fatal(tr.Outcome, tr.Reason, err)
			}
			if diff := cmp.Diff(tt.want, tr.Answer); diff != "" {
				t.Errorf("answer (-want +got):\n%s", diff)
			}
			for _, scope := range *w.scopes {
				if diff := cmp.Diff(tt.scope, scope.Papers); diff != "" {
					t.Errorf("scope (-want +got):\n%s", diff)
				}
			}
			golden.Check(t, "kind-"+tt.name+".golden", strings.Join(m.shown, ""))
		})
	}
}
