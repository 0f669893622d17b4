package qasper_test

import (
	"fmt"
	"strings"
	"testing"

	"airqa/bench"
	"airqa/bench/qasper"
	"airqa/internal/testkit/benchtest"

	"github.com/google/go-cmp/cmp"
)

func TestQASPER(t *testing.T) {
	c, err := qasper.Load("../../fixtures/qasper/dev.json", bench.Choice{})
	if err != nil || len(c.Faults) > 0 {
		t.Fatal(err, c.Faults)
	}
	var units []string
	for _, u := range c.Documents[0].Units {
		units = append(units, fmt.Sprintf("%s|%s|%.12s", u.ID, u.Section, u.Text))
	}
	want := []string{
		"p1|Introduction|Tide tables ", "p2|Introduction|Earlier work", "p3|Data|", "p4|Data ::: Collection|We collected",
		"p5|Data ::: Collection|The corpus h", "p6||We train a T", "p7|Results|Our model re", "f1||FLOAT SELECT",
	}
	if diff := cmp.Diff(want, units); diff != "" {
		t.Errorf("units (-want +got)\n%s", diff)
	}
	var gold []string
	for _, it := range c.Items {
		for _, g := range it.Gold.Answers {
			gold = append(gold, fmt.Sprintf("%s %s %s %v", it.UUID[38:], g.Type, g.Text, g.Units))
		}
	}
	want = []string{
		"01 extractive 1,200 [p4]", "01 abstractive 1,200 tables from 14 harbours [p4 f1]",
		"02 extractive Breton, French [p5]", "02 extractive Breton and French [p5]", "02 none Unanswerable []",
		"03 boolean No [p6]", "03 none Unanswerable []", "04 none Unanswerable []",
		"05 abstractive Readers preferred it in 7 of 10 cases. [p7]", "05 abstractive It reaches 41.2 SARI [p7]", "05 extractive 7 of 10 [p7]",
		"06 boolean No [p4]", "07 extractive cosine [p2]",
	}
	if diff := cmp.Diff(want, gold); diff != "" {
		t.Errorf("gold (-want +got)\n%s", diff)
	}
}

