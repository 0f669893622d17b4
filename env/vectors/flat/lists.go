package flat

import (
	"context"
	"fmt"
	"slices"

	"airqa/env/vectors"
)

// lists is the inverted index of a sparse collection, in its on-disk form.
type lists struct {
	positions []uint32
	bounds    []uint64
	postings  []posting
}

func openLists(f *file) (*lists, error) {
	l := &lists{
		positions: view[uint32](f.parts["positions"]), bounds: view[uint64](f.parts["lists"]),
		postings: view[posting](f.parts["postings"]),
	}
	if len(f.parts["lists"]) != 8*(len(l.positions)+1) {
		return nil, fmt.Errorf("section lists: %w", errDamaged)
	}
	return l, nil
}

// at returns the postings of position index i.
func (l *lists) at(i int) ([]posting, error) {
	from, to := l.bounds[i], l.bounds[i+1]
	if from > to || to > uint64(len(l.postings)) {
		return nil, fmt.Errorf("records of position %d: %w", l.positions[i], errDamaged)
	}
	return l.postings[from:to], nil
}

// searchSparse sums the postings of the query's positions in float64, in ascending order of position.
func (s *set) searchSparse(ctx context.Context, e engine, q vectors.Query) (*top[ranked], error) {
	scores := make([]float64, s.records)
	var touched []uint32
	for _, term := range q.Sparse {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		i, ok := slices.BinarySearch(s.lists.positions, term.Position)
		if !ok {
			continue
		}
		list, err := s.lists.at(i)
		if err != nil {
			return nil, err
		}
		if touched, err = addTo(scores, touched, list, float64(term.Weight)); err != nil {
			return nil, err
		}
	}
	return s.rankTouched(e, scores, 0, touched, q), ctx.Err()
}

// addTo adds weight times a posting list to scores. It appends each record without a score to touched. All weights are
// above 0, and so are their products in float64, so a score of 0 means "none".
func addTo(scores []float64, touched []uint32, list []posting, weight float64) ([]uint32, error) {
	for _, p := range list {
		if uint64(p.record) >= uint64(len(scores)) {
			return nil, fmt.Errorf("record %d of %d: %w", p.record, len(scores), errDamaged)
		}
		if scores[p.record] == 0 {
			touched = append(touched, p.record)
		}
		scores[p.record] += weight * float64(p.weight)
	}
	return touched, nil
}
