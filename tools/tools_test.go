package tools_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"airqa/agent/action"
	"airqa/internal/testkit/golden"
	"airqa/internal/tokens"
	"airqa/qa"
	"airqa/tools"
)

// world implements every tool with functions.
type world struct {
	retrieve func(query string, limit int, s tools.Scope) ([]tools.Hit, error)
	query    func(sql string) (qa.Rows, error)
	view     func(paper string, page int, box []float64) (qa.Image, error)
}

func (w world) Retrieve(_ context.Context, q string, n int, s tools.Scope) ([]tools.Hit, error) {
	return w.retrieve(q, n, s)
}
func (w world) Query(_ context.Context, sql string) (qa.Rows, error) { return w.query(sql) }
func (w world) View(_ context.Context, p string, n int, b []float64) (qa.Image, error) {
	return w.view(p, n, b)
}

// act parses and executes a call like the loop.
func act(t *testing.T, set tools.Set, call string) qa.Observation {
	t.Helper()
	r := action.Grammar{Specs: set.Specs()}.Read("[Action]: " + call)
	if r.Error != nil {
		t.Fatal(r.Error)
	}
	o, err := set.Act(t.Context(), *r.Action)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func TestRetrieve(t *testing.T) {
	var gotLimit int
	var gotScope tools.Scope
	w := world{retrieve: func(q string, n int, s tools.Scope) ([]tools.Hit, error) {
		gotLimit, gotScope = n, s
		if q == "nothing" {
			return nil, nil
		}
		return []tools.Hit{{PDFID: "p1", PageNumber: 3, TableName: "chunks", ColumnName: "text_content", Text: "a <b>\n\"c\"", Score: 1.234567}}, nil
	}}
	set := tools.Set{tools.Retrieve{From: w, Limits: tools.Limits{Scope: tools.Scope{Papers: []string{"p1"}}}}}
	tests := []struct {
		name, call string
		status     qa.Status
		limit      int
		text       string
	}{
		{"default limit", "Retrieve('x')", qa.StatusOK, 5, "{\"score\": 1.2346, \"text\": \"a <b>\\n\\\"c\\\"\", \"pdf_id\": \"p1\", \"page_number\": 3}\n(1 row)"},
		{"capped", "Retrieve('x', 5000)", qa.StatusOK, tools.MaxHits, ""},
		{"one", "Retrieve('x', 1)", qa.StatusOK, 1, "{\"score\": 1.2346, \"text\": \"a <b>\\n\\\"c\\\"\", \"pdf_id\": \"p1\", \"page_number\": 3}\n(1 row)"},
		{"zero", "Retrieve('x', 0)", qa.StatusError, 0, "[Error]: the limit of Retrieve must be a positive integer."},
		{"blank", "Retrieve('  ')", qa.StatusError, 0, "[Error]: the query of Retrieve is empty: say what to look for."},
		{"no hit", "Retrieve('nothing')", qa.StatusEmpty, 5, "[Warning]: no passage matches the query. Try other words."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			gotLimit = 0
			o := act(t, set, tt.call)
			if o.Status != tt.status || gotLimit != tt.limit {
				t.Errorf("status %s, limit %d; want %s, %d", o.Status, gotLimit, tt.status, tt.limit)
			}
			if tt.text != "" && o.Text != tt.text {
				t.Errorf("text (-want +got):\n%s", cmp.Diff(tt.text, o.Text))
			}
		})
	}
	if diff := cmp.Diff([]string{"p1"}, gotScope.Papers); diff != "" {
		t.Errorf("scope (-want +got):\n%s", diff)
	}
	w.retrieve = func(string, int, tools.Scope) ([]tools.Hit, error) {
		return []tools.Hit{{PDFID: "p1", PageNumber: 3, Text: "t", Score: 0.5, Title: "On A"}, {PDFID: "p2", PageNumber: 1, Text: "u", Score: 0.25}}, nil
	}
	o := act(t, tools.Set{tools.Retrieve{From: w}}, "Retrieve('x')")
	want := `{"score": 0.5, "text": "t", "pdf_id": "p1", "title": "On A", "page_number": 3}
{"score": 0.25, "text": "u", "pdf_id": "p2", "title": "", "page_number": 1}
(2 rows)`
	if diff := cmp.Diff(want, o.Text); diff != "" {
		t.Errorf("with titles (-want +got):\n%s", diff)
	}
}

