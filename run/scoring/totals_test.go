package scoring

import (
	"math"
	"strings"
	"testing"

	"airqa/eval"
	"airqa/qa"
)

// Partly scored questions are counted, but not in the score.
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
	if got.Score == nil || *got.Score != 2./3 || got.mean.N != 1 || got.PartlyScored != 1 {
		t.Errorf("score %v of %d, %d partly scored; want 2/3 of 1, and 1", got.Score, got.mean.N, got.PartlyScored)
	}
	if b := got.Bounds; b == nil || math.Abs(b.Low-2./9) > 1e-9 || math.Abs(b.High-7./9) > 1e-9 {
		t.Errorf("bounds %v, want 2/9 to 7/9", b)
	}
	if text := got.Text(); !strings.Contains(text, "score 66.67% of 1 scored, 1 partly scored") {
		t.Errorf("text %q", text)
	}
	undefined := Count([]qa.Score{{UUID: "a", Verdict: qa.Right, Value: 0.4}, {UUID: "b", Verdict: qa.Unscored, Reason: "F1" + eval.Undefined}}, "reference", "none")
	if text := undefined.Text(); undefined.Undefined != 1 || undefined.Faulty != 0 || undefined.Why != "" || undefined.Bounds != nil || *undefined.Score != 0.4 ||
		!strings.Contains(text, "\n1 answer unscored: the measure is not defined in this mode") || !strings.Contains(text, "score 40.00% of 1 scored") {
		t.Errorf("%+v, %s", undefined, text)
	}
	if got.Why != "the judge is out" || got.Faulty != 1 {
		t.Errorf("the first reason is %q, faulty %d", got.Why, got.Faulty)
	}
}
