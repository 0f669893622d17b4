package text_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"airqa/report/render"
	"airqa/trace/cause"
	"airqa/trace/text"
)

// Of many wrong answers, those with the surest causes are listed, decided ones first, in the order of the runs.
func TestCausesListsTheSurest(t *testing.T) {
	row := func(id string, confidence float64, decided cause.Code) cause.Row {
		return cause.Row{UUID: id, Cause: cause.Cause{Code: cause.Unknown, Confidence: confidence}, Decided: decided}
	}
	var weak []cause.Row
	for i := range 5 {
		weak = append(weak, row(fmt.Sprintf("weak%d", i), 0.5, ""))
	}
	runs := []cause.Run{
		{Dir: "a", Answers: 7, Rows: append(weak, row("decided", 0.1, cause.WrongGold), row("sure", 0.9, ""))},
		{Dir: "b", Answers: 1, Rows: []cause.Row{row("other", 0.8, "")}},
	}
	tests := []struct {
		most  int
		lists string
		more  string
	}{
		{0, "weak0 weak1 weak2 weak3 weak4 decided sure other", ""},
		{8, "weak0 weak1 weak2 weak3 weak4 decided sure other", ""},
		{4, "weak0 decided sure other", "4 more wrong answers"},
		{1, "decided", "7 more wrong answers"},
	}
	for _, tt := range tests {
		var b strings.Builder
		if err := text.Causes(&b, runs, tt.most, render.Options{}); err != nil {
			t.Fatal(err)
		}
		var got []string
		for line := range strings.Lines(b.String()) {
			words := strings.Fields(line)
			if len(words) > 1 && slices.Contains(strings.Fields(tests[0].lists), words[0]) {
				got = append(got, words[0])
			}
		}
		if strings.Join(got, " ") != tt.lists || strings.Contains(b.String(), "more wrong answers") != (tt.more != "") || !strings.Contains(b.String(), tt.more) {
			t.Errorf("most %d: %q\n%s", tt.most, got, b.String())
		}
	}
}