// The log has hits beyond the limit; the model gets what it asked for.
func TestRetrieveLogsMoreHits(t *testing.T) {
	w := world{retrieve: func(_ string, n int, s tools.Scope) ([]tools.Hit, error) {
		var hits []tools.Hit
		for i := range n + s.Beyond {
			hits = append(hits, tools.Hit{ID: fmt.Sprintf("c%d", i+1), PDFID: "p", PageNumber: i + 1, Text: "t", Score: 1 / float64(i+1)})
		}
		return hits, nil
	}}
	set := tools.Set{tools.Retrieve{From: w, Limits: tools.Limits{MaxRows: 1}}}
	for limit, logged := range map[int]int{1: 2, 2: 4, 100: 120} {
		o := act(t, set, fmt.Sprintf("Retrieve('x', %d)", limit))
		if len(o.Hits) != logged || strings.Contains(o.Full, fmt.Sprintf(`"page_number": %d}`, limit+1)) {
			t.Errorf("limit %d: %d hits logged, want %d; full result:\n%s", limit, len(o.Hits), logged, o.Full)
		}
	}
	o := act(t, set, "Retrieve('x', 2)")
	want := []qa.Hit{
		{Rank: 1, ID: "c1", PaperID: "p", Page: 1, Score: 1},
		{Rank: 2, ID: "c2", PaperID: "p", Page: 2, Score: 0.5},
		{Rank: 3, ID: "c3", PaperID: "p", Page: 3, Score: 0.3333, Beyond: true},
		{Rank: 4, ID: "c4", PaperID: "p", Page: 4, Score: 0.25, Beyond: true},
	}
	if diff := cmp.Diff(want, o.Hits); diff != "" {
		t.Errorf("hits (-want +got):\n%s", diff)
	}
}

// ids is the first column of rows of texts.
func ids(rows [][]any) (list []string) {
	for _, row := range rows {
		list = append(list, row[0].(string))
	}
	return list
}

// numbers is rows with the numbers from 1 to n.
func numbers(n int64) (rows [][]any) {
	for i := range n {
		rows = append(rows, []any{i + 1})
	}
	return rows
}

// pages is the pages of a paper from 1 to n.
func pages(paper string, n int) (list []qa.PaperPage) {
	for i := range n {
		list = append(list, qa.PaperPage{PaperID: paper, Page: i + 1})
	}
	return list
}

