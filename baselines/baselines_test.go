package baselines_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"airqa/agent"
	"airqa/baselines"
	"airqa/internal/testkit/golden"
	"airqa/qa"
	"airqa/tools"
)

// world has one paper, "p1".
type world struct{ scopes *[]tools.Scope }

func (world) Card(_ context.Context, id string) (baselines.Card, error) {
	if id != "p1" {
		return baselines.Card{}, &tools.Fault{Text: "there is no paper " + id}
	}
	return baselines.Card{Title: "A Model's Title", Abstract: "An abstract."}, nil
}

func (world) Text(context.Context, string) (string, error) {
	return "1 Introduction\n" + strings.Repeat("word ", 6000), nil
}

func (w world) Retrieve(_ context.Context, q string, n int, s tools.Scope) ([]tools.Hit, error) {
	*w.scopes = append(*w.scopes, s)
	return []tools.Hit{{PDFID: "p1", PageNumber: 1, Text: fmt.Sprintf("passage for %q, limit %d", q, n), Score: 1}}, nil
}

func (world) Query(_ context.Context, sql string) (qa.Rows, error) {
	return qa.Rows{Columns: []string{"sql"}, Values: [][]any{{sql}}}, nil
}

func (world) View(context.Context, string, int, []float64) (qa.Image, error) { return qa.Image{}, nil }

// model has a fixed reply for each kind of prompt and records the messages.
type model struct{ shown [][]qa.Message }

func (m *model) Complete(_ context.Context, r qa.Request) (qa.Reply, error) {
	messages := r.Messages
	m.shown = append(m.shown, messages)
	text := "so it is\n```txt\n42\n```"
	switch {
	case strings.Contains(messages[0].Text, "one SQL SELECT statement whose result"):
		text = "```sql\nSELECT 1\n```"
	case strings.Contains(messages[0].Text, "[Action]:"):
		text = "[Thought]: t\n[Action]: Answer(answer=42)"
	}
	return qa.Reply{Text: text}, nil
}

type nolog struct{}

func (nolog) Message(qa.Message) error  { return nil }
func (nolog) Call(qa.Step) error        { return nil }
func (nolog) Observation(qa.Step) error { return nil }
func (nolog) Lost([]qa.Attempt) error   { return nil }
func (nolog) End(qa.Trajectory) error   { return nil }

func example() qa.Example {
	return qa.Example{
		UUID: "u", Question: "How many {{.layers}} are there?", AnswerFormat: "Your answer should be an integer.",
		AnchorPDF: []string{"p1"}, ReferencePDF: []string{"p9"}, Conference: []string{"acl2023"},
		ReasoningSteps: []string{"SECRET STEP"}, Evaluator: qa.Evaluator{Func: "f", Kwargs: []byte(`{"gold":"SECRET GOLD"}`)},
	}
}

func solve(t *testing.T, b baselines.Baseline, ex qa.Example) (*model, qa.Trajectory, []tools.Scope) {
	t.Helper()
	m := &model{}
	var scopes []tools.Scope
	w := world{&scopes}
	s := baselines.New(b, baselines.World{Library: w, Sources: tools.Sources{Retriever: w, Querier: w, Viewer: w}, Schema: "CREATE TABLE metadata (...);"}, m, qa.DefaultSettings())
	clock := time.Date(2031, 1, 1, 0, 0, 0, 0, time.UTC)
	tr, err := s.Solve(t.Context(), ex, agent.Setup{UUID: ex.UUID, Log: nolog{}, Now: func() time.Time { return clock }})
	if err != nil {
		t.Fatal(err)
	}
	return m, tr, scopes
}

// The messages of every baseline, as shown to the model.
func TestPrompts(t *testing.T) {
	for _, b := range baselines.All() {
		t.Run(b.Name, func(t *testing.T) {
			m, tr, scopes := solve(t, b, example())
			if tr.Outcome != qa.Answered || tr.Answer.Text != "42" {
				t.Errorf("outcome %s (%s), answer %+v", tr.Outcome, tr.Reason, tr.Answer)
			}
			var text strings.Builder
			for i, messages := range m.shown {
				for _, msg := range messages {
					fmt.Fprintf(&text, "=== call %d, %s\n%s\n", i+1, msg.Role, short(msg.Text))
				}
			}
			golden.Check(t, b.Name+".golden", text.String())
			if strings.Contains(text.String(), "SECRET") || strings.Contains(text.String(), "p9") {
				t.Error("the model is shown what it must not know")
			}
			for _, s := range scopes {
				if diff := cmp.Diff([]string{"p1"}, s.Papers); diff != "" {
					t.Errorf("retrieval is not limited to the papers of the question:\n%s", diff)
				}
			}
		})
	}
}

