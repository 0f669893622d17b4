package bm25_test

import (
	"encoding/json"
	"iter"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"airqa/env/vectors"
	"airqa/env/vectors/bm25"
)

func TestTerms(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"stems and stop words", "The models are running on the GPUs", "model run gpus"},
		{"hyphens", "state-of-the-art", "state art"},
		{"numbers", "BLEU of 28.4, 1,000 steps.", "bleu 28.4 1,000 step"},
		{"accents", "Café naïve Müller", "café naïv müller"},
		{"other scripts", "注意 attention", "注意 attent"},
		{"nothing", " -- ?! ", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := strings.Join(slices.Collect(bm25.Terms(tt.text)), " ")
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// The numbers are computed by hand: N = 4, average length 2.5; "cat" in 1 document, "dog" in 2, "fish" in 3, "bird" in
// 1; idf of cat and bird ln(3.5/1.5), of dog 0, of fish ln(1.5/3.5); mean ln(3.5/1.5)/4.
func TestVectors(t *testing.T) {
	s := fit(t, "cat cat dog", "dog fish", "fish bird", "fish fish fish")
	rare := math.Log(3.5 / 1.5)
	floor := 0.25 * rare / 4
	norm := 1.5 * (0.25 + 0.75*3/2.5)
	approx := cmpopts.EquateApprox(1e-6, 0)

	query := []vectors.Term{{Position: 1, Weight: float32(2 * rare)}, {Position: 2, Weight: float32(floor)}, {Position: 3, Weight: float32(floor)}}
	if diff := cmp.Diff(query, s.Query("Cats: a cat, the dogs; fish and unicorns"), approx); diff != "" {
		t.Errorf("query (-want +got):\n%s", diff)
	}
	document := []vectors.Term{{Position: 1, Weight: float32(2 * 2.5 / (2 + norm))}, {Position: 2, Weight: float32(2.5 / (1 + norm))}}
	if diff := cmp.Diff(document, s.Document("cat cat dog"), approx); diff != "" {
		t.Errorf("document (-want +got):\n%s", diff)
	}
}

func TestOneDocument(t *testing.T) {
	s := fit(t, "transformer")
	if len(s.Query("transformers")) != 1 || len(s.Document("transformer")) != 1 {
		t.Error("the only document cannot be found")
	}
	if got := fit(t).Query("anything"); len(got) != 0 {
		t.Errorf("empty corpus: got %v", got)
	}
}

func TestStatsSurviveJSON(t *testing.T) {
	word := rapid.SampledFrom(strings.Fields("cat dog fish bird tree stone"))
	text := rapid.Map(rapid.SliceOf(word), func(w []string) string { return strings.Join(w, " ") })
	rapid.Check(t, func(t *rapid.T) {
		s := fit(t, rapid.SliceOf(text).Draw(t, "corpus")...)
		saved, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		var back bm25.Stats
		if err := json.Unmarshal(saved, &back); err != nil {
			t.Fatal(err)
		}
		sample := text.Draw(t, "sample")
		if diff := cmp.Diff(s.Query(sample), back.Query(sample)); diff != "" {
			t.Fatalf("query (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(s.Document(sample), back.Document(sample)); diff != "" {
			t.Fatalf("document (-want +got):\n%s", diff)
		}
		for _, term := range append(s.Query(sample), s.Document(sample)...) {
			if term.Weight <= 0 {
				t.Fatalf("weight %v", term.Weight)
			}
		}
	})
}

func TestDamagedStats(t *testing.T) {
	for _, text := range []string{
		`{`, `{"format":2}`, `{"format":1,"documents":1,"terms":["a"],"df":[]}`,
		`{"format":1,"documents":1,"terms":["b","a"],"df":[1,1]}`, `{"format":1,"documents":1,"terms":["a","a"],"df":[1,1]}`,
		`{"format":1,"documents":1,"terms":["a"],"df":[2]}`, `{"format":1,"documents":-1}`,
	} {
		var s bm25.Stats
		if err := json.Unmarshal([]byte(text), &s); err == nil {
			t.Errorf("%s was accepted", text)
		}
	}
}

type fataler interface {
	Helper()
	Fatal(args ...any)
}

func fit(t fataler, documents ...string) *bm25.Stats {
	t.Helper()
	s, err := bm25.Fit(stream(documents))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func stream(documents []string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for _, d := range documents {
			if !yield(d, nil) {
				return
			}
		}
	}
}

// A corpus of sums gives the weights of statistics that were counted at once.
func TestCorpusEqualsStats(t *testing.T) {
	word := rapid.SampledFrom([]string{"cat", "dog", "dogs", "fish", "the", "bird", "0.5"})
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.SliceOfN(rapid.Map(rapid.SliceOfN(word, 1, 8), func(w []string) string { return strings.Join(w, " ") }), 1, 8).Draw(t, "texts")
		stats, err := bm25.Fit(func(yield func(string, error) bool) {
			for _, text := range texts {
				if !yield(text, nil) {
					return
				}
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		counter := bm25.NewCounter()
		var corpus bm25.Corpus
		df := make(map[string]int)
		for _, text := range texts {
			corpus.Documents++
			for _, w := range counter.Words(text) {
				corpus.Tokens += w.Count
				corpus.Move(df[w.Text], df[w.Text]+1)
				df[w.Text]++
			}
		}
		weights := corpus.Weights()
		for _, text := range append(texts, "cat fish fish missing") {
			length := 0
			for _, w := range counter.Words(text) {
				length += w.Count
			}
			var document, query []float32
			for _, w := range counter.Words(text) {
				if df[w.Text] > 0 {
					document = append(document, weights.Document(w.Count, length))
					query = append(query, weights.Query(w.Count, df[w.Text]))
				}
			}
			for _, c := range []struct {
				want []vectors.Term
				got  []float32
			}{{stats.Document(text), document}, {stats.Query(text), query}} {
				if len(c.want) != len(c.got) {
					t.Fatalf("%q: %v, want %v", text, c.got, c.want)
				}
				for i, w := range c.want {
					if math.Abs(float64(w.Weight-c.got[i])) > 1e-6*float64(w.Weight) {
						t.Errorf("%q: %v, want %v", text, c.got, c.want)
					}
				}
			}
		}
	})
}