func TestQueryLogsWhatItTouched(t *testing.T) {
	const a, b, c = "3f2a9c64-5d1e-4b7a-8c20-91d4e6f0a2b3", "11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"
	var many [][]any
	for i := range 60 {
		many = append(many, []any{fmt.Sprintf("11111111-1111-4111-8111-1111111111%02d", i)})
	}
	tests := []struct {
		name, sql string
		rows      qa.Rows
		want      qa.Touched
	}{
		{"nothing", "SELECT 1", qa.Rows{Columns: []string{"1"}, Values: [][]any{{int64(1)}}}, qa.Touched{}},
		{"papers of the rows", "SELECT paper_id, page_number", qa.Rows{
			Columns: []string{"paper_id", "page_number"}, Tables: []string{"pages"},
			Values: [][]any{{a, int64(3)}, {a, int64(3)}, {b, int64(1)}, {nil, int64(2)}},
		}, qa.Touched{Papers: []string{a, b}, Tables: []string{"pages"}, Pages: []qa.PaperPage{{PaperID: a, Page: 3}, {PaperID: b, Page: 1}}}},
		{
			"paper and pages of the statement", "SELECT page_content FROM pages p WHERE p.ref_paper_id = '" + strings.ToUpper(a) + "' AND page_number IN (2, 13, 0)",
			qa.Rows{Columns: []string{"page_content"}},
			qa.Touched{Papers: []string{a}, Pages: []qa.PaperPage{{PaperID: a, Page: 2}, {PaperID: a, Page: 13}}},
		},
		{"pages of the rows, paper of the statement", "WHERE ref_paper_id = '" + a + "'", qa.Rows{
			Columns: []string{"section_title", "page_numbers"}, Values: [][]any{{"1", "[4, 5, NULL]"}},
		}, qa.Touched{Papers: []string{a}, Pages: []qa.PaperPage{{PaperID: a, Page: 4}, {PaperID: a, Page: 5}}}},
		{
			"a page needs one paper", "WHERE ref_paper_id IN ('" + a + "', '" + b + "') AND page_number = 2",
			qa.Rows{},
			qa.Touched{Papers: []string{a, b}},
		},
		{"rows of other tables", "WHERE ref_page_id = '" + b + "'", qa.Rows{
			Columns: []string{"chunk_id", "text"}, Values: [][]any{{c, a}, {"no id", nil}},
		}, qa.Touched{Rows: []string{b, c}}},
		{"pages from 1", "WHERE ref_paper_id = '" + a + "' AND page_number = 1", qa.Rows{}, qa.Touched{Papers: []string{a}, Pages: []qa.PaperPage{{PaperID: a, Page: 1}}}},
		{"not truncated", "SELECT chunk_id", qa.Rows{Columns: []string{"chunk_id"}, Values: many[:50]}, qa.Touched{Rows: ids(many[:50])}},
		{"truncated pages", "WHERE paper_id = '" + a + "'", qa.Rows{Columns: []string{"page_number"}, Values: numbers(60)}, qa.Touched{
			Papers: []string{a}, Pages: pages(a, 50), More: true,
		}},
		{"truncated", "SELECT chunk_id", qa.Rows{Columns: []string{"chunk_id"}, Values: many}, qa.Touched{Rows: ids(many[:50]), More: true}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := world{query: func(string) (qa.Rows, error) { return tt.rows, nil }}
			o, err := tools.Set{tools.Query{From: w}}.Act(t.Context(), qa.Action{Name: "Query", Args: map[string]any{"sql": tt.sql}})
			if diff := cmp.Diff(&tt.want, o.Touched); diff != "" || err != nil {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		})
	}
}

func TestQuery(t *testing.T) {
	lost := errors.New("database is gone")
	w := world{query: func(sql string) (qa.Rows, error) {
		switch sql {
		case "bad":
			return qa.Rows{}, &tools.Fault{Kind: "syntax", Text: "syntax error at bad"}
		case "slow":
			return qa.Rows{}, &tools.Fault{Kind: "timeout", Text: "too slow."}
		case "lost":
			return qa.Rows{}, lost
		case "none":
			return qa.Rows{Columns: []string{"a"}}, nil
		}
		return qa.Rows{
			Columns: []string{"n", "x", "l", "j", "b", "none"},
			Values:  [][]any{{int64(1), 2.5, "[a<b, 'c, d', NULL]", `{"a": NaN}`, true, nil}},
			More:    true,
		}, nil
	}}
	set := tools.Set{tools.Query{From: w}}
	o := act(t, set, "Query('S')")
	want := `{"n": 1, "x": 2.5, "l": "[a<b, 'c, d', NULL]", "j": "{\"a\": NaN}", "b": true, "none": null}
(the first 1 row of more than 1 row: the row limit is reached; narrow the question or use LIMIT and OFFSET)`
	if diff := cmp.Diff(want, o.Text); diff != "" || o.Cut == nil || o.Cut.Reason != "rows" {
		t.Errorf("cut %+v, text (-want +got):\n%s", o.Cut, diff)
	}
	if o := act(t, set, "Query('bad')"); o.Status != qa.StatusError || o.Text != "[Error]: syntax error at bad" {
		t.Errorf("fault = %+v", o)
	}
	for retrieves, want := range map[bool]string{
		false: "[Error]: too slow.", true: "[Error]: too slow. To search the texts of all papers, use Retrieve.",
	} {
		if o := act(t, tools.Set{tools.Query{From: w, Limits: tools.Limits{Retrieves: retrieves}}}, "Query('slow')"); o.Status != qa.StatusError || o.Text != want {
			t.Errorf("timeout, with Retrieve %v: %+v", retrieves, o)
		}
	}
	if o := act(t, set, "Query('none')"); o.Status != qa.StatusEmpty {
		t.Errorf("no rows = %+v", o)
	}
	if _, err := set.Act(t.Context(), qa.Action{Name: "Query", Args: map[string]any{"sql": "lost"}}); !errors.Is(err, lost) {
		t.Errorf("a lost database is %v", err)
	}
}

