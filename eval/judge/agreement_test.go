package judge_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"testing"

	"airqa/eval"
	"airqa/eval/judge"
	"airqa/qa"

	"github.com/google/go-cmp/cmp"
)

// TestMeasure encodes each check in two letters: the label and the judge's verdict (t, f; x for none).
func TestMeasure(t *testing.T) {
	type cells struct{ TP, FP, TN, FN, Unscored int }
	none := math.NaN()
	tests := []struct {
		name        string
		checked     []string
		want        cells
		rate, kappa float64
	}{
		{"nothing", nil, cells{}, none, none},
		{"no verdict", []string{"tx", "fx"}, cells{Unscored: 2}, none, none},
		{"all the same", []string{"tt", "tt"}, cells{TP: 2}, 1, none},
		{"always right", []string{"tt", "ff"}, cells{TP: 1, TN: 1}, 1, 1},
		{"always wrong", []string{"tf", "ft"}, cells{FP: 1, FN: 1}, 0, -1},
		{"by chance", []string{"tt", "tf", "ft", "ff"}, cells{1, 1, 1, 1, 0}, 0.5, 0},
		{"some", []string{"tt", "tt", "tf", "ff", "fx"}, cells{TP: 2, FN: 1, TN: 1, Unscored: 1}, 0.75, 0.5},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var checked []judge.Checked
			for _, k := range tt.checked {
				c := judge.Checked{Label: judge.Label{Right: k[0] == 't'}, Said: k[1] == 't'}
				if k[1] == 'x' {
					c.Unscored = "no verdict"
				}
				checked = append(checked, c)
			}
			a := judge.Measure(checked)
			if diff := cmp.Diff(tt.want, cells{a.TruePositive, a.FalsePositive, a.TrueNegative, a.FalseNegative, a.Unscored}); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if valueOf(a.Rate) != textOf(tt.rate) || valueOf(a.Kappa) != textOf(tt.kappa) || a.PanelKappa != nil {
				t.Errorf("rate %s, kappa %s, want %s and %s", valueOf(a.Rate), valueOf(a.Kappa), textOf(tt.rate), textOf(tt.kappa))
			}
			if a.Labels != len(checked) || a.Judged+a.Unscored != a.Labels || a.Interval.Low > a.Interval.High {
				t.Errorf("%d labels, %d judged, interval %v", a.Labels, a.Judged, a.Interval)
			}
			if _, err := json.Marshal(a); err != nil {
				t.Error(err)
			}
		})
	}
}

func valueOf(x *float64) string {
	if x == nil {
		return "NaN"
	}
	return textOf(*x)
}

func textOf(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }

func TestMeasurePanel(t *testing.T) {
	dead := "dead"
	a := judge.Measure([]judge.Checked{
		{Label: judge.Label{Right: true}, Said: true, Votes: []qa.Vote{{Judge: "a", Right: true}, {Judge: "b", Right: true}}},
		{Label: judge.Label{Right: false}, Said: false, Votes: []qa.Vote{{Judge: "a"}, {Judge: "b"}}},
		{Label: judge.Label{Right: true}, Said: false, Votes: []qa.Vote{{Judge: "a"}, {Judge: "b", Right: true}}},
		{Label: judge.Label{Right: true}, Unscored: "undecided", Votes: []qa.Vote{{Judge: "a", Right: true}, {Judge: "b", Failed: dead}}},
		// Two questions: no vote is about the label.
		{Label: judge.Label{Right: false}, Said: true, Votes: []qa.Vote{{Judge: "a", Right: true}, {Judge: "b"}, {Judge: "a", Right: true}, {Judge: "b"}}},
	})
	type member struct {
		Judge                 string
		Judged, Failed, Agree int
		Rate                  string
	}
	var got []member
	for _, m := range a.Members {
		got = append(got, member{m.Judge, m.Judged, m.Failed, m.Agree, valueOf(m.Rate)})
	}
	want := []member{{"a", 4, 0, 3, "0.75"}, {"b", 3, 1, 3, "1"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	// Three items with two votes each: agreement 2/3, half of the votes right; (2/3 - 1/2) / (1/2).
	if valueOf(a.PanelKappa) != "0.333333" {
		t.Errorf("kappa of the panel %s", valueOf(a.PanelKappa))
	}
}

// TestCheckPartly labels answers to conjunctions with objective parts. A verdict counts only if it decides.
func TestCheckPartly(t *testing.T) {
	const (
		number = `"eval_int_exact_match"`
		judged = `"eval_reference_answer_with_llm"`
		one    = `{"gold":1}`
		asks   = `{"reference_answer":"r","question":"q"}`
	)
	tests := []struct {
		name, functions, kwargs, answer string
		asked                           int
		judged                          bool
	}{
		{"objective part fails first", number + "," + judged, one + "," + asks, `[2, "yes"]`, 0, false},
		{"objective part cannot be read", number + "," + judged, one + "," + asks, `["x", "yes"]`, 0, false},
		{"objective part fails last", judged + "," + number, asks + "," + one, `["yes", 2]`, 0, false},
		{"objective part passes", number + "," + judged, one + "," + asks, `[1, "yes"]`, 1, true},
		{"judge refuses", judged + "," + number, asks + "," + one, `["no", 1]`, 1, true},
		{"too few elements", number + "," + judged, one + "," + asks, `[1]`, 0, false},
		{"two judged parts", judged + "," + judged, asks + "," + asks, `["yes", "no"]`, 2, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			asked := 0
			j := judgeFunc(func(_ context.Context, r eval.JudgeRequest) (bool, error) { asked++; return r.Prediction == "yes", nil })
			checked := judge.Check(context.Background(), eval.New(eval.Config{Judge: j}), []judge.Label{{
				Answer: eval.Text(tt.answer),
				Evaluator: qa.Evaluator{
					Func: "eval_conjunction", Kwargs: []byte(`{"eval_func_list":[` + tt.functions + `],"eval_kwargs_list":[` + tt.kwargs + `]}`),
				},
			}}, 1, func() {})
			a := judge.Measure(checked)
			if asked != tt.asked || (a.Judged == 1) != tt.judged || (a.NotAsked == 1) == tt.judged || a.Agree+a.Unscored > a.Judged {
				t.Errorf("asked %d times, %+v: %+v", asked, checked[0], a)
			}
		})
	}
}

func TestCheck(t *testing.T) {
	j := judgeFunc(func(_ context.Context, r eval.JudgeRequest) (bool, error) {
		if r.Prediction == "dead" {
			return false, errors.New("the line is dead")
		}
		return r.Prediction == "yes", nil
	})
	p, err := judge.NewPanel(judge.All, judge.Member{Name: "a", Judge: j}, judge.Member{Name: "b", Judge: j})
	if err != nil {
		t.Fatal(err)
	}
	answers := []string{"yes", "no", "dead", "[ERROR]: no answer", "yes", "no"}
	var labels []judge.Label
	for i, s := range answers {
		labels = append(labels, judge.Label{
			Line: i + 1, Answer: eval.Text(s),
			Evaluator: qa.Evaluator{Func: "eval_reference_answer_with_llm", Kwargs: []byte(`{"reference_answer":"r","question":"q"}`)},
		})
	}
	seen := 0
	checked := judge.Check(context.Background(), eval.New(eval.Config{Judge: p}), labels, 3, func() { seen++ })
	var got []string
	for i, c := range checked {
		if c.Line != i+1 {
			t.Errorf("result %d is of line %d", i, c.Line)
		}
		got = append(got, strconv.FormatBool(c.Said)+" "+strconv.Itoa(len(c.Votes))+" "+c.Unscored+c.NotAsked)
	}
	want := []string{
		"true 2 ", "false 2 ",
		"false 2 the panel cannot decide by all of 2: 0 say right, 0 wrong, 2 failed: a: the line is dead",
		"false 0 the answer is an error message", "true 2 ", "false 2 ",
	}
	if diff := cmp.Diff(want, got); diff != "" || seen != len(labels) {
		t.Errorf("%d seen (-want +got):\n%s", seen, diff)
	}
	if c := checked[3]; c.NotAsked == "" || c.Unscored != "" {
		t.Errorf("an error message: %+v", c)
	}
	if judge.Check(context.Background(), eval.New(eval.Config{}), nil, 3, func() {}) == nil {
		t.Error("nothing is nil")
	}
}