func TestQASPERFaults(t *testing.T) {
	const answer = `{"annotation_id":"a","answer":{"extractive_spans":["x"],"evidence":[]}}`
	paper := func(qas string) string {
		return `{"1":{"title":"T","full_text":[{"section_name":"S","paragraphs":["text"]}],"figures_and_tables":[{"caption":"C"}],"qas":[` + qas + `]}}`
	}
	question := func(answers string) string { return `{"question":"Q","question_id":"q1","answers":[` + answers + `]}` }
	tests := []struct {
		name, text string
		faults     []string
		items      int
	}{
		{"no content", paper(question(answer + `,{"annotation_id":"b","answer":{"yes_no":null}}`)), []string{"example q1: paper 1: qas[0].answers[1] (annotation b).answer has no content; the annotation is skipped"}, 1},
		{"foreign evidence", paper(question(`{"answer":{"free_form_answer":"y","evidence":["text ","FLOAT SELECTED: D","FLOAT SELECTED: C"]}}`)), []string{
			"example q1: paper 1: qas[0].answers[0].answer.evidence[0] is not in the paper", "qas[0].answers[0].answer.evidence[1] is not in the paper",
		}, 1},
		{"an id twice", paper(question(answer) + "," + question(answer)), []string{"example q1: paper 1: qas[1].question_id is also that of a question of paper 1; the last one counts"}, 1},
		{"no id, no answers", paper(`{"question":"Q","answers":[` + answer + `]},` + question("") + `,{"question_id":"q2","answers":[` + answer + `]}`), []string{"qas[0].question_id is missing", "qas[1].answers has no usable annotation"}, 1},
		{"a wrong type", strings.TrimSuffix(paper(question(answer)), "}") + `,"2":{"qas":[{"question":7}]},"3":[]}`, []string{"paper 2: qas[0].question is a number (7), not a string; the question is skipped", "paper 3: is a list, not an object; the paper is skipped"}, 1},
		{"one annotation", paper(question(answer + `,{"annotation_id":"b","answer":{"yes_no":"yes","evidence":[5]}},{"annotation_id":"c","answer":{"extractive_spans":["a",2]}},7`)), []string{
			"example q1: paper 1: qas[0].answers[1] (annotation b).answer.yes_no is a string, not true or false; the annotation is skipped",
			"example q1: paper 1: qas[0].answers[1] (annotation b).answer.evidence[0] is a number (5), not a string",
			"example q1: paper 1: qas[0].answers[2] (annotation c).answer.extractive_spans[1] is a number (2), not a string; the annotation is skipped",
			"example q1: paper 1: qas[0].answers[3] is a number (7), not an object; the annotation is skipped",
		}, 1},
		{"all annotations of a question", paper(`{"question":"Q","question_id":"q0","answers":[{"annotation_id":"b","answer":{"unanswerable":1}}]},"x",` + question(answer)), []string{
			"example q0: paper 1: qas[0].answers[0] (annotation b).answer.unanswerable is a number (1), not true or false; the annotation is skipped",
			"example q0: paper 1: qas[0].answers has no usable annotation; the question is skipped",
			"paper 1: qas[1] is a string, not an object; the question is skipped",
		}, 1},
		{"outside of the questions", `{"1":{"title":7,"full_text":[{"section_name":"S","paragraphs":["a",1,"x"]},null],"figures_and_tables":"none","qas":[` +
			question(`{"annotation_id":"a","answer":{"extractive_spans":["x"],"evidence":["x"]}}`) + `]}}`, []string{
			"paper 1: title is a number (7), not a string; it is left out",
			"paper 1: full_text[0].paragraphs[1] is a number (1), not a string; it is left out",
			"paper 1: full_text[1] is null, not an object; the section is skipped",
			"paper 1: figures_and_tables is a string, not a list; it is left out",
		}, 1},
		{"a paper twice", `{"1":{"qas":[` + question(answer) + `]},"1":{"qas":[]}}`, []string{"paper 1 is in "}, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := benchtest.File(t, "in.json", tt.text)
			c, err := qasper.Load(path, bench.Choice{})
			if err != nil || len(c.Items) != tt.items || len(c.Faults) != len(tt.faults) {
				t.Fatalf("%v, %d items, faults %v; want %d items and %d faults", err, len(c.Items), c.Faults, tt.items, len(tt.faults))
			}
			for i, f := range c.Faults {
				if !strings.Contains(f.Error(), tt.faults[i]) || !strings.HasPrefix(f.Error(), path+": ") {
					t.Errorf("fault %q, want %q", f, tt.faults[i])
				}
			}
		})
	}
}

func TestQASPERErrors(t *testing.T) {
	if _, err := qasper.Load(t.TempDir(), bench.Choice{}); err == nil || strings.Count(err.Error(), "read /") != 1 {
		t.Errorf("a folder: %v", err)
	}
	tests := []struct{ name, text, want string }{
		{"parallel lists", `{"1":{"title":"T","qas":{"question":["Q"]}}}`, "Hugging Face form"},
		{"a line of the hub", `{"id":"1","title":"T"}`, "Hugging Face form"},
		{"a list", `[{"id":"1"}]`, `this begins with "[" instead of "{": an object of papers by arXiv id`},
		{"cut off", `{"1":{"title":"T"`, "ends in the middle"},
		{"not JSON", `{"1":{title}}`, "not JSON at byte"},
		{"no questions", `{"1":{"title":"T","qas":[]}}`, "no usable question"},
		{"nothing usable", `{"1":{"title":7}}`, "the first fault: paper 1: title is a number"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := qasper.Load(benchtest.File(t, "in.json", tt.text), bench.Choice{}); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, want %q", err, tt.want)
			}
		})
	}
}

// Units keep their numbers when a paragraph cannot be read.
func TestQASPERNumbers(t *testing.T) {
	c, err := qasper.Load(benchtest.File(t, "in.json", `{"1":{"full_text":[{"paragraphs":["a",1,"x"]}],"qas":[{"question":"Q","question_id":"q","answers":[`+
		`{"answer":{"yes_no":true,"evidence":["x"]}}]}]}}`), bench.Choice{})
	if err != nil || len(c.Items) != 1 || c.Items[0].Gold.Answers[0].Units[0] != "p3" || c.Faults[0].Costs != "" {
		t.Errorf("%v, %+v, %v", err, c.Items, c.Faults)
	}
}
