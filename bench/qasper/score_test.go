package qasper_test

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/bench"
	"airqa/bench/qasper"
	"airqa/qa"
)

const folder = "../../fixtures/qasper/"

func load(t *testing.T) *bench.Dataset {
	t.Helper()
	c, err := qasper.Load(folder + "dev.json")
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

func score(t *testing.T, items []bench.Item, p []qasper.Prediction, o bench.Rules) qasper.Scores {
	t.Helper()
	s, err := qasper.Score(items, p, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Computed by hand. The answer to the first question ties between an extractive and an abstractive annotation.
func TestScore(t *testing.T) {
	c := load(t)
	predictions, _, err := qasper.ReadPredictions(folder + "predictions.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	s := score(t, c.Items, predictions, bench.Rules{})
	near(t, "answers", s.Answer, 4.5/7, 7)
	near(t, "evidence", s.Evidence, (1+2.0/3+0+1+2.0/3+1+0)/7, 7)
	for kind, want := range map[string]struct {
		value, first float64
		n, nFirst    int
	}{"extractive": {0.75, 0.5, 2, 3}, "abstractive": {1, 1, 1, 1}, "boolean": {0.5, 0.5, 2, 2}, "none": {1, 1, 1, 1}} {
		near(t, kind, *s.ByType.Of(kind), want.value, want.n)
		near(t, kind+" first", *s.ByFirst.Of(kind), want.first, want.nFirst)
	}
	if s.Missing != 1 || !strings.Contains(strings.Join(s.Notes, "\n"), "the same evidence twice, which lowers their precision without --fixed: 1") {
		t.Errorf("%d missing, notes %q", s.Missing, s.Notes)
	}
	fixed := score(t, c.Items, predictions, bench.Rules{Fixed: true})
	near(t, "fixed evidence", fixed.Evidence, (1+1+0+1+2.0/3+1+0)/7, 7)
	if len(fixed.Notes) < 3 {
		t.Errorf("fixed: notes %q", fixed.Notes)
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
			p := []qasper.Prediction{{ID: "q", Answer: "x", Evidence: tt.predicted}}
			items := []bench.Item{item("q", tt.gold)}
			n := 1
			if tt.excludedFromFixedText {
				n = 0
			}
			near(t, "compat", score(t, items, p, bench.Rules{}).Evidence, tt.compat, 1)
			near(t, "fixed", score(t, items, p, bench.Rules{Fixed: true}).Evidence, tt.fixed, 1)
			near(t, "text", score(t, items, p, bench.Rules{TextOnly: true}).Evidence, tt.textOnly, 1)
			near(t, "fixed text", score(t, items, p, bench.Rules{TextOnly: true, Fixed: true}).Evidence, tt.fixedText, n)
		})
	}
}

func TestSharedIDs(t *testing.T) {
	items := []bench.Item{item("q", gold("boolean", "Yes", "a")), item("q", gold("boolean", "No", "b")), item("r", gold("boolean", "No"))}
	p := []qasper.Prediction{{"q", "Yes", nil}, {"q", "No", []string{"b"}}, {"other", "", nil}}
	s := score(t, items, p, bench.Rules{})
	near(t, "the last question and the last prediction", s.Answer, 0.5, 2)
	near(t, "missing evidence", s.Evidence, 0.5, 2)
	want := []string{"questions with the id of another, of which the last one counts: 1", "predictions for a question that has another, of which the last one counts: 1", "predictions for unknown questions, which are ignored: 1"}
	if diff := cmp.Diff(want, []string(s.Notes)); diff != "" {
		t.Errorf("notes (-want +got)\n%s", diff)
	}
	if _, err := qasper.Score(items, p, bench.Rules{Fixed: true}); err == nil || !strings.Contains(err.Error(), "the compat mode takes the last one") {
		t.Errorf("fixed: %v", err)
	}
}

func TestHuman(t *testing.T) {
	items := []bench.Item{
		item("q", gold("extractive", "x y", "a"), gold("abstractive", "x", "a"), gold("none", "Unanswerable", "b")),
		item("two", gold("boolean", "Yes"), gold("boolean", "Yes")),
	}
	s := qasper.Human(items, bench.Rules{})
	near(t, "answers", s.Answer, (2.0/3+2.0/3+0)/3, 3)
	near(t, "evidence", s.Evidence, (1.0+1+0)/3, 3)
	near(t, "extractive: x, and Unanswerable without a match", *s.ByType.Of("extractive"), 1.0/3, 2)
}

// Computed with scikit-learn 1.9.1 and CPython 3.11. Without a common term, TF-IDF chooses the last paragraph.
func TestBaselines(t *testing.T) {
	c := load(t)
	chosen := func(method string) (list []string) {
		p, err := qasper.Baseline(c, method, qasper.ScriptSeed)
		if err != nil {
			t.Fatal(err)
		}
		for i, x := range p {
			text := x.Answer
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
	oracle, _ := qasper.Baseline(c, "oracle", 0)
	s := score(t, c.Items, oracle, bench.Rules{})
	near(t, "oracle answers", s.Answer, 1, 7)
	near(t, "oracle evidence", s.Evidence, 1, 7)
	if _, err := qasper.Baseline(c, "bm42", 0); err == nil || !strings.Contains(err.Error(), "the baselines are tfidf") {
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
		near(t, tt.name, qasper.ScriptEvidenceF1([]bench.Item{item("q", tt.gold...)}, []qasper.Prediction{{Evidence: []string{"a"}}}), tt.want, 1)
	}
}

func TestRandomEvidence(t *testing.T) {
	c := &bench.Dataset{
		Documents: []bench.Document{{ID: "d", Units: []bench.Unit{{ID: "p1", Text: "a"}, {ID: "p2"}, {ID: "p3", Text: "b"}, {ID: "p4", Text: "c"}, {ID: "f1", Text: "FLOAT SELECTED: x"}}}, {ID: "empty"}},
		Items:     []bench.Item{item("q", gold("extractive", "x", "a", "b"), gold("extractive", "x", "b")), item("none", gold("none", "Unanswerable"))},
	}
	c.Items[0].Document, c.Items[1].Document = "d", "empty"
	near(t, "expectation", qasper.RandomEvidence(c, bench.Rules{}), ((2.0/3+0+1+0)/4+1)/2, 2)
}

func TestFiles(t *testing.T) {
	c := load(t)
	units := c.Documents[0].Units
	given := []qasper.Prediction{{c.Items[0].UUID, "1,200", []string{"p4", "p99", units[1].Text}}, {"other", "", []string{"p4"}}}
	translated, unknown := qasper.Verbatim(c, given)
	if diff := cmp.Diff([]string{units[3].Text, "p99", units[1].Text}, translated[0].Evidence); diff != "" || unknown != 1 || given[0].Evidence[0] != "p4" || translated[1].Evidence[0] != "p4" {
		t.Errorf("%d unknown, (-want +got)\n%s", unknown, diff)
	}
	p := translated[0]
	var out bytes.Buffer
	written := []qasper.Prediction{p, {ID: "b", Answer: "<No>"}}
	if err := qasper.WritePredictions(&out, written); err != nil || !strings.Contains(out.String(), `"predicted_answer":"<No>","predicted_evidence":[]`) {
		t.Errorf("%v: %s", err, &out)
	}
	path := filepath.Join(t.TempDir(), "p.jsonl")
	for text, want := range map[string]string{
		"\n" + out.String():        "",
		`{"predicted_answer":"q"}`: "p.jsonl has no usable prediction; the first fault: " + path + ":1: a line needs question_id",
		"\n{\"question_id\":7}\n":  ":2: not a prediction: question_id is a number, not a string",
		"[1]":                      ":1: not a prediction: it is a list, not an object",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		got, _, err := qasper.ReadPredictions(path)
		if want == "" && (err != nil || len(got) != 2 || !slices.Equal(got[0].Evidence, p.Evidence)) || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v, %v; want %q", text, got, err, want)
		}
	}
}

// A faulty line is named, and the others count.
func TestReadFaults(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p.jsonl")
	text := "[1]\n" + `{"question_id":"a","predicted_answer":"yes","predicted_evidence":"p1"}` + "\n{\n" +
		`{"question_id":"b","predicted_answer":7}` + "\n" + `{"question_id":"c","predicted_answer":"no","predicted_evidence":["x"]}`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	got, faults, err := qasper.ReadPredictions(path)
	if err != nil || len(got) != 3 || got[0].Answer != "yes" || got[0].Evidence != nil || got[1].Answer != "" || got[2].Evidence[0] != "x" {
		t.Errorf("%v, %+v", err, got)
	}
	want := []string{
		":1: not a prediction: it is a list, not an object", ":2: example a: predicted_evidence is a string, not a list of strings; it counts as none",
		":3: not a prediction: unexpected end of JSON input", ":4: example b: predicted_answer is a number (7), not a string; it counts as empty",
		":4: example b: predicted_evidence is missing, not a list of strings; it counts as none",
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
