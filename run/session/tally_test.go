package session

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/eval"
	"airqa/qa"
	"airqa/run"
)

func TestTally(t *testing.T) {
	number := qa.Evaluator{Func: "eval_int_exact_match", Kwargs: json.RawMessage(`{"gold": 3}`)}
	judged := qa.Evaluator{Func: "eval_reference_answer_with_llm", Kwargs: json.RawMessage(`{"question": "q", "reference_answer": "r"}`)}
	unknown := qa.Evaluator{Func: "eval_m3sciqa", Kwargs: json.RawMessage(`{}`)}
	said := func(text string) qa.Trajectory {
		return qa.Trajectory{Outcome: qa.Answered, Answer: qa.Answer{Given: true, Text: text}}
	}
	silent := qa.Trajectory{Outcome: qa.TurnLimit}
	failed := qa.Trajectory{Outcome: qa.EndpointError, Reason: "HTTP 500\n\x1b[31mred"}
	type ended struct {
		by qa.Evaluator
		tr qa.Trajectory
	}
	companion := qa.Evaluator{Func: eval.Companion("x"), Kwargs: json.RawMessage(`{}`)}
	// The measure of the companion is the answer's number of words, a tenth each; without any it is not defined.
	others := eval.Others{companion.Func: func(json.RawMessage, eval.Mode) (func(qa.Answer) qa.Score, error) {
		return func(a qa.Answer) qa.Score {
			switch words := len(strings.Fields(a.Text)); {
			case a.Given && words == 0:
				return qa.Score{Verdict: qa.Unscored, Reason: "F1" + eval.Undefined}
			case words > 1:
				return qa.Score{Verdict: qa.Right, Value: float64(words) / 10}
			}
			return qa.Score{Verdict: qa.Wrong}
		}, nil
	}}
	tests := []struct {
		name  string
		ended []ended
		want  string
	}{
		{"nothing", nil, ""},
		{"objective", []ended{{number, said("3")}, {number, said("4")}, {number, silent}}, "1 of 3 objective answers right (mode reference)"},
		{"one of each", []ended{
			{number, said("3")},
			{judged, said("r")},
			{judged, silent},
			{qa.Evaluator{}, said("x")},
			{unknown, said("x")},
			{number, failed},
		}, `1 of 1 objective answer right (mode reference); 1 waits for a judge; 1 subjective, but settled without a judge; 1 unscored: no evaluator; ` +
			`1 unscored: faulty evaluator (there is no evaluation function "eval_m3sciqa"); 1 failed`},
		{"failures alone", []ended{{number, failed}}, ""},
		{"no evaluator", []ended{{qa.Evaluator{}, said("x")}, {qa.Evaluator{}, said("y")}}, "2 answers unscored: no evaluator"},
		{
			"a companion",
			[]ended{{companion, said("two words")}, {companion, said("one")}, {companion, silent}, {companion, said("")}, {companion, failed}},
			"1 of 3 objective answers right (mode reference); 1 unscored: the measure is not defined; 1 failed",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var sum Tally
			s := eval.New(eval.Config{Others: others})
			for _, e := range tt.ended {
				sum.add(s, e.by, e.tr)
			}
			if diff := cmp.Diff(tt.want, sum.Text()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestAnswerLines(t *testing.T) {
	type answers = map[int]string
	job := func(name string, repeated bool, a answers) Ended {
		return Ended{Job: Job{Name: name}, Summary: run.Summary{Repeated: repeated}, Tally: Tally{Answers: a}}
	}
	tests := []struct {
		name string
		jobs []Ended
		want []string
	}{
		{"none", []Ended{job("rag", false, nil)}, nil},
		{"one", []Ended{job("rag", false, answers{0: "two\nlines \x1b[2J"})}, []string{"two\nlines \\x1b[2J"}},
		{"several baselines", []Ended{job("rag", false, answers{0: "a\nb"}), job("hybrid", false, answers{0: "c"})}, []string{"rag: a b", "hybrid: c"}},
		{"repeats", []Ended{job("rag", true, answers{1: "b", 0: "a"})}, []string{"rag#0: a", "rag#1: b"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, AnswerLines(tt.jobs)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
