package judge_test

import (
	"errors"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"airqa/eval/judge"

	"github.com/google/go-cmp/cmp"
)

func TestContradictions(t *testing.T) {
	const line = `{"question":"q?","eval_func":"eval_reference_answer_with_llm","eval_kwargs":{"reference_answer":"Adam"},"answer":`
	var labels []judge.Label
	for l, err := range judge.ReadLabels(strings.NewReader(strings.Join([]string{
		line + `"x","label":true}`, line + `"y","label":true}`, line + `"x","label":false}`, line + `"x","label":true}`, line + `"x","label":false}`,
	}, "\n"))) {
		if err != nil {
			t.Fatal(err)
		}
		labels = append(labels, l)
	}
	var got []string
	for _, pair := range judge.Contradictions(labels) {
		got = append(got, strconv.Itoa(pair[0].Line)+" "+strconv.Itoa(pair[1].Line))
	}
	if diff := cmp.Diff([]string{"1 3", "1 5"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestReadLabels(t *testing.T) {
	const reference = `"eval_func":"eval_reference_answer_with_llm","eval_kwargs":{"reference_answer":"Adam"}`
	tests := []struct{ name, line, want string }{
		{"evaluator", `{"uuid":"a","question":"q?","evaluator":{` + reference + `},"answer":"x","label":true}`, `a|q?|{"question":"q?","reference_answer":"Adam"}|x|true`},
		{"function in the line", `{"question":"q?",` + reference + `,"answer":"x","label":false}`, `|q?|{"question":"q?","reference_answer":"Adam"}|x|false`},
		{"a question of its own", `{"question":"q?","eval_func":"eval_reference_answer_with_llm","eval_kwargs":{"question":"p","n":1.0},"answer":"x","label":false}`, `|q?|{"question":"p","n":1.0}|x|false`},
		{"numbers stay as written", `{"question":"q?","eval_func":"eval_partial_scoring_points_with_llm","eval_kwargs":{"count":1.0},"answer":"x","label":false}`, `|q?|{"count":1.0,"question":"q?"}|x|false`},
		{"a logical function", `{"question":"q?","eval_func":"eval_negation","eval_kwargs":{"eval_func":"eval_reference_answer_with_llm","eval_kwargs":{}},"answer":"x","label":true}`, `|q?|{"eval_func":"eval_reference_answer_with_llm","eval_kwargs":{}}|x|true`},
		{"a list for an answer", `{"question":"q?",` + reference + `,"answer":["x", 1.50],"label":true}`, `|q?|{"question":"q?","reference_answer":"Adam"}|["x", 1.50]|true`},
		{"other fields", `{"why":"so",` + reference + `,"answer":"x","label":true}`, `||{"question":"","reference_answer":"Adam"}|x|true`},
		{"no JSON", `x`, "line 1: not a label"},
		{"a list", `[]`, "line 1: not a label"},
		{"no label", `{` + reference + `,"answer":"x"}`, `line 1: "label" is missing`},
		{"label in words", `{` + reference + `,"answer":"x","label":"yes"}`, `line 1: not a label`},
		{"label null", `{` + reference + `,"answer":"x","label":null}`, `line 1: "label" is missing`},
		{"no answer", `{` + reference + `,"label":true}`, `line 1: "answer" is missing`},
		{"no function", `{"answer":"x","label":true}`, `line 1: "evaluator" is missing`},
		{"no judge needed", `{"eval_func":"eval_int_exact_match","eval_kwargs":{"gold":1},"answer":"x","label":true}`, `line 1: eval_int_exact_match asks no judge`},
		{"unknown function", `{"eval_func":"eval_taste","eval_kwargs":{},"answer":"x","label":true}`, `line 1: eval_taste asks no judge`},
		{"arguments in a list", `{"eval_func":"eval_reference_answer_with_llm","eval_kwargs":[],"answer":"x","label":true}`, `line 1: read the arguments`},
		{"no arguments", `{"eval_func":"eval_reference_answer_with_llm","answer":"x","label":true}`, `line 1: read the arguments`},
		{"arguments null", `{"eval_func":"eval_reference_answer_with_llm","eval_kwargs":null,"answer":"x","label":true}`, `line 1: read the arguments`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			n := 0
			for l, err := range judge.ReadLabels(strings.NewReader(tt.line)) {
				n++
				got := ""
				if err != nil {
					got = err.Error()[:min(len(tt.want), len(err.Error()))]
				} else {
					got = strings.Join([]string{l.UUID, l.Question, string(l.Evaluator.Kwargs), l.Text, map[bool]string{true: "true", false: "false"}[l.Right]}, "|")
				}
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			}
			if n != 1 {
				t.Errorf("%d labels", n)
			}
		})
	}
}

// TestReadLabelsGoesOn checks that lines after a faulty one are read with the right numbers.
func TestReadLabelsGoesOn(t *testing.T) {
	const good = `{"eval_func":"eval_reference_answer_with_llm","eval_kwargs":{},"answer":"x","label":true}`
	text := good + "\n\nx\n" + good + "\r\n" + good
	var lines []int
	faults := 0
	for l, err := range judge.ReadLabels(strings.NewReader(text)) {
		lines = append(lines, l.Line)
		if err != nil {
			faults++
		}
	}
	if diff := cmp.Diff([]int{1, 3, 4, 5}, lines); diff != "" || faults != 1 {
		t.Errorf("%d faults, lines (-want +got):\n%s", faults, diff)
	}
	for range judge.ReadLabels(strings.NewReader(text)) {
		break // a caller may stop early
	}
	broken := errors.New("the disk is gone")
	for _, err := range judge.ReadLabels(iotest.ErrReader(broken)) {
		if !errors.Is(err, broken) {
			t.Errorf("error %v", err)
		}
	}
}

// FuzzReadLabels checks that no file causes a panic and that every label returned is complete.
func FuzzReadLabels(f *testing.F) {
	f.Add(`{"question":"q","eval_func":"eval_reference_answer_with_llm","eval_kwargs":{},"answer":["x"],"label":true}`)
	f.Add("{\"label\":true}\n\n[")
	f.Fuzz(func(t *testing.T, text string) {
		for l, err := range judge.ReadLabels(strings.NewReader(text)) {
			if err == nil && (l.Evaluator.Func == "" || l.Line < 1) {
				t.Errorf("label %+v of %q", l, text)
			}
		}
	})
}
