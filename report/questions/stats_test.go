package questions_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jedib0t/go-pretty/v6/text"

	"airqa/eval/author"
	"airqa/fixtures"
	"airqa/internal/testkit/golden"
	"airqa/report"
	"airqa/report/questions"
	"airqa/report/render"
)

// released is the authors' file, if available.
const released = "../../../shared/data/airqa/test_data_553.jsonl"

func read(t *testing.T, name, lines string) author.File {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := questions.Read(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	return named(f, name)
}

// named replaces the path, which varies between tests.
func named(f author.File, name string) author.File {
	f.Path = name
	for i := range f.Questions {
		f.Questions[i].Place.File = name
	}
	for i := range f.Notes {
		f.Notes[i].File = name
	}
	return f
}

func readReleased(t *testing.T) author.File {
	t.Helper()
	if _, err := os.Stat(released); err != nil {
		t.Skip("the released questions are not beside the checkout")
	}
	f, err := questions.Read(released, nil)
	if err != nil || len(f.Faults()) > 0 {
		t.Fatal(err, f.Faults())
	}
	return f
}

func numbers(list []questions.Count) map[string]int {
	m := make(map[string]int)
	for _, c := range list {
		m[c.Name] = c.N
	}
	return m
}

// The numbers of the released file, counted independently.
func TestReleased(t *testing.T) {
	s := questions.Collect(readReleased(t))
	if s.Questions != 553 || s.DistinctPapers != 500 {
		t.Errorf("%d questions over %d papers, want 553 over 500", s.Questions, s.DistinctPapers)
	}
	for _, tt := range []struct {
		name string
		got  []questions.Count
		want map[string]int
	}{
		{"types", s.Types, map[string]int{"retrieval": 244, "single": 159, "multiple": 150, "comprehensive": 0}},
		{"tags", s.Tags, map[string]int{
			"text": 470, "table": 101, "image": 40, "formula": 36, "metadata": 22, "figure": 2,
			"objective": 446, "subjective": 107, "retrieval": 244, "single": 159, "multiple": 150,
		}},
		{"evaluation", s.Evaluation, map[string]int{"objective": 446, "subjective": 107}},
		// One question is tagged objective and asks a judge.
		{"kinds", s.Kinds, map[string]int{"objective": 445, "subjective": 108}},
		// The two questions with the stray tag count as image; one of them has no other element but text.
		{"elements", s.Elements, map[string]int{"text": 363, "table": 101, "image": 42, "formula": 36, "metadata": 22}},
		{"combinations", s.Combinations, map[string]int{
			"text": 364, "table + text": 63, "table": 30, "image": 19, "formula": 17, "metadata": 16, "image + text": 15,
			"formula + text": 14, "metadata + text": 5, "image + table + text": 4, "formula + table + text": 3,
			"formula + image": 1, "formula + image + text": 1, "metadata + table + text": 1,
		}},
		{"conferences", s.Conferences, map[string]int{"acl2023": 152, "iclr2024": 91, "acl2024": 4}},
		{"annotators", s.Annotators, map[string]int{"human": 313, "litsearch_manual": 229, "litsearch_automatic": 11}},
	} {
		if diff := cmp.Diff(tt.want, numbers(tt.got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestReleasedPapers(t *testing.T) {
	s := questions.Collect(readReleased(t))
	want := map[string][]int{
		"all anchors":      {245, 277, 25, 5, 1},
		"all references":   {434, 75, 21, 15, 4, 3, 1},
		"all papers":       {244, 159, 100, 27, 15, 4, 3, 1},
		"single anchors":   {0, 159},
		"multiple anchors": {1, 118, 25, 5, 1},
		"retrieval papers": {244},
	}
	for _, p := range s.Papers {
		if w, ok := want[p.Type+" "+p.Of]; ok {
			if diff := cmp.Diff(w, p.N); diff != "" {
				t.Errorf("%s %s (-want +got):\n%s", p.Type, p.Of, diff)
			}
			delete(want, p.Type+" "+p.Of)
		}
	}
	if len(want) > 0 {
		t.Errorf("not told: %v", want)
	}
}

func TestReleasedEvaluators(t *testing.T) {
	want := map[string][2]int{ // top level, nested
		"string_exact_match": {39, 31}, "string_fuzzy_match": {5, 2}, "bool_exact_match": {2, 2}, "int_exact_match": {19, 7},
		"float_exact_match": {23, 2}, "structured_object_exact_match": {94, 18}, "element_included": {1, 1},
		"element_list_included": {3, 3}, "paper_relevance_with_reference_answer": {240, 0}, "reference_answer_with_llm": {63, 16},
		"scoring_points_with_llm": {11, 1}, "partial_scoring_points_with_llm": {3, 1}, "complex_math_formula_with_llm": {9, 6},
		"conjunction": {41, 0},
	}
	got := make(map[string][2]int)
	for _, f := range questions.Collect(readReleased(t)).Evaluators {
		if f.Uses() > 0 {
			got[f.Short()] = [2]int{f.Top, f.Nested}
		}
		if f.Genre == "unknown" || f.Category == "" && f.Genre != "logical" {
			t.Errorf("%s has genre %q and category %q", f.Name, f.Genre, f.Category)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("uses (-want +got):\n%s", diff)
	}
}

// withoutCharts replaces the charts of a page by placeholders.
func withoutCharts(page string) string {
	return regexp.MustCompile(`(?s)(<svg[^>]*aria-label="[^"]*").*?</svg>`).ReplaceAllString(page, "$1></svg>")
}

// TestFormats compares the statistics of the sample questions in every format with golden files.
func TestFormats(t *testing.T) {
	s := questions.Collect(read(t, "questions.jsonl", string(fixtures.Questions())))
	for _, tt := range []struct {
		file    string
		options render.Options
	}{
		{"stats.txt", render.Options{Format: "text"}},
		{"narrow.txt", render.Options{Format: "text", Width: 40, Options: report.Options{WithPaper: true}}},
		{"stats.md", render.Options{Format: "md", Options: report.Options{WithPaper: true}}},
		{"stats.csv", render.Options{Format: "csv", Options: report.Options{WithPaper: true}}},
		{"stats.json", render.Options{Format: "json"}},
		{"stats.html", render.Options{Format: "html", Options: report.Options{WithPaper: true}}},
	} {
		t.Run(tt.file, func(t *testing.T) {
			var b bytes.Buffer
			if err := s.Write(&b, tt.options); err != nil {
				t.Fatal(err)
			}
			golden.Check(t, tt.file, withoutCharts(b.String()))
			if w := tt.options.Width; w > 0 && text.LongestLineLen(b.String()) > w {
				t.Errorf("a line is %d wide, the terminal %d", text.LongestLineLen(b.String()), w)
			}
		})
	}
	if err := s.Write(&bytes.Buffer{}, render.Options{Format: "pdf"}); err == nil {
		t.Error("an unknown format is no error")
	}
}

// hostile has names that must be escaped in pages, tables and terminals.
const hostile = `{"uuid":"<b>\u001b[31m","question":"Q | <script>alert(1)</script>?","answer_format":"","tags":["<i>single</i>","a|b"],` +
	`"anchor_pdf":["x"],"reference_pdf":[],"conference":["\u001b]0;t\u0007</td>"],"annotator":"` + "`rm`" + `",` +
	`"evaluator":{"eval_func":"eval_<script>","eval_kwargs":{}}}`

func TestHostileNames(t *testing.T) {
	f := read(t, "<q>.jsonl", hostile)
	s := questions.Collect(f)
	found, err := questions.Lint(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	for _, format := range []string{"text", "md", "html"} {
		var b bytes.Buffer
		if err := s.Write(&b, render.Options{Format: format}); err != nil {
			t.Fatal(err)
		}
		if err := questions.WriteFindings(&b, found, s, render.Options{Format: format}); err != nil {
			t.Fatal(err)
		}
		for _, bad := range []string{"\x1b", "\x07"} {
			if strings.Contains(b.String(), bad) {
				t.Errorf("%s holds %q", format, bad)
			}
		}
		if format != "text" && (strings.Contains(b.String(), "<script") || strings.Contains(b.String(), "<i>")) {
			t.Errorf("%s holds an element of the file's", format)
		}
	}
}

func TestJSONIsTheWhole(t *testing.T) {
	s := questions.Collect(read(t, "q.jsonl", string(fixtures.Questions())))
	var b bytes.Buffer
	if err := s.Write(&b, render.Options{Format: "json"}); err != nil {
		t.Fatal(err)
	}
	var again questions.Stats
	if err := json.Unmarshal(b.Bytes(), &again); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(s, again); diff != "" {
		t.Errorf("JSON lost something (-want +got):\n%s", diff)
	}
}

// A table names what it omits.
func TestLeftOutTag(t *testing.T) {
	s := questions.Stats{Tags: []questions.Count{{Name: "figure", N: 2}}}
	for _, table := range questions.Tables(s, false) {
		if named := strings.Contains(strings.Join(table.Notes, " "), `"figure" (2 questions)`); named != (table.Name == "combinations") {
			t.Errorf("%s: %s", table.Name, table.Notes)
		}
	}
}

// A paper counts once, in the venue that the data directory has it in, whatever the case of its id.
func TestVenues(t *testing.T) {
	const a, b = "0f0f97f1-1997-5f33-b56c-5306eb27d631", "2c5da742-68a4-5943-9044-b273ed4f6131"
	f := read(t, "q.jsonl", `{"question": "A?", "answer": "1", "papers": ["`+a+`"]}
{"question": "B?", "answer": "1", "papers": ["`+strings.ToUpper(a)+`", "`+b+`"], "references": ["11111111-1111-4111-8111-111111111111"]}
`)
	s := questions.Collect(f)
	s.CountVenues(f, map[string][]string{"acl2023": {a, b}, "iclr2024": {}}, "(elsewhere)")
	want := []questions.Count{{Name: "acl2023", N: 2, Share: 200.0 / 3}, {Name: "(elsewhere)", N: 1, Share: 100.0 / 3}}
	if diff := cmp.Diff(want, s.Venues); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
