package stream_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/eval"
	"airqa/eval/stream"
	"airqa/qa"
)

// Tables and JSON Lines of the same predictions have the same scores, whatever their separator, order of columns, quoting
// and case, and the mark that Excel writes in front.
func TestTables(t *testing.T) {
	golds := write(t, "gold.jsonl", gold("a", 1), gold("b", 2), gold("c", 3))
	want, _, err := scoresOf(t, stream.Files{Golds: golds, Predictions: write(t, "p.jsonl", `{"uuid":"c","answer":"3"}`, `{"uuid":"a","answer":"the \"2\""}`)})
	if err != nil {
		t.Fatal(err)
	}
	for name, lines := range map[string][]string{
		"p.csv":         {"uuid,answer", "c,3", `a,"the ""2"""`},
		"excel.CSV":     {"\ufeffUUID;Answer;note\r", "c;3;\r", "\r", "a;\"the \"\"2\"\"\";twice, at least\r"},
		"columns.csv":   {"question,answer,uuid", `"How, many?",3,c`, `,"the ""2""",a`},
		"tabs.tsv":      {"uuid\tanswer", "c\t3", "a\tthe \"2\""},
		"tabs.csv":      {"answer\tuuid", "3\tc", "the \"2\"\ta"},
		"comma.tsv":     {"uuid,answer", "c,3", `a,"the ""2"""`},
		"lines.csv":     {"uuid,answer", "c,3", "a,\"the\n\"\"2\"\"\""},
		"nobody.jsonl":  {`{"uuid":"c","answer":"3"}`, "", `{"uuid":"a","answer":"the \"2\""}`},
		"withmark.json": {"\ufeff" + `{"uuid":"c","answer":"3"}`, `{"uuid":"a","answer":"the \"2\""}`},
	} {
		got, report, err := scoresOf(t, stream.Files{Golds: golds, Predictions: write(t, name, lines...)})
		if diff := cmp.Diff(want, got); err != nil || diff != "" || report.Unreadable.Count > 0 {
			t.Errorf("%s: %v, %+v (-want +got)\n%s", name, err, report.Unreadable, diff)
		}
	}
	for name, tt := range map[string]struct{ text, want string }{
		"broken.csv":  {"uuid,answer\na,\"3", "read the table: parse error on line 2"},
		"other.csv":   {"id,prediction\na,3", "no prediction belongs to any question"},
		"nowhere.csv": {"", "no prediction belongs to any question"},
	} {
		if _, _, err := scoresOf(t, stream.Files{Golds: golds, Predictions: write(t, name, tt.text)}); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
	}
}

// Only questions with a prediction are scored if that is asked for; one of an unknown question still is none.
func TestAnsweredOnly(t *testing.T) {
	golds := write(t, "gold.jsonl", gold("a", 1), gold("b", 2), gold("c", 3))
	preds := write(t, "p.jsonl", `{"uuid":"c","answer":"4"}`, `{"uuid":"z","answer":1}`, `{"uuid":"b","answer":2,"repeat":1}`, `{"uuid":"b","answer":1,"repeat":0}`)
	got, report, err := scoresOf(t, stream.Files{Golds: golds, Predictions: preds, AnsweredOnly: true})
	if diff := cmp.Diff([]string{"b/0 wrong", "b/1 right", "c/0 wrong"}, got); err != nil || diff != "" || report.Missing.Count != 0 || report.Unknown.Count != 1 {
		t.Errorf("%v, %+v (-want +got)\n%s", err, report, diff)
	}
}

