package batch

import (
	"cmp"
	"iter"
	"maps"
	"slices"

	"airqa/qa"
)

// inOrder yields scores in the order of their questions. Those of a question that is still open, and those behind one
// whose score has not come, are held until the end or until it comes.
func inOrder(in iter.Seq2[[]scored, error]) iter.Seq2[qa.Score, error] {
	return func(yield func(qa.Score, error) bool) {
		o := order{yield: yield, waiting: make(map[int][]held), details: make(map[qa.Verdict]*detail)}
		for list, err := range in {
			if err != nil {
				yield(qa.Score{}, err)
				return
			}
			for i := range list {
				if !o.add(&list[i]) {
					return
				}
			}
		}
		o.flush()
	}
}

// order puts scores into order.
type order struct {
	yield func(qa.Score, error) bool
	next  int // index of the question whose score comes next
	// waiting are scores by the index of their question: those that came too early, and those of open questions.
	waiting map[int][]held
	// details are those that say nothing but the verdict: nearly all.
	details map[qa.Verdict]*detail
}

// held is a score in few bytes.
type held struct {
	label  *label
	detail *detail
	value  float64
	repeat int32
	open   bool
}

// detail is what few scores have of their own.
type detail struct {
	verdict qa.Verdict
	reason  string
	votes   []qa.Vote
}

// add yields the score and those that waited for it, or keeps it. It returns false when the reader has had enough.
func (o *order) add(s *scored) bool {
	if at := s.place.index; s.place.open || at != o.next {
		o.waiting[at] = append(o.waiting[at], o.hold(s))
		return true
	}
	if !o.yield(s.Score, nil) {
		return false
	}
	o.next++
	for len(o.waiting) > 0 {
		list := o.waiting[o.next]
		if len(list) == 0 || list[0].open {
			break
		}
		delete(o.waiting, o.next)
		if !o.yield(list[0].score(), nil) {
			return false
		}
		o.next++
	}
	return true
}

func (o *order) hold(s *scored) held {
	h := held{label: s.label, value: s.Value, repeat: int32(s.Repeat), open: s.place.open}
	if s.Reason != "" || s.Votes != nil {
		h.detail = &detail{s.Verdict, s.Reason, s.Votes}
		return h
	}
	if h.detail = o.details[s.Verdict]; h.detail == nil {
		h.detail = &detail{verdict: s.Verdict}
		o.details[s.Verdict] = h.detail
	}
	return h
}

func (h held) score() qa.Score {
	return qa.Score{
		UUID: h.label.uuid, Func: h.label.function, Repeat: int(h.repeat), Value: h.value,
		Verdict: h.detail.verdict, Reason: h.detail.reason, Votes: h.detail.votes,
	}
}

// flush yields what was held.
func (o *order) flush() {
	for _, index := range slices.Sorted(maps.Keys(o.waiting)) {
		list := o.waiting[index]
		slices.SortFunc(list, func(a, b held) int { return cmp.Compare(a.repeat, b.repeat) })
		for _, h := range list {
			if !o.yield(h.score(), nil) {
				return
			}
		}
	}
}
