package export

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"airqa/qa"
	"airqa/train"
	"airqa/train/format"
)

// The reasons of preference pairs.
const (
	NoPair    train.Reason = "no_pair"    // no wrong repeat diverges from the right one at a turn of the model
	OtherTurn train.Reason = "other_turn" // the pair of the episode is at another turn
	// RejectedTurn is the rejected side of a pair: it is in the export, but not as a row of its own.
	RejectedTurn train.Reason = "rejected_turn"
)

// decidePairs decides about every turn of an export of preference pairs: each right episode with the wrong repeat of its
// question that follows it the longest.
func (p *plan) decidePairs() error {
	if p.BestOf > 0 {
		if err := p.readTable("compare repeats", weighRows); err != nil {
			return err
		}
		p.survey()
		p.table = nil
	}
	for list, err := range p.read("read episodes", readOnly) {
		if err != nil {
			return err
		}
		if err := p.pairGroup(list); err != nil {
			return err
		}
	}
	return p.divide()
}

// pairGroup makes the pairs of the repeats of one question.
func (p *plan) pairGroup(repeats []*entry) error {
	right, wrong, err := p.sides(repeats)
	if err != nil {
		return err
	}
	used := make(map[string]bool) // the rejected turns of pairs
	for _, x := range right {
		if err := p.pairOf(x, wrong, used); err != nil {
			return err
		}
	}
	for _, x := range wrong {
		for _, id := range x.turns {
			reason := train.Wrong
			if used[id] {
				reason = RejectedTurn
			}
			if err := p.drop([]string{id}, reason, ""); err != nil {
				return err
			}
		}
	}
	for _, x := range repeats {
		x.rec = nil
	}
	return nil
}

// sides returns the right and the wrong repeats that may make pairs, and drops the others: first the damaged ones.
func (p *plan) sides(repeats []*entry) (right, wrong []*entry, err error) {
	var whole []*entry
	for _, x := range repeats {
		if x.err == nil {
			whole = append(whole, x)
		} else if err := p.consider(x); err != nil {
			return nil, nil, err
		}
	}
	for _, x := range whole {
		reason, detail := x.reason, x.detail
		if reason == "" {
			reason, detail = p.questionReason(x)
		}
		p.count(x, reason == "")
		switch {
		case reason == "" && x.class == "":
			right = append(right, x)
			continue
		case x.class == train.Wrong:
			if again, _ := p.rejects.Check(x.candidate()); again == "" {
				wrong = append(wrong, x)
				continue
			}
		case reason == "": // an included episode without a verdict
			reason = x.class
		}
		if err := p.drop(x.turns, reason, detail); err != nil {
			return nil, nil, err
		}
	}
	return right, wrong, nil
}

// pairOf plans the pair of a right episode, and puts it into the spool.
func (p *plan) pairOf(x *entry, wrong []*entry, used map[string]bool) error {
	best, other, why := p.best(x, wrong, used)
	if other == nil {
		return p.drop(x.turns, NoPair, why)
	}
	rec := *x.rec
	for i, s := range rec.Steps {
		if s.Reply == nil || i == best {
			continue
		}
		reason, detail := train.Failure(rec, i)
		if reason == "" {
			reason, detail = OtherTurn, fmt.Sprintf("the pair is at turn %d", rec.Steps[best].N)
		}
		if err := p.drop([]string{x.Turn(rec, i)}, reason, detail); err != nil {
			return err
		}
	}
	chosen := x.RowAt(rec, best, p.RowOptions)
	rejected := other.RowAt(*other.rec, best, p.RowOptions)
	redactRow(p.redactor.Episode(other.rec.Messages), &rejected)
	m := p.making(x)
	pair := m.row(&chosen, &rejected)
	rows, err := p.listed(x, []*row{pair})
	if err != nil || len(rows) == 0 {
		return err
	}
	if reason, detail := p.selector.Admit(x.example()); reason != "" {
		return p.drop([]string{pair.id}, reason, detail)
	}
	n := len(p.kept)
	if err := p.keep(x, rows); err != nil || len(p.kept) == n {
		return err
	}
	used[rejected.ID] = true
	m.encode(pair, chosen, &rejected)
	x.rows = rows
	return p.spool.add(x)
}

// best returns the wrong episode that diverges last from a right one, and the index of the diverging step.
func (p *plan) best(x *entry, wrong []*entry, used map[string]bool) (step int, other *entry, why string) {
	why = "no repeat of the question is wrong"
	for _, w := range wrong {
		i, reason := diverge(x, w, train.RowOptions{Thinking: p.Thinking})
		if reason == "" && used[w.Turn(*w.rec, i)] {
			reason = "the wrong turn is in another pair"
		}
		if reason != "" {
			if other == nil {
				why = reason
			}
			continue
		}
		if other == nil || i > step {
			step, other = i, w
		}
	}
	return step, other, why
}

// diverge returns the index of the first step at which two episodes of a question differ, if the model saw the same
// before it and the right turn can be trained; otherwise the reason against a pair.
func diverge(right, wrong *entry, o train.RowOptions) (int, string) {
	a, b := *right.rec, *wrong.rec
	for i := range min(len(a.Steps), len(b.Steps)) {
		x, y := a.Steps[i], b.Steps[i]
		switch {
		case (x.Reply == nil) != (y.Reply == nil):
			return 0, "the repeats took different steps"
		case x.Reply == nil:
			if x.Action.Text != y.Action.Text || !sameObservation(x, y) {
				return 0, "the program's own actions differ"
			}
			continue
		}
		if m, n := right.RowAt(a, i, o), wrong.RowAt(b, i, o); !slices.EqualFunc(m.Context, n.Context, sameMessage) {
			return 0, "the model saw different messages before the turns differ"
		} else if !sameMessage(m.Target, n.Target) {
			if reason, _ := train.Failure(a, i); reason != "" {
				return 0, fmt.Sprintf("the turns differ first where the right episode failed (%s)", reason)
			}
			return i, ""
		}
		if !sameObservation(x, y) {
			return 0, "the same action had different results"
		}
	}
	return 0, "the repeats took the same turns"
}

func sameObservation(x, y qa.Step) bool {
	if x.Observation == nil || y.Observation == nil {
		return x.Observation == y.Observation
	}
	return x.Observation.Text == y.Observation.Text && slices.EqualFunc(x.Observation.Images, y.Observation.Images, sameImage)
}

// sameMessage compares messages as trainers see them. The ids of calls, which endpoints choose, do not matter.
func sameMessage(a, b qa.Message) bool {
	return a.Role == b.Role && a.Text == b.Text && slices.EqualFunc(a.Images, b.Images, sameImage) &&
		slices.EqualFunc(a.ToolCalls, b.ToolCalls, func(c, d qa.ToolCall) bool {
			return c.Name == d.Name && bytes.Equal(format.Compact(c.Arguments), format.Compact(d.Arguments))
		})
}

func sameImage(a, b qa.Image) bool { return a.SHA256 == b.SHA256 }

// ErrNoPairs is returned if no question has a right and a wrong repeat that make a pair.
var ErrNoPairs = errors.New("no preference pair")
