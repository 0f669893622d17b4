package ask

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"airqa/internal/terminal"
	"airqa/internal/testkit/golden"
	"airqa/qa"
)

const (
	paperID = "11111111-1111-4111-8111-111111111111"
	hostile = "\x1b[31mred\x1b[0m <script>alert(1)</script> \u202e'\"; rm -rf ~"
)

// result has every kind of source.
func result() *Result {
	text, list := "31 nests.", "['a', 2]"
	cited := func(s Source) Cited { return Cited{s, Asking{Data: "my papers"}.command(s)} }
	passage := Source{Kind: Passage, Match: Exact, PaperID: paperID, Title: "On Herons", Page: 2, Section: "1 Birds", Quote: "We counted 31 nests in the reeds beside the lake", Before: true, After: true, Box: []float64{10, 20.5, 30, 40}, Step: 1}
	unknown := passage
	unknown.Title, unknown.Section, unknown.Box, unknown.Match = "", "", nil, Topic
	table := Source{Kind: Table, Match: Exact, PaperID: paperID, Title: "On Herons", Page: 3, Caption: "Table 1: Nests by month.", Quote: "Month: May, Nests: 31", Box: []float64{1, 2, 3, 4}, Step: 1}
	figure := Source{Kind: Figure, Match: Similar, PaperID: paperID, Title: "On Herons", Page: 3, Caption: "Figure 1: A nest.", Quote: "Figure 1: A nest.", Box: []float64{1, 2, 3, 4}, Step: 1}
	seen := Source{Kind: Page, Match: Seen, PaperID: paperID, Title: "On Herons", Page: 4, Step: 2}
	counted := Source{Kind: QueryRow, Match: Exact, Quote: "n: 31", Step: 3, SQL: "SELECT count(*) AS n\nFROM nests"}
	usd := 0.0125
	return &Result{Format: 1, Run: "runs/ask/x", Data: "my papers", Baseline: "agentic-hybrid", Model: "openai:m", Answers: []Answered{
		{
			UUID: "aaaaaaaa-1", Question: "How many nests?", Outcome: qa.Answered, Answer: &text, Usage: qa.Usage{Prompt: 1200, Completion: 34}, USD: &usd,
			Sources: []Cited{cited(passage), cited(unknown), cited(table), cited(figure), cited(seen), cited(counted)},
		},
		{UUID: "bbbbbbbb-2", Question: "Which?", Outcome: qa.Answered, Answer: &list},
		{UUID: "cccccccc-3", Question: "Why?", Outcome: qa.TurnLimit, Reason: "no answer in 20 turns"},
		{UUID: "dddddddd-4", Question: "When?"},
	}}
}

func TestText(t *testing.T) {
	var b bytes.Buffer
	r := result()
	if err := r.Text(&b, 80, terminal.Style{}); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "text.txt", b.String()+r.Summary()+"\n")
}

// Lines but commands fit a narrow terminal.
func TestWidth(t *testing.T) {
	var b bytes.Buffer
	if err := result().Text(&b, 40, terminal.Style{}); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		if terminal.Width(line) > 41 && !strings.Contains(line, "airqa ") {
			t.Errorf("%d columns: %q", terminal.Width(line), line)
		}
	}
}

// harmful is a result in which every text is hostile.
func harmful() *Result {
	text := hostile
	s := Source{Kind: Passage, Match: Exact, PaperID: hostile, Title: hostile, Page: 1, Section: hostile, Caption: hostile, Quote: hostile, Box: []float64{1, 2, 3, 4}}
	table, query := s, s
	table.Kind, query.Kind, query.SQL = Table, QueryRow, hostile
	var list []Cited
	for _, s := range []Source{s, table, query} {
		list = append(list, Cited{s, Asking{Data: "d"}.command(s)})
	}
	return &Result{Run: hostile, Data: hostile, Baseline: hostile, Model: hostile, Answers: []Answered{
		{UUID: hostile, Question: hostile, Outcome: qa.Answered, Answer: &text, Sources: list},
		{UUID: hostile, Question: hostile, Outcome: qa.TurnLimit, Reason: hostile},
	}}
}

