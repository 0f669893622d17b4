package review_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/extractor/candidate"
	"airqa/extractor/review"
	"airqa/qa"
	"airqa/tools"
)

// texts are those of question n of a category.
func texts(c candidate.Category, n int) candidate.Texts {
	return candidate.Texts{
		Question: fmt.Sprintf("What is %s %d?", c, n), Answer: fmt.Sprint(n), AnswerFormat: "A float.",
		Evaluator: qa.Evaluator{Func: "eval_float_exact_match", Kwargs: json.RawMessage(fmt.Sprintf(`{"gold":%d.0,"ndigits":1}`, n))},
	}
}

// row is an accepted question.
func row(c candidate.Category, n int) review.Row {
	t := texts(c, n)
	return review.Row{
		Example: qa.Example{
			UUID: fmt.Sprintf("00000000-0000-4000-8000-%012d", n), Question: t.Question, AnswerFormat: t.AnswerFormat, Evaluator: t.Evaluator,
			AnchorPDF: []string{}, ReferencePDF: []string{}, Conference: []string{}, Tags: []string{"single"},
		},
		Answer: t.Answer,
		Synth: candidate.Synth{
			Candidate: candidate.ID{Category: c, Index: n}.String(), Category: c,
			Gates:    []candidate.Gate{{Name: "evidence", Verdict: "passed"}},
			Evidence: []candidate.Evidence{{Paper: "p1", Page: 2, Kind: candidate.Table, Box: []int{10, 20, 30, 40}, Quote: "a quote"}},
		},
	}
}

