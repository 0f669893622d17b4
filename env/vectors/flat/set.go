package flat

import (
	"context"
	"fmt"
	"math"
	"slices"

	"airqa/env/vectors"
)

// set is the content of a segment, which never changes.
type set struct {
	info    vectors.Collection
	records int
	origins *origins
	rows    *rows  // dense collections only
	words   *words // collections of words only

	file *file
}

// newSet locates the parts of a collection and checks only their sizes.
func newSet(f *file) (*set, error) {
	n := f.head.Records
	if n < 0 || n > math.MaxUint32 {
		return nil, fmt.Errorf("%d records: %w", n, errDamaged)
	}
	s := &set{info: f.head.Collection, records: int(n), file: f}
	var err error
	if s.origins, err = openOrigins(f); err != nil {
		return nil, err
	}
	switch s.info.Kind {
	case vectors.Dense:
		s.rows, err = openRows(f)
	case vectors.Words:
		s.words, err = openWords(f)
	default:
		err = fmt.Errorf("kind %s: %w", s.info.Kind, errDamaged)
	}
	return s, err
}

// find returns the hits among the live records, which share no memory with the file. The caller has entered the gate.
func (s *set) find(ctx context.Context, e engine, w *wording, q vectors.Query) ([]vectors.Hit, error) {
	var best *top[ranked]
	var err error
	if s.info.Kind == vectors.Dense {
		best, err = s.searchDense(ctx, e, q)
	} else {
		best, err = s.searchWords(ctx, e, w, q)
	}
	if err != nil {
		return nil, err
	}
	hits := slices.Grow([]vectors.Hit(nil), len(best.items))
	for _, r := range best.sorted() {
		o, err := s.origins.at(r.record)
		if err != nil {
			return nil, err
		}
		hits = append(hits, vectors.Hit{Origin: o, Score: float64(r.score)})
	}
	return hits, nil
}
