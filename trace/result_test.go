package trace_test

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"airqa/internal/evidence"
	"airqa/internal/testkit/golden"
	"airqa/qa"
	"airqa/tools"
	"airqa/trace"
)

// whole is the text that a view was made of.
func whole(v trace.Result) string {
	var b strings.Builder
	for _, row := range v.Rows {
		for i, c := range row.Cells {
			b.WriteString(map[bool]string{true: "{", false: ", "}[i == 0] + tools.JSONValue(v.Columns[i]) + ": " + c.Raw)
		}
		b.WriteString("}\n")
	}
	return b.String() + v.Text
}

// logged are the observations in lines of a run log.
func logged(t *testing.T, in io.Reader) []qa.Observation {
	t.Helper()
	var list []qa.Observation
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		if bytes.Contains(lines.Bytes(), []byte(`"text":{"quoted"`)) {
			continue
		}
		var e struct {
			Type string `json:"type"`
			qa.Observation
		}
		if err := json.Unmarshal(lines.Bytes(), &e); err == nil && (e.Type == "" || e.Type == "observation") {
			list = append(list, e.Observation)
		}
	}
	if len(list) == 0 {
		t.Fatal("no observations")
	}
	return list
}

// describe prints the view of a result with short texts.
func describe(o qa.Observation, v trace.Result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "status %s\n", o.Status)
	for _, p := range v.Passages {
		fmt.Fprintf(&b, "passage %d score %g paper %s %q page %d id %s hidden %t shortened %t beyond %t\n  %d of %d bytes: %q\n", p.Rank, p.Score, p.PaperID, p.Title,
			p.Page, p.ID, p.Hidden, p.Shortened, p.Beyond, p.Seen, len(p.Text), short(p.Text))
	}
	if v.Rows != nil && v.Passages == nil {
		fmt.Fprintf(&b, "columns %q\n", v.Columns)
		for _, row := range v.Rows {
			b.WriteString("row" + cells(row) + "\n")
		}
	}
	for _, im := range o.Images {
		fmt.Fprintf(&b, "image %s page %d box %v\n", im.PaperID, im.Page, im.Box)
	}
	if o.Cut != nil {
		fmt.Fprintf(&b, "cut %+v known %t partial %t\n", *o.Cut, o.Full != "", v.Partial)
		if v.Last != nil {
			b.WriteString("last row" + cells(*v.Last) + "\n")
		}
		for _, row := range v.Hidden {
			b.WriteString("not shown" + cells(row) + "\n")
		}
	}
	fmt.Fprintf(&b, "text %q\n", v.Text)
	return b.String()
}

func cells(row evidence.Row) string {
	var b strings.Builder
	for _, c := range row.Cells {
		kind := ""
		for name, on := range map[string]bool{"number ": c.Number(), "null ": c.Null()} {
			if on {
				kind = name
			}
		}
		fmt.Fprintf(&b, " | %s%s", kind, short(c.Text))
	}
	return b.String()
}

func short(text string) string {
	if r := []rune(text); len(r) > 60 {
		return string(r[:30]) + "..." + string(r[len(r)-20:])
	}
	return text
}

