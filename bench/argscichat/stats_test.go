package argscichat_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/bench"
	"airqa/bench/argscichat"
	"airqa/internal/testkit/benchtest"
	"airqa/qa"
	"airqa/qa/dataset"
)

// read reads the predictions of a text.
func read(t *testing.T, c *bench.Dataset, text string) (map[string]qa.Answer, []*dataset.Fault, error) {
	t.Helper()
	return argscichat.Benchmark().Predictions.Read(benchtest.File(t, "p.jsonl", text), c)
}

const (
	released    = "../../../shared/data/argscichat"
	releasedN   = "the data of ArgSciChat are not here"
	noTolerance = 5e-3 // of two decimals
)

func releasedData(t *testing.T) *bench.Dataset {
	t.Helper()
	if _, err := os.Stat(released); err != nil {
		t.Skip(releasedN)
	}
	return load(t, released)
}

func near(t *testing.T, name string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > noTolerance {
		t.Errorf("%s = %.4f, want %.2f", name, got, want)
	}
}

// The expected values are those of the paper's Table 5 and of the authors' script with other settings.
func TestReleasedBaselines(t *testing.T) {
	c := releasedData(t)
	want := map[string][2]float64{"tfidf": {16.22, 15.44}, "tfidf-default": {11.81, 14.96}, "bm25": {13.17, 15.38}, "gold": {100, 21.80}, "echo": {-1, 17.77}}
	for name, w := range want {
		got, _, err := benchtest.Call(t, argscichat.Benchmark(), "compare", bench.Request{Dataset: released, Method: name})
		if err != nil {
			t.Fatal(err)
		}
		mean := func(measure string) float64 {
			v, err := strconv.ParseFloat(got["scores "+name+" "+measure], 64)
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
		r := row(t, c, name, nil)
		if w[0] >= 0 {
			near(t, name+" Rationale-F1", mean("Rationale-F1"), w[0])
			var n []int
			for fold := range 5 {
				n = append(n, r.Mean("Rationale-F1", inFold(fold)).N())
			}
			n = append(n, r.Mean("Rationale-F1", tested).N(), r.Mean("Rationale-F1", nil).N())
			if diff := cmp.Diff([]int{21, 32, 23, 10, 18, 104, 208}, n); diff != "" {
				t.Errorf("n of Rationale-F1 (-want +got)\n%s", diff)
			}
		}
		near(t, name+" Message-F1", mean("Message-F1"), w[1])
		if test, all := r.Mean("Message-F1", tested).N(), r.Mean("Message-F1", nil).N(); test != 115 || all != 249 {
			t.Errorf("n of Message-F1: %d and %d", test, all)
		}
	}
}

// counted are the numbers of the tables of statistics, "table row" with the number that each value counts or averages over.
func counted(t *testing.T, dir string) (values map[string]float64, n map[string]int) {
	t.Helper()
	result, err := argscichat.Benchmark().Stats(t.Context(), bench.Request{Dataset: dir})
	if err != nil {
		t.Fatal(err)
	}
	values, n = make(map[string]float64), make(map[string]int)
	for _, table := range result.Tables {
		for _, m := range table.Measures {
			if m.N != nil && m.Value != nil {
				values[table.Name+" "+m.Row], n[table.Name+" "+m.Row] = *m.Value, *m.N
			}
		}
	}
	return values, n
}

func TestReleasedTables(t *testing.T) {
	releasedData(t)
	values, n := counted(t, released)
	for row, want := range map[string]int{
		"dialogues papers": 20, "dialogues dialogues": 41, "dialogues sentences of papers": 652, "dialogues words per message": 498,
		"rationales answers with one rationale, %": 129, "rationales answers with two, %": 82, "rationales distance of two, sentences": 82,
		"places 1": 55, "places 2": 37, "places 3": 25, "places 4": 17, "places 5": 26,
		"places 6": 40, "places 7": 21, "places 8": 28, "places 9": 34, "places 10": 29,
	} {
		if n[row] != want {
			t.Errorf("%s: %d, want %d", row, n[row], want)
		}
	}
	for row, want := range map[string]float64{
		"rationales distance of two, sentences": 5.829, "dialogues messages of several sentences, %": 100 * 253. / 498,
		"dialogues those of P, %": 100 * 114. / 249, "dialogues those of E, %": 100 * 139. / 249, "dialogues words per message": 17.35,
		"dialogues words and marks per message": 20.31, "dialogues words and marks of P": 14.66, "dialogues words and marks of E": 25.96,
		"dialogues turns per dialogue": 249. / 41,
	} {
		near(t, row, values[row], want)
	}
	list, faults, err := argscichat.LoadIntents(filepath.Join(released, "intents.csv"))
	if err != nil || len(list) != 881 || list[880].Dialogue != 40 || len(faults) != 4 {
		t.Fatalf("%d sentences, faults %v, %v", len(list), faults, err)
	}
	want := []argscichat.IntentCount{{217, 4, 221}, {4, 31, 35}, {26, 296, 322}, {75, 48, 123}, {21, 28, 49}, {54, 41, 95}, {20, 16, 36}}
	if diff := cmp.Diff(want, argscichat.CountIntents(list)); diff != "" {
		t.Errorf("intents (-want +got)\n%s", diff)
	}
}

func TestCollect(t *testing.T) {
	values, n := counted(t, fixture)
	// The rationale of the last turn of the second dialogue is the title: one rationale without a sentence.
	for row, want := range map[string]int{
		"dialogues papers": 4, "dialogues dialogues": 6, "dialogues sentences of papers": 25, "rationales answers with one rationale, %": 12,
		"rationales answers with two, %": 3, "rationales distance of two, sentences": 3,
	} {
		if n[row] != want {
			t.Errorf("%s: %d, want %d", row, n[row], want)
		}
	}
	near(t, "distance", values["rationales distance of two, sentences"], (2.+2+1)/3)
	near(t, "several", values["dialogues messages of several sentences, %"], 100*15./36)
	near(t, "turns", values["dialogues turns per dialogue"], 18./6)
}

// Two dialogues of one turn about a paper; texts are similar by their first letter.
func TestDiverse(t *testing.T) {
	c := talk("a1", "b1", []string{"a2"}, "a2")
	other := c.Items[0]
	other.UUID, other.Question = "P_1", "a3"
	other.Gold = bench.Gold{Answers: []bench.GoldAnswer{{Text: "c1"}}}
	c.Items = append(c.Items, other)
	letters := func(_ context.Context, texts []string) (func(i, j int) float64, error) {
		return func(i, j int) float64 {
			if texts[i][0] == texts[j][0] {
				return 0.5
			}
			return 0
		}, nil
	}
	groups, err := argscichat.Diverse(t.Context(), c, letters)
	if err != nil {
		t.Fatal(err)
	}
	want := "[0 0 0 1 1] [1 1 1 NaN NaN] [1 1 1 1 1]"
	var got []string
	for _, means := range groups {
		var shares []float64
		for _, m := range means {
			shares = append(shares, m.Value())
		}
		got = append(got, fmt.Sprint(shares))
	}
	if all := strings.Join(got, " "); all != want {
		t.Errorf("%s, want %s", all, want)
	}
	for name, sim := range map[string]argscichat.Similarity{"TF-IDF": argscichat.ByTFIDF, "vectors": argscichat.ByVector(lengths{})} {
		same, err := sim(t.Context(), []string{"word other", "word other"})
		if err != nil || math.Abs(same(0, 1)-1) > 1e-6 {
			t.Errorf("%s: similarity of equal texts %v, %v", name, same(0, 1), err)
		}
	}
}
