// Package argscichat is the benchmark ArgSciChat (Ruggeri et al., ACL 2023) in airqa bench: dialogues about papers.
// [Load] reads them, [Baseline] scores methods that need no language model, [Score] other answers, and [Collect] counts
// the data as the tables of the paper do. Rationale-F1 compares sentences, Message-F1 tokens (section 5.3). [Benchmark]
// has the tables made of these. Package collect collects such dialogues.
package argscichat

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"airqa/bench"
	"airqa/env/embed"
	"airqa/internal/words"
	"airqa/qa"
)

// Method selects sentences as rationales, or replies with a text, or both. The reply of a method that selects is its
// sentences, joined by spaces.
type Method struct {
	Name, About string
	// score is that of a query to each sentence; the best Top sentences are selected.
	score func(context.Context, *paper, string) ([]float64, error)
	top   int
	// oracle queries have the expert's message.
	oracle bool
	// choose selects without scores, and reply is a text of its own.
	choose func(bench.Document, bench.Item) []string
	reply  func(bench.Document, bench.Item) string
	// expected is Rationale-F1 for a turn with g gold sentences among n: no answer has it.
	expected func(n, g int) float64
}

// Selects reports whether the method has a Rationale-F1.
func (m Method) Selects() bool { return m.score != nil || m.choose != nil || m.expected != nil }

// minilm is the method that compares sentence vectors.
const minilm = "minilm"

// Methods returns all methods. Of sentences with equal scores, the last is best, as in the authors' script.
func Methods() []Method {
	return []Method{
		{
			Name: "tfidf", score: byTFIDF(script), top: 2,
			About: "2 sentences by TF-IDF with the settings of the authors' script: accents stripped, English stop list",
		},
		{Name: "tfidf-1", score: byTFIDF(script), top: 1, About: "1 sentence by the same"},
		{
			Name: "tfidf-default", score: byTFIDF(words.TFIDFOptions{}), top: 2,
			About: "2 sentences by TF-IDF with the defaults of scikit-learn: no stop list",
		},
		{
			Name: "bm25", score: byBM25, top: 2,
			About: "2 sentences by BM25Okapi (k1 1.5, b 0.75, epsilon 0.25), lower-case words of two or more characters",
		},
		{
			Name: minilm, score: byVector, top: 2,
			About: "2 sentences by cosine of sentence vectors (all-MiniLM-L6-v2, in process): the paper's S-BERT",
		},
		{
			Name: "oracle-query", score: byTFIDF(script), top: 2, oracle: true,
			About: "2 sentences by tfidf, with the expert's message as the query",
		},
		{
			Name: "first", About: "the first 2 sentences",
			choose: func(d bench.Document, _ bench.Item) []string { return ids(d.Units[:min(2, len(d.Units))]) },
		},
		{Name: "random", About: "2 random sentences: the exact expectation", expected: Expected},
		{Name: "all", About: "every sentence", choose: func(d bench.Document, _ bench.Item) []string { return ids(d.Units) }},
		{
			Name: "gold", About: "the gold sentences; the reply is the rationales",
			choose: func(_ bench.Document, it bench.Item) []string { return gold(it).Units },
			reply:  func(_ bench.Document, it bench.Item) string { return strings.Join(gold(it).Evidence, " ") },
		},
		{Name: "echo", About: "replies with the proponent's message", reply: func(_ bench.Document, it bench.Item) string { return it.Question }},
		{Name: "title", About: "replies with the title of the paper", reply: func(d bench.Document, _ bench.Item) string { return d.Title }},
		{Name: "empty", About: "replies with nothing", reply: func(bench.Document, bench.Item) string { return "" }},
	}
}

// script are the settings of the authors' script, which are not the defaults of the library that the paper states.
var script = words.TFIDFOptions{StripAccents: true, StopWords: true}

// paper is a document with what methods learn of it.
type paper struct {
	bench.Document
	embedder embed.Embedder
	tfidf    map[words.TFIDFOptions]*words.TFIDF
	bm25     *words.BM25
	// vectors of sentences and questions, by text.
	vectors   map[string][]float32
	questions []string
}

func (p *paper) texts() []string {
	list := make([]string, len(p.Units))
	for i, u := range p.Units {
		list[i] = u.Text
	}
	return list
}

func byTFIDF(o words.TFIDFOptions) func(context.Context, *paper, string) ([]float64, error) {
	return func(_ context.Context, p *paper, query string) ([]float64, error) {
		if p.tfidf[o] == nil {
			p.tfidf[o] = words.FitTFIDF(p.texts(), o)
		}
		return p.tfidf[o].Scores(query), nil
	}
}

func byBM25(_ context.Context, p *paper, query string) ([]float64, error) {
	if p.bm25 == nil {
		var tokens [][]string
		for _, text := range p.texts() {
			tokens = append(tokens, words.Tokens(text))
		}
		p.bm25 = words.NewBM25(tokens)
	}
	return p.bm25.Scores(words.Tokens(query)), nil
}

func byVector(ctx context.Context, p *paper, query string) ([]float64, error) {
	if p.vectors == nil {
		texts := slices.Concat(p.texts(), p.questions)
		vectors, err := p.embedder.Embed(ctx, texts)
		if err != nil {
			return nil, err
		}
		p.vectors = make(map[string][]float32)
		for i, text := range texts {
			p.vectors[text] = vectors[i]
		}
	}
	var scores []float64
	for _, u := range p.Units {
		scores = append(scores, product(p.vectors[query], p.vectors[u.Text]))
	}
	return scores, nil
}

func product(a, b []float32) float64 {
	sum := 0.0
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

// answer is the method's answer to a turn.
func (m Method) answer(ctx context.Context, p *paper, it bench.Item) (qa.Answer, error) {
	a := qa.Answer{Given: true}
	switch {
	case m.score != nil:
		query := it.Question
		if m.oracle {
			query = gold(it).Text
		}
		scores, err := m.score(ctx, p, query)
		if err != nil {
			return a, fmt.Errorf("method %s, turn %s: %w", m.Name, it.UUID, err)
		}
		for _, i := range bench.Order(scores)[:min(m.top, len(scores))] {
			a.Evidence = append(a.Evidence, p.Units[i].ID)
		}
	case m.choose != nil:
		a.Evidence = m.choose(p.Document, it)
	}
	if m.reply != nil {
		a.Text = m.reply(p.Document, it)
		return a, nil
	}
	var said []string
	for _, u := range p.Units {
		if slices.Contains(a.Evidence, u.ID) {
			said = append(said, u.Text)
		}
	}
	a.Text = strings.Join(said, " ")
	return a, nil
}

// Expected is the expectation of Rationale-F1 for two random sentences of n, of which g are gold: the sum over k of the
// hypergeometric probability of k hits, times 2k/(2+g).
func Expected(n, g int) float64 {
	switch {
	case n < 2 && g == n: // the only sentence
		return 1
	case n < 2:
		return 0
	}
	pairs := float64(n*(n-1)) / 2
	one, both := float64(g*(n-g))/pairs, float64(g*(g-1))/2/pairs
	return one*2/float64(2+g) + both*4/float64(2+g)
}

func ids(units []bench.Unit) []string {
	list := make([]string, len(units))
	for i, u := range units {
		list[i] = u.ID
	}
	return list
}

// gold is the only annotator's answer.
func gold(it bench.Item) bench.GoldAnswer { return it.Gold.Answers[0] }