// short abbreviates long contexts in golden files.
func short(text string) string {
	if i := strings.Index(text, strings.Repeat("word ", 20)); i >= 0 {
		j := strings.LastIndex(text, "word")
		return text[:i] + "(many words)" + text[j+4:]
	}
	return text
}

func TestContextIsCut(t *testing.T) {
	b, err := baselines.Find("full-text")
	if err != nil {
		t.Fatal(err)
	}
	m, _, _ := solve(t, b, example())
	if n := strings.Count(m.shown[0][0].Text, "word"); n < 4900 || n > 5000 {
		t.Errorf("%d words of context for 5,000 tokens", n)
	}
}

func TestNoPaper(t *testing.T) {
	for _, name := range []string{"title-abstract", "full-text"} {
		b, err := baselines.Find(name)
		if err != nil {
			t.Fatal(err)
		}
		ex := example()
		ex.AnchorPDF = nil
		m, _, _ := solve(t, b, ex)
		if !strings.Contains(m.shown[0][0].Text, "[Context]: none, because the question names no paper.") {
			t.Errorf("%s: %s", name, m.shown[0][0].Text)
		}
		ex.AnchorPDF = []string{"p1", "p8"}
		m, _, _ = solve(t, b, ex)
		if !strings.Contains(m.shown[0][0].Text, "(there is no paper p8)") && name == "title-abstract" {
			t.Errorf("%s with an unknown paper: %s", name, short(m.shown[0][0].Text))
		}
	}
}

// Question Only shows only the question and the answer format (paper, Section 4.1). The other baselines that ask once
// name papers by title; a missing field of a question has no label.
func TestTaskOfBaselinesThatAskOnce(t *testing.T) {
	for _, name := range []string{"question-only", "title-abstract", "full-text", "rag", "text2sql"} {
		b, err := baselines.Find(name)
		if err != nil {
			t.Fatal(err)
		}
		ex := example()
		ex.AnchorPDF, ex.AnswerFormat = []string{"p1", "p8"}, ""
		m, _, _ := solve(t, b, ex)
		last := m.shown[len(m.shown)-1][0].Text
		want, hidden := `[Anchor PDFs]: ["A Model's Title", 'p8']`, "[Answer Format]:"
		switch b.Name {
		case "question-only":
			want, hidden = ex.Question, "[Anchor"
			if strings.Contains(last, "acl2023") || strings.Contains(last, "[Answer Format]:") {
				t.Errorf("%s: %s", b.Name, last)
			}
		case "text2sql":
			want = `[Anchor PDFs]: ["A Model's Title" ('p1'), 'p8' ('p8')]`
		case "rag":
			if !strings.Contains(last, `"pdf_id": "p1", "title": "A Model's Title", "page_number": 1`) {
				t.Errorf("%s: no title beside the passage: %s", b.Name, last)
			}
		}
		if !strings.Contains(last, want) || strings.Contains(last, hidden) {
			t.Errorf("%s: want %s and not %s in\n%s", b.Name, want, hidden, short(last))
		}
	}
}

