package ask_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"airqa/env/paperdb"
	"airqa/qa"
	"airqa/run/ask"
	"airqa/tools"
)

const (
	heron = "11111111-1111-4111-8111-111111111111"
	stork = "22222222-2222-4222-8222-222222222222"
	page1 = "33333333-3333-4333-8333-333333333331"
	page2 = "33333333-3333-4333-8333-333333333332"
)

// shelf has the papers of the tests. Every text is at the same box of its page, unless the page is broken.
type shelf struct {
	papers map[string]paperdb.Paper
	broken error
	asked  []string
}

func (s *shelf) Parts(_ context.Context, id string) (paperdb.Paper, error) {
	s.asked = append(s.asked, id)
	p, ok := s.papers[id]
	if !ok {
		return p, paperdb.ErrNoPaper
	}
	return p, nil
}

func (s *shelf) Locate(_ context.Context, _ string, page int, _ string) ([]float64, error) {
	return []float64{10, 20, 30, float64(page)}, s.broken
}

const nests = "Herons nest in reeds. We counted 31 nests of herons in May. Each nest has three eggs, in general."

func library() *shelf {
	return &shelf{papers: map[string]paperdb.Paper{heron: {
		Metadata: paperdb.Metadata{PaperID: heron, Title: "On Herons"},
		Pages:    []paperdb.Page{{ID: page1, Number: 1, Content: "Abstract\n" + nests}, {ID: page2, Number: 2, Content: "Table 1: Nests by month.\nApril 12 4.5\nMay 31 6.25\nFigure 1: A heron on its nest by the lake."}},
		Sections: []paperdb.Section{
			{Title: "1 Birds", Content: nests + " And more of them in the other chapters.", PageNumbers: []int{1, 2}},
			{Title: "1.1 Counts", Content: nests, PageNumbers: []int{1}},
		},
		Tables: []paperdb.Table{{
			Caption: "Table 1: Nests by month.", PageID: page2, Box: [4]int{1, 2, 3, 4},
			Content: "<table><tr><th>Month</th><th>Nests</th><th>Share</th></tr><tr><td>April</td><td>12</td><td>4.5</td></tr><tr><td>May</td><td>31</td><td>6.25</td></tr></table>",
		}},
		Images: []paperdb.Image{{Caption: "Figure 1: A heron on its nest by the lake.", PageID: page2, Box: [4]int{5, 6, 7, 8}}},
	}}}
}

// rows is an observation of rows with the given columns.
type rows struct{ qa.Rows }

func (r rows) Query(context.Context, string) (qa.Rows, error) { return r.Rows, nil }

// queried is a step that ran a statement.
func queried(t *testing.T, sql string, touched *qa.Touched, columns []string, values ...[]any) qa.Step {
	t.Helper()
	action := qa.Action{Name: "Query", Args: map[string]any{"sql": sql}}
	o, err := tools.Query{From: rows{qa.Rows{Columns: columns, Values: values}}}.Call(t.Context(), action)
	if err != nil {
		t.Fatal(err)
	}
	o.Touched = touched
	return qa.Step{N: 1, By: qa.ByModel, Action: &action, Observation: &o}
}

// hits is the retriever of the tests.
type hits []tools.Hit

func (h hits) Retrieve(context.Context, string, int, tools.Scope) ([]tools.Hit, error) { return h, nil }

// retrieved is a step that found passages of pages.
func retrieved(t *testing.T, n int, list ...tools.Hit) qa.Step {
	t.Helper()
	action := qa.Action{Name: "Retrieve", Args: map[string]any{"query": "q", "limit": int64(len(list))}}
	o, err := tools.Retrieve{From: hits(list)}.Call(t.Context(), action)
	if err != nil {
		t.Fatal(err)
	}
	return qa.Step{N: n, By: qa.ByModel, Action: &action, Observation: &o}
}

func hit(paper string, page int, text string) tools.Hit {
	return tools.Hit{ID: fmt.Sprintf("44444444-4444-4444-8444-44444444444%d", page), PDFID: paper, PageNumber: page, Text: text}
}

// answered is a trajectory with an answer.
func answered(literal, text string, steps ...qa.Step) qa.Trajectory {
	return qa.Trajectory{Steps: steps, Outcome: qa.Answered, Answer: qa.Answer{Given: true, Text: text, Literal: literal}}
}

