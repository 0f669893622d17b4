package flat

import (
	"context"
	"fmt"
	"slices"

	"airqa/env/vectors"
)

// stride is how many records are looked at between two looks at the context.
const stride = 4096

func (s *set) search(ctx context.Context, q vectors.Query) ([]vectors.Hit, error) {
	best := &top{k: q.K}
	scan := s.scanSparse
	if s.info.Kind == vectors.Dense {
		scan = s.scanDense
	}
	if err := scan(ctx, q, best); err != nil {
		return nil, fmt.Errorf("search collection %s: %w", s.info.Name, err)
	}
	return best.sorted(), nil
}

// scanDense offers the cosine of every candidate.
func (s *set) scanDense(ctx context.Context, q vectors.Query, best *top) error {
	length := norm(q.Dense)
	seen := 0
	for i := range s.candidates(newMatcher(q.Filter)) {
		if seen++; seen%stride == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		score := 0.0
		if length > 0 && s.norms[i] > 0 {
			score = dot(q.Dense, s.row(i)) / (length * s.norms[i])
		}
		best.offer(vectors.Hit{Origin: s.origins[i], Score: round(score)})
	}
	return ctx.Err()
}

// scanSparse adds up the inverted lists of the query's positions, in ascending order of position.
func (s *set) scanSparse(ctx context.Context, q vectors.Query, best *top) error {
	scores := make([]float64, len(s.origins))
	var touched []uint32
	for _, term := range q.Sparse {
		for _, p := range s.postings[term.Position] {
			if scores[p.record] == 0 {
				touched = append(touched, p.record)
			}
			scores[p.record] += float64(term.Weight) * float64(p.weight)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	m := newMatcher(q.Filter)
	for _, i := range touched {
		if m.match(s.origins[i]) {
			best.offer(vectors.Hit{Origin: s.origins[i], Score: round(scores[i])})
		}
	}
	return ctx.Err()
}

// round gives scores the precision that every store has, so that near-equal sums are ties.
func round(score float64) float64 { return float64(float32(score)) }

// top keeps the k best hits in a heap whose root is the worst of them.
type top struct {
	k    int
	hits []vectors.Hit
}

func (t *top) offer(h vectors.Hit) {
	if len(t.hits) < t.k {
		t.hits = append(t.hits, h)
		t.up(len(t.hits) - 1)
		return
	}
	if vectors.Compare(h, t.hits[0]) < 0 {
		t.hits[0] = h
		t.down(0)
	}
}

func (t *top) up(i int) {
	for i > 0 {
		parent := (i - 1) / 2
		if vectors.Compare(t.hits[i], t.hits[parent]) <= 0 {
			return
		}
		t.hits[i], t.hits[parent] = t.hits[parent], t.hits[i]
		i = parent
	}
}

func (t *top) down(i int) {
	for {
		worst := i
		for _, child := range []int{2*i + 1, 2*i + 2} {
			if child < len(t.hits) && vectors.Compare(t.hits[child], t.hits[worst]) > 0 {
				worst = child
			}
		}
		if worst == i {
			return
		}
		t.hits[i], t.hits[worst] = t.hits[worst], t.hits[i]
		i = worst
	}
}

// sorted returns the hits, best first.
func (t *top) sorted() []vectors.Hit {
	slices.SortFunc(t.hits, vectors.Compare)
	return t.hits
}
