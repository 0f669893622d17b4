package argscichat_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/bench"
	"airqa/bench/argscichat"
	"airqa/env/embed"
	"airqa/internal/testkit/benchtest"
	"airqa/qa"
)

const fixture = "../../fixtures/argscichat"

func load(t *testing.T, dir string) *bench.Dataset {
	t.Helper()
	c, err := argscichat.Load(dir, bench.Choice{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// lengths embeds a text as a unit vector that turns with its length.
type lengths struct {
	embed.Embedder
	err error
}

func (e lengths) open() (embed.Embedder, error) { return e, nil }

func (e lengths) Embed(_ context.Context, texts []string) ([][]float32, error) {
	var list [][]float32
	for _, s := range texts {
		sin, cos := math.Sincos(float64(len(s)) / 100)
		list = append(list, []float32{float32(sin), float32(cos)})
	}
	return list, e.err
}

// talk is a paper of n sentences with one turn, in the test part of fold 0.
func talk(question, answer string, facts []string, sentences ...string) *bench.Dataset {
	d := bench.Document{ID: "P", Title: "P"}
	g := bench.GoldAnswer{Text: answer, Evidence: facts}
	for i, s := range sentences {
		d.Units = append(d.Units, bench.Unit{ID: fmt.Sprintf("s%d", i+1), Text: s})
	}
	for _, f := range facts {
		g.Units = append(g.Units, d.Units[argscichat.MatchSentence(d, f)].ID)
	}
	it := bench.Item{Example: qa.Example{UUID: "P_0", Question: question, Tags: []string{"fold0:test"}}, Document: "P", Gold: bench.Gold{Answers: []bench.GoldAnswer{g}}}
	return &bench.Dataset{Documents: []bench.Document{d}, Items: []bench.Item{it}}
}

func TestMethods(t *testing.T) {
	c := talk("What do cats eat?", "Fish and mice", []string{"Cats eat fish."},
		"Dogs eat bones.", "Cats eat fish.", "What do cows do?", "A cow eats grass, mice eat grain.")
	want := map[string][2]float64{ // Rationale-F1, Message-F1
		"tfidf": {2. / 3, 2. / 9}, "tfidf-1": {1, 1. / 3}, "tfidf-default": {2. / 3, 2. / 10}, "bm25": {2. / 3, 2. / 10},
		"oracle-query": {2. / 3, 2. * 2 / 12}, "first": {2. / 3, 2. / 9}, "random": {1. / 3, math.NaN()}, "all": {2. / 5, 4. / 19},
		"gold": {1, 1. / 3}, "echo": {math.NaN(), 0}, "title": {math.NaN(), 0}, "empty": {math.NaN(), 0}, "minilm": {0, 0},
	}
	for _, m := range argscichat.Methods() {
		r := row(t, c, m.Name, lengths{}.open)
		got := [2]float64{r.Mean("Rationale-F1", tested).Value(), r.Mean("Message-F1", tested).Value()}
		for i := range got {
			if !(math.Abs(got[i]-want[m.Name][i]) < 1e-9) && !(math.IsNaN(got[i]) && math.IsNaN(want[m.Name][i])) {
				t.Errorf("%s: %v, want %v", m.Name, got, want[m.Name])
			}
		}
	}
	fails := bench.Request{Embedder: lengths{err: errors.New("no model")}.open}
	if _, err := argscichat.Benchmark().Method(t.Context(), c, "minilm", fails); err == nil || !strings.Contains(err.Error(), "no model") {
		t.Errorf("error %v of a model that fails", err)
	}
	if _, err := argscichat.Benchmark().Method(t.Context(), c, "best", bench.Request{}); err == nil || !strings.Contains(err.Error(), "the methods are tfidf, ") {
		t.Errorf("error %v of an unknown method", err)
	}
}

// row is the system of a method.
func row(t *testing.T, c *bench.Dataset, method string, open func() (embed.Embedder, error)) bench.System {
	t.Helper()
	list, err := argscichat.Benchmark().Method(t.Context(), c, method, bench.Request{Embedder: open})
	if err != nil || len(list) != 1 {
		t.Fatalf("%s: %v, %v", method, list, err)
	}
	return list[0]
}

// tested selects the test turns of all folds, inFold the test turns of one.
func tested(it bench.Item, _ qa.Score) bool {
	return slices.ContainsFunc(it.Tags, func(tag string) bool { return strings.HasSuffix(tag, ":test") })
}

func inFold(n int) func(bench.Item, qa.Score) bool {
	return func(it bench.Item, _ qa.Score) bool { return it.HasTag(argscichat.FoldTag(n, "test")) }
}

// Without a common word all scores are 0: the last two sentences are chosen.
func TestTies(t *testing.T) {
	c := talk("Nothing shared", "x", []string{"Four."}, "One.", "Two.", "Three.", "Four.")
	for _, name := range []string{"tfidf", "tfidf-default", "bm25"} {
		if m := row(t, c, name, nil).Mean("Rationale-F1", tested); math.Abs(m.Value()-2./3) > 1e-9 {
			t.Errorf("%s: %v", name, m)
		}
	}
}

func TestExpected(t *testing.T) {
	for n := 2; n < 8; n++ {
		for g := 1; g <= n; g++ {
			sum, pairs := 0.0, 0.0
			for i := range n {
				for j := range i {
					hits := 0.0
					for _, k := range []int{i, j} {
						if k < g {
							hits++
						}
					}
					sum, pairs = sum+2*hits/float64(2+g), pairs+1
				}
			}
			if got := argscichat.Expected(n, g); math.Abs(got-sum/pairs) > 1e-12 {
				t.Errorf("Expected(%d, %d) = %v, want %v", n, g, got, sum/pairs)
			}
		}
	}
	if argscichat.Expected(1, 1) != 1 {
		t.Error("the only sentence is not found")
	}
}

func TestSetF1(t *testing.T) {
	for want, sets := range map[float64][2]string{0: {"a b", "c"}, 1: {"a b", "b a"}, 0.5: {"a b", "a c"}, 0.4: {"a", "a b c d"}} {
		if got := argscichat.SetF1(strings.Fields(sets[0]), strings.Fields(sets[1])); got != want {
			t.Errorf("SetF1(%v) = %v, want %v", sets, got, want)
		}
	}
	if argscichat.SetF1(nil, []string{"a"}) != 0 {
		t.Error("no evidence scores")
	}
}

func TestPredictions(t *testing.T) {
	c := load(t, fixture)
	given, faults, err := argscichat.Benchmark().Predictions.Read(fixture+"/predictions.jsonl", c)
	if err != nil || len(given) != 11 {
		t.Fatalf("%d predictions, %v", len(given), err)
	}
	if all := fmt.Sprint(faults); len(faults) != 2 || !strings.Contains(all, "it counts as none") || !strings.Contains(all, `predictions.jsonl:4: example A Lost Paper_7: field "pair_id": no item has this id`) {
		t.Errorf("faults %v", faults)
	}
	s := scored(c, given, false)
	rationale, message := s.Mean("Rationale-F1", tested), s.Mean("Message-F1", tested)
	i, again := message.Interval(500, 1), message.Interval(500, 1)
	if v := message.Value(); i.Low > v || v > i.High || i != again {
		t.Errorf("interval %v of %v", i, message)
	}
	if rationale.N() != 9 || message.N() != 12 {
		t.Errorf("n of %+v, %+v", rationale, message)
	}
	got, notes, err := compare(t, bench.Request{Dataset: fixture}, fixture+"/predictions.jsonl")
	if err != nil || !strings.Contains(notes, "predictions: items of 18 without an answer, which score 0: 7") {
		t.Fatalf("%v, %s", err, notes)
	}
	m := fmt.Sprint(100 * (s.Mean("Message-F1", inFold(0)).Value() + s.Mean("Message-F1", inFold(1)).Value()) / 2)
	if key := "folds of predictions mean of the folds Message-F1"; got[key] != m || got["scores predictions Message-F1"] != m {
		t.Errorf("mean of folds %v and %v, want %v", got[key], got["scores predictions Message-F1"], m)
	}
	if _, given := got["folds of predictions all turns Message-F1"]; given {
		t.Error("the mean of all turns, of which none but the test turns is answered")
	}
}

// scored are answers, or none, with their scores.
func scored(c *bench.Dataset, given map[string]qa.Answer, fixed bool) bench.System {
	var answers []qa.Answer
	for _, it := range c.Items {
		answers = append(answers, given[it.UUID])
	}
	return argscichat.Benchmark().Scored("predictions", c.Items, answers, fixed)
}

// compare makes a run of a file of predictions and compares it with the methods.
func compare(t *testing.T, r bench.Request, predictions string) (map[string]string, string, error) {
	t.Helper()
	dir, _, err := benchtest.Run(t, argscichat.Benchmark(), predictions, r)
	if err != nil {
		t.Fatal(err)
	}
	r.Runs = []string{dir}
	return benchtest.Call(t, argscichat.Benchmark(), "compare", r)
}

// Each turn has its own score: right from 0.10 of Message-F1. One without a gold sentence has no Rationale-F1.
func TestEachScore(t *testing.T) {
	c := talk("q", "fish and mice", []string{"One."}, "One.", "Two.")
	c.Items = append(c.Items, c.Items[0], c.Items[0], c.Items[0])
	for i, id := range []string{"a", "b", "no gold", "missing"} {
		c.Items[i].UUID = id
	}
	c.Items[2].Gold = bench.Gold{Answers: []bench.GoldAnswer{{Text: "Goodbye"}}}
	s := scored(c, map[string]qa.Answer{
		"a":       {Given: true, Text: "Fish and mice!", Evidence: []string{"s1", "s2"}},
		"b":       {Given: true, Text: "fish" + strings.Repeat(" x", 18), Evidence: []string{"s2"}},
		"no gold": {Given: true, Text: "Goodbye", Evidence: []string{"s1"}},
	}, false)
	var got []string
	for _, x := range s.Scores {
		rationale, given := x.Measures["Rationale-F1"]
		got = append(got, fmt.Sprintf("%s %s %.3f %.3f %t %q %s", x.UUID, x.Verdict, x.Value, rationale, given, x.Match, x.Func))
		if x.Value != x.Measures["Message-F1"] {
			t.Errorf("%+v", x)
		}
	}
	want := []string{
		`a right 1.000 0.667 true "" bench_argscichat`, `b wrong 0.091 0.000 true "" bench_argscichat`,
		`no gold right 1.000 0.000 false "" bench_argscichat`, `missing wrong 0.000 0.000 true "" bench_argscichat`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// Each test is the evidence of an answer about a paper with three sentences.
func TestEvidence(t *testing.T) {
	c := talk("q", "a", []string{"One."}, "One.", "Two.", "Three.")
	tests := []struct {
		line string
		want string // the evidence, or a part of the fault
		bad  bool
	}{
		{`[1,0,1]`, "[s1 s3]", false},
		{`[0,0,0]`, "[]", false},
		{`[]`, "[]", false},
		{`null`, "[]", false},
		{`[2]`, "[s3]", false},
		{`[2,0]`, "[s3 s1]", false},
		{`["s2"]`, "[s2]", false},
		{`[0,1]`, "[s1 s2]", false},
		{`[0,0]`, "0 is repeated: a mask needs 3 numbers", true},
		{`[3]`, "3 is not a sentence of the paper, which has 3", true},
		{`[-1]`, "-1 is not a sentence", true},
		{`[0.5]`, "0.5 is not a sentence", true},
		{`["s4"]`, `"s4" is not a sentence`, true},
		{`[[0]]`, "[0] is not a sentence", true},
		{`"s1"`, `"s1" is not a list`, true},
	}
	for _, tt := range tests {
		t.Run(tt.line, func(t *testing.T) {
			given, faults, err := read(t, c, `{"pair_id":"P_0","predicted_answer":"x","predicted_evidence":`+tt.line+`}`)
			got := fmt.Sprint(given["P_0"].Evidence)
			if tt.bad {
				got = fmt.Sprint(faults)
			}
			if !strings.Contains(got, tt.want) || (len(faults) == 1) != tt.bad || len(given) != 1 || err != nil {
				t.Errorf("%s, faults %v, %v; want %s", got, faults, err, tt.want)
			}
		})
	}
}

func TestPredictionFaults(t *testing.T) {
	c := talk("q", "a", nil, "One.")
	given, faults, err := read(t, c, "{\"pair_id\":\"P_0\",\"article_id\":\"Q\",\"predicted_answer\":\"b\"}\nnonsense\n{\"pair_id\":\"P_0\"}\n{}\n{\"pair_id\":\"P_1\"}\n")
	want := []string{
		`p.jsonl:1: example P_0: field "article_id": the item is about "P", not "Q"`, `p.jsonl:2: not a prediction: invalid character`,
		`p.jsonl:3: example P_0: field "predicted_answer" is missing, not a string; it counts as empty`,
		`p.jsonl:3: example P_0: the item has a prediction already; this one counts`, `p.jsonl:4: field "pair_id", the id of an item, is missing or not a string`,
		`p.jsonl:5: example P_1: field "pair_id": no item has this id`,
	}
	if len(faults) != len(want) || err != nil || len(given) != 1 || given["P_0"].Text != "" {
		t.Fatalf("%+v, %v, %v", given, faults, err)
	}
	for i, f := range faults {
		if !strings.Contains(f.Error(), want[i]) {
			t.Errorf("fault %q, want %q", f, want[i])
		}
	}
	if _, _, err := argscichat.Benchmark().Predictions.Read("nowhere", c); err == nil || !strings.HasPrefix(err.Error(), "predictions") {
		t.Errorf("error without a file: %v", err)
	}
}

// Answers are written with the ids of sentences, which are read again.
func TestWrite(t *testing.T) {
	c, path := talk("q", "a", nil, "One.", "Two."), filepath.Join(t.TempDir(), "p.jsonl")
	given := map[string]qa.Answer{"P_0": {Given: true, Text: "b", Evidence: []string{"s2"}}}
	if err := argscichat.Benchmark().Predictions.Write(path, c, scored(c, given, false)); err != nil {
		t.Fatal(err)
	}
	out, err := os.ReadFile(path)
	if want := `{"article_id":"P","pair_id":"P_0","predicted_answer":"b","predicted_evidence":["s2"]}` + "\n"; err != nil || string(out) != want {
		t.Errorf("%v: %s, want %s", err, out, want)
	}
	again, faults, err := argscichat.Benchmark().Predictions.Read(path, c)
	if diff := cmp.Diff(given, again); err != nil || diff != "" || len(faults) > 0 {
		t.Errorf("%v, %v (-want +got)\n%s", err, faults, diff)
	}
}

// Gold survives a run directory.
func TestRoundTrip(t *testing.T) {
	benchtest.RoundTrip(t, argscichat.Benchmark(), fixture,
		qa.Answer{Given: true, Text: "It reads cells.", Evidence: []string{"s2", "s1"}}, qa.Answer{Given: true, Text: "Hello!", Evidence: []string{"s99"}})
}
