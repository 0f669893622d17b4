package bm25_test

import (
	"encoding/json"
	"errors"
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
// 1; idf of cat and bird ln(3.5/1.5), of dog 0, of fish ln(1.5/3.5); mean ln(3.5/1.5)/4. Positions are cat 0, dog 1,
// fish 2, bird 3.
func TestVectors(t *testing.T) {
	s := fit("cat cat dog", "dog fish", "fish bird", "fish fish fish")
	rare := math.Log(3.5 / 1.5)
	floor := 0.25 * rare / 4
	norm := 1.5 * (0.25 + 0.75*3/2.5)
	approx := cmpopts.EquateApprox(1e-6, 0)

	query := []vectors.Term{{Position: 0, Weight: float32(2 * rare)}, {Position: 1, Weight: float32(floor)}, {Position: 2, Weight: float32(floor)}}
	if diff := cmp.Diff(query, s.Query(words("Cats: a cat, the dogs; fish and unicorns")), approx); diff != "" {
		t.Errorf("query (-want +got):\n%s", diff)
	}
	document := []vectors.Term{{Position: 0, Weight: float32(2 * 2.5 / (2 + norm))}, {Position: 1, Weight: float32(2.5 / (1 + norm))}}
	if diff := cmp.Diff(document, s.Document(words("cat cat dog")), approx); diff != "" {
		t.Errorf("document (-want +got):\n%s", diff)
	}
}

func TestOneDocument(t *testing.T) {
	s := fit("transformer")
	if len(s.Query(words("transformers"))) != 1 || len(s.Document(words("transformer"))) != 1 {
		t.Error("the only document cannot be found")
	}
	if got := fit().Query(words("anything")); len(got) != 0 {
		t.Errorf("empty corpus: got %v", got)
	}
}

// animals are texts of few words.
var animals = rapid.Map(rapid.SliceOf(rapid.SampledFrom(strings.Fields("cat dog dogs fish the bird tree 0.5"))),
	func(w []string) string { return strings.Join(w, " ") })

func TestStatsSurviveJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := change(t, fit(rapid.SliceOf(animals).Draw(t, "corpus")...), nil, rapid.SliceOf(animals).Draw(t, "added"))
		saved, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		var back bm25.Stats
		if err := json.Unmarshal(saved, &back); err != nil {
			t.Fatal(err)
		}
		back = *back.With(s.Terms())
		sample := words(animals.Draw(t, "sample"))
		if diff := cmp.Diff(s.Query(sample), back.Query(sample)); diff != "" {
			t.Fatalf("query (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(s.Document(sample), back.Document(sample)); diff != "" {
			t.Fatalf("document (-want +got):\n%s", diff)
		}
		if s.Drift() != back.Drift() {
			t.Fatalf("drift %v, want %v", back.Drift(), s.Drift())
		}
		for _, term := range append(s.Query(sample), s.Document(sample)...) {
			if term.Weight <= 0 {
				t.Fatalf("weight %v", term.Weight)
			}
		}
	})
}

// weightsOf returns the weights in ascending order.
func weightsOf(terms []vectors.Term) (weights []float32) {
	for _, t := range terms {
		weights = append(weights, t.Weight)
	}
	slices.Sort(weights)
	return weights
}

// Terms that are read amid a change may be in more documents than the statistics have.
func TestTermsOfLaterStats(t *testing.T) {
	s := fit("cat dog", "fish").With(map[string]bm25.Term{"cat": {DF: 3}})
	if got := s.Query(words("cat")); len(got) != 1 || got[0].Weight <= 0 {
		t.Errorf("got %v", got)
	}
}

func TestDamagedStats(t *testing.T) {
	for _, text := range []string{
		`{`, `{"format":2,"average":1}`, `{"format":1}`, `{"format":1,"average":-1}`, `{"format":1,"average":1,"documents":-1}`,
		`{"format":1,"average":1,"tokens":-1}`, `{"format":1,"average":1,"size":-1}`,
	} {
		var s bm25.Stats
		if err := json.Unmarshal([]byte(text), &s); err == nil {
			t.Errorf("%s was accepted", text)
		}
	}
}

// Counts that change by documents give the queries of counts made at once, and scores that differ by at most the drift.
// A document that is removed, or another text, leaves terms behind that no query has.
func TestChangedStats(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.SliceOfN(animals, 1, 6)
		kept, removed, added := texts.Draw(t, "kept"), texts.Draw(t, "removed"), texts.Draw(t, "added")
		old := fit(append(slices.Clone(kept), removed...)...)
		changed := change(t, old, removed, added)
		fresh := fit(append(slices.Clone(kept), added...)...)
		for _, text := range append(slices.Clone(kept), added...) {
			made := changed
			if slices.Contains(kept, text) {
				made = old // its vector stays
			}
			for _, question := range []string{text, "cat dog", "fish"} {
				want := product(fresh.Query(words(question)), fresh.Document(words(text)))
				got := product(changed.Query(words(question)), made.Document(words(text)))
				if off := math.Abs(got - want); off > want*(changed.Drift()+1e-6) {
					t.Fatalf("%q in %q: score %v, want %v, drift %v", question, text, got, want, changed.Drift())
				}
			}
		}
	})
}

// An error of a Builder shows that the counts are of other documents.
func TestRemoveAnother(t *testing.T) {
	for _, text := range []string{"cat", "dog dog dog dog", ""} {
		b := fit("dog").Builder()
		if err := errors.Join(b.Remove(words("dog")), b.Remove(words(text))); err == nil {
			t.Errorf("%q can be removed", text)
		}
	}
}

// change removes and adds documents. The words of "a moose" are in no document.
func change(t *rapid.T, s *bm25.Stats, removed, added []string) *bm25.Stats {
	t.Helper()
	b := s.Builder()
	b.Learn(words("a moose"))
	for _, text := range removed {
		if err := b.Remove(words(text)); err != nil {
			t.Fatal(err)
		}
	}
	for _, text := range added {
		b.Add(words(text))
	}
	s = b.Stats()
	if len(s.Query(words("moose"))) > 0 || len(s.Document(words("moose"))) != 1 {
		t.Fatal("a word of no document is in queries, or is not in vectors")
	}
	return s
}

func product(a, b []vectors.Term) (sum float64) {
	for _, x := range a {
		for _, y := range b {
			if x.Position == y.Position {
				sum += float64(x.Weight) * float64(y.Weight)
			}
		}
	}
	return sum
}

func words(text string) []vectors.Word { return bm25.NewCounter().Words(text) }

func fit(documents ...string) *bm25.Stats {
	b := bm25.NewBuilder()
	for _, d := range documents {
		b.Add(words(d))
	}
	return b.Stats()
}

// A corpus of sums gives the weights of statistics that were counted at once.
func TestCorpusEqualsStats(t *testing.T) {
	word := rapid.SampledFrom([]string{"cat", "dog", "dogs", "fish", "the", "bird", "0.5"})
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.SliceOfN(rapid.Map(rapid.SliceOfN(word, 1, 8), func(w []string) string { return strings.Join(w, " ") }), 1, 8).Draw(t, "texts")
		stats := fit(texts...)
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
			}{{stats.Document(words(text)), document}, {stats.Query(words(text)), query}} {
				slices.Sort(c.got)
				if diff := cmp.Diff(weightsOf(c.want), c.got, cmpopts.EquateApprox(1e-6, 0), cmpopts.EquateEmpty()); diff != "" {
					t.Errorf("%q (-want +got):\n%s", text, diff)
				}
			}
		}
	})
}
