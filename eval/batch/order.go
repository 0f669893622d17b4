package batch

import (
	"cmp"
	"iter"
	"slices"

	"airqa/qa"
)

// inOrder yields scores in the order of their questions. Those of a question that is still open, and those behind one
// whose score has not come, are held until the end or until it comes.
func inOrder(in iter.Seq2[[]scored, error]) iter.Seq2[qa.Score, error] {
	return func(yield func(qa.Score, error) bool) {
		o := order{yield: yield, closed: make(map[int]held), details: make(map[qa.Verdict]*detail)}
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
	yield  func(qa.Score, error) bool
	next   int          // index of the question whose score comes next
	closed map[int]held // by index: final scores that came too early
	open   []held       // scores of questions to which more may come
	// details are those that say nothing but the verdict: nearly all.
	details map[qa.Verdict]*detail
}

// held is a score in few bytes.
type held struct {
	label         *label
	detail        *detail
	value         float64
	index, repeat int32
}

// detail is what few scores have of their own.
type detail struct {
	verdict qa.Verdict
	reason  string
	votes   []qa.Vote
}

// add yields the score and those that waited for it, or keeps it. It returns false when the reader has had enough.
func (o *order) add(s *scored) bool {
	switch {
	case s.place.open:
		o.open = append(o.open, o.hold(s))
		return true
	case s.place.index != o.next:
		o.closed[s.place.index] = o.hold(s)
		return true
	}
	if !o.yield(s.Score, nil) {
		return false
	}
	o.next++
	for len(o.closed) > 0 {
		h, here := o.closed[o.next]
		if !here {
			break
		}
		delete(o.closed, o.next)
		if !o.yield(h.score(), nil) {
			return false
		}
		o.next++
	}
	return true
}

func (o *order) hold(s *scored) held {
	h := held{label: s.label, value: s.Value, index: int32(s.place.index), repeat: int32(s.Repeat)}
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
	for _, h := range o.closed {
		o.open = append(o.open, h)
	}
	o.closed = nil
	slices.SortFunc(o.open, func(a, b held) int {
		return cmp.Or(cmp.Compare(a.index, b.index), cmp.Compare(a.repeat, b.repeat))
	})
	for _, h := range o.open {
		if !o.yield(h.score(), nil) {
			return
		}
	}
}