func TestHostileText(t *testing.T) {
	var b bytes.Buffer
	if err := harmful().Text(&b, 80, terminal.Style{}); err != nil {
		t.Fatal(err)
	}
	if strings.ContainsAny(b.String(), "\x1b\u202e") {
		t.Errorf("control characters in %q", b.String())
	}
}

// drawer draws an image, or fails.
type drawer struct{ err error }

func (d drawer) ViewAround(context.Context, string, int, []float64, string) (qa.Image, error) {
	return qa.Image{Data: []byte("image")}, d.err
}

// A page makes no request and shows an image for each source that has a place. One that cannot be drawn is left out.
func TestPage(t *testing.T) {
	page, err := result().Page(t.Context(), drawer{})
	if err != nil {
		t.Fatal(err)
	}
	text := string(page)
	if n := strings.Count(text, `src="data:image/png;base64,aW1hZ2U="`); n != 4 {
		t.Errorf("%d images, want those of a passage, a table, a figure and a page", n)
	}
	for _, part := range []string{"<h1>Answers</h1>", "<h2>How many nests?</h2>", "“… We counted 31 nests", "No answer (turn_limit)", "Not answered yet.", "No source found:", "default-src 'none'"} {
		if !strings.Contains(text, part) {
			t.Errorf("the page does not have %q", part)
		}
	}
	for _, part := range []string{"://", "<script", "ZgotmplZ"} {
		if strings.Contains(text, part) {
			t.Errorf("the page has %q", part)
		}
	}
	if page, err = result().Page(t.Context(), drawer{errors.New("no PDF")}); err != nil || bytes.Contains(page, []byte("<img")) {
		t.Errorf("without a PDF: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := result().Page(ctx, drawer{ctx.Err()}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestHostilePage(t *testing.T) {
	page, err := harmful().Page(t.Context(), drawer{})
	if err != nil {
		t.Fatal(err)
	}
	if text := string(page); strings.Contains(text, "<script") || strings.ContainsAny(text, "\x1b\u202e") || !strings.Contains(text, "&lt;script&gt;") {
		t.Errorf("page %s", text)
	}
}

// Commands can be pasted: they have no ids or statements of another form.
func TestCommand(t *testing.T) {
	page := Source{Kind: Passage, PaperID: paperID, Page: 2, Box: []float64{1, 2, 3, 4}}
	query := func(sql string) Source { return Source{Kind: QueryRow, SQL: sql} }
	with := func(change func(*Source)) Source {
		s := page
		change(&s)
		return s
	}
	tests := []struct {
		name, data string
		s          Source
		want       string
	}{
		{"a page", "d", page, "airqa page -d d --paper 11111111 --page 2 --box 1,2,3,4"},
		{"a folder to quote", "it's", page, `airqa page -d 'it'\''s' --paper 11111111 --page 2 --box 1,2,3,4`},
		{"a folder with control characters", "d\x1b", page, ""},
		{"no box", "d", with(func(s *Source) { s.Box = nil }), ""},
		{"a whole image", "d", with(func(s *Source) { s.Kind, s.Box = Page, nil }), "airqa page -d d --paper 11111111 --page 2"},
		{"no page", "d", with(func(s *Source) { s.Page = 0 }), ""},
		{"no id", "d", with(func(s *Source) { s.PaperID = "$(rm -rf ~)........................" }), ""},
		{"a statement", "d", query("SELECT 'a'"), `airqa sql -d d 'SELECT '\''a'\'''`},
		{"lines", "d", query("SELECT 1,\n  2"), "airqa sql -d d 'SELECT 1, 2'"},
		{"lines and quotes", "d", query("SELECT 'a\nb'"), ""},
		{"a comment", "d", query("SELECT 1 -- one\n, 2"), ""},
		{"control characters", "d", query("SELECT 1\x1b"), ""},
		{"nothing", "d", query(""), ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := (Asking{Data: tt.data}).command(tt.s); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
