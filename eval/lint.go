package eval

import (
	"context"
	"fmt"

	"airqa/internal/python"
	"airqa/qa"
)

// Severity is how bad a [Finding] is.
type Severity string

// The severities. An error keeps an example from being read or scored as it is meant; a warning may be meant.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
)

// Finding is something about an example that keeps it from being scored as it was meant.
type Finding struct {
	UUID     string   `json:"uuid"`
	Severity Severity `json:"severity"`
	// Mode is the semantics in which it shows; empty for a fault of the evaluator as it is written.
	Mode Mode `json:"mode,omitempty"`
	// Text is a sentence.
	Text string `json:"text"`
}

// Lint returns the faults that [Check] finds, and the modes in which the example's own gold, fed back as the answer, does
// not pass. Judges are taken to accept it, so that no endpoint is asked.
func Lint(ctx context.Context, ex qa.Example) []Finding {
	var out []Finding
	if ex.Evaluator.Func == "" {
		return nil
	}
	arguments, err := python.FromJSON(ex.Evaluator.Kwargs)
	for _, f := range check(ex.Evaluator.Func, arguments, err).faults {
		out = append(out, Finding{UUID: ex.UUID, Severity: f.severity, Mode: f.mode, Text: f.text})
	}
	gold, ok := GoldAnswer(ex.Evaluator)
	if !ok {
		return out
	}
	for _, m := range []Mode{Reference, Fixed} {
		r := New(Config{Judge: approving{}, Mode: m}).Score(ctx, ex.Evaluator, gold)
		if r.Verdict == qa.Right {
			continue
		}
		text := fmt.Sprintf("the gold, given as the answer %s, is %s", python.Repr(gold.value), r.Verdict)
		if r.Reason != "" {
			text += ": " + r.Reason
		}
		out = append(out, Finding{ex.UUID, Error, m, text})
	}
	return out
}

// approving is a judge that accepts everything.
type approving struct{}

// Judge implements [Judge].
func (approving) Judge(context.Context, JudgeRequest) (bool, error) { return true, nil }
