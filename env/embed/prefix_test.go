package embed_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/env/embed"
	"airqa/internal/tokens"
)

// Passages and queries have prefixes of their own, also empty ones and the windows of long ones.
func TestPrefixes(t *testing.T) {
	e := serve(t, embed.OpenAIConfig{QueryPrefix: "query: ", TextPrefix: "passage: ", Tokens: 64}, lengths)
	long := strings.Repeat("word ", 300)
	for model, texts := range map[embed.Embedder][]string{e.OpenAI: {"a", "", long}, embed.Queries(e.OpenAI): {"a", long}} {
		if _, err := model.Embed(t.Context(), texts); err != nil {
			t.Fatal(err)
		}
	}
	var sent []string
	for _, r := range e.requests() {
		sent = append(sent, r.Input...)
	}
	slices.Sort(sent)
	var short []string
	for _, text := range sent {
		if tokens.Count(text) > 64 {
			t.Errorf("a text of %d tokens", tokens.Count(text))
		}
		if len(text) < 20 {
			short = append(short, text)
		}
	}
	if diff := cmp.Diff([]string{"passage: ", "passage: a", "query: a"}, short); diff != "" || len(sent) != 5 {
		t.Errorf("sent %q (-want +got):\n%s", sent, diff)
	}
	for _, w := range e.Windows(long) {
		if n := tokens.Count("passage: " + w); n > 64 {
			t.Errorf("a window of %d tokens with its prefix", n)
		}
	}
}

// The prefix of passages decides about stored vectors, the prefix of queries does not. Without prefixes, the digest is as before them.
func TestPrefixIdentifiesVectors(t *testing.T) {
	info := func(c embed.OpenAIConfig) embed.Info {
		c.BaseURL, c.Model = "http://127.0.0.1:1/v1", "m"
		e, err := embed.NewOpenAI(c)
		if err != nil {
			t.Fatal(err)
		}
		return e.Info()
	}
	plain, query, text := info(embed.OpenAIConfig{}), info(embed.OpenAIConfig{QueryPrefix: "q"}), info(embed.OpenAIConfig{TextPrefix: "q"})
	body, both := info(embed.OpenAIConfig{Body: `{"a":1}`}), info(embed.OpenAIConfig{Body: `{"a":1}`, TextPrefix: "q"})
	if plain.Hash != "" || query.Check(plain) != nil || text.Check(plain) == nil || both.Check(body) == nil || both.Check(text) == nil {
		t.Errorf("digests: none %q, query %q, text %q, body %q, both %q", plain.Hash, query.Hash, text.Hash, body.Hash, both.Hash)
	}
	_, err := embed.NewOpenAI(embed.OpenAIConfig{
		BaseURL: "http://127.0.0.1:1/v1", Model: "m", Tokens: 64, QueryPrefix: strings.Repeat("very ", 40),
	})
	if err == nil || !strings.Contains(err.Error(), "more than half of the 64 tokens") {
		t.Errorf("a long prefix: %v", err)
	}
}

// Raw vectors keep their length.
func TestRawVectors(t *testing.T) {
	got, err := serve(t, embed.OpenAIConfig{Raw: true}, lengths).Embed(t.Context(), []string{"ab"})
	if diff := cmp.Diff([][]float32{{6, 8}}, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}
