package stream

import (
	"cmp"
	"iter"
	"slices"

	"airqa/qa"
	"airqa/qa/dataset"
)

// pairing matches predictions to questions.
type pairing struct {
	questions []*question
	byUUID    map[string]*question
	report    *Report
	preds     string // predictions file, for faults
}

// question is a gold and its predictions.
type question struct {
	gold     *Gold
	file     string
	line     int
	index    int
	answered bool // by a prediction without repeat
	repeats  map[int]struct{}
}

// pair yields an item for each prediction of a question, and then, unless only answers are wanted, for each question without
// one.
func (p *pairing) pair(blocks iter.Seq2[predictionBlock, error], answeredOnly bool, yield func(Item, error) bool) {
	for b, err := range blocks {
		if err != nil {
			yield(Item{}, err)
			return
		}
		p.preds = b.file
		for _, f := range b.faults {
			p.report.Unreadable.add(f)
		}
		for _, a := range b.predictions {
			if item, ok := p.item(a); ok && !yield(item, nil) {
				return
			}
		}
	}
	if p.report.Paired == 0 {
		yield(Item{}, ErrNoPair)
		return
	}
	if !answeredOnly {
		p.missing(yield)
	}
}

// item pairs a prediction; ok is false if it has no question or the question is already answered.
func (p *pairing) item(a prediction) (item Item, ok bool) {
	q := p.byUUID[a.uuid]
	if q == nil {
		p.report.Unknown.add(p.fault(a, "there is no question "+a.uuid))
		return item, false
	}
	if reason := q.take(a.repeat); reason != "" {
		p.report.Twice.add(p.fault(a, reason+a.uuid))
		return item, false
	}
	p.report.Paired++
	at := place{index: q.index, open: a.repeat != noRepeat}
	return Item{Gold: q.gold, Repeat: max(a.repeat, 0), Answer: a.answer, place: at}, true
}

// take records an answer, or returns why it is refused.
func (q *question) take(repeat int) (refused string) {
	_, twice := q.repeats[repeat]
	switch {
	case q.answered:
		return "a second prediction for "
	case twice:
		return "a second prediction of the same repeat for "
	case repeat == noRepeat && len(q.repeats) > 0:
		return "mixed predictions with and without repeat for "
	case repeat == noRepeat:
		q.answered = true
		return ""
	case q.repeats == nil:
		q.repeats = make(map[int]struct{})
	}
	q.repeats[repeat] = struct{}{}
	return ""
}

// missing yields the questions without an answer.
func (p *pairing) missing(yield func(Item, error) bool) {
	for _, q := range p.questions {
		if q.answered || len(q.repeats) > 0 {
			continue
		}
		p.report.Missing.add(&dataset.Fault{Place: dataset.Place{File: q.file, Line: q.line}, Loaded: true, Text: "no prediction for " + q.gold.uuid})
		if !yield(Item{Gold: q.gold, Verdict: qa.Wrong, Reason: NoPrediction, place: place{index: q.index}}, nil) {
			return
		}
	}
}

func (p *pairing) fault(a prediction, text string) *dataset.Fault {
	return &dataset.Fault{Place: dataset.Place{File: p.preds, Line: a.line}, Text: text}
}

// inOrder yields scores in the order of their questions. It holds back scores that are ahead of their turn, and those
// of a question that may get more until the end.
func inOrder(questions int, in iter.Seq2[[]scored, error], yield func(qa.Score, error) bool) {
	held, whole, next := make([][]qa.Score, questions), make([]bool, questions), 0
	release := func() bool {
		for _, s := range held[next] {
			if !yield(s, nil) {
				return false
			}
		}
		held[next] = nil
		next++
		return true
	}
	for list, err := range in {
		if err != nil {
			yield(qa.Score{}, err)
			return
		}
		for _, s := range list {
			at := s.place.index
			held[at], whole[at] = append(held[at], s.Score), !s.place.open
			for next < questions && whole[next] {
				if !release() {
					return
				}
			}
		}
	}
	for next < questions {
		slices.SortFunc(held[next], func(a, b qa.Score) int { return cmp.Compare(a.Repeat, b.Repeat) })
		if !release() {
			return
		}
	}
}
