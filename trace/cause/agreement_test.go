package cause_test

import (
	"math"
	"testing"

	"airqa/trace/cause"
)

func TestAgree(t *testing.T) {
	a := []cause.Code{cause.Repetition, cause.Repetition, cause.WrongGold, cause.Unknown, "", cause.WrongGold}
	b := []cause.Code{cause.Repetition, cause.WrongGold, cause.WrongGold, cause.Unknown, cause.Unknown, ""}
	g := cause.Agree("rules", "people", a, b)
	// Observed 3/4; by chance (2*1 + 1*2 + 1*1) / 16.
	want := (0.75 - 5.0/16) / (1 - 5.0/16)
	if g.Answers != 4 || g.Equal != 3 || g.Kappa == nil || math.Abs(*g.Kappa-want) > 1e-12 {
		t.Errorf("%+v, want kappa %v", g, want)
	}
	if got := g.String(); got != "rules and people agree on 3 of 4 causes (95% interval 30% to 95%, Cohen's kappa 0.64)" {
		t.Error(got)
	}
	if g := cause.Agree("a", "b", nil, nil); g.Answers != 0 || g.Kappa != nil || g.Interval != nil {
		t.Errorf("%+v", g)
	}
}