// Answers are all predictions of a file. The first of several for a question and repeat counts; the others are faults.
func TestAnswers(t *testing.T) {
	path := write(t, "p.jsonl", `{"uuid":"a","answer":["x",true,null]}`, "nonsense", `{"uuid":"b","answer":"y","repeat":2}`, `{"uuid":"a","answer":1,"repeat":0}`,
		`{"uuid":"b","answer":"z","repeat":1}`, `{"uuid":"b","answer":"w","repeat":2}`, `{"answer":1}`)
	list, faults, err := stream.Answers(path)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, a := range list {
		got = append(got, fmt.Sprintf("%s#%d %s", a.UUID, a.Repeat, a.Prediction))
	}
	if diff := cmp.Diff([]string{"a#0 ['x', True, None]", "b#2 y", "b#1 z"}, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	var lost []string
	for _, f := range faults {
		text := strings.TrimPrefix(f.Error(), path)
		lost = append(lost, text[:min(len(text), 40)])
	}
	want := []string{
		":2: not an object with uuid and answer: ", `:7: "uuid" or "answer" is missing (the k`,
		":4: example a: a second prediction; the ", ":6: example b: a second prediction; the ",
	}
	if diff := cmp.Diff(want, lost); diff != "" {
		t.Errorf("faults (-want +got)\n%s", diff)
	}
	for name, want := range map[string]string{
		`{"answer":1}`: "p.jsonl has no prediction: a line is an object with uuid and answer; the first fault: ", "": "p.jsonl has no prediction: a line is an object with uuid and answer",
	} {
		if _, _, err := stream.Answers(write(t, "p.jsonl", name)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", name, err)
		}
	}
	if _, _, err := stream.Answers("nowhere.csv"); err == nil || !strings.Contains(err.Error(), "predictions: ") {
		t.Errorf("no file: %v", err)
	}
}

// A companion benchmark scores an answer that is not given, with the reason; a failed episode has no score, and one without
// a prediction says so.
func TestCompanionItems(t *testing.T) {
	e := qa.Evaluator{Func: eval.Companion("x"), Kwargs: json.RawMessage(`{}`)}
	others := eval.Others{e.Func: func(json.RawMessage, eval.Mode) (func(qa.Answer) qa.Score, error) {
		return func(a qa.Answer) qa.Score {
			f1 := map[bool]float64{true: 0.5}[a.Given]
			return qa.Score{Verdict: map[bool]qa.Verdict{true: qa.Right, false: qa.Wrong}[a.Given], Value: f1, Measures: map[string]float64{"F1": f1}}
		}, nil
	}}
	s := eval.New(eval.Config{Others: others})
	for _, tt := range []struct {
		name string
		t    qa.Trajectory
		want string
	}{
		{"answered", qa.Trajectory{Outcome: qa.Answered, Answer: qa.Answer{Given: true, Text: "a"}}, "right 0.5 map[F1:0.5] "},
		{"no answer", qa.Trajectory{Outcome: qa.TurnLimit}, "wrong 0 map[F1:0] no answer (turn_limit)"},
		{"no prediction", qa.Trajectory{Outcome: qa.TurnLimit, Reason: stream.NoPrediction}, "wrong 0 map[F1:0] no prediction"},
		{"failed", qa.Trajectory{Outcome: qa.EndpointError, Reason: "HTTP 500"}, "unscored 0 map[] endpoint_error: HTTP 500"},
	} {
		item := stream.ItemOf(stream.NewGold(s, "q", e), tt.t)
		x := item.Score(context.Background())
		if got := fmt.Sprintf("%s %g %v %s", x.Verdict, x.Value, x.Measures, x.Reason); got != tt.want || x.UUID != "q" || x.Func != "bench_x" {
			t.Errorf("%s: %s, want %s; %+v", tt.name, got, tt.want, x)
		}
	}
	broken := eval.Others{e.Func: func(json.RawMessage, eval.Mode) (func(qa.Answer) qa.Score, error) { return nil, fmt.Errorf("no gold") }}
	item := stream.ItemOf(stream.NewGold(eval.New(eval.Config{Others: broken}), "q", e), qa.Trajectory{Outcome: qa.Answered, Answer: qa.Answer{Given: true}})
	if x := item.Score(context.Background()); x.Verdict != qa.Unscored || x.Reason != "read the arguments of bench_x: no gold" {
		t.Errorf("arguments that cannot be read: %+v", x)
	}
	unknown := stream.ItemOf(stream.NewGold(eval.New(eval.Config{}), "q", e), qa.Trajectory{Outcome: qa.Answered, Answer: qa.Answer{Given: true}})
	if x := unknown.Score(context.Background()); x.Verdict != qa.Unscored || !strings.Contains(x.Reason, `"bench_x"`) {
		t.Errorf("a benchmark that this build lacks: %+v", x)
	}
}