func TestView(t *testing.T) {
	w := world{view: func(p string, n int, b []float64) (qa.Image, error) {
		if n > 3 {
			return qa.Image{}, &tools.Fault{Text: "the paper has 3 pages"}
		}
		return qa.Image{PaperID: p, Page: n, Box: b, Width: 10, Height: 20, Data: []byte("png")}, nil
	}}
	set := tools.Set{tools.View{From: w}}
	o := act(t, set, "View('p', 2, [1, 2.5, 3, 4])")
	if o.Text != "Box [1,2.5,3,4] of page 2 of paper p, 10 x 20 pixels." || len(o.Images) != 1 {
		t.Errorf("observation = %+v", o)
	}
	touched := &qa.Touched{Papers: []string{"p"}, Pages: []qa.PaperPage{{PaperID: "p", Page: 2, Box: []float64{1, 2.5, 3, 4}}}}
	if diff := cmp.Diff(touched, o.Touched); diff != "" {
		t.Errorf("touched (-want +got):\n%s", diff)
	}
	if o := act(t, set, "View('p', 2)"); o.Text != "Page 2 of paper p, 10 x 20 pixels." {
		t.Errorf("observation = %+v", o)
	}
	if o := act(t, set, "View('p', 9)"); o.Status != qa.StatusError || o.Text != "[Error]: the paper has 3 pages" {
		t.Errorf("observation = %+v", o)
	}
	broken := tools.Set{tools.View{From: world{view: func(string, int, []float64) (qa.Image, error) { return qa.Image{}, errors.New("the disk is gone") }}}}
	if _, err := broken.Act(t.Context(), qa.Action{Name: "View", Args: map[string]any{"paper_id": "p", "page_number": int64(1)}}); err == nil {
		t.Error("a failure that is none of the model's is no error")
	}
	if o := act(t, set, "View('p', 99999999999999999999)"); o.Status != qa.StatusError {
		t.Errorf("a page that fits no integer = %+v", o)
	}
}

func TestAnswer(t *testing.T) {
	tests := []struct{ name, call, text, literal string }{
		{"number", "Answer(42)", "42", "42"},
		{"string", "Answer('a')", "a", "'a'"},
		{"list", `Answer(["a", 1.50, true])`, "['a', 1.5, True]", "['a', 1.5, True]"},
		{"tuple", "Answer((1,))", "(1,)", "(1,)"},
		{"the word none", "Answer('None')", "None", "'None'"},
		{"false", "Answer(False)", "False", "False"},
		{"zero", "Answer(0)", "0", "0"},
		{"an empty list", "Answer([])", "[]", "[]"},
		{"an empty dictionary", "Answer({})", "{}", "{}"},
		{"a list with an empty text", "Answer([''])", "['']", "['']"},
		{"punctuation", "Answer(' - ')", " - ", "' - '"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			o := act(t, tools.Set{tools.Answer{}}, tt.call)
			want := &qa.Answer{Given: true, Text: tt.text, Literal: tt.literal}
			if diff := cmp.Diff(want, o.Answer); diff != "" || o.Status != qa.StatusFinal {
				t.Errorf("status %s, answer (-want +got):\n%s", o.Status, diff)
			}
		})
	}
}

