package scoring

import (
	"testing"

	"airqa/qa"
)

// The score equals a report's: the mean over questions, each the mean over its scored answers.
func TestTotals(t *testing.T) {
	score := func(uuid string, v qa.Verdict) qa.Score {
		s := qa.Score{UUID: uuid, Verdict: v}
		if v == qa.Right {
			s.Value = 1
		}
		return s
	}
	scores := []qa.Score{
		score("a", qa.Right), score("a", qa.Right), score("a", qa.Wrong),
		score("b", qa.Unscored), score("b", qa.Unparseable), score("b", qa.Unscored),
		score("c", qa.Unscored),
	}
	scores[3].Reason, scores[5].Reason, scores[6].Reason = faultyEvaluator+": x", "the judge is out", "later"
	got := Count(scores, "fixed", "j")
	if got.Questions != 3 || got.Answers != 7 || got.Right != 2 || got.Wrong != 1 || got.Unparseable != 1 || got.Unscored != 3 {
		t.Errorf("counts %+v", got)
	}
	if want := (2. / 3) / 2; got.Score == nil || *got.Score != want || got.scored != 2 {
		t.Errorf("score %v of %d, want %g of 2", got.Score, got.scored, want)
	}
	if got.Why != "the judge is out" || got.Faulty != 1 {
		t.Errorf("the first reason is %q, faulty %d", got.Why, got.Faulty)
	}
}
