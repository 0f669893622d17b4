package flat

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"airqa/env/vectors"
	"airqa/env/vectors/bm25"
)

// words is the inverted index of a segment of words, in its on-disk form.
type words struct {
	texts  texts
	corpus []uint32
	bounds []uint64
	counts []count
	tokens []uint32
	fewer  []fewer // of deleted records
}

func openWords(f *file) (*words, error) {
	list, err := openTexts("words", f.parts["words"])
	if err != nil {
		return nil, err
	}
	n := list.len()
	if len(f.parts["corpus"]) != 4*n || len(f.parts["lists"]) != 8*(n+1) || int64(len(f.parts["tokens"])) != 4*f.head.Records {
		return nil, fmt.Errorf("sections of %d words: %w", n, errDamaged)
	}
	return &words{
		texts: list, corpus: view[uint32](f.parts["corpus"]), bounds: view[uint64](f.parts["lists"]),
		counts: view[count](f.parts["counts"]), tokens: view[uint32](f.parts["tokens"]),
	}, nil
}

// at returns the list of a word.
func (w *words) at(word uint32) ([]count, error) {
	from, to := w.bounds[word], w.bounds[word+1]
	if from > to || to > uint64(len(w.counts)) {
		return nil, fmt.Errorf("records of word %d: %w", word, errDamaged)
	}
	list := w.counts[from:to]
	// The lists are ascending: the last record is in range if the list is intact.
	if n := len(list); n > 0 && uint64(list[n-1].record) >= uint64(len(w.tokens)) {
		return nil, fmt.Errorf("record %d of %d: %w", list[n-1].record, len(w.tokens), errDamaged)
	}
	return list, nil
}

// frequency returns the number of live records of the corpus that have a word.
func (w *words) frequency(word uint32) int {
	n := int(w.corpus[word])
	i, ok := slices.BinarySearchFunc(w.fewer, word, func(f fewer, word uint32) int { return cmp.Compare(f.word, word) })
	if ok {
		n -= int(w.fewer[i].n)
	}
	return max(n, 0)
}

type wanted struct {
	text   string
	weight float64
}

// frequency returns the number of documents that have a word.
func frequency(parts []*part, text string) (n int) {
	for _, p := range parts {
		if i, ok := p.words.texts.find(text); ok {
			n += p.words.frequency(i)
		}
	}
	return n
}

// wording is a query for words in the whole collection.
type wording struct {
	weights bm25.Weights
	query   []wanted
	scores  []float64 // zeros, for the next segment
}

// searchWords sums the weights of the words in float64, in ascending order of the words, so that the scores do not
// depend on how the records are divided among segments.
func (s *set) searchWords(ctx context.Context, e engine, words *wording, q vectors.Query) (*top[ranked], error) {
	all, err := s.origins.candidates(q.Filter)
	if err != nil {
		return nil, err
	}
	first, records := uint32(all.first), all.count
	if all.list != nil {
		first, records = 0, len(s.origins.places)
	}
	if len(words.scores) < records {
		words.scores = make([]float64, records)
	}
	scores := words.scores[:records]
	var touched []uint32 // counted from first, like scores
	for _, w := range words.query {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		i, ok := s.words.texts.find(w.text)
		if !ok {
			continue
		}
		list, err := s.words.at(i)
		if err != nil {
			return nil, err
		}
		from, _ := slices.BinarySearchFunc(list, uint64(first), count.compare)
		n, _ := slices.BinarySearchFunc(list[from:], uint64(first)+uint64(records), count.compare)
		for _, c := range list[from : from+n] {
			i := c.record - first
			if uint64(i) >= uint64(records) {
				return nil, fmt.Errorf("record %d of word %q: %w", c.record, w.text, errDamaged)
			}
			if scores[i] == 0 {
				touched = append(touched, i)
			}
			scores[i] += w.weight * float64(words.weights.Document(int(c.n), int(s.words.tokens[c.record])))
		}
	}
	best := s.rankTouched(e, scores, first, touched, q)
	for _, i := range touched {
		scores[i] = 0
	}
	return best, ctx.Err()
}

func (c count) compare(record uint64) int { return cmp.Compare(uint64(c.record), record) }

// rankTouched ranks the records with a score that pass the filter. Scores and touched records are counted from first.
func (s *set) rankTouched(e engine, scores []float64, first uint32, touched []uint32, q vectors.Query) *top[ranked] {
	filter := s.origins.filter(q.Filter)
	best := s.origins.rank(q.K)
	for _, i := range touched {
		score, record := float32(scores[i]), first+i
		if score >= e.floor && !s.origins.dead.has(record) && filter.match(s.origins.places[record]) {
			best.offer(ranked{score: score, record: record})
		}
	}
	return best
}
