package cause_test

import (
	"testing"

	"airqa/trace/cause"
)

func TestAgreement(t *testing.T) {
	var r cause.Run
	decide := func(rule, person cause.Code) {
		r.Rows = append(r.Rows, cause.Row{Cause: cause.Cause{Code: rule}, Decided: person})
	}
	decide(cause.WrongGold, "")
	if got := r.Agreement(); got != "" {
		t.Errorf("without a decision: %s", got)
	}
	decide(cause.Repetition, cause.Repetition)
	if got, want := r.Agreement(), "rules and people agree on 1 of 1 causes (95% interval 21% to 100%)"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	decide(cause.Repetition, cause.WrongGold)
	decide(cause.WrongGold, cause.WrongGold)
	decide(cause.Unknown, cause.Unknown)
	// Observed 3/4; by chance (2*1 + 1*2 + 1*1) / 16, so that kappa is 0.64.
	if got, want := r.Agreement(), "rules and people agree on 3 of 4 causes (95% interval 30% to 95%, Cohen's kappa 0.64)"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
