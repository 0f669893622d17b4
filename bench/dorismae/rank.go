package dorismae

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"airqa/bench"
	"airqa/env/embed"
	"airqa/env/vectors"
	"airqa/internal/lazyregexp"
	"airqa/internal/words"
	"airqa/qa"
)

// Ranker scores the abstracts of a pool, in its order. Higher is better. Calls must not overlap.
type Ranker func(context.Context, bench.Item) ([]float64, error)

var address = lazyregexp.New(`(?:https?://|ftp://|www\.)\S+`)

// Clean is an abstract without addresses, line breaks and dollar signs.
func Clean(abstract string) string {
	return strings.ReplaceAll(strings.ReplaceAll(address.ReplaceAllString(abstract, ""), "\n", " "), "$", "")
}

// sentences are the sentences of a text; pieces under five characters are dropped.
func sentences(text string) []string {
	return slices.DeleteFunc(words.Sentences(text), func(s string) bool { return utf8.RuneCountInString(strings.TrimSpace(s)) < 5 })
}

// Methods that compare vectors in a way of their own.
const (
	wholeTexts    = "vectors"
	maxSimAspects = "maxsim-aspects"
	maxMaxPair    = "maxmax"

	// distanceSuffix after the name of one of them compares by the Euclidean distance, as the paper does for SPECTER (C.2.1).
	distanceSuffix = "-l2"
)

// method is a ranker by name. Without fit, it compares vectors.
type method struct {
	bench.Method
	fit bench.Fit
	// bySentence compares the sentences of the query, not the whole query.
	bySentence bool
}

// methods are all rankers. TF-IDF and BM25 are fitted on each pool; the authors' BM25 counts case and punctuation.
func methods() []method {
	about := bench.About
	slow := func(name, about string) bench.Method { return bench.Method{Name: name, About: about, Slow: true} }
	wordsAndMarks := func(text string) []string { return wordOrMark.FindAllString(text, -1) }
	tfidf := bench.TFIDF(words.TFIDFOptions{})
	return []method{
		{bench.Beside("tfidf", "TF-IDF of scikit-learn, fitted on each pool"), tfidf, false},
		{about("tfidf-sentence", "the mean of tfidf for each sentence of the query"), tfidf, true},
		{bench.Beside("bm25", "BM25Okapi with NLTK's tokens: case and punctuation count"), bench.BM25(words.Treebank), false},
		{about("bm25-sentence", "the mean of bm25 for each sentence of the query"), bench.BM25(words.Treebank), true},
		{
			about("bm25-words", "BM25Okapi with runs of word characters and single other characters; case counts"),
			bench.BM25(wordsAndMarks), false,
		},
		{about("bm25-lower", "BM25Okapi with the tokens of tfidf"), bench.BM25(words.Tokens), false},
		{slow(wholeTexts, "cosine of sentence vectors of the query and the abstract; vectors-l2, maxsim-l2 ...: Euclidean distance"), nil, false},
		{slow("maxsim", "Equation 4: the mean over the query's sentences of the nearest sentence of the abstract"), nil, true},
		{slow(maxSimAspects, "Equation 4 with the query's aspects"), nil, false},
		{slow(maxMaxPair, "the nearest pair of sentences"), nil, true},
	}
}

// label is the name of a method in tables: with the model of its vectors, if the request names one.
func label(r bench.Request, name string) string {
	lexical := func(m method) bool { return m.Name == name && m.fit != nil }
	if r.Model == "" || name == shuffled || slices.ContainsFunc(methods(), lexical) {
		return name
	}
	return name + " (" + r.Model + ")"
}