// synthesis writes a directory with accepted rows.
func synthesis(t *testing.T, rows ...review.Row) string {
	t.Helper()
	dir := t.TempDir()
	l, err := candidate.OpenLedger(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	var examples []qa.Example
	for _, r := range rows {
		synth, err := json.Marshal(r.Synth)
		if err != nil {
			t.Fatal(err)
		}
		r.Example.Extra = map[string]json.RawMessage{"synth": synth}
		examples = append(examples, r.Example)
		tracked, err := json.Marshal(candidate.Texts{
			Question: r.Example.Question, Answer: r.Answer, AnswerFormat: r.Example.AnswerFormat, Evaluator: r.Example.Evaluator,
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := l.Add(candidate.Line{
			Candidate: r.Synth.Candidate, Category: r.Synth.Category, Stage: candidate.Track, Outcome: candidate.Done, Data: tracked,
		}); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(l.Close(), candidate.WriteQuestions(dir, examples)); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestRows(t *testing.T) {
	dir := synthesis(t, row("single-table", 0), row("single-text", 3))
	got, err := review.Rows(dir)
	if err != nil {
		t.Fatal(err)
	}
	for i := range got {
		got[i].Example.Extra = nil
	}
	if diff := cmp.Diff([]review.Row{row("single-table", 0), row("single-text", 3)}, got); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}

func TestRowsOfOtherFiles(t *testing.T) {
	dir := t.TempDir()
	if _, err := review.Rows(dir); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("no file: %v", err)
	}
	line := `{"uuid":"00000000-0000-4000-8000-000000000001","question":"Q?","answer_format":"","tags":[],"anchor_pdf":[],"reference_pdf":[],"conference":[],` +
		`"evaluator":{"eval_func":"eval_bool_exact_match","eval_kwargs":{"gold":true}}}`
	if err := os.WriteFile(filepath.Join(dir, candidate.QuestionsFile), []byte(line+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := review.Rows(dir); err == nil || !strings.Contains(err.Error(), `has no origin (key "synth")`) {
		t.Errorf("a question that was not synthesized: %v", err)
	}
}

func TestSample(t *testing.T) {
	var rows []review.Row
	for c, n := range map[candidate.Category]int{"single-text": 60, "single-table": 30, "retrieval": 9, "multiple": 1} {
		for i := range n {
			rows = append(rows, row(c, i))
		}
	}
	slices.SortFunc(rows, func(a, b review.Row) int { return strings.Compare(a.Synth.Candidate, b.Synth.Candidate) })
	count := func(sample []review.Row) map[candidate.Category]int {
		n := map[candidate.Category]int{}
		for _, r := range sample {
			n[r.Synth.Category]++
		}
		return n
	}
	tests := []struct {
		n    int
		want map[candidate.Category]int
	}{
		{20, map[candidate.Category]int{"single-text": 12, "single-table": 6, "retrieval": 1, "multiple": 1}},
		{3, map[candidate.Category]int{"single-text": 1, "single-table": 1, "retrieval": 1}},
		{0, map[candidate.Category]int{}},
		{500, map[candidate.Category]int{"single-text": 60, "single-table": 30, "retrieval": 9, "multiple": 1}},
	}
	for _, test := range tests {
		if diff := cmp.Diff(test.want, count(review.Sample(rows, test.n, 7))); diff != "" {
			t.Errorf("%d of 100 (-want +got):\n%s", test.n, diff)
		}
	}
	if diff := cmp.Diff(review.Sample(rows, 20, 7), review.Sample(rows, 20, 7)); diff != "" {
		t.Errorf("the same seed (-first +second):\n%s", diff)
	}
	if cmp.Equal(review.Sample(rows, 20, 7), review.Sample(rows, 20, 8)) {
		t.Error("another seed makes the same sample")
	}
	seen := map[string]bool{}
	for _, r := range review.Sample(rows, 20, 7) {
		seen[r.Synth.Candidate] = true
	}
	for i := range rows {
		if seen[rows[i].Synth.Candidate] {
			rows[i].Reviews = []candidate.Reviewed{{Decision: candidate.Keep}}
		}
	}
	again := 0
	for _, r := range review.Sample(rows, 20, 7) {
		if seen[r.Synth.Candidate] {
			again++
		}
	}
	if again != 1 { // the only row of its category
		t.Errorf("%d reviewed rows in the next sample", again)
	}
}

func TestFormAndRead(t *testing.T) {
	var form bytes.Buffer
	if err := review.WriteForm(&form, []review.Row{row("single-table", 0), row("single-text", 3)}); err != nil {
		t.Fatal(err)
	}
	edited := strings.Replace(form.String(), `"decision":""`, `"decision":" Fix "`, 1)
	edited = strings.Replace(edited, `{"gold":0.0,"ndigits":1}`, `{ "gold": 0.50 }`, 1)
	path := filepath.Join(t.TempDir(), "review.jsonl")
	if err := os.WriteFile(path, []byte("\ufeff"+edited+"\r\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := review.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	entry := func(c candidate.Category, n int) review.Entry {
		return review.Entry{
			Format: 1, Candidate: candidate.ID{Category: c, Index: n}.String(), Category: c, Row: texts(c, n).Hash(), Texts: texts(c, n),
			Evidence: []string{"a quote"},
		}
	}
	want := []review.Entry{entry("single-table", 0), entry("single-text", 3)}
	want[0].Decision, want[0].Evaluator.Kwargs = candidate.Fix, json.RawMessage(`{ "gold": 0.50 }`)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("entries (-want +got):\n%s", diff)
	}
}

func TestReadFaults(t *testing.T) {
	good := `{"format":1,"candidate":"single-table-0","category":"single-table","row":"a","decision":"accept","reviewer":"","note":"","question":"Q?","answer":"","answer_format":"","evaluator":{"eval_func":"f","eval_kwargs":{}}}`
	tests := []struct{ name, lines, want string }{
		{"not JSON", "nonsense", ":1: invalid character"},
		{"another format", strings.Replace(good, `"format":1`, `"format":2`, 1), ":1: format 2; this program reads 1"},
		{"unknown decision", good + "\n" + strings.Replace(good, "accept", "maybe", 1), `:2: decision "maybe": want accept, fix or reject`},
		{"unknown field", strings.Replace(good, `"note"`, `"notes"`, 1), `:1: json: unknown field "notes"`},
		{"twice", good + "\n\n" + good, ":3: a second decision about single-table-0"},
		{"no candidate", strings.Replace(good, "single-table-0", "q1", 1), `:1: "q1" is not a candidate`},
		{"empty question", strings.Replace(strings.Replace(good, "accept", "fix", 1), "Q?", " ", 1), ":1: the fixed question is empty"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "review.jsonl")
			if err := os.WriteFile(path, []byte(test.lines+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := review.Read(path); err == nil || !strings.Contains(err.Error(), path+test.want) {
				t.Errorf("error %v, want %s", err, test.want)
			}
		})
	}
}

// viewer draws only page 2 of paper p1, and keeps the boxes.
type viewer struct{ boxes *[][]float64 }

func (v viewer) View(_ context.Context, paper string, page int, box []float64) (qa.Image, error) {
	*v.boxes = append(*v.boxes, box)
	switch {
	case paper == "lost":
		return qa.Image{}, errors.New("the disk is gone")
	case page != 2:
		return qa.Image{}, &tools.Fault{Text: "there is no page <9>"}
	}
	return qa.Image{Data: []byte("PNG"), MIME: "image/png", Width: 30, Height: 40}, nil
}

func page(t *testing.T, rows ...review.Row) (text string, boxes [][]float64) {
	t.Helper()
	var out bytes.Buffer
	c := review.PageConfig{Title: "Review <1>", Viewer: viewer{&boxes}, Titles: map[string]string{"p1": "A <b>Title</b>"}, File: "review.jsonl"}
	if err := review.Page(t.Context(), &out, rows, c); err != nil {
		t.Fatal(err)
	}
	return out.String(), boxes
}

// hostile is a text that is code in every context of a page.
const hostile = `</script></textarea><script>alert(1)</script><img src=http://evil.test/x onerror=alert(2)>"'` + "\u202e\x1b[31m`${x}{{.}}"

func TestPageIsSelfContained(t *testing.T) {
	r := row("single-table", 1)
	r.Example.Question, r.Answer, r.Example.AnswerFormat = hostile, hostile, hostile
	kwargs, err := json.Marshal(map[string]string{"gold": hostile})
	if err != nil {
		t.Fatal(err)
	}
	r.Example.Evaluator = qa.Evaluator{Func: hostile, Kwargs: kwargs}
	r.Example.Tags = []string{hostile}
	r.Synth.Evidence = []candidate.Evidence{
		{Paper: "p1", Page: 2, Kind: hostile, Quote: hostile}, {Paper: hostile, Page: 9},
	}
	r.Synth.Gates = []candidate.Gate{{Name: hostile, Verdict: hostile, Detail: hostile}}
	r.Reviews = []candidate.Reviewed{{Reviewer: hostile, Decision: candidate.Fix}}
	text, _ := page(t, r)
	tags := regexp.MustCompile(`<(script|img|a|link|iframe|object|embed|form|base)\b[^>]*>`).FindAllString(text, -1)
	for _, tag := range tags {
		if !strings.HasPrefix(tag, "<script") && !strings.HasPrefix(tag, `<img src="data:image/png;base64,UE5H"`) {
			t.Errorf("tag %s", tag)
		}
	}
	if n := strings.Count(text, "<script"); n != 2 || len(tags) != 3 {
		t.Errorf("%d scripts, tags %q", n, tags)
	}
	_, question, _ := strings.Cut(text, "<h2>")
	if question, _, _ = strings.Cut(question, "</h2>"); strings.ContainsAny(question, "\x1b\u202e<>") {
		t.Errorf("the question is shown as %q", question)
	}
	for _, want := range []string{
		`content="default-src &#39;none&#39;; img-src data:; style-src &#39;unsafe-inline&#39;; script-src &#39;sha256-`,
		"No image: there is no page &lt;9&gt;", "A &lt;b&gt;Title&lt;/b&gt;, page 2", "Review &lt;1&gt;",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

// TestPageData is the data of the page's script: its numbers keep their form.
func TestPageData(t *testing.T) {
	table := row("single-table", 1)
	table.Synth.Evidence[0].Quote = "no round</td><td>\n <b>56.9</b>"
	text, boxes := page(t, table, row("multiple", 2))
	if !strings.Contains(text, "<blockquote>no round | 56.9 |</blockquote>") {
		t.Error("the quote of a table is not shown as text")
	}
	_, data, _ := strings.Cut(text, `id="data"`)
	_, data, _ = strings.Cut(data, ">")
	data, _, _ = strings.Cut(data, "</script>")
	var got []struct {
		Entry     review.Entry
		Evaluator string
	}
	if err := json.Unmarshal([]byte(data), &got); err != nil || len(got) != 2 {
		t.Fatalf("data %s: %v", data, err)
	}
	if diff := cmp.Diff(texts("single-table", 1), got[0].Entry.Texts); diff != "" || got[0].Entry.Row != texts("single-table", 1).Hash() {
		t.Errorf("texts (-want +got):\n%s", diff)
	}
	if want := `{"eval_func":"eval_float_exact_match","eval_kwargs":{"gold":2.0,"ndigits":1}}`; got[1].Evaluator != want {
		t.Errorf("evaluator %s", got[1].Evaluator)
	}
	if diff := cmp.Diff([]float64{4, 14, 42, 52}, boxes[0]); diff != "" {
		t.Errorf("box with a margin (-want +got):\n%s", diff)
	}
}

func TestPageWithoutPapers(t *testing.T) {
	var out bytes.Buffer
	if err := review.Page(t.Context(), &out, []review.Row{row("single-text", 1)}, review.PageConfig{Title: "R"}); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(out.String(), "<img") || !strings.Contains(out.String(), "p1, page 2, table") {
		t.Errorf("page %s", out.String())
	}
	lost := row("single-text", 1)
	lost.Synth.Evidence[0].Paper = "lost"
	var boxes [][]float64
	err := review.Page(t.Context(), &out, []review.Row{lost}, review.PageConfig{Viewer: viewer{&boxes}})
	if err == nil || err.Error() != "render page 2 of paper lost: the disk is gone" {
		t.Errorf("error %v", err)
	}
}
