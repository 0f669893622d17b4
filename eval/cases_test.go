package eval_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"airqa/eval"
	"airqa/qa"
)

// The possible results. An exception in the authors' code is a wrong answer with a reason.
const (
	right    = "right"
	wrong    = "wrong"
	unread   = "unparseable"
	raised   = "raised"
	unscored = "unscored"
)

// scoreCase is an answer, as JSON, to an evaluator with the arguments kwargs.
type scoreCase struct{ name, kwargs, answer, want string }

// runCases scores each case with the named function and a judge.
func runCases(t *testing.T, function string, judge eval.Judge, cases []scoreCase) {
	t.Helper()
	s := eval.New(eval.Config{Judge: judge})
	for _, tt := range cases {
		t.Run(tt.name, func(t *testing.T) {
			answer, err := eval.JSON(json.RawMessage(tt.answer))
			if err != nil {
				t.Fatal(err)
			}
			r := s.Score(context.Background(), qa.Evaluator{Func: function, Kwargs: json.RawMessage(tt.kwargs)}, answer)
			if got := outcomeOf(t, r); got != tt.want {
				t.Errorf("%s(%s) of %s is %s (%q), want %s", function, tt.kwargs, tt.answer, got, r.Reason, tt.want)
			}
		})
	}
}

// outcomeOf names a result and checks that its fields are consistent.
func outcomeOf(t *testing.T, r qa.Score) string {
	t.Helper()
	if (r.Value == 1) != (r.Verdict == qa.Right) || r.Value != 0 && r.Value != 1 {
		t.Errorf("value %v with verdict %s", r.Value, r.Verdict)
	}
	if needsReason := r.Verdict == qa.Unscored || r.Verdict == qa.Unparseable; needsReason && r.Reason == "" {
		t.Errorf("%s without a reason", r.Verdict)
	}
	if r.Verdict == qa.Wrong && strings.HasPrefix(r.Reason, "the authors' evaluator fails: ") {
		return raised
	}
	return string(r.Verdict)
}

type judgeFunc func(r eval.JudgeRequest) (bool, error)

func (f judgeFunc) Judge(_ context.Context, r eval.JudgeRequest) (bool, error) { return f(r) }

// says is a judge that accepts the prediction "yes", rejects "no" and fails on all others.
var says = judgeFunc(func(r eval.JudgeRequest) (bool, error) {
	if r.Prediction != "yes" && r.Prediction != "no" {
		return false, errors.New("the line is dead")
	}
	return r.Prediction == "yes", nil
})
