package bm25

import (
	"errors"
	"fmt"
	"maps"

	"airqa/env/vectors"
)

// MaxDrift is the [Stats.Drift] from which vectors should be made again with new statistics.
const MaxDrift = 0.01

// Builder counts the terms of a corpus, or changes the counts of one. It is not safe for concurrent use.
//
// Terms keep their positions, and the average document length stays as it was when vectors were made with it. So the
// vectors of earlier documents remain valid when others are added or removed: see [Stats.Drift].
type Builder struct {
	stats *Stats
}

// NewBuilder returns a Builder without documents.
func NewBuilder() *Builder {
	return &Builder{&Stats{terms: make(map[string]Term)}}
}

// Builder returns a Builder that continues from s, which must know all terms of the texts that it is given.
func (s *Stats) Builder() *Builder {
	next := *s
	next.corpus, next.terms = s.corpus.Clone(), maps.Clone(s.terms)
	return &Builder{&next}
}

// Learn gives the words of a text positions. A text that is not a document of the corpus needs no more: its vector is
// then complete whatever documents come later.
func (b *Builder) Learn(text []vectors.Word) {
	for _, w := range text {
		b.move(w.Text, 0)
	}
}

// move changes the number of documents of a term. A new one has the position after all others.
func (b *Builder) move(text string, by int) {
	s := b.stats
	term, ok := s.terms[text]
	if !ok {
		term.Position = s.size
		s.size++
	}
	s.corpus.Move(term.DF, term.DF+by)
	term.DF += by
	s.terms[text] = term
}

// Add adds a document.
func (b *Builder) Add(document []vectors.Word) {
	s := b.stats
	s.corpus.Documents++
	for _, w := range document {
		s.corpus.Tokens += w.Count
		b.move(w.Text, 1)
	}
}

// Remove removes a document that was added. Another one is an error if the counts show it.
func (b *Builder) Remove(document []vectors.Word) error {
	s := b.stats
	s.corpus.Documents--
	for _, w := range document {
		if s.terms[w.Text].DF == 0 {
			return fmt.Errorf("change BM25 statistics: no document has the word %q", w.Text)
		}
		s.corpus.Tokens -= w.Count
		b.move(w.Text, -1)
	}
	if s.corpus.Documents < 0 || s.corpus.Tokens < 0 {
		return errors.New("change BM25 statistics: more documents are removed than there are")
	}
	return nil
}

// Stats returns the statistics. The Builder must not be used any more.
func (b *Builder) Stats() *Stats {
	s := b.stats
	b.stats = nil
	s.weigh()
	return s
}
