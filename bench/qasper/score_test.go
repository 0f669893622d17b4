package qasper_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/bench"
	"airqa/bench/qasper"
	"airqa/internal/testkit/benchtest"
	"airqa/qa"
)

const folder = "../../fixtures/qasper/"

func load(t *testing.T) *bench.Dataset {
	t.Helper()
	c, err := qasper.Load(folder+"dev.json", bench.Choice{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func near(t *testing.T, name string, got bench.Mean, want float64, n int) {
	t.Helper()
	if n > 0 && math.Abs(got.Value()-want) > 1e-9 || got.N() != n {
		t.Errorf("%s: %g of %d, want %g of %d", name, got.Value(), got.N(), want, n)
	}
}

// scored are the answers of a file, or none, with their scores.
func scored(t *testing.T, c *bench.Dataset, given map[string]qa.Answer, fixed bool) bench.System {
	t.Helper()
	var answers []qa.Answer
	for _, it := range c.Items {
		answers = append(answers, given[it.UUID])
	}
	return qasper.Benchmark().Scored("predictions", c.Items, answers, fixed)
}

func read(t *testing.T, path string, c *bench.Dataset) map[string]qa.Answer {
	t.Helper()
	given, _, err := qasper.Benchmark().Predictions.Read(path, c)
	if err != nil {
		t.Fatal(err)
	}
	return given
}

// rows are the systems of a method.
func rows(t *testing.T, c *bench.Dataset, method string) []bench.System {
	t.Helper()
	list, err := qasper.Benchmark().Method(t.Context(), c, method, bench.Request{})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// Computed by hand. The answer to the first question ties between an extractive and an abstractive annotation.
func TestScore(t *testing.T) {
	c := load(t)
	given := read(t, folder+"predictions.jsonl", c)
	s := scored(t, c, given, false)
	near(t, "answers", s.Mean("Answer-F1", nil), 4.5/7, 7)
	near(t, "evidence", s.Mean("Evidence-F1", nil), (1+2.0/3+0+1+2.0/3+1+0)/7, 7)
	for kind, want := range map[string]struct {
		value, first float64
		n, nFirst    int
	}{"extractive": {0.75, 0.5, 2, 3}, "abstractive": {1, 1, 1, 1}, "boolean": {0.5, 0.5, 2, 2}, "none": {1, 1, 1, 1}} {
		near(t, kind, s.Mean("Answer-F1", func(_ bench.Item, s qa.Score) bool { return s.Match == kind }), want.value, want.n)
		near(t, kind+" first", s.Mean("Answer-F1", func(it bench.Item, _ qa.Score) bool { return it.Gold.Answers[0].Type == kind }), want.first, want.nFirst)
	}
	fixed := scored(t, c, given, true)
	near(t, "fixed evidence", fixed.Mean("Evidence-F1", nil), (1+1+0+1+2.0/3+1+0)/7, 7)
}

// Each answer has its own score: right from 0.10 of Answer-F1, the best match, and a missing answer is 0 without one.
func TestEachScore(t *testing.T) {
	c := load(t)
	s := scored(t, c, read(t, folder+"predictions.jsonl", c), false)
	var got []string
	for _, x := range s.Scores {
		got = append(got, fmt.Sprintf("%s %s %.2f %q %.2f %.2f %.2f", x.UUID[38:], x.Verdict, x.Value, x.Match, x.Measures["Answer-F1"], x.Measures["Evidence-F1"],
			x.Measures["Evidence-F1, text"]))
		if x.Func != "bench_qasper" || len(x.Measures) != 3 || x.Value != x.Measures["Answer-F1"] {
			t.Errorf("%+v", x)
		}
	}
	want := []string{
		`01 right 0.50 "extractive" 0.50 1.00 1.00`, `02 right 1.00 "extractive" 1.00 0.67 0.67`, `03 right 1.00 "boolean" 1.00 0.00 0.00`,
		`04 right 1.00 "none" 1.00 1.00 1.00`, `05 right 1.00 "abstractive" 1.00 0.67 0.67`, `06 wrong 0.00 "boolean" 0.00 1.00 1.00`,
		`07 wrong 0.00 "" 0.00 0.00 0.00`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// Section 5.2 of the paper calls an answer below 10 % wrong: 1 of 19 or 20 tokens against one gold token.
func TestWrongBelowATenth(t *testing.T) {
	c := &bench.Dataset{Items: []bench.Item{item("q", gold("extractive", "tide"))}}
	for n, want := range map[int]qa.Verdict{18: qa.Right, 19: qa.Wrong} {
		words := "tide" + strings.Repeat(" x", n)
		s := scored(t, c, map[string]qa.Answer{"q": {Given: true, Text: words}}, false).Scores[0]
		if s.Verdict != want || math.Abs(s.Value-2/float64(n+2)) > 1e-9 || s.Match != "extractive" {
			t.Errorf("%d other words: %+v, want %s", n, s, want)
		}
	}
}

func gold(kind, text string, evidence ...string) bench.GoldAnswer {
	return bench.GoldAnswer{Type: kind, Text: text, Evidence: evidence}
}

func item(id string, answers ...bench.GoldAnswer) bench.Item {
	return bench.Item{Example: qa.Example{UUID: id}, Gold: bench.Gold{Answers: answers}}
}

func TestEvidenceF1(t *testing.T) {
	const float = "FLOAT SELECTED: F"
	tests := []struct {
		name                  string
		predicted             []string
		gold                  bench.GoldAnswer
		compat, fixed         float64
		textOnly, fixedText   float64
		excludedFromFixedText bool
	}{
		{"both empty", nil, gold("boolean", "No"), 1, 1, 1, 1, false},
		{"unanswerable has no evidence", nil, gold("none", "Unanswerable", "a"), 1, 1, 1, 1, false},
		{"duplicates in gold", []string{"a"}, gold("extractive", "x", "a", "a"), 2.0 / 3, 1, 2.0 / 3, 1, false},
		{"duplicates in both", []string{"a", "a", "b"}, gold("extractive", "x", "a", "a"), 2 * (1.0 / 3) * 0.5 / (1.0/3 + 0.5), 2.0 / 3, 0.4, 2.0 / 3, false},
		{"a float predicted", []string{"a", float}, gold("extractive", "x", "a"), 2.0 / 3, 2.0 / 3, 2.0 / 3, 1, false},
		{"only a float in gold", nil, gold("extractive", "x", float), 0, 0, 1, 0, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			it, n := item("q", tt.gold), 1
			if tt.excludedFromFixedText {
				n = 0
			}
			c, given := &bench.Dataset{Items: []bench.Item{it}}, map[string]qa.Answer{"q": {Given: true, Text: "x", Evidence: tt.predicted}}
			reference, fixed := scored(t, c, given, false), scored(t, c, given, true)
			near(t, "reference", reference.Mean("Evidence-F1", nil), tt.compat, 1)
			near(t, "fixed", fixed.Mean("Evidence-F1", nil), tt.fixed, 1)
			near(t, "text", reference.Mean("Evidence-F1, text", nil), tt.textOnly, 1)
			near(t, "fixed text", fixed.Mean("Evidence-F1, text", nil), tt.fixedText, n)
			missing := scored(t, c, nil, true)
			near(t, "missing", missing.Mean("Evidence-F1", nil), 0, 1)
			near(t, "missing text", missing.Mean("Evidence-F1, text", nil), 0, n)
			near(t, "missing answer", missing.Mean("Answer-F1", nil), 0, 1)
		})
	}
}

// Of two questions with one id, and of two predictions for it, the last one counts, in both modes.
func TestSharedIDs(t *testing.T) {
	question := func(id, answer, evidence string) string {
		return `{"question":"Q","question_id":"` + id + `","answers":[{"answer":{"yes_no":` + answer + `,"evidence":[` + evidence + `]}}]}`
	}
	dev := benchtest.File(t, "dev.json", `{"1":{"full_text":[{"section_name":"S","paragraphs":["a","b"]}],"qas":[`+
		question("q", "true", `"a"`)+","+question("r", "false", "")+","+question("q", "false", `"b"`)+`]}}`)
	path := benchtest.File(t, "p.jsonl", `{"question_id":"q","predicted_answer":"Yes","predicted_evidence":[]}`+"\n"+
		`{"question_id":"q","predicted_answer":"No","predicted_evidence":["b"]}`+"\n"+`{"question_id":"other","predicted_answer":"","predicted_evidence":[]}`)
	for _, fixed := range []bool{false, true} {
		r := bench.Request{Dataset: dev, Fixed: fixed}
		dir, faults, err := benchtest.Run(t, qasper.Benchmark(), path, r)
		if err != nil {
			t.Fatal(err)
		}
		want := []string{path + ":2: example q: the item has a prediction already; this one counts", path + `:3: example other: field "question_id": no item has this id`}
		if diff := cmp.Diff(want, []string{faults[0].Error(), faults[1].Error()}); diff != "" || len(faults) != 2 {
			t.Errorf("faults (-want +got)\n%s%v", diff, faults)
		}
		r.Runs = []string{dir}
		got, notes, err := benchtest.Call(t, qasper.Benchmark(), "compare", r)
		if err != nil || got["scores predictions Answer-F1"] != "50" || got["scores predictions Evidence-F1"] != "50" {
			t.Errorf("the last question and the last prediction: %v, %v", got, err)
		}
		if !strings.Contains(notes, "without an answer, which score 0: 1") || !strings.Contains(notes, "Left out because of faults: 1 question.") {
			t.Errorf("notes %s", notes)
		}
	}
	c, err := qasper.Load(dev, bench.Choice{})
	if err != nil || len(c.Items) != 2 || c.Items[0].Gold.Text != "No" || c.Items[1].UUID != "r" {
		t.Errorf("the last question is not in the place of the first: %+v, %v", c.Items, err)
	}
}

func TestHuman(t *testing.T) {
	c := &bench.Dataset{Items: []bench.Item{
		item("q", gold("extractive", "x y", "a"), gold("abstractive", "x", "a"), gold("none", "Unanswerable", "b")),
		item("two", gold("boolean", "Yes"), gold("boolean", "Yes")),
	}}
	s := rows(t, c, "human")[0]
	near(t, "answers", s.Mean("Answer-F1", nil), (2.0/3+2.0/3+0)/3, 3)
	near(t, "evidence", s.Mean("Evidence-F1", nil), (1.0+1+0)/3, 3)
	extractive := func(_ bench.Item, s qa.Score) bool { return s.Match == "extractive" }
	near(t, "extractive: x, and Unanswerable without a match", s.Mean("Answer-F1", extractive), 1.0/3, 2)
}

// Computed with scikit-learn 1.9.1 and CPython 3.11. Without a common term, TF-IDF chooses the last paragraph.
func TestBaselines(t *testing.T) {
	c := load(t)
	chosen := func(method string) (list []string) {
		for i, x := range rows(t, c, method)[0].Answers {
			text := x.Text
			for _, doc := range c.Documents {
				for _, u := range doc.Units {
					if doc.ID == c.Items[i].Document && len(x.Evidence) > 0 && u.Text == x.Evidence[0] {
						text = u.ID
					}
				}
			}
			list = append(list, text)
		}
		return list
	}
	tests := []struct{ method, want string }{
		{"tfidf", "p4 p5 p6 p7 p7 p4 p2"},
		{"first", "p1 p1 p1 p1 p1 p1 p1"},
		{"random", "p3 p2 p3 p6 p2 p3 p2"},
		{"yes", "Yes Yes Yes Yes Yes Yes Yes"},
	}
	for _, tt := range tests {
		if got := strings.Join(chosen(tt.method), " "); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.method, got, tt.want)
		}
	}
	if got := chosen("echo"); got[3] != "What is the learning rate?" {
		t.Errorf("echo: %q", got)
	}
	oracle := rows(t, c, "oracle")[0]
	near(t, "oracle answers", oracle.Mean("Answer-F1", nil), 1, 7)
	near(t, "oracle evidence", oracle.Mean("Evidence-F1", nil), 1, 7)
	if _, err := qasper.Benchmark().Method(t.Context(), c, "bm42", bench.Request{}); err == nil || !strings.Contains(err.Error(), "the baselines are tfidf") {
		t.Errorf("unknown method: %v", err)
	}
}

func TestScriptRule(t *testing.T) {
	tests := []struct {
		name string
		gold []bench.GoldAnswer
		want float64
	}{
		{"one of two paragraphs", []bench.GoldAnswer{gold("extractive", "x", "a", "b", "FLOAT SELECTED: c")}, 2.0 / 3},
		{"maximum", []bench.GoldAnswer{gold("extractive", "x", "a", "b"), gold("extractive", "x", "a")}, 1},
		{"one that disagrees", []bench.GoldAnswer{gold("extractive", "x", "a"), gold("none", "Unanswerable")}, 0},
	}
	for _, tt := range tests {
		c := &bench.Dataset{Documents: []bench.Document{{Units: []bench.Unit{{ID: "p1", Text: "a"}}}}, Items: []bench.Item{item("q", tt.gold...)}}
		near(t, tt.name, rows(t, c, "first")[0].Mean("Evidence-F1, script", nil), tt.want, 1)
	}
}

func TestRandomEvidence(t *testing.T) {
	c := &bench.Dataset{
		Documents: []bench.Document{{ID: "d", Units: []bench.Unit{{ID: "p1", Text: "a"}, {ID: "p2"}, {ID: "p3", Text: "b"}, {ID: "p4", Text: "c"}, {ID: "f1", Text: "FLOAT SELECTED: x"}}}, {ID: "empty"}},
		Items:     []bench.Item{item("q", gold("extractive", "x", "a", "b"), gold("extractive", "x", "b")), item("none", gold("none", "Unanswerable"))},
	}
	c.Items[0].Document, c.Items[1].Document = "d", "empty"
	expected := rows(t, c, "random")[1]
	near(t, "expectation", expected.Mean("Evidence-F1", nil), ((2.0/3+0+1+0)/4+1)/2, 2)
	near(t, "expectation of text", expected.Mean("Evidence-F1, text", nil), ((2.0/3+0+1+0)/4+1)/2, 2)
	if expected.Has("Answer-F1") || expected.Has("Evidence-F1, script") {
		t.Error("an expectation of what is not drawn")
	}
}

// Predictions are written in the official form: evidence is texts, also for the ids of units.
func TestFiles(t *testing.T) {
	c, format, path := load(t), qasper.Benchmark().Predictions, filepath.Join(t.TempDir(), "p.jsonl")
	units := c.Documents[0].Units
	given := map[string]qa.Answer{
		c.Items[0].UUID: {Given: true, Text: "1,200", Evidence: []string{"p4", "p99", units[1].Text, "f1"}}, c.Items[1].UUID: {Given: true, Text: "<No>"},
	}
	if err := format.Write(path, c, scored(t, c, given, false)); err != nil {
		t.Fatal(err)
	}
	out, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(out), `"predicted_answer":"<No>","predicted_evidence":[]`) || strings.Count(string(out), "\n") != 2 {
		t.Errorf("%v: %s", err, out)
	}
	want := []string{units[3].Text, "p99", units[1].Text, units[7].Text}
	if diff := cmp.Diff(want, read(t, path, c)[c.Items[0].UUID].Evidence); diff != "" || given[c.Items[0].UUID].Evidence[0] != "p4" {
		t.Errorf("evidence (-want +got)\n%s", diff)
	}
	for text, want := range map[string]string{
		"\n" + string(out):         "",
		"\ufeff" + string(out):     "",
		`{"predicted_answer":"q"}`: "p.jsonl has no usable prediction; the first fault: " + path + `:1: field "question_id", the id of an item, is missing`,
		"\n{\"question_id\":7}\n":  `:2: field "question_id", the id of an item, is missing or not a string`,
		"[1]":                      ":1: not a prediction: a list, not an object",
		"\n":                       "p.jsonl has no prediction",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		got, _, err := format.Read(path, c)
		if want == "" && (err != nil || len(got) != 2 || !slices.Equal(got[c.Items[0].UUID].Evidence, []string{units[3].Text, "p99", units[1].Text, units[7].Text})) ||
			want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v, %v; want %q", text, got, err, want)
		}
	}
}

// A faulty line is named, and the others count.
func TestReadFaults(t *testing.T) {
	c := &bench.Dataset{Items: []bench.Item{item("a"), item("b"), item("c")}}
	path := benchtest.File(t, "p.jsonl", "[1]\n"+`{"question_id":"a","predicted_answer":"yes","predicted_evidence":"p1"}`+"\n{\n"+
		`{"question_id":"b","predicted_answer":7}`+"\n"+`{"question_id":"c","predicted_answer":"no","predicted_evidence":["x"]}`)
	got, faults, err := qasper.Benchmark().Predictions.Read(path, c)
	if err != nil || len(got) != 3 || got["a"].Text != "yes" || got["a"].Evidence != nil || !got["b"].Given || got["b"].Text != "" || got["c"].Evidence[0] != "x" {
		t.Errorf("%v, %+v", err, got)
	}
	want := []string{
		":1: not a prediction: a list, not an object", `:2: example a: field "predicted_evidence": a string is not a list of strings; it counts as none`,
		":3: not a prediction: unexpected end of JSON input", `:4: example b: field "predicted_answer" is a number (7), not a string; it counts as empty`,
		`:4: example b: field "predicted_evidence": missing is not a list of strings; it counts as none`,
	}
	for i, f := range faults {
		if i >= len(want) || f.Error() != path+want[i] {
			t.Errorf("fault %v, want %v", f, want)
		}
	}
	if len(faults) != len(want) || faults[0].Costs != "prediction" || faults[1].Costs != "" {
		t.Errorf("faults %v", faults)
	}
}

// Gold survives a run directory, for ids of units and their texts: of equal paragraphs, of figures, and of units that no
// annotation names.
func TestRoundTrip(t *testing.T) {
	answers := []qa.Answer{
		{Text: "seven", Evidence: []string{"p1"}},
		{Text: "seven", Evidence: []string{"p2"}},
		{Text: "seven", Evidence: []string{"Twice."}},
		{Text: "seven", Evidence: []string{"p1", "p2"}},
		{Text: "Seven of them", Evidence: []string{"f1"}},
		{Text: "", Evidence: []string{"f2", "p3", "p3"}},
		{Text: "seven", Evidence: []string{"FLOAT SELECTED: Table 1", "p9"}},
		{Text: "Unanswerable"},
		{Text: "no", Evidence: []string{"p3", "p4", "p1"}},
		{Text: "1,200 tables", Evidence: []string{"p4", "f1", "f2", "f3"}},
	}
	for i := range answers {
		answers[i].Given = true
	}
	benchtest.RoundTrip(t, qasper.Benchmark(), benchtest.File(t, "dev.json", twins), answers...)
	benchtest.RoundTrip(t, qasper.Benchmark(), folder+"dev.json", answers...)
}

// twins is a paper of QASPER with two equal paragraphs and two equal captions.
const twins = `{"1":{"title":"T","abstract":"A","full_text":[{"section_name":"S","paragraphs":["Twice.","Twice.","Once.","Other."]}],
"figures_and_tables":[{"caption":"Table 1"},{"caption":"Figure 1"},{"caption":"Table 1"}],"qas":[
{"question":"Q","question_id":"both","answers":[{"answer":{"free_form_answer":"seven","evidence":["Twice.","FLOAT SELECTED: Table 1"]}}]},
{"question":"Q","question_id":"floats","answers":[{"answer":{"free_form_answer":"seven","evidence":["FLOAT SELECTED: Figure 1"]}},{"answer":{"extractive_spans":["Seven of them"],"evidence":["Twice.","Twice."]}}]},
{"question":"Q","question_id":"none","answers":[{"answer":{"unanswerable":true,"evidence":["Once."]}}]},
{"question":"Q","question_id":"unknown","answers":[{"answer":{"yes_no":false,"evidence":["Not in the paper.","Once."]}}]}]}}`
