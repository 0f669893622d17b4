package flat

import (
	"bytes"
	"cmp"
	"iter"
	"slices"

	"airqa/env/vectors"
	"airqa/env/vectors/bm25"
)

// merged is a word of several segments: its number in each, -1 where it is missing.
type merged struct {
	text []byte
	at   []int64
}

// mergeWords yields the words of all segments in order. The slices are valid until the next step.
func mergeWords(parts []*part) iter.Seq[merged] {
	return func(yield func(merged) bool) {
		next := make([]uint32, len(parts))
		m := merged{at: make([]int64, len(parts))}
		for {
			m.text = nil
			for i, p := range parts {
				if int(next[i]) < p.words.texts.len() {
					if t := p.words.texts.at(next[i]); m.text == nil || bytes.Compare(t, m.text) < 0 {
						m.text = t
					}
				}
			}
			if m.text == nil {
				return
			}
			for i, p := range parts {
				m.at[i] = -1
				if int(next[i]) < p.words.texts.len() && bytes.Equal(p.words.texts.at(next[i]), m.text) {
					m.at[i] = int64(next[i])
					next[i]++
				}
			}
			if !yield(m) {
				return
			}
		}
	}
}

// frequencyOf returns the number of live documents that have a word.
func frequencyOf(parts []*part, m merged) (n int) {
	for i, p := range parts {
		if m.at[i] >= 0 {
			n += p.words.frequency(uint32(m.at[i]))
		}
	}
	return n
}

// corpusOf counts the statistics of some segments from scratch.
func corpusOf(parts []*part, at vectors.Column) bm25.Corpus {
	var c bm25.Corpus
	for _, p := range parts {
		documents, tokens := p.documents(at, func(r uint32) bool { return !p.origins.dead.has(r) })
		c.Documents, c.Tokens = c.Documents+documents, c.Tokens+tokens
	}
	for m := range mergeWords(parts) {
		c.Move(0, frequencyOf(parts, m))
	}
	return c
}

// documents counts the documents among some records, and their tokens.
func (p *part) documents(at vectors.Column, which func(uint32) bool) (n, tokens int) {
	in := p.origins.filter(vectors.Filter{Table: at.Table, Column: at.Column})
	for i, place := range p.origins.places {
		if in.match(place) && which(uint32(i)) {
			n, tokens = n+1, tokens+int(p.words.tokens[i])
		}
	}
	return n, tokens
}

// removal counts, for each word of a segment, the documents that a deletion removes.
func (p *part) removal(at vectors.Column, going bits) ([]fewer, error) {
	in := p.origins.filter(vectors.Filter{Table: at.Table, Column: at.Column})
	var list []fewer
	for i := range uint32(p.words.texts.len()) {
		records, err := p.words.at(i)
		if err != nil {
			return nil, err
		}
		n := uint32(0)
		for _, c := range records {
			if going.has(c.record) && in.match(p.origins.places[c.record]) {
				n++
			}
		}
		if n > 0 {
			list = append(list, fewer{word: i, n: n})
		}
	}
	return list, nil
}

// joined returns the union of two ascending lists of removals.
func joined(a, b []fewer) []fewer {
	all := slices.Concat(a, b)
	slices.SortFunc(all, func(x, y fewer) int { return cmp.Compare(x.word, y.word) })
	out := all[:0]
	for _, f := range all {
		if n := len(out); n > 0 && out[n-1].word == f.word {
			out[n-1].n += f.n
			continue
		}
		out = append(out, f)
	}
	return out
}
