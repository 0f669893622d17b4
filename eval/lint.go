package eval

import (
	"context"
	"fmt"
	"slices"

	"airqa/internal/python"
	"airqa/qa"
)

// Lint returns the faults that [Check] finds, disjunctions, since they have two readings, and the modes in which the
// example's own gold does not pass as an answer. It assumes that judges accept the gold, so it calls no endpoint.
func Lint(ctx context.Context, ex qa.Example) []Finding {
	c := check(ex.Evaluator)
	out := slices.Concat(c.faults, c.notes)
	gold, ok := GoldAnswer(ex.Evaluator)
	if !ok {
		return out
	}
	for _, m := range []Mode{Reference, Fixed} {
		r := New(Config{Judge: &alternating{say: true}, Mode: m}).Score(ctx, ex.Evaluator, Text(gold))
		if r.Verdict == qa.Right {
			continue
		}
		text := fmt.Sprintf("the gold, given as the answer %s, is %s", python.Repr(gold), r.Verdict)
		if r.Reason != "" {
			text += ": " + r.Reason
		}
		out = append(out, Finding{Error, m, text})
	}
	return out
}

// JudgeDecides reports whether a judge's verdicts can change the score of an answer. They cannot if an objective part
// fails a conjunction, or if the answer or the arguments prevent the call. It asks no real judge.
func (s *Scorer) JudgeDecides(ctx context.Context, e qa.Evaluator, p Prediction) bool {
	passes := 0
	for probe := range 4 {
		r := New(Config{Judge: &alternating{say: probe%2 == 0, turn: probe > 1}, Mode: s.mode}).Score(ctx, e, p)
		passes += int(r.Value)
	}
	return passes > 0 && passes < 4
}

// alternating is a judge with a constant or an alternating verdict, used to find out whether a verdict matters.
type alternating struct{ say, turn bool }

func (a *alternating) Judge(context.Context, JudgeRequest) (bool, error) {
	said := a.say
	a.say = a.say != a.turn
	return said, nil
}
