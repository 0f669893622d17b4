// Package argscichat is the benchmark ArgSciChat (Ruggeri et al., ACL 2023) in airqa bench: dialogues about papers.
// [Load] reads them. [Methods] need no language model. Rationale-F1 compares sentences, Message-F1 tokens (section 5.3).
// [Benchmark] has the scores and the tables, and counts the data as the tables of the paper do. Package collect collects such dialogues.
package argscichat

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"airqa/bench"
	"airqa/env/embed"
	"airqa/env/vectors"
	"airqa/internal/words"
	"airqa/qa"
)

// Method selects sentences as rationales, or replies with a text, or both. The reply of a method that selects is its
// sentences, joined by spaces.
type Method struct {
	bench.Method
	// fit scores the sentences of a paper, and the best are selected; minilm has a way of its own.
	fit bench.Fit
	top int
	// oracle queries have the expert's message.
	oracle bool
	// choose selects without scores, and reply is a text of its own.
	choose func(bench.Document, bench.Item) []string
	reply  func(bench.Document, bench.Item) string
	// expected is Rationale-F1 for a turn with g gold sentences among n: no answer has it.
	expected func(n, g int) float64
}

// Selects reports whether the method has a Rationale-F1.
func (m Method) Selects() bool { return m.top > 0 || m.choose != nil || m.expected != nil }

const minilm = "minilm"

// Methods returns all methods. Of sentences with equal scores, the last is best, as in the authors' script.
func Methods() []Method {
	about, beside := bench.About, bench.Beside
	return []Method{
		{
			Method: beside("tfidf", "2 sentences by TF-IDF with the settings of the authors' script: accents stripped, English stop list"),
			fit:    bench.TFIDF(script), top: 2,
		},
		{Method: about("tfidf-1", "1 sentence by the same"), fit: bench.TFIDF(script), top: 1},
		{
			Method: about("tfidf-default", "2 sentences by TF-IDF with the defaults of scikit-learn: no stop list"),
			fit:    bench.TFIDF(words.TFIDFOptions{}), top: 2,
		},
		{
			Method: about("bm25", "2 sentences by BM25Okapi (k1 1.5, b 0.75, epsilon 0.25), lower-case words of two or more characters"),
			fit:    bench.BM25(words.Tokens), top: 2,
		},
		{Method: about(minilm, "2 sentences by cosine of sentence vectors (all-MiniLM-L6-v2, in process): like the paper's S-BERT"), top: 2},
		{
			Method: about("oracle-query", "2 sentences by tfidf, with the expert's message as the query"),
			fit:    bench.TFIDF(script), top: 2, oracle: true,
		},
		{
			Method: beside("first", "the first 2 sentences"),
			choose: func(d bench.Document, _ bench.Item) []string { return ids(d.Units[:min(2, len(d.Units))]) },
		},
		{Method: beside("random", "2 random sentences: the exact expectation"), expected: Expected},
		{Method: about("all", "every sentence"), choose: func(d bench.Document, _ bench.Item) []string { return ids(d.Units) }},
		{
			Method: beside("gold", "the gold sentences; the reply is the rationales"),
			choose: func(_ bench.Document, it bench.Item) []string { return gold(it).Units },
			reply:  func(_ bench.Document, it bench.Item) string { return strings.Join(gold(it).Evidence, " ") },
		},
		{
			Method: beside("echo", "replies with the proponent's message"),
			reply:  func(_ bench.Document, it bench.Item) string { return it.Question },
		},
		{Method: about("title", "replies with the title of the paper"), reply: func(d bench.Document, _ bench.Item) string { return d.Title }},
		{Method: beside("empty", "replies with nothing"), reply: func(bench.Document, bench.Item) string { return "" }},
	}
}

// script are the settings of the authors' script, which are not the defaults of the library that the paper states.
var script = words.TFIDFOptions{StripAccents: true, StopWords: true}

type paper struct {
	bench.Document
	questions []string
	// scores of a query to each sentence, once a method has learned them.
	scores func(query string) []float64
}

func (m Method) learn(ctx context.Context, p *paper, e embed.Embedder) error {
	texts := qa.Map(p.Units, func(u bench.Unit) string { return u.Text })
	if m.fit != nil {
		p.scores = m.fit(texts)
		return nil
	}
	list, err := e.Embed(ctx, texts)
	if err != nil {
		return err
	}
	queries, err := embed.Queries(e).Embed(ctx, p.questions)
	if err != nil {
		return err
	}
	p.scores = func(query string) []float64 {
		question := queries[slices.Index(p.questions, query)]
		return qa.Map(list, func(sentence []float32) float64 { return vectors.Cosine(question, sentence) })
	}
	return nil
}

func (m Method) answer(ctx context.Context, p *paper, e embed.Embedder, it bench.Item) (qa.Answer, error) {
	a := qa.Answer{Given: true}
	switch {
	case m.top > 0:
		query := it.Question
		if m.oracle {
			query = gold(it).Text
		}
		if p.scores == nil {
			if err := m.learn(ctx, p, e); err != nil {
				return a, fmt.Errorf("method %s, turn %s: %w", m.Name, it.UUID, err)
			}
		}
		scores := p.scores(query)
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
	case g == 0: // the turn does not count
		return math.NaN()
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
	return qa.Map(units, func(u bench.Unit) string { return u.ID })
}

// gold is the only annotator's answer.
func gold(it bench.Item) bench.GoldAnswer { return it.Gold.Answers[0] }
