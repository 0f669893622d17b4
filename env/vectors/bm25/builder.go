package bm25

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"airqa/env/vectors"
)

// MaxDrift is the [Stats.Drift] from which vectors should be made again with new statistics.
const MaxDrift = 0.01

// Builder counts the terms of a corpus, or changes the counts of an earlier one. It is not safe for concurrent use.
//
// Terms keep their positions, and the average document length stays as it was when vectors were made with it. So the
// vectors of earlier documents remain valid when others are added or removed: see [Stats.Drift].
type Builder struct {
	stats *Stats
}

// NewBuilder returns a Builder without documents.
func NewBuilder() *Builder {
	return &Builder{&Stats{format: format, positions: make(map[string]int)}}
}

// Builder returns a Builder that continues from s. Statistics of an earlier version of the program, which had no terms
// of texts that are not documents, are an error.
func (s *Stats) Builder() (*Builder, error) {
	if s.format != format {
		return nil, fmt.Errorf("change BM25 statistics: they have format %d, not %d", s.format, format)
	}
	return &Builder{&Stats{
		format: format, corpus: s.corpus.Clone(), average: s.average,
		terms: slices.Clone(s.terms), df: slices.Clone(s.df), positions: maps.Clone(s.positions),
	}}, nil
}

// Learn gives the words of a text positions. A text that is not a document of the corpus needs no more: its vector is
// then complete whatever documents come later.
func (b *Builder) Learn(text []vectors.Word) {
	for _, w := range text {
		b.position(w.Text)
	}
}

// position returns the position of a term. A new one follows all others.
func (b *Builder) position(term string) int {
	s := b.stats
	i, ok := s.positions[term]
	if !ok {
		i = len(s.terms)
		s.positions[term], s.terms, s.df = i, append(s.terms, term), append(s.df, 0)
	}
	return i
}

// Add adds a document.
func (b *Builder) Add(document []vectors.Word) {
	s := b.stats
	s.corpus.Documents++
	for _, w := range document {
		i := b.position(w.Text)
		s.corpus.Tokens += w.Count
		s.corpus.Move(s.df[i], s.df[i]+1)
		s.df[i]++
	}
}

// Remove removes a document that was added. Another one is an error if the counts show it.
func (b *Builder) Remove(document []vectors.Word) error {
	s := b.stats
	s.corpus.Documents--
	for _, w := range document {
		i, ok := s.positions[w.Text]
		if !ok || s.df[i] == 0 {
			return fmt.Errorf("change BM25 statistics: no document has the word %q", w.Text)
		}
		s.corpus.Tokens -= w.Count
		s.corpus.Move(s.df[i], s.df[i]-1)
		s.df[i]--
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
