package dataset_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/qa"
	"airqa/qa/dataset"
)

// The format is detected from the beginning of a file, whatever its suffix.
func TestForms(t *testing.T) {
	second := strings.Replace(good, `"u1"`, `"u2"`, 1)
	indented := strings.ReplaceAll(good, `,"`, ",\n  \"")
	height := strings.Count(indented, "\n")
	tests := []struct {
		name, text string
		want       []string // UUIDs
		fault      string   // position and text of the only fault
	}{
		{"lines", good + "\n" + second, []string{"u1", "u2"}, ""},
		{"array", "\ufeff[\n" + good + ",\n" + second + "\n]\n", []string{"u1", "u2"}, ""},
		{"array on one line", "[" + good + "," + second + "]", []string{"u1", "u2"}, ""},
		{"array with a fault", "[" + indented + ",\n\n 7]", []string{"u1"}, fmt.Sprintf(":%d: not a JSON object", height+3)},
		{"indented object", indented, []string{"u1"}, ""},
		{"indented objects", indented + "\n" + strings.Replace(indented, "u1", "u2", 1), []string{"u1", "u2"}, ""},
		{"lines, the first one cut off", good[:60] + "\n" + second, []string{"u2"}, ":1: not a JSON object"},
	}
	for _, tt := range tests {
		for _, name := range []string{"q.jsonl", "q.json", "q.txt"} {
			t.Run(tt.name+" "+name, func(t *testing.T) {
				list, faults, err := dataset.Load(write(t, name, tt.text), nil)
				if err != nil {
					t.Fatal(err)
				}
				var got []string
				for _, ex := range list {
					got = append(got, ex.UUID)
				}
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
				if len(faults) > 1 || (len(faults) == 1) != (tt.fault != "") || len(faults) == 1 && !strings.Contains(faults[0].Error(), tt.fault) {
					t.Errorf("faults %v, want %q", faults, tt.fault)
				}
			})
		}
	}
}

// A row of a table is a question; its answer is the gold of an exact match.
func TestTable(t *testing.T) {
	text := "id,Question,answer,tags,anchor_pdf,note\n" +
		"c1,\"How many,\nexactly?\",8,single; text,p1;p2,x\n" +
		",Why?,,,,\n"
	list, faults, err := dataset.Load(write(t, "q.csv", text), nil)
	if err != nil || len(list) != 2 {
		t.Fatal(list, err)
	}
	first := list[0]
	if first.UUID != "c1" || first.Question != "How many,\nexactly?" || first.Evaluator.Func != "eval_string_exact_match" ||
		string(first.Evaluator.Kwargs) != `{"gold":"8","lowercase":true}` || len(first.Tags) != 2 || first.Tags[1] != "text" ||
		len(first.AnchorPDF) != 2 || string(first.Extra["note"]) != `"x"` {
		t.Errorf("first = %+v", first)
	}
	if list[1].UUID != qa.QuestionUUID("Why?") || list[1].Evaluator.Func != "" {
		t.Errorf("second = %+v", list[1])
	}
	if len(faults) != 3 || !strings.Contains(faults[0].Text, "scored with eval_string_exact_match") || faults[2].Line != 4 {
		t.Errorf("faults = %v", faults)
	}
}

func TestUnreadableForms(t *testing.T) {
	tests := []struct{ name, file, text, want string }{
		{"a table of something else", "q.csv", "name,year\na,1\n", `neither JSON nor CSV with a column "question". A question is a line of JSON, such as` + "\n  {"},
		{"prose", "q.txt", "How many heads?\n", "neither JSON nor CSV"},
		{"an array without an end", "q.json", "[" + good, "unterminated array"},
		{"an array with a hole", "q.json", "[" + good + ",\n}]", "q.json:2: question 2 is not JSON"},
		{"no questions", "q.jsonl", "{\"a\": 1}\n", "a question is a line of JSON, such as\n  {"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := dataset.Load(write(t, tt.file, tt.text), nil)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error = %v, want %q", err, tt.want)
			}
		})
	}
}

// Fields with a default receive it, and missing fields are reported in one line.
func TestDefaults(t *testing.T) {
	list, faults, err := dataset.Load(write(t, "q.jsonl", `{"question": "How many?"}`), nil)
	if err != nil || len(list) != 1 || list[0].UUID != qa.QuestionUUID("How many?") {
		t.Fatal(list, err)
	}
	want := "missing uuid, answer_format, tags, anchor_pdf, reference_pdf, conference, evaluator (its answers stay unscored)"
	if len(faults) != 1 || faults[0].Text != want || !faults[0].Loaded {
		t.Errorf("faults = %v", faults)
	}
	raw, err := dataset.Lines(list)
	if err != nil || strings.Contains(string(raw), "evaluator") {
		t.Fatalf("%s, %v", raw, err)
	}
	again, _, err := dataset.Load(write(t, "again.jsonl", string(raw)), nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(list, again); diff != "" {
		t.Errorf("read back (-want +got):\n%s", diff)
	}
}

// The example in messages is a usable question without faults.
func TestLineExample(t *testing.T) {
	if _, _, usable := dataset.Decode([]byte(dataset.LineExample)); !usable {
		t.Error("the example cannot be used")
	}
}

// The example of docs/formats/input.md can be pasted into a file unchanged.
func TestDocumentedExample(t *testing.T) {
	raw, err := os.ReadFile("../../docs/formats/input.md")
	if err != nil {
		t.Fatal(err)
	}
	_, block, found := strings.Cut(string(raw), "```json\n")
	block, _, _ = strings.Cut(block, "```")
	list, faults, err := dataset.Load(write(t, "q.jsonl", block), nil)
	if err != nil || !found || len(list) != 1 || len(faults) > 0 || !qa.IsUUID(list[0].AnchorPDF[0]) {
		t.Errorf("%v, %v, %v", list, faults, err)
	}
}
