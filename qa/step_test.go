package qa_test

import (
	"testing"
	"time"

	"airqa/qa"
)

// The time of a step is that of its requests and its action; the night between two invocations is in neither.
func TestStepTime(t *testing.T) {
	begin := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	reply := &qa.Reply{Attempts: []qa.Attempt{{Seconds: 1, Wait: 4}, {Seconds: 2}}}
	for _, tt := range []struct {
		name             string
		step             qa.Step
		working, waiting float64
	}{
		{"whole", qa.Step{Acted: begin, Ended: begin.Add(3 * time.Second), Reply: reply}, 6, 4},
		{"no action", qa.Step{Ended: begin, Reply: reply}, 3, 4},
		{"no reply", qa.Step{Acted: begin, Ended: begin.Add(time.Second)}, 1, 0},
	} {
		if working, waiting := tt.step.Time(); working != tt.working || waiting != tt.waiting {
			t.Errorf("%s: %g and %g seconds, want %g and %g", tt.name, working, waiting, tt.working, tt.waiting)
		}
	}
}
