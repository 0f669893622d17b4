package flat

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync/atomic"

	"airqa/env/vectors"
)

// set is an open, immutable collection. Its memory is released by the last holder.
type set struct {
	info    vectors.Collection
	records int
	origins *origins
	rows    *rows  // dense collections only
	lists   *lists // sparse collections only

	file    *file
	holders atomic.Int32
}

// openSet opens a collection's file for one holder.
func openSet(path string) (*set, error) {
	f, err := openFile(path, maxCheckedAtOpen)
	if err != nil {
		return nil, err
	}
	s, err := newSet(f)
	if err != nil {
		_ = f.close() // the first error is more specific
		return nil, fmt.Errorf("read collection %s: %w", f.head.Collection.Name, err)
	}
	return s, nil
}

// newSet locates the parts of a collection and checks only their sizes.
func newSet(f *file) (*set, error) {
	n := f.head.Records
	if n < 0 || n > math.MaxUint32 {
		return nil, fmt.Errorf("%d records: %w", n, errDamaged)
	}
	s := &set{info: f.head.Collection, records: int(n), file: f}
	s.holders.Store(1)
	if part := f.parts["encoder"]; len(part) > 0 {
		s.info.Encoder = part
	}
	var err error
	if s.origins, err = openOrigins(f); err != nil {
		return nil, err
	}
	if s.info.Kind == vectors.Dense {
		s.rows, err = openRows(f)
	} else {
		s.lists, err = openLists(f)
	}
	return s, err
}

func (s *set) hold() { s.holders.Add(1) }

func (s *set) release() error {
	if s.holders.Add(-1) > 0 {
		return nil
	}
	return s.file.close()
}

// count returns the number of records that pass a filter.
func (s *set) count(f vectors.Filter) (int, error) {
	all, err := s.origins.candidates(f)
	return all.size(), err
}

// search returns the hits, which share no memory with the file.
func (s *set) search(ctx context.Context, e engine, q vectors.Query) ([]vectors.Hit, error) {
	hits, err := s.find(ctx, e, q)
	if err != nil {
		return nil, fmt.Errorf("search collection %s: %w", s.info.Name, err)
	}
	return hits, nil
}

func (s *set) find(ctx context.Context, e engine, q vectors.Query) ([]vectors.Hit, error) {
	select {
	case e.gate <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer e.gate.leave()
	var best *top[ranked]
	var err error
	if s.info.Kind == vectors.Dense {
		best, err = s.searchDense(ctx, e, q)
	} else {
		best, err = s.searchSparse(ctx, q)
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
