package candidate_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/eval"
	"airqa/extractor/candidate"
	"airqa/prompts"
	"airqa/qa"
)

func reply(evaluator string) string {
	return "[Thought]: hm\n```txt\n[Question]: How many?\n[Evaluator]: " + evaluator + "\n[Answer Format]: Your answer should be an integer.\n[Answer]: 3\n```"
}

func TestParseTracked(t *testing.T) {
	tests := []struct{ name, text, want, err string }{
		{"good", reply(`{"eval_func": "eval_int_exact_match", "eval_kwargs": {"gold": 3}}`), `{"gold": 3}`, ""},
		{"over several lines", reply("{\n \"eval_func\": \"eval_int_exact_match\",\n \"eval_kwargs\": {\"gold\": 3}\n}"), `{"gold": 3}`, ""},
		{"the question is added", reply(`{"eval_func": "eval_reference_answer_with_llm", "eval_kwargs": {"reference_answer": "3"}}`), `{"question":"How many?","reference_answer":"3"}`, ""},
		{"unknown function", reply(`{"eval_func": "eval_integer", "eval_kwargs": {"gold": 3}}`), "", "no function"},
		{"unknown argument", reply(`{"eval_func": "eval_int_exact_match", "eval_kwargs": {"gold": 3, "digits": 1}}`), "", "unknown argument"},
		{"missing argument", reply(`{"eval_func": "eval_int_exact_match", "eval_kwargs": {}}`), "", "gold is missing"},
		{"wrong type", reply(`{"eval_func": "eval_int_exact_match", "eval_kwargs": {"gold": "three"}}`), "", "of type"},
		{"Python", reply(`{'eval_func': 'eval_int_exact_match', 'eval_kwargs': {'gold': 3}}`), "", "not a JSON object"},
		{"no arguments", reply(`{"eval_func": "eval_int_exact_match"}`), "", "lacks"},
		{"a list", reply(`{"eval_func": "eval_int_exact_match", "eval_kwargs": [3]}`), "", "not a JSON object"},
		{"a field is missing", strings.Replace(reply("{}"), "[Answer]: 3", "", 1), "", "[Answer]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := candidate.ParseTracked(forms(t), tt.text)
			if (err != nil) != (tt.err != "") || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Fatalf("error %v, want %q", err, tt.err)
			}
			if string(got.Evaluator.Kwargs) != tt.want {
				t.Errorf("arguments %s, want %s", got.Evaluator.Kwargs, tt.want)
			}
		})
	}
}

func TestRequestDescribesAllFunctions(t *testing.T) {
	m, err := candidate.Draft{Question: "How many?", Answer: "{{.three}}"}.TrackRequest(prompts.Set{})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range eval.Functions() {
		if !strings.Contains(m.Text, "## "+f.Name+"\n") {
			t.Errorf("%s is not described", f.Name)
		}
	}
	if !strings.Contains(m.Text, "[Question]: How many?\n[Answer]: {{.three}}\n") {
		t.Error("question and answer are not in the prompt as they are")
	}
}

func TestMerge(t *testing.T) {
	part := func(question, format, function, kwargs string) qa.Example {
		return qa.Example{Question: question, AnswerFormat: format, Evaluator: qa.Evaluator{Func: function, Kwargs: []byte(kwargs)}}
	}
	got, err := candidate.MergeTracked([2]string{"Otter", "Heron"}, [2]qa.Example{
		part("How many layers?", "Your answer should be an integer.", "eval_int_exact_match", `{"gold": 3}`),
		part("Which optimizer?", "A name", "eval_string_exact_match", `{"gold": "Adam"}`),
	})
	if err != nil {
		t.Fatal(err)
	}
	want := candidate.Tracked{
		Question:     "Answer one question about each of two papers. About “Otter”: How many layers? About “Heron”: Which optimizer?",
		AnswerFormat: "Your answer should be a Python list of two elements, one per question in the given order. The first element should be an integer. For the second element: A name",
		Evaluator: qa.Evaluator{Func: "eval_conjunction", Kwargs: []byte(
			`{"eval_func_list":["eval_int_exact_match","eval_string_exact_match"],"eval_kwargs_list":[{"gold":3},{"gold":"Adam"}]}`)},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("merged (-want +got):\n%s", diff)
	}
	if r := eval.New(eval.Config{}).Score(t.Context(), got.Evaluator, eval.Text("[3, 'Adam']")); r.Verdict != qa.Right {
		t.Errorf("the right answers are %s: %s", r.Verdict, r.Reason)
	}
}

func TestRetrieval(t *testing.T) {
	got, err := candidate.Draft{Question: "Which paper?", Answer: "Otter: A \"Quoted\" Title"}.TrackRetrieval()
	if err != nil || len(eval.Check(got.Evaluator)) > 0 {
		t.Fatalf("%v, %v", err, eval.Check(got.Evaluator))
	}
	if r := eval.New(eval.Config{}).Score(t.Context(), got.Evaluator, eval.Text(got.Answer)); r.Verdict != qa.Right {
		t.Errorf("the title is %s", r.Verdict)
	}
}
