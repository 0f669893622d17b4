// Package evidence finds in what was seen the places that answer a question, by the words that both share. A [Case] is one
// question before the items of some papers; its methods give the best answer of one sort each, nil when nothing fits.
//
// It plans no step, and decides neither which papers a question is about nor what is answered when nothing fits.
package evidence

import (
	"cmp"
	"slices"
	"strings"

	"airqa/internal/pyliteral"
	"airqa/llm/offline/task"
	"airqa/llm/offline/words"
)

// Case is one question, or a part of one, before what was seen.
type Case struct {
	text      string
	want      task.Shape
	asked     map[string]bool // stems of the whole question
	words     words.Weights
	items     []task.Item
	sentences []words.Sentence
	// scores are how well the sentences fit, by index.
	scores []float64
}

// candidate is a possible answer.
type candidate struct {
	value pyliteral.Value
	score float64
}

// New prepares a question of a task, or a part of it, over the items of papers: all when none of them has any.
func New(t *task.Task, text string, want task.Shape, papers []string) *Case {
	q := &Case{text: text, want: want, asked: words.Stems(t.Question), items: t.Of(papers)}
	seen := make(map[string]bool)
	for _, it := range q.items {
		q.read(it, seen)
	}
	q.words = words.Weigh(t.Terms(text), q.sentences)
	// The words of the whole question count for its parts too.
	for s, w := range words.Weigh(t.Terms(t.Question), q.sentences) {
		if _, ok := q.words[s]; !ok {
			q.words[s] = w / 3
		}
	}
	q.rate()
	return q
}

// rate scores the sentences. What one speaks of is often said by the one before it, above all by a heading, a short
// announcement or a question, which are no answers themselves.
func (q *Case) rate() {
	q.scores = make([]float64, len(q.sentences))
	before := 0.0
	for i, s := range q.sentences {
		own, n := q.words.Sum(s.Stems), len(words.Of(s.Text))
		leads := n < 6 || strings.HasSuffix(s.Text, "?")
		switch {
		case leads:
			q.scores[i], before = own/2+0.4*before, 0.8*own
		case n > 70:
			q.scores[i], before = own/2, 0
		default:
			q.scores[i], before = own+before, 0.4*own
		}
	}
}

// read adds the sentences of an item that were not seen before.
func (q *Case) read(it task.Item, seen map[string]bool) {
	text := it.Text
	if it.Kind == task.IsTable || it.Kind == task.IsReady || it.Kind == task.IsEquation {
		text = it.Label
	}
	for _, s := range words.Sentences(text) {
		if seen[s] {
			continue
		}
		seen[s] = true
		q.sentences = append(q.sentences, words.Sentence{Text: s, Stems: words.Stems(s)})
	}
}

// best lists the indices of the sentences, those that fit best first.
func (q *Case) best() []int {
	order := make([]int, len(q.sentences))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(q.scores[b], q.scores[a]) })
	return order
}

// Weak tells that no sentence seen so far holds half of what the question asks for.
func (q *Case) Weak() bool {
	if len(q.sentences) == 0 {
		return true
	}
	return q.scores[q.best()[0]] < q.words.Total()/2
}

// ranked sorts candidates, those that fit best first.
func ranked(list []candidate) []candidate {
	slices.SortStableFunc(list, func(a, b candidate) int { return cmp.Compare(b.score, a.score) })
	return list
}