// NewRanker returns a method by name. open opens the model of sentence vectors; methods that need none do not call it.
func NewRanker(name string, documents []bench.Document, open func() (embed.Embedder, error)) (Ranker, error) {
	base, byDistance := strings.CutSuffix(name, distanceSuffix)
	m, err := bench.FindMethod(methods(), base, "ranker %q of DORIS-MAE", "rankers")
	switch {
	case err != nil:
		return nil, err
	case byDistance && m.fit != nil:
		return nil, qa.Usagef("%s compares no vectors: %s is for methods that do, such as %s", base, distanceSuffix, wholeTexts)
	}
	texts := make(corpus)
	for _, d := range documents {
		texts[d.ID] = Clean(d.Abstract)
	}
	if m.fit != nil {
		return texts.lexical(m.fit, m.bySentence), nil
	}
	e, err := open()
	if err != nil {
		return nil, err
	}
	v := &comparer{corpus: texts, embedder: e, method: m, similarity: vectors.Cosine, known: make(map[string][][]float32)}
	if byDistance {
		v.similarity = bench.Distance
	}
	return v.scores, nil
}

// Rank orders the pool by the scores of a ranker. Ties have the later abstract of the pool first, as in the authors'
// code.
func Rank(ctx context.Context, r Ranker, it bench.Item) ([]string, error) {
	scores, err := r(ctx, it)
	if err != nil {
		return nil, fmt.Errorf("rank %s: %w", it.UUID, err)
	}
	return qa.Map(bench.Order(scores), func(i int) string { return it.Pool[i] }), nil
}

var wordOrMark = lazyregexp.New(`[\p{L}\p{N}_]+|[^\p{L}\p{N}_\s]`)

// corpus has the cleaned abstracts by id.
type corpus map[string]string

func (c corpus) pool(it bench.Item) []string {
	return qa.Map(it.Pool, func(id string) string { return c[id] })
}

func (c corpus) lexical(f bench.Fit, bySentence bool) Ranker {
	var pool []string
	var scores func(string) []float64
	return func(ctx context.Context, it bench.Item) ([]float64, error) {
		if scores == nil || !slices.Equal(pool, it.Pool) { // parts of a query share its pool
			pool, scores = it.Pool, f(c.pool(it))
		}
		queries := []string{it.Question}
		if bySentence {
			queries = sentences(it.Question)
		}
		sums := make([]float64, len(it.Pool))
		for _, q := range queries {
			for i, s := range scores(q) {
				sums[i] += s / float64(len(queries))
			}
		}
		return sums, ctx.Err()
	}
}

// comparer ranks by the vectors of texts.
type comparer struct {
	corpus
	embedder   embed.Embedder
	method     method
	similarity bench.Similarity
	known      map[string][][]float32 // of the parts of an abstract
}

func (v *comparer) scores(ctx context.Context, it bench.Item) ([]float64, error) {
	question := []string{it.Question}
	switch {
	case v.method.bySentence:
		question = sentences(it.Question)
	case v.method.Name == maxSimAspects:
		question = it.Parts
	}
	q, err := embed.Queries(v.embedder).Embed(ctx, question)
	if err != nil {
		return nil, err
	}
	pool := v.pool(it)
	if err := v.learn(ctx, pool); err != nil {
		return nil, err
	}
	scores := make([]float64, len(pool))
	for i, text := range pool {
		scores[i] = v.similarity.MaxSim(q, v.known[text])
		if v.method.Name == maxMaxPair && len(q) > 0 {
			scores[i] = slices.Max(v.similarity.Nearest(q, v.known[text]))
		}
	}
	return scores, nil
}

// learn embeds the parts of the abstracts that are not known, in one call.
func (v *comparer) learn(ctx context.Context, pool []string) error {
	pool = slices.DeleteFunc(bench.Distinct(pool), func(text string) bool { return v.known[text] != nil })
	parts := make([][]string, len(pool))
	for i, text := range pool {
		if parts[i] = []string{text}; v.method.Name != wholeTexts {
			parts[i] = sentences(text)
		}
	}
	made, err := v.embedder.Embed(ctx, slices.Concat(parts...))
	if err != nil {
		return err
	}
	for i, text := range pool {
		v.known[text], made = made[:len(parts[i])], made[len(parts[i]):]
	}
	return nil
}
