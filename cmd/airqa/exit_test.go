package main

import (
	"errors"
	"fmt"
	"testing"

	"airqa/qa"
)

func TestExitCode(t *testing.T) {
	cause := errors.New("no such file")
	tests := []struct {
		err  error
		want int
	}{
		{nil, exitDone},
		{cause, exitFailed},
		{qa.Usagef("--limit %d", -1), exitUsage},
		{fmt.Errorf("run: %w", withCode(exitBudget, cause)), exitBudget},
		{errors.Join(cause, qa.Usagef("x")), exitUsage},
		{fmt.Errorf("run: %w", qa.Usagef("x")), exitUsage},
		{qa.Failedf("x"), exitFailedExamples},
	}
	for _, tt := range tests {
		if got := exitCode(tt.err); got != tt.want {
			t.Errorf("exit code of %v is %d, want %d", tt.err, got, tt.want)
		}
	}
	if err := withCode(exitBudget, cause); !errors.Is(err, cause) || err.Error() != "no such file" {
		t.Errorf("error %v", err)
	}
}