func TestOf(t *testing.T) {
	passage := retrieved(t, 2, hit(heron, 1, nests))
	table := retrieved(t, 1, hit(heron, 2, "Table 1: Nests by month.\nApril 12 4.5\nMay 31 6.25"))
	text := ask.Source{Kind: ask.Passage, Match: ask.Exact, PaperID: heron, Title: "On Herons", Page: 1, Section: "1.1 Counts", Box: []float64{10, 20, 30, 1}, Step: 2}
	const set = "We set λ = 0.35, ϵ = 1e-5 and µ = 0.9 on the development set."
	const encoder = "As was said before, the encoder has 33 million parameters, which are not so many."
	settings := retrieved(t, 2, hit(stork, 1, "Nobody asked for that much, which is a sentence of some length. "+set+" "+strings.Replace(encoder, "has ", "has\n", 1)+" It was trained in 12 days, on processors of birds that are fast."))
	plain := ask.Source{Kind: ask.Passage, Match: ask.Exact, PaperID: stork, Page: 1, Step: 2}
	quote := func(s ask.Source, m ask.Match, quote string) []ask.Source {
		s.Match, s.Quote = m, quote
		return []ask.Source{s}
	}
	counted := "Herons nest in reeds. We counted 31 nests of herons in May. Each nest has three eggs, in general."
	tests := []struct {
		name, question string
		t              qa.Trajectory
		want           []ask.Source
	}{
		{"a number", "How many nests of herons were counted?", answered("31", "31", passage), quote(text, ask.Exact, counted)},
		{"a whole number as a float", "How many nests of herons were counted?", answered("31.0", "31.0", passage), quote(text, ask.Exact, counted)},
		{"a number in words", "How many eggs has a nest?", answered("3", "3", passage), quote(text, ask.Exact, "We counted 31 nests of herons in May. Each nest has three eggs, in general.")},
		{"a sentence", "How many nests of herons were counted?", answered("'The authors counted 31 nests.'", "The authors counted 31 nests.", passage), quote(text, ask.Similar, counted)},
		{"the same number about something else", "How many layers has the network?", answered("31", "31", passage), nil},
		{"a symbol by its name", "What is the value of lambda of HeronNet?", answered("0.35", "0.35", settings), quote(plain, ask.Exact, set)},
		{"a name by its symbol", "Which ε is used?", answered("'1e-5'", "1e-5", settings), quote(plain, ask.Exact, set)},
		{"another spelling of a symbol", "What is the value of varepsilon?", answered("'1e-5'", "1e-5", settings), quote(plain, ask.Exact, set)},
		{"a short symbol", "What is mu of it?", answered("0.9", "0.9", settings), quote(plain, ask.Exact, set)},
		{"a symbol of another value", "What is lambda?", answered("12", "12", settings), nil},
		{"a sentence without a topic", "again?", answered("'The encoder has 33 million parameters.'", "The encoder has 33 million parameters.", settings), quote(plain, ask.Exact, encoder)},
		{"a sentence of the question's own words", "Is it so that the encoder has 33 million parameters?", answered("'The encoder has 33 million parameters.'", "The encoder has 33 million parameters.", settings), quote(plain, ask.Exact, encoder)},
		{"nothing in common", "What is the moon made of?", answered("'cheese'", "cheese", passage), nil},
		{"yes", "Do herons nest in reeds?", answered("True", "True", passage), quote(text, ask.Topic, counted)},
		{"no answer", "How many nests of herons were counted?", qa.Trajectory{Steps: []qa.Step{passage}, Outcome: qa.TurnLimit}, nil},
		{"no result", "How many nests of herons were counted?", answered("31", "31"), nil},
		{"an error is no source", "How many nests of herons?", answered("31", "31", qa.Step{N: 1, Observation: &qa.Observation{Status: qa.StatusError, Text: "31 nests of herons"}}), nil},
		{"a row of a table", "How many nests in May?", answered("31", "31", table), []ask.Source{{
			Kind: ask.Table, Match: ask.Exact, PaperID: heron, Title: "On Herons", Page: 2, Section: "1 Birds", Caption: "Table 1: Nests by month.",
			Quote: "Month: May, Nests: 31, Share: 6.25", Box: []float64{1, 2, 3, 4}, Step: 1,
		}}},
		{"a caption", "Where is the heron?", answered("'by the lake'", "by the lake", retrieved(t, 1, hit(heron, 2, "Figure 1: A heron on its nest by the lake."))), []ask.Source{{
			Kind: ask.Figure, Match: ask.Exact, PaperID: heron, Title: "On Herons", Page: 2, Section: "1 Birds", Caption: "Figure 1: A heron on its nest by the lake.",
			Quote: "Figure 1: A heron on its nest by the lake.", Box: []float64{5, 6, 7, 8}, Step: 1,
		}}},
		{
			"a count", "How many pages has the paper?",
			answered("2", "2", queried(t, "SELECT num_pages FROM metadata", &qa.Touched{Papers: []string{strings.ToUpper(heron)}, Tables: []string{"metadata"}}, []string{"num_pages"}, []any{int64(2)})),
			[]ask.Source{{Kind: ask.QueryRow, Match: ask.Exact, PaperID: heron, Title: "On Herons", Quote: "num_pages: 2", Step: 1, SQL: "SELECT num_pages FROM metadata"}},
		},
		{
			"a list", "Which authors wrote it?",
			answered(`["Flann O'Brien"]`, "Flann O'Brien", queried(t, "SELECT authors FROM metadata", nil, []string{"authors"}, []any{`['Flann O\'Brien']`})),
			[]ask.Source{{Kind: ask.QueryRow, Match: ask.Exact, Quote: `authors: ['Flann O\'Brien']`, Step: 1, SQL: "SELECT authors FROM metadata"}},
		},
		{"a position is no answer", "On how many pages are herons?", answered("2", "2", queried(t, "SELECT page_number FROM pages", nil, []string{"page_number"}, []any{int64(2)})), nil},
		{
			"an unknown paper", "How many nests of herons were counted?", answered("31", "31", retrieved(t, 1, hit(stork, 1, "They counted 31 nests of herons by the river, and then some more of them."))),
			[]ask.Source{{Kind: ask.Passage, Match: ask.Exact, PaperID: stork, Page: 1, Quote: "They counted 31 nests of herons by the river, and then some more of them.", Step: 1}},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := ask.FindSources(t.Context(), ask.Question{Text: tt.question}, tt.t, library())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got, cmpopts.IgnoreUnexported(ask.Source{}), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A text that names no page is looked up in the papers of the question, in the cells of tables too.
func TestPlaceOfText(t *testing.T) {
	table := library().papers[heron].Tables[0]
	for name, tt := range map[string]struct {
		column, text string
		kind         ask.Kind
		page         int
	}{
		"a page":  {"page_content", nests, ask.Passage, 1},
		"a table": {"table_content", table.Content, ask.Table, 2},
	} {
		step := queried(t, "SELECT "+tt.column+" FROM x", nil, []string{tt.column}, []any{tt.text})
		got, err := ask.FindSources(t.Context(), ask.Question{Text: "How many nests of herons in a month?", Papers: []string{stork, heron}}, answered("31", "31", step), library())
		if err != nil || len(got) != 1 || got[0].Kind != tt.kind || got[0].Page != tt.page || got[0].Title != "On Herons" {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

// The best sources come first, none twice, and at most five.
func TestOrder(t *testing.T) {
	var list []tools.Hit
	for place := range strings.FieldsSeq("northern southern eastern western upper lower") {
		list = append(list, hit(heron, 1, fmt.Sprintf("At the %[1]s shore we counted 31 nests of herons, which %[1]s people call %[1]sbirds and %[1]slings.", place)))
	}
	step := retrieved(t, 1, append(list, list[0], hit(heron, 2, "We also counted 31 nests."))...)
	got, err := ask.FindSources(t.Context(), ask.Question{Text: "How many nests of herons were counted?"}, answered("31", "31", step, step), library())
	if err != nil || len(got) != ask.Most {
		t.Fatalf("%d sources, %v", len(got), err)
	}
	seen := map[string]bool{}
	for _, s := range got {
		if seen[s.Quote] || !strings.Contains(s.Quote, "herons") {
			t.Errorf("source %q", s.Quote)
		}
		seen[s.Quote] = true
	}
}

// What the model did not see is no source: the end of a cell that was cut.
func TestCutOff(t *testing.T) {
	action := qa.Action{Name: "Retrieve", Args: map[string]any{"query": "q", "limit": int64(1)}}
	text := strings.Repeat("Reeds grow by the lake in the wind. ", 60) + "We counted 31 nests of herons."
	o, err := tools.Retrieve{From: hits{hit(heron, 1, text)}, Limits: tools.Limits{MaxTokens: 150}}.Call(t.Context(), action)
	if err != nil || o.Cut == nil || o.Full == "" {
		t.Fatalf("%+v, %v", o.Cut, err)
	}
	got, err := ask.FindSources(t.Context(), ask.Question{Text: "How many nests of herons were counted?"}, answered("31", "31", qa.Step{N: 1, Action: &action, Observation: &o}), library())
	if err != nil || len(got) > 0 {
		t.Errorf("%+v, %v", got, err)
	}
}

// Images are sources of last resort.
func TestImages(t *testing.T) {
	image := qa.Step{N: 1, By: qa.ByModel, Observation: &qa.Observation{Status: qa.StatusOK, Text: "Box", Images: []qa.Image{{PaperID: heron, Page: 2, Box: []float64{1, 2, 3, 4}}}}}
	got, err := ask.FindSources(t.Context(), ask.Question{Text: "Which colour has the bar?"}, answered("'red'", "red", image), library())
	want := []ask.Source{{Kind: ask.Page, Match: ask.Seen, PaperID: heron, Title: "On Herons", Page: 2, Section: "1 Birds", Box: []float64{1, 2, 3, 4}, Step: 1}}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(ask.Source{})); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	got, err = ask.FindSources(t.Context(), ask.Question{Text: "How many nests of herons were counted?"}, answered("31", "31", image, retrieved(t, 2, hit(heron, 1, nests))), library())
	if err != nil || len(got) != 1 || got[0].Kind != ask.Passage {
		t.Errorf("with a passage: %+v, %v", got, err)
	}
}

// A page that cannot be read leaves the source without a box; a lost database and a cancelled context are errors.
func TestFailures(t *testing.T) {
	step := retrieved(t, 1, hit(heron, 1, nests))
	tr := answered("31", "31", step)
	q := ask.Question{Text: "How many nests of herons were counted?"}
	papers := library()
	papers.broken = errors.New("no trailer")
	if got, err := ask.FindSources(t.Context(), q, tr, papers); err != nil || len(got) != 1 || got[0].Box == nil {
		if err != nil || len(got) != 1 {
			t.Errorf("a broken page: %+v, %v", got, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := ask.FindSources(ctx, q, tr, papers); err == nil {
		t.Error("a cancelled context is no error")
	}
}

// Texts in another script have no spaces between words.
func TestUnspaced(t *testing.T) {
	step := retrieved(t, 1, hit(heron, 1, "我们采用模拟退火算法计算全局范围内的最优阻尼系数。"), hit(heron, 2, "本文研究水化学的问题。"))
	got, err := ask.FindSources(t.Context(), ask.Question{Text: "计算阻尼系数采用什么算法？"}, answered("'模拟退火算法'", "模拟退火算法", step), library())
	if err != nil || len(got) != 1 || got[0].Page != 1 {
		t.Errorf("%+v, %v", got, err)
	}
}

// A long passage is cut around the answer, at the borders of words.
func TestQuote(t *testing.T) {
	filler := strings.TrimSpace(strings.Repeat("and the reeds of the lake grow ", 30))
	text := "In summer " + filler + " where 31 nests of herons were " + filler + "."
	got, err := ask.FindSources(t.Context(), ask.Question{Text: "How many nests of herons?"}, answered("31", "31", retrieved(t, 1, hit(heron, 1, text))), library())
	if err != nil || len(got) != 1 {
		t.Fatalf("%+v, %v", got, err)
	}
	q := got[0].Quote
	if !got[0].Before || !got[0].After || len(q) > 330 || !strings.Contains(q, "where 31 nests of herons were") || !strings.Contains(" "+text+" ", " "+q+" ") {
		t.Errorf("quote %q, cut %t and %t", q, got[0].Before, got[0].After)
	}
}

func FuzzOf(f *testing.F) {
	f.Add("How many nests?", "31", nests)
	f.Add("?", "['a', {'b': 1e300}]", "<tr><td>a</td></tr>\x1b[31m")
	f.Add("波", "'波'", "波 . 31.")
	f.Fuzz(func(t *testing.T, question, literal, text string) {
		step := queried(t, text, nil, []string{"text", "n"}, []any{text + strings.Repeat("x ", 50), int64(3)})
		got, err := ask.FindSources(t.Context(), ask.Question{Text: question, Papers: []string{heron}}, answered(literal, literal, step), library())
		if err != nil || len(got) > ask.Most {
			t.Errorf("%+v, %v", got, err)
		}
	})
}
