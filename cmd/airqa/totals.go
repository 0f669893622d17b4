package main

import (
	"fmt"
	"strings"

	"airqa/qa"
)

// totals are the counts of one scoring.
type totals struct {
	// Run is set where several are scored.
	Run         string `json:"run,omitempty"`
	Questions   int    `json:"questions"`
	Right       int    `json:"right"`
	Wrong       int    `json:"wrong"`
	Unparseable int    `json:"unparseable"`
	Unscored    int    `json:"unscored"`
	// Score is the mean over the scored questions, 0 to 1.
	Score   float64 `json:"score"`
	Scoring string  `json:"scoring"`
	Judge   string  `json:"judge"`

	sum float64
	// faulty of the unscored have an evaluator that cannot be used; no judge mends that.
	faulty int
}

// faultyEvaluator begins the reasons of answers that cannot be scored because of their question.
const faultyEvaluator = "the evaluator is faulty"

// add counts one score.
func (t *totals) add(s qa.Score) {
	t.Questions++
	t.sum += s.Value
	switch s.Verdict {
	case qa.Right:
		t.Right++
	case qa.Unparseable:
		t.Unparseable++
	case qa.Unscored:
		t.Unscored++
		if strings.HasPrefix(s.Reason, faultyEvaluator) {
			t.faulty++
		}
	default:
		t.Wrong++
	}
	if scored := t.Questions - t.Unscored; scored > 0 {
		t.Score = t.sum / float64(scored)
	}
}

func (c scoreCmd) count(scores []qa.Score) totals {
	t := totals{Scoring: c.Scoring, Judge: c.Judge}
	for _, s := range scores {
		t.add(s)
	}
	return t
}

// show prints scores as JSON lines, or their totals for a person.
func (c scoreCmd) show(a *app, scores []qa.Score, t totals) error {
	if !c.JSON {
		return t.print(a)
	}
	w := newScoreWriter(a.out)
	for _, s := range scores {
		if err := w.write(s); err != nil {
			return err
		}
	}
	return w.end(t)
}

// print shows totals to a person.
func (t totals) print(a *app) error {
	name := ""
	if t.Run != "" {
		name = t.Run + ": "
	}
	return a.print(fmt.Sprintf("%s%d questions: %d right, %d wrong, %d unparseable, %d unscored\nscore %.2f %% of the %d scored (%s semantics, judge %s)",
		name, t.Questions, t.Right, t.Wrong, t.Unparseable, t.Unscored, 100*t.Score, t.Questions-t.Unscored, t.Scoring, t.Judge))
}
