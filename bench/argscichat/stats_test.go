package argscichat_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/bench"
	"airqa/bench/argscichat"
)

func read(t *testing.T, c *bench.Dataset, text string) argscichat.Predictions {
	t.Helper()
	file := filepath.Join(t.TempDir(), "p.jsonl")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := argscichat.ReadPredictions(file, c)
	if err != nil {
		t.Fatal(err)
	}
	return p
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
		m, err := argscichat.Find(name)
		if err != nil {
			t.Fatal(err)
		}
		r, err := argscichat.Baseline(t.Context(), c, m, nil)
		if err != nil {
			t.Fatal(err)
		}
		if m.Selects() {
			near(t, name+" Rationale-F1", r[0].OfFolds.Value(), w[0])
			var n []int
			for fold := range 5 {
				n = append(n, r[0].Folds[fold].N())
			}
			if diff := cmp.Diff([]int{21, 32, 23, 10, 18, 104, 208}, append(n, r[0].Test.N(), r[0].All.N())); diff != "" {
				t.Errorf("n of Rationale-F1 (-want +got)\n%s", diff)
			}
		}
		near(t, name+" Message-F1", r[1].OfFolds.Value(), w[1])
		if r[1].Test.N() != 115 || r[1].All.N() != 249 {
			t.Errorf("n of Message-F1: %+v", r[1])
		}
	}
}

func TestReleasedTables(t *testing.T) {
	c := releasedData(t)
	s := argscichat.Collect(c)
	counts := []int{s.Papers, s.Dialogues, s.Turns, s.Sentences, s.Messages.Words.N(), s.One, s.Two, s.Distance.N()}
	if diff := cmp.Diff([]int{20, 41, 249, 652, 498, 129, 82, 82}, counts); diff != "" {
		t.Errorf("counts (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([10]int{55, 37, 25, 17, 26, 40, 21, 28, 34, 29}, s.Deciles); diff != "" {
		t.Errorf("deciles (-want +got)\n%s", diff)
	}
	near(t, "distance", s.Distance.Value(), 5.829)
	near(t, "several", s.Messages.Several.Value(), 100*253./498)
	near(t, "several of P", s.Proponent.Several.Value(), 100*114./249)
	near(t, "several of E", s.Expert.Several.Value(), 100*139./249)
	near(t, "words", s.Messages.Words.Value(), 17.35)
	near(t, "words and marks", s.Messages.Marks.Value(), 20.31)
	near(t, "those of P", s.Proponent.Marks.Value(), 14.66)
	near(t, "those of E", s.Expert.Marks.Value(), 25.96)
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
	s := argscichat.Collect(load(t, fixture))
	counts := []int{s.Papers, s.Dialogues, s.Turns, s.Sentences, s.One, s.Two, s.Distance.N()}
	// The rationale of the last turn of the second dialogue is the title: one rationale without a sentence.
	if diff := cmp.Diff([]int{4, 6, 18, 25, 12, 3, 3}, counts); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	near(t, "distance", s.Distance.Value(), (2.+2+1)/3)
	near(t, "several", s.Messages.Several.Value(), 100*15./36)
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
