package argscichat_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/bench"
	"airqa/bench/argscichat"
	"airqa/env/embed"
	"airqa/qa"
)

const fixture = "../../fixtures/argscichat"

func load(t *testing.T, dir string) *bench.Dataset {
	t.Helper()
	c, err := argscichat.Load(dir)
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
		_, r, err := argscichat.Baseline(t.Context(), c, m.Name, lengths{}.open)
		if err != nil {
			t.Fatal(err)
		}
		got := [2]float64{r[0].OfFolds.Value() / 100, r[1].OfFolds.Value() / 100}
		for i := range got {
			if !(math.Abs(got[i]-want[m.Name][i]) < 1e-9) && !(math.IsNaN(got[i]) && math.IsNaN(want[m.Name][i])) {
				t.Errorf("%s: %v, want %v", m.Name, got, want[m.Name])
			}
		}
	}
	if _, _, err := argscichat.Baseline(t.Context(), c, "minilm", lengths{err: errors.New("no model")}.open); err == nil || !strings.Contains(err.Error(), "no model") {
		t.Errorf("error %v of a model that fails", err)
	}
	if _, _, err := argscichat.Baseline(t.Context(), c, "best", nil); err == nil || !strings.Contains(err.Error(), "the methods are tfidf, ") {
		t.Errorf("error %v of an unknown method", err)
	}
}

// Without a common word all scores are 0: the last two sentences are chosen.
func TestTies(t *testing.T) {
	c := talk("Nothing shared", "x", []string{"Four."}, "One.", "Two.", "Three.", "Four.")
	for _, name := range []string{"tfidf", "tfidf-default", "bm25"} {
		_, r, err := argscichat.Baseline(t.Context(), c, name, nil)
		if err != nil || math.Abs(r[0].Test.Value()-2./3) > 1e-9 {
			t.Errorf("%s: %v, %v", name, r[0].Test, err)
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
	p, err := argscichat.ReadPredictions(fixture+"/predictions.jsonl", c)
	if err != nil {
		t.Fatal(err)
	}
	counts := []int{p.Read, p.Unreadable, p.Unknown, p.Repeated, p.Bad, p.Missing, p.Others}
	if diff := cmp.Diff([]int{11, 0, 1, 0, 1, 1, 0}, counts); diff != "" {
		t.Errorf("counts (-want +got)\n%s%v", diff, p.Faults)
	}
	r := argscichat.Score(c, p.Answers)
	rationale, message := r[0], r[1]
	i, again := message.Test.Interval(500, 1), message.Test.Interval(500, 1)
	if v := message.Test.Value(); i.Low > v || v > i.High || i != again {
		t.Errorf("interval %v of %v", i, message.Test)
	}
	if rationale.Test.N() != 9 || message.Test.N() != 12 || rationale.OfFolds.N() != 2 {
		t.Errorf("n of %+v", r)
	}
	if m := 100 * (message.Folds[0].Value() + message.Folds[1].Value()) / 2; math.Abs(message.OfFolds.Value()-m) > 1e-9 {
		t.Errorf("mean of folds %v, want %v", message.OfFolds.Value(), m)
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
			p := read(t, c, `{"pair_id":"P_0","predicted_answer":"x","predicted_evidence":`+tt.line+`}`)
			got := fmt.Sprint(p.Answers["P_0"].Evidence)
			if tt.bad {
				got = fmt.Sprint(p.Faults)
			}
			if !strings.Contains(got, tt.want) || (p.Bad == 1) != tt.bad || p.Read != 1 {
				t.Errorf("%s, %d bad; want %s", got, p.Bad, tt.want)
			}
		})
	}
}

func TestPredictionFaults(t *testing.T) {
	c := talk("q", "a", nil, "One.")
	p := read(t, c, "{\"pair_id\":\"P_0\",\"article_id\":\"Q\",\"predicted_answer\":\"b\"}\nnonsense\n{\"pair_id\":\"P_0\"}\n{}\n")
	want := []string{
		`p.jsonl:1: example P_0: field "article_id": the turn is about "P", not "Q"`, `p.jsonl:2: not a prediction: `,
		`p.jsonl:3: example P_0: field "pair_id": the turn has a prediction already; this one counts`,
		`p.jsonl:3: example P_0: field "predicted_answer" is missing; it counts as empty`, `p.jsonl:4: field "pair_id": no turn has this id`,
	}
	if len(p.Faults) != len(want) || p.Repeated != 1 || p.Unreadable != 1 || p.Unknown != 1 || p.Missing != 0 {
		t.Fatalf("%+v", p)
	}
	for i, f := range p.Faults {
		if !strings.HasPrefix(f.Error(), want[i]) {
			t.Errorf("fault %q, want %q", f, want[i])
		}
	}
	if _, err := argscichat.ReadPredictions("nowhere", c); err == nil {
		t.Error("no error without a file")
	}
}