// Retrieve searches the papers that a question names, unless the run is configured otherwise. A question that names conferences
// is limited to their papers only if the run is configured so, and then never silently searches all papers.
func TestScope(t *testing.T) {
	b, err := baselines.Find("rag")
	if err != nil {
		t.Fatal(err)
	}
	anchors, acl := []string{"P1"}, []string{"acl2023"}
	tests := []struct {
		name    string
		scope   string
		ex      qa.Example
		want    tools.Scope
		outside []string // of p1, p3 and p4
	}{
		{"as the reference", qa.ScopeAnchors, qa.Example{Conference: acl}, tools.Scope{}, nil},
		{"anchors", qa.ScopeAnchors, qa.Example{AnchorPDF: anchors, Conference: acl}, tools.Scope{Papers: anchors}, []string{"p3", "p4"}},
		{"anchors before conferences", qa.ScopeConference, qa.Example{AnchorPDF: anchors, Conference: acl}, tools.Scope{Papers: anchors}, []string{"p3", "p4"}},
		{"limited", qa.ScopeConference, qa.Example{Conference: []string{"ACL2023", "iclr2024"}}, tools.Scope{Papers: []string{"p1", "p2", "p3"}, Bounded: true}, []string{"p4"}},
		{"no paper of it", qa.ScopeConference, qa.Example{Conference: []string{"emnlp1999"}}, tools.Scope{Papers: []string{}, Bounded: true}, []string{"p1", "p3", "p4"}},
		{"none named", qa.ScopeConference, qa.Example{}, tools.Scope{}, nil},
		{"all", qa.ScopeAll, qa.Example{AnchorPDF: anchors, Conference: acl}, tools.Scope{}, nil},
		{"a ranking has its pool", qa.ScopeAll, qa.Example{Kind: qa.Rank, ReferencePDF: []string{"p3"}}, tools.Scope{Papers: []string{"p3"}, Bounded: true}, []string{"p1", "p4"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var scopes []tools.Scope
			w := world{&scopes}
			set := qa.DefaultSettings()
			set.Scope = tt.scope
			s := baselines.New(b, baselines.World{
				Library: w, Sources: tools.Sources{Retriever: w, Querier: w, Viewer: w},
				Venues: map[string][]string{"acl2023": {"p1", "p2"}, "iclr2024": {"p3"}},
			}, &model{}, set)
			tt.ex.UUID, tt.ex.Question = "u", "Which?"
			if _, err := s.Solve(t.Context(), tt.ex, agent.Setup{UUID: "u", Log: nolog{}}); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]tools.Scope{tt.want}, scopes, cmpopts.IgnoreFields(tools.Scope{}, "Beyond")); diff != "" {
				t.Errorf("scope (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.outside, s.OutOfScope(tt.ex, []string{"p1", "p3", "p4"}), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("outside (-want +got):\n%s", diff)
			}
		})
	}
}

// The text of Retrieve states which papers it searches, and run.json has its hash.
func TestScopeText(t *testing.T) {
	b, err := baselines.Find("agentic-rag")
	if err != nil {
		t.Fatal(err)
	}
	for scope, want := range map[string]string{qa.ScopeAnchors: "only those are searched", qa.ScopeAll: "All papers are searched"} {
		set := qa.DefaultSettings()
		set.Scope = scope
		s := baselines.New(b, baselines.World{}, &model{}, set)
		system, _, err := s.Messages(qa.Example{AnchorPDF: []string{"p1"}})
		_, texts, errTexts := s.Texts("")
		if err != nil || errTexts != nil || !strings.Contains(system, want) || !strings.Contains(texts["Retrieve"], want) {
			t.Errorf("%s: want %q in the prompt and in the recorded text of\n%s (%v, %v)", scope, want, system, err, errTexts)
		}
	}
}

func TestFind(t *testing.T) {
	if _, err := baselines.Find("agentic"); err == nil || !strings.Contains(err.Error(), "agentic-hybrid-view") {
		t.Errorf("error = %v, want the list of baselines", err)
	}
	paper := []string{
		"question-only", "title-abstract", "full-text", "rag", "text2sql", "agentic-rag", "agentic-text2sql", "agentic-hybrid",
		"agentic-hybrid-view",
	}
	if names := baselines.Names(); !slices.Equal(names[:min(len(names), len(paper))], paper) {
		t.Errorf("got %v, want the paper's eight and the View variant first", names)
	}
}

// The recorded texts of a run cover every prompt and tool.
func TestTexts(t *testing.T) {
	for _, b := range baselines.All() {
		s := baselines.New(b, baselines.World{}, &model{}, qa.DefaultSettings())
		prompts, texts, err := s.Texts("")
		if err != nil || len(prompts) != len(b.Prompts) || len(texts) != len(b.Tools) {
			t.Errorf("%s: %d of %d prompts, %d of %d tools, %v", b.Name, len(prompts), len(b.Prompts), len(texts), len(b.Tools), err)
		}
	}
}
