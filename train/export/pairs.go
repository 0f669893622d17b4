package export

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"airqa/qa"
	"airqa/train/curate"
	"airqa/train/format"
	"airqa/train/windows"
)

// The reasons of preference pairs.
const (
	NoPair    windows.Reason = "no_pair"    // no wrong repeat diverges from the right one at a turn of the model
	OtherTurn windows.Reason = "other_turn" // the pair of the episode is at another turn
	// RejectedTurn is the rejected side of a pair: it is in the export, but not as a row of its own.
	RejectedTurn windows.Reason = "rejected_turn"
)

// rejected is the rejected turn of a pair.
type rejected struct {
	episode string
	turn    int
}

// pairer collects the episodes of one question of a run.
type pairer struct {
	source int
	group  []*Episode
	used   map[rejected]bool
}

// pair adds an episode, and makes the pairs of a question when the next one begins. Without an episode it ends the last one.
func (p *planner) pair(x *examined) error {
	g := &p.pairs
	if len(g.group) > 0 && (x == nil || g.source != x.source || g.group[0].Recorded.UUID != x.e.Recorded.UUID) {
		if err := p.pairGroup(); err != nil {
			return err
		}
		g.group = nil
	}
	if x != nil {
		g.source, g.group = x.source, append(g.group, x.e)
	}
	return nil
}

// pairGroup makes the pairs of one question: each right episode with the wrong one that follows it the longest.
func (p *planner) pairGroup() error {
	var right, wrong []*Episode
	p.pairs.used = make(map[rejected]bool)
	for _, e := range p.pairs.group {
		class := e.candidate().Class()
		reason, detail := p.selector.Check(e.candidate())
		if reason == "" {
			reason, detail = p.questionReason(e)
		}
		p.plan.tally.episode(e, reason == "")
		switch {
		case reason == "" && class == "":
			right = append(right, e)
			continue
		case class == curate.Wrong:
			if again, _ := p.rejects.Check(e.candidate()); again == "" {
				wrong = append(wrong, e)
				continue
			}
		case reason == "": // an included episode without a verdict
			reason = class
		}
		if err := p.drop(e.Run.Turns(e.Recorded), windows.Reason(reason), detail); err != nil {
			return err
		}
	}
	for _, e := range right {
		if err := p.pairOf(e, wrong); err != nil {
			return err
		}
	}
	return p.dropRejected(wrong)
}

// pairOf plans the pair of a right episode.
func (p *planner) pairOf(e *Episode, wrong []*Episode) error {
	best, other, why := p.best(e, wrong)
	if other == nil {
		return p.drop(e.Run.Turns(e.Recorded), NoPair, why)
	}
	row := e.Run.RowAt(e.Recorded, best, p.Options)
	for i, s := range e.Recorded.Steps {
		if s.Reply == nil || i == best {
			continue
		}
		reason, detail := windows.Failure(e.Recorded, i)
		if reason == "" {
			reason, detail = OtherTurn, fmt.Sprintf("the pair is at turn %d", row.Turn)
		}
		if err := p.drop([]string{e.Run.Turn(e.Recorded, i)}, reason, detail); err != nil {
			return err
		}
	}
	against := rejected{other.Recorded.Episode, other.Recorded.Steps[best].N}
	rows, err := p.listed(e, []weighed{{Row: row}})
	if err != nil || len(rows) == 0 {
		return err
	}
	if reason, detail := p.selector.Admit(e.Example); reason != "" {
		return p.drop([]string{row.ID}, windows.Reason(reason), detail)
	}
	opposite := other.Run.RowAt(other.Recorded, best, p.Options)
	p.scope(e).row(&row)
	p.scope(other).row(&opposite)
	w := p.scales().weigh(row, &opposite)
	ok, err := p.accept(w)
	if err != nil || !ok {
		return err
	}
	p.pairs.used[against] = true
	set := p.features.of(&row) | p.features.of(&opposite)
	planned := plannedRow{id: row.ID, turn: row.Turn, trained: 1, features: set, cuts: w.fit.cuts, against: &against}
	p.keep(e, plannedEpisode{source: p.pairs.source, name: e.Recorded.Episode, uuid: row.UUID, rows: []plannedRow{planned}})
	return nil
}

// best returns the wrong episode that diverges last from a right one, and the index of the diverging step.
func (p *planner) best(e *Episode, wrong []*Episode) (step int, other *Episode, why string) {
	why = "no repeat of the question is wrong"
	for _, w := range wrong {
		i, reason := diverge(e, w, windows.Options{Thinking: p.Thinking})
		if reason == "" && p.pairs.used[rejected{w.Recorded.Episode, w.Recorded.Steps[i].N}] {
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
func diverge(right, wrong *Episode, o windows.Options) (int, string) {
	a, b := right.Recorded, wrong.Recorded
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
		if m, n := right.Run.RowAt(a, i, o), wrong.Run.RowAt(b, i, o); !slices.EqualFunc(m.Context, n.Context, sameMessage) {
			return 0, "the model saw different messages before the turns differ"
		} else if !sameMessage(m.Target, n.Target) {
			if reason, _ := windows.Failure(a, i); reason != "" {
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

// dropRejected records the turns of wrong episodes.
func (p *planner) dropRejected(wrong []*Episode) error {
	for _, e := range wrong {
		for i, s := range e.Recorded.Steps {
			if s.Reply == nil {
				continue
			}
			reason := windows.Reason(curate.Wrong)
			if p.pairs.used[rejected{e.Recorded.Episode, s.N}] {
				reason = RejectedTurn
			}
			if err := p.drop([]string{e.Run.Turn(e.Recorded, i)}, reason, ""); err != nil {
				return err
			}
		}
	}
	return nil
}

// ErrNoPairs is returned if no question has a right and a wrong repeat that make a pair.
var ErrNoPairs = errors.New("no preference pair")

// noPairs explains why there is no pair at all.
func noPairs(t *tally) error {
	return fmt.Errorf("%w: %s\n  a pair needs a right and a wrong repeat of a question that differ first in a turn of the model",
		ErrNoPairs, t.reasons())
}