// Each kind of result of the demo. testdata/demo.jsonl has the shortest one of each.
func TestDemo(t *testing.T) {
	file, err := os.Open(filepath.Join("testdata", "demo.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	var b strings.Builder
	for _, o := range logged(t, file) {
		v := trace.ReadResult(o)
		if got := whole(v); got != o.Text {
			t.Errorf("text %q of %q", got, o.Text)
		}
		b.WriteString(describe(o, v) + "\n")
	}
	golden.Check(t, "demo.txt", b.String())
}

// The results of the recorded episodes of trace/cause are all read, apart from messages of tools.
func TestRecorded(t *testing.T) {
	file, err := os.Open(filepath.Join("cause", "testdata", "episodes.tar.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	unzip, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	for in := tar.NewReader(unzip); ; {
		head, err := in.Next()
		if err != nil {
			t.Fatal("no log in the archive")
		}
		if filepath.Base(head.Name) != "log.jsonl" {
			continue
		}
		for _, o := range logged(t, in) {
			v := trace.ReadResult(o)
			if got := whole(v); got != o.Text {
				t.Fatalf("text %q of %q", got, o.Text)
			}
			if strings.HasPrefix(o.Text, "{") && v.Rows == nil || len(o.Hits) > 0 && len(v.Passages) != len(o.Hits) {
				t.Errorf("%d passages of %d hits, table %v of %q", len(v.Passages), len(o.Hits), v.Rows != nil, o.Text)
			}
		}
		return
	}
}

// source answers with the same rows and hits each time.
type source struct {
	rows qa.Rows
	hits []tools.Hit
}

func (s source) Query(context.Context, string) (qa.Rows, error) { return s.rows, nil }

func (s source) Retrieve(context.Context, string, int, tools.Scope) ([]tools.Hit, error) {
	return s.hits, nil
}

// Results that package tools cut in each way.
func TestCut(t *testing.T) {
	long := strings.Repeat("the window is 384 ", 60)
	wide := qa.Rows{Values: [][]any{nil}}
	for i := range 400 {
		wide.Columns, wide.Values[0] = append(wide.Columns, fmt.Sprint("column_", i)), append(wide.Values[0], int64(i))
	}
	rows := qa.Rows{Columns: []string{"n", "text", "n"}, Values: [][]any{{int64(1), "a", nil}, {int64(2), long, 0.5}, {int64(3), "c", "[x, 1]"}}}
	hits := []tools.Hit{
		{ID: "i1", PDFID: "p1", PageNumber: 2, Text: "first\npassage", Score: 0.9},
		{ID: "i2", PDFID: "p1", PageNumber: -1, Text: long, Score: 0.8},
		{ID: "i3", PDFID: "p2", PageNumber: 4, Text: "third", Score: 0.7},
		{ID: "i4", PDFID: "p3", PageNumber: 5, Score: 0.6},
	}
	more := rows
	more.More = true
	retrieve := qa.Action{Args: map[string]any{"query": "window", "limit": int64(3)}}
	query := qa.Action{Args: map[string]any{"sql": "SELECT 1"}}
	var b strings.Builder
	for _, tt := range []struct {
		name   string
		tool   tools.Tool
		action qa.Action
	}{
		{"query, uncut", tools.Query{From: source{rows: rows}}, query},
		{"query, cell", tools.Query{From: source{rows: rows}, Limits: tools.Limits{MaxTokens: 150}}, query},
		{"query, tokens", tools.Query{From: source{rows: rows}, Limits: tools.Limits{MaxTokens: 70}}, query},
		{"query, rows", tools.Query{From: source{rows: rows}, Limits: tools.Limits{MaxRows: 1}}, query},
		{"query, more", tools.Query{From: source{rows: more}}, query},
		{"query, too many columns", tools.Query{From: source{rows: wide}, Limits: tools.Limits{MaxTokens: 100}}, query},
		{"query, empty", tools.Query{From: source{}}, query},
		{"retrieve, uncut", tools.Retrieve{From: source{hits: hits}}, retrieve},
		{"retrieve, cell", tools.Retrieve{From: source{hits: hits}, Limits: tools.Limits{MaxTokens: 150}}, retrieve},
		{"retrieve, rows", tools.Retrieve{From: source{hits: hits}, Limits: tools.Limits{MaxRows: 2}}, retrieve},
	} {
		o, err := tt.tool.Call(t.Context(), tt.action)
		if err != nil {
			t.Fatal(err)
		}
		v := trace.ReadResult(o)
		if got := whole(v); got != o.Text {
			t.Errorf("%s: text %q of %q", tt.name, got, o.Text)
		}
		fmt.Fprintf(&b, "# %s\n%s\n", tt.name, describe(o, v))
		old := o
		old.Full, old.Hits = "", nil
		if v := trace.ReadResult(old); v.Last != nil || v.Hidden != nil || v.Partial {
			t.Errorf("%s: rows of a result that the log does not have", tt.name)
		}
	}
	golden.Check(t, "cut.txt", b.String())
}

// What is not exactly a result of package tools stays text.
func TestText(t *testing.T) {
	for _, text := range []string{
		"", "no rows", "{", "{}", "{}\n(1 row)", `{"a": 1}`, `{"a": 1}` + "\n", `{"a":1}` + "\n(1 row)", `{"a": 1} ` + "\n(1 row)",
		"{\"a\": 1}\n{\"b\": 2}\n(2 rows)", "{\"a\": 1}\nmore\n(1 row)", "{\"a\": 1}\n(1 row)\n", "{\"a\": \"\\u0041\"}\n(1 row)",
		"{\"a\": \"\\ud800\"}\n(1 row)", "{\"a\": \"\xff\"}\n(1 row)", "{\"a\": 1}{\"a\": 2}\n(2 rows)", "[1]\n(1 row)", "null\n(1 row)",
		"\n{\"a\": 1}\n(1 row)", "{\"a\": " + strings.Repeat("[", 20_000) + "\n(1 row)",
	} {
		if v := trace.ReadResult(qa.Observation{Text: text}); v.Rows != nil || v.Columns != nil || v.Passages != nil || v.Text != text {
			t.Errorf("%.80q: %+v", text, v)
		}
	}
}

// Hits that do not belong to the rows are not joined with them.
func TestOtherHits(t *testing.T) {
	text := `{"score": 0.9, "text": "a", "pdf_id": "p", "page_number": 1}` + "\n(1 row)"
	for name, hit := range map[string]qa.Hit{
		"paper": {Rank: 1, PaperID: "q", Page: 1}, "page": {Rank: 1, PaperID: "p", Page: 2}, "rank": {Rank: 2, PaperID: "p", Page: 1},
		"beyond": {Rank: 1, PaperID: "p", Page: 1, Beyond: true},
	} {
		if v := trace.ReadResult(qa.Observation{Text: text, Hits: []qa.Hit{hit}}); v.Passages != nil || len(v.Rows) != 1 {
			t.Errorf("another %s: %+v", name, v.Passages)
		}
	}
	v := trace.ReadResult(qa.Observation{Text: text})
	if len(v.Passages) != 1 || v.Passages[0].ID != "" || v.Passages[0].Page != 1 {
		t.Errorf("without hits: %+v", v.Passages)
	}
}

func FuzzOf(f *testing.F) {
	f.Add("{\"score\": 0.9, \"text\": \"a\", \"pdf_id\": \"p\", \"page_number\": 1}\n(1 row)", "{\"score\": 0.9}\n", "cell", 1)
	f.Add("{\"a\": 1, \"a\": [2]}\n{\"a\": \"x …[cut]", "", "rows", 0)
	f.Fuzz(func(t *testing.T, text, full, reason string, n int) {
		hits := []qa.Hit{{Rank: 1, PaperID: "p", Page: 1}, {Rank: n, Beyond: n%2 == 0}}
		for _, cut := range []*qa.Cut{nil, {Reason: reason, RowsShown: n, RowsTotal: n + 1}} {
			v := trace.ReadResult(qa.Observation{Text: text, Full: full, Cut: cut, Hits: hits})
			if got := whole(v); got != text {
				t.Errorf("text %q of %q", got, text)
			}
		}
	})
}
