package report_test

import (
	"bytes"
	"strings"
	"testing"

	"airqa/internal/testkit/golden"
	"airqa/internal/testkit/reporttest"
	"airqa/qa"
	"airqa/report"
)

func TestTrace(t *testing.T) {
	r := reporttest.Small(t)
	rec, err := r.Episode("a", 0)
	if err != nil {
		t.Fatal(err)
	}
	score := &qa.Score{UUID: "a", Verdict: qa.Right, Value: 1, Func: "eval_int_exact_match"}
	traced := report.NewTraced(reporttest.Questions()[0], rec, score)
	var b bytes.Buffer
	if err := traced.WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	if strings.ContainsRune(b.String(), '\x1b') {
		t.Error("a control character of a question reaches the terminal")
	}
	golden.Check(t, "trace.txt", b.String())
}