func TestEmptyAnswer(t *testing.T) {
	for kind, calls := range map[qa.Kind][]string{
		"":              {"Answer(None)", "Answer('')", `Answer("   ")`, `Answer("\n\t")`, `Answer("\u00a0")`, `Answer(answer="\u200b\ufeff")`},
		qa.WithEvidence: {"Answer('', ['p1'])", "Answer(answer=None, evidence=[])"},
		qa.Rank:         {"Answer(ranking='')", "Answer(ranking=None)"},
	} {
		for _, call := range calls {
			if o := act(t, tools.Set{tools.Answer{Kind: kind}}, call); o.Status != qa.StatusError || !strings.Contains(o.Text, "the answer is empty") {
				t.Errorf("%s: %+v", call, o)
			}
		}
	}
}

type broken struct{ tools.Answer }

func (broken) Call(context.Context, qa.Action) (qa.Observation, error) { panic("no") }

func TestPanicEndsTheEpisodeOnly(t *testing.T) {
	_, err := tools.Set{broken{}}.Act(t.Context(), qa.Action{Name: "Answer"})
	if err == nil || !strings.Contains(err.Error(), "tool Answer panicked: no") {
		t.Errorf("error = %v", err)
	}
	if _, err := (tools.Set{}).Act(t.Context(), qa.Action{Name: "X"}); err == nil {
		t.Error("an unknown tool was called")
	}
}

// For results of any shape, the model sees at most the limit, is informed about omissions, and sees as much as fits.
func TestTableCut(t *testing.T) {
	words := func(n int) string { return strings.Repeat("word ", n) }
	wide := qa.Rows{}
	for i := range 4000 {
		wide.Columns = append(wide.Columns, "column"+strings.Repeat("x", i%7))
	}
	wide.Values = [][]any{make([]any, 4000)}
	many := qa.Rows{Columns: []string{"a"}}
	for range 3000 {
		many.Values = append(many.Values, []any{"a few words in a row"})
	}
	tests := []struct {
		name   string
		rows   qa.Rows
		reason string
		shown  int
		least  int // tokens
	}{
		{"one long cell", qa.Rows{Columns: []string{"id", "text"}, Values: [][]any{{"u1", words(9000)}}}, "cell", 1, 4800},
		{"no spaces", qa.Rows{Columns: []string{"text"}, Values: [][]any{{strings.Repeat("x", 300_000)}}}, "cell", 1, 4000},
		{"too long to count", qa.Rows{Columns: []string{"text"}, Values: [][]any{{strings.Repeat("x", 400_000)}}}, "cell", 1, 4000},
		{"odd characters", qa.Rows{Columns: []string{"text"}, Values: [][]any{{strings.Repeat("\U0001d49c\u0301", 20_000)}}}, "cell", 1, 4000},
		{"third row long", qa.Rows{Columns: []string{"t"}, Values: [][]any{{"a"}, {"b"}, {words(9000)}, {"d"}}}, "cell", 3, 4800},
		{"many rows", many, "tokens", 0, 4500},
		{"many columns", wide, "cell", 1, 4800},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			o := tools.Table(tt.rows, tools.MaxTokens)
			// The line about omissions does not count towards the limit.
			lines := strings.Split(o.Text, "\n")
			n := tokens.Count(strings.Join(lines[:len(lines)-1], "\n"))
			if n > tools.MaxTokens || n < tt.least {
				t.Errorf("%d tokens shown, want %d to %d", n, tt.least, tools.MaxTokens)
			}
			if o.Cut == nil || o.Cut.Tokens < tt.least || o.Cut.Tokens > tools.MaxTokens || o.Cut.Reason != tt.reason || tt.shown > 0 && o.Cut.RowsShown != tt.shown {
				t.Errorf("cut = %+v, want %s with %d rows", o.Cut, tt.reason, tt.shown)
			}
			if last := lines[len(lines)-1]; !strings.Contains(last, "limit of 5000 tokens") {
				t.Errorf("last line = %q", last)
			}
			if o.Full == "" {
				t.Error("the uncut result is not kept")
			}
		})
	}
}

