package eval

import (
	"context"
	"errors"

	"airqa/qa"
)

// Judge decides what no rule can: whether an answer says what it should. An error means that no verdict could
// be had; the answer stays unscored then.
type Judge interface {
	Judge(ctx context.Context, r JudgeRequest) (bool, error)
}

// JudgeKind is the question that a judge is asked.
type JudgeKind string

// The questions, one for each subjective function of the paper.
const (
	// JudgeReference asks whether the answer means the same as Reference.
	JudgeReference JudgeKind = "reference"
	// JudgeCandidates asks whether it means the same as any of Candidates.
	JudgeCandidates JudgeKind = "candidates"
	// JudgePoints asks whether it mentions all of Points.
	JudgePoints JudgeKind = "points"
	// JudgePartialPoints asks whether it mentions at least Count of Points.
	JudgePartialPoints JudgeKind = "partial_points"
	// JudgeReferenceAndPoints asks for Reference and all of Points.
	JudgeReferenceAndPoints JudgeKind = "reference_and_points"
	// JudgeFormulas asks whether it gives Formulas, or what is equal to them as mathematics.
	JudgeFormulas JudgeKind = "formulas"
)

// JudgeRequest is one question to a [Judge]. Fields that its kind does not need are empty.
type JudgeRequest struct {
	Kind JudgeKind
	// Question is the one the evaluator was given, often a part of the example's.
	Question   string
	Reference  string
	Candidates []string
	Points     []string
	// Count is between 1 and the number of points, less one.
	Count    int
	Formulas []string
	// Listed is true when the formulas were given as a list.
	Listed bool
	// IgnoreOrder allows points or formulas in any order.
	IgnoreOrder bool
	// Prediction is the answer to judge, as Python's str() prints it.
	Prediction string
	// Guarded asks for a verdict in a form that the prediction cannot imitate.
	Guarded bool
}

// errNoJudge is the reason of an answer that needed a judge when none was configured.
var errNoJudge = errors.New("the function needs a judge and none is configured")

// JudgeDecides reports whether the verdicts of a judge can change the score of an answer. They cannot where an objective part
// fails a conjunction, or where the answer or the arguments keep the judge from being asked. No judge is asked for that.
func (s *Scorer) JudgeDecides(ctx context.Context, e qa.Evaluator, p Prediction) bool {
	passes := 0
	for probe := range 4 {
		r := New(Config{Judge: &alternating{say: probe%2 == 0, turn: probe > 1}, Mode: s.mode}).Score(ctx, e, p)
		passes += int(r.Value)
	}
	return passes > 0 && passes < 4
}

// alternating is a judge that always says the same, or that takes turns: enough to find out whether a verdict matters.
type alternating struct{ say, turn bool }

// Judge implements [Judge].
func (a *alternating) Judge(context.Context, JudgeRequest) (bool, error) {
	said := a.say
	a.say = a.say != a.turn
	return said, nil
}

func (s *Scorer) ask(ctx context.Context, t *Comparison, r JudgeRequest) (outcome, error) {
	if s.judge == nil {
		return outcome{}, errNoJudge
	}
	right, err := s.judge.Judge(ctx, r)
	if t != nil {
		t.Rule = "the judge rejects it"
		if right {
			t.Rule = "the judge accepts it"
		}
	}
	return passed(right && err == nil), err
}
