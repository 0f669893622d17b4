package flat

import (
	"iter"
	"math"

	"airqa/env/vectors"
)

// set is a collection in memory. It is built by add and not changed once it is shown to others.
type set struct {
	info    vectors.Collection
	origins []vectors.Origin // one a record
	byPaper map[string][]int // record numbers, ascending

	dense []float32 // records × dimensions
	norms []float64 // one a record of a dense collection

	postings map[uint32][]posting // by position, each ascending by record
}

// posting is the weight of a record at one position.
type posting struct {
	record uint32
	weight float32
}

func newSet(info vectors.Collection) *set {
	return &set{info: info, byPaper: make(map[string][]int), postings: make(map[uint32][]posting)}
}

// add takes a record that was checked.
func (s *set) add(r vectors.Record) {
	n := len(s.origins)
	s.addOrigin(r.Origin)
	if s.info.Kind == vectors.Dense {
		s.dense = append(s.dense, r.Dense...)
		s.norms = append(s.norms, norm(r.Dense))
	}
	for _, t := range r.Sparse {
		s.postings[t.Position] = append(s.postings[t.Position], posting{record: uint32(n), weight: t.Weight})
	}
}

func (s *set) addOrigin(o vectors.Origin) {
	s.byPaper[o.PaperID] = append(s.byPaper[o.PaperID], len(s.origins))
	s.origins = append(s.origins, o)
}

// without returns a copy that leaves out the records for which drop is true.
func (s *set) without(drop func(vectors.Origin) bool) *set {
	next := newSet(s.info)
	place := make([]int, len(s.origins)) // new number of each record, -1 for none
	for i, o := range s.origins {
		if drop(o) {
			place[i] = -1
			continue
		}
		place[i] = len(next.origins)
		next.addOrigin(o)
		if s.info.Kind == vectors.Dense {
			next.dense = append(next.dense, s.row(i)...)
			next.norms = append(next.norms, s.norms[i])
		}
	}
	for position, list := range s.postings {
		if kept := moved(list, place); len(kept) > 0 {
			next.postings[position] = kept
		}
	}
	return next
}

func moved(list []posting, place []int) []posting {
	kept := make([]posting, 0, len(list))
	for _, p := range list {
		if n := place[p.record]; n >= 0 {
			kept = append(kept, posting{record: uint32(n), weight: p.weight})
		}
	}
	return kept
}

// row is the dense vector of record i.
func (s *set) row(i int) []float32 {
	dim := s.info.Dim
	return s.dense[i*dim : (i+1)*dim]
}

// candidates yields the numbers of the records that pass the filter. With papers in the filter it looks at
// their records only.
func (s *set) candidates(m matcher) iter.Seq[int] {
	if len(m.Papers) == 0 {
		return func(yield func(int) bool) {
			for i, o := range s.origins {
				if m.match(o) && !yield(i) {
					return
				}
			}
		}
	}
	return func(yield func(int) bool) {
		for _, paper := range m.Papers {
			for _, i := range s.byPaper[paper] {
				if m.match(s.origins[i]) && !yield(i) {
					return
				}
			}
		}
	}
}

func norm(v []float32) float64 { return math.Sqrt(dot(v, v)) }

// dot is the inner product, summed in float64 so that the order of summing hardly shows.
func dot(a, b []float32) float64 {
	sum := 0.0
	for i, x := range a {
		sum += float64(x) * float64(b[i])
	}
	return sum
}