// A row with truncated cells is still valid JSON, with a mark in each of them; rows that the sandbox did not return
// have no number.
func TestCutCells(t *testing.T) {
	o := tools.Table(qa.Rows{Columns: []string{"id", "text"}, Values: [][]any{{"u1", strings.Repeat("word ", 9000)}}, More: true}, tools.MaxTokens)
	line, _, _ := strings.Cut(o.Text, "\n")
	var row map[string]string
	if err := json.Unmarshal([]byte(line), &row); err != nil {
		t.Fatal(err)
	}
	kept := utf8.RuneCountInString(strings.TrimSuffix(row["text"], " …[cut]"))
	if want := fmt.Sprintf("with %d characters left out", 9000*len("word ")-kept); !strings.Contains(o.Text, want) {
		t.Errorf("%d characters are kept, and the last line is %s", kept, o.Text[len(line):])
	}
	if row["id"] != "u1" || !strings.HasSuffix(row["text"], " …[cut]") || o.Cut.RowsTotal != -1 {
		t.Errorf("id %q, end of the text %q, cut %+v", row["id"], row["text"][len(row["text"])-20:], o.Cut)
	}
}

func TestTableWhole(t *testing.T) {
	o := tools.Table(qa.Rows{Columns: []string{"a"}, Values: [][]any{{"x"}, {nil}}}, tools.MaxTokens)
	if want := "{\"a\": \"x\"}\n{\"a\": null}\n(2 rows)"; o.Text != want || o.Cut != nil || o.Full != "" {
		t.Errorf("observation = %+v", o)
	}
}

// The tool texts as shown to the model.
func TestTexts(t *testing.T) {
	set := tools.Called(nil)
	golden.Check(t, "tools.golden", action.Describe(set.Specs(), action.Python)+"\n")
	for _, s := range set.Specs() {
		for _, p := range s.Params {
			if !strings.Contains(s.Text, "- "+p.Name+" ("+string(p.Kind)) {
				t.Errorf("the text of %s does not describe parameter %s as %s", s.Name, p.Name, p.Kind)
			}
		}
	}
}

// A row limit shows that many rows, reports it, and keeps the whole result; without one, only the token limit applies.
func TestRowCap(t *testing.T) {
	many := qa.Rows{Columns: []string{"n"}}
	hits := make([]tools.Hit, 5)
	for i := range 5 {
		many.Values = append(many.Values, []any{int64(i)})
	}
	world := capped{many, hits}
	for rows, want := range map[int]int{0: 5, 3: 3, 4: 4, 5: 5, 9: 5} {
		set := tools.Set{tools.Query{From: world, Limits: tools.Limits{MaxRows: rows}}, tools.Retrieve{From: world, Limits: tools.Limits{MaxRows: rows}}}
		for _, a := range []qa.Action{
			{Name: "Query", Args: map[string]any{"sql": "SELECT 1"}},
			{Name: "Retrieve", Args: map[string]any{"query": "x", "limit": int64(5)}},
		} {
			o, err := set.Act(t.Context(), a)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Count(o.Text, "\n"); got != want {
				t.Errorf("%s, at most %d rows: %d shown:\n%s", a.Name, rows, got, o.Text)
			}
			cut := o.Cut != nil && o.Cut.Reason == "rows" && o.Cut.RowsShown == 3 && o.Cut.RowsTotal == 5 &&
				strings.Count(o.Full, "\n") == 5 && strings.Contains(o.Text, "(3 of 5 rows shown: the limit of 3 rows is reached;")
			if cut != (rows == 3) {
				t.Errorf("%s, at most %d rows: cut %+v, full %q:\n%s", a.Name, rows, o.Cut, o.Full, o.Text)
			}
		}
	}
}

type capped struct {
	rows qa.Rows
	hits []tools.Hit
}

func (c capped) Query(context.Context, string) (qa.Rows, error) { return c.rows, nil }

func (c capped) Retrieve(context.Context, string, int, tools.Scope) ([]tools.Hit, error) {
	return c.hits, nil
}
