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
		o := order{yield: yield, early: make(map[int]*page), open: make(map[int][]held), details: make(map[qa.Verdict]*detail)}
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

// pageSize is the number of scores in a page.
const pageSize = 1024

// page holds early scores of neighbouring questions, without a label where none has come.
type page [pageSize]held

// order puts scores into order.
type order struct {
	yield func(qa.Score, error) bool
	next  int // index of the question whose score comes next
	last  int // the highest index of what was held
	// early are final scores that came before those in front of them, by the number of their page.
	early map[int]*page
	// open are the scores of questions to which more may come, by index.
	open map[int][]held
	// details are those that say nothing but the verdict: nearly all.
	details map[qa.Verdict]*detail
}

// held is a score in few bytes.
type held struct {
	label  *label
	detail *detail
	value  float64
	repeat int
}

// detail is what few scores have of their own.
type detail struct {
	verdict qa.Verdict
	reason  string
	votes   []qa.Vote
}

// add yields the score and those that waited for it, or keeps it. It returns false when the reader has had enough.
func (o *order) add(s *scored) bool {
	at := s.place.index
	if s.place.open {
		o.last = max(o.last, at)
		o.open[at] = append(o.open[at], o.hold(s))
		return true
	}
	if at != o.next {
		o.last = max(o.last, at)
		o.keep(at, o.hold(s))
		return true
	}
	if !o.yield(s.Score, nil) {
		return false
	}
	o.advance()
	for len(o.early) > 0 {
		h := o.at(o.next)
		if h.label == nil {
			break
		}
		if !o.yield(h.score(), nil) {
			return false
		}
		o.advance()
	}
	return true
}

// advance goes to the next question and drops a page whose scores were all yielded.
func (o *order) advance() {
	if o.next++; o.next%pageSize == 0 {
		delete(o.early, o.next/pageSize-1)
	}
}

// keep holds an early score.
func (o *order) keep(index int, h held) {
	p := o.early[index/pageSize]
	if p == nil {
		p = new(page)
		o.early[index/pageSize] = p
	}
	p[index%pageSize] = h
}

// at returns an early score, without a label when there is none.
func (o *order) at(index int) held {
	if p := o.early[index/pageSize]; p != nil {
		return p[index%pageSize]
	}
	return held{}
}

func (o *order) hold(s *scored) held {
	h := held{label: s.label, value: s.Value, repeat: s.Repeat}
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
		UUID: h.label.uuid, Func: h.label.function, Repeat: h.repeat, Value: h.value,
		Verdict: h.detail.verdict, Reason: h.detail.reason, Votes: h.detail.votes,
	}
}

// flush yields what was held.
func (o *order) flush() {
	for ; o.next <= o.last; o.advance() {
		list := o.open[o.next]
		slices.SortFunc(list, func(a, b held) int { return cmp.Compare(a.repeat, b.repeat) })
		if h := o.at(o.next); h.label != nil {
			list = []held{h}
		}
		for _, h := range list {
			if !o.yield(h.score(), nil) {
				return
			}
		}
	}
}
