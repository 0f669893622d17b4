package argscichat_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"airqa/bench"
	"airqa/bench/argscichat"
	"airqa/env/embed/minilm"
	"airqa/env/vectors"
)

func TestBERTScore(t *testing.T) {
	m, err := minilm.Open(minilm.Config{})
	if err != nil {
		t.Fatal(err)
	}
	bert := func(ctx context.Context, candidate, reference string) (float64, error) {
		said, err := m.TokenVectors(ctx, candidate)
		if err != nil {
			return 0, err
		}
		want, err := m.TokenVectors(ctx, reference)
		return argscichat.BERTScore(said, want), err
	}
	score := func(candidate, reference string) float64 {
		t.Helper()
		f, err := bert(t.Context(), candidate, reference)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	const reference = "The method uses a tree of tables."
	same, near, far := score(reference, reference), score("It relies on a hierarchy of tables.", reference), score("Hello, thanks!", reference)
	if math.Abs(same-1) > 1e-6 || near >= same || far >= near || far < 0 {
		t.Errorf("the same text %g, a paraphrase %g, another %g", same, near, far)
	}
	if back := score(reference, "Hello, thanks!"); math.Abs(back-far) > 1e-12 {
		t.Errorf("F1 is symmetric: %g and %g", far, back)
	}
	if a, b, c := score("", reference), score(reference, ""), score("", ""); a+b+c != 0 {
		t.Errorf("empty texts: %g %g %g", a, b, c)
	}
	// A part of the reference has precision by context and lower recall.
	part, err := m.TokenVectors(t.Context(), "tree of tables")
	if err != nil || len(part) != 3 {
		t.Fatalf("%d tokens, %v", len(part), err)
	}
	whole, _ := m.TokenVectors(t.Context(), reference)
	cosine := bench.Similarity(vectors.Cosine)
	p, r := cosine.MaxSim(part, whole), cosine.MaxSim(whole, part)
	if got := score("tree of tables", reference); p <= r || math.Abs(got-2*p*r/(p+r)) > 1e-12 {
		t.Errorf("F1 %g of precision %g and recall %g", got, p, r)
	}
	if long, err := m.TokenVectors(t.Context(), strings.Repeat("tree ", 999)); err != nil || len(long) != 254 {
		t.Errorf("%d tokens of a long text, %v", len(long), err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := bert(ended, "a", "b"); !errors.Is(err, context.Canceled) {
		t.Errorf("an ended context: %v", err)
	}
}

// The vector of a text is the mean of its tokens with [CLS] and [SEP], of length 1: near the mean without those two.
func TestTokenVectors(t *testing.T) {
	m, err := minilm.Open(minilm.Config{})
	if err != nil {
		t.Fatal(err)
	}
	const text = "Attention with sparse tables reads long documents about tides, rivers and their deltas in the north."
	tokens, err := m.TokenVectors(t.Context(), text)
	if err != nil {
		t.Fatal(err)
	}
	mean := make([]float32, minilm.Dim)
	for _, v := range tokens {
		for i, x := range v {
			mean[i] += x
		}
	}
	whole, err := m.Embed(t.Context(), []string{text})
	if err != nil {
		t.Fatal(err)
	}
	if got := vectors.Cosine(mean, whole[0]); got < 0.98 || len(tokens) != len(m.Tokenize(text))-2 {
		t.Errorf("cosine %g, %d tokens", got, len(tokens))
	}
}
