package candidate

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/prompts"
)

func TestRead(t *testing.T) {
	form := formOf("[Question]: the question\n[Answer Format]: the form\n")
	want := map[string]string{"question": "How many?", "answer_format": "an integer"}
	tests := []struct {
		name, text string
		want       map[string]string
		err        string
	}{
		{"as asked", "[Thought]: hm\n```txt\n[Question]: How many?\n[Answer Format]: an integer\n```", want, ""},
		{"emphasis", "```\n**Question:** How many?\n**[answer_format]**: an integer\n```", want, ""},
		{"no block", "[question]: How many?\n[answer_format]: an integer", want, ""},
		{"thinking with a block", "<think>\n```txt\n[Question]: Draft?\n[Answer Format]: none\n```\n</think>\n```txt\n[Question]: How many?\n[Answer Format]: an integer\n```", want, ""},
		{"a draft first", "```txt\n[Question]: Draft?\n[Answer Format]: x\n```\nBetter:\n```txt\n[Question]: How many?\n[Answer Format]: an integer\n```", want, ""},
		{"Windows lines", "```txt\r\n[Question]: How many?\r\n[Answer Format]: an integer\r\n```", want, ""},
		{"several lines", "```\n[Question]:\nHow\nmany: all?\n[Answer Format]: an integer\n```", map[string]string{"question": "How\nmany: all?", "answer_format": "an integer"}, ""},
		{"nothing", "I cannot.", nil, "no block"},
		{"empty", "", nil, "no block"},
		{"a field is missing", "```\n[Question]: How many?\n```", nil, "[Answer Format]"},
		{"a field is empty", "```\n[Question]:\n[Answer Format]: x\n```", nil, "[Question]"},
		{"a field twice", "```\n[Question]: a\n[Question]: b\n[Answer Format]: x\n```", nil, "twice"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := form.Read(tt.text)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("fields (-want +got):\n%s", diff)
			}
			if (err != nil) != (tt.err != "") || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Errorf("error %v, want %q", err, tt.err)
			}
		})
	}
}

func FuzzRead(f *testing.F) {
	f.Add("```txt\n[Question]: How many?\n[Answer]: 3\n```")
	f.Add("<think>\n[Question]: [Answer]:\n```")
	form := formOf("[Question]: q\n[Answer]: a\n")
	f.Fuzz(func(t *testing.T, text string) {
		got, err := form.Read(text)
		if err == nil && (got["question"] == "" || got["answer"] == "") {
			t.Errorf("empty fields without an error: %q", got)
		}
	})
}

// The template decides about the labels, and errors name them as it does.
func TestReadOtherForms(t *testing.T) {
	whole := formOf("Your question here.\n")
	other := formOf("[Plan]: steps\n[question]: q\n[Difficulty]: easy\n[TAG]: t\nNote: none\n")
	plain := formOf("Question: q\n**Answer Format**: f\nQuestion: again\n")
	tests := []struct {
		name string
		form Form
		text string
		want map[string]string
		err  string
	}{
		{"without labels", whole, "I think.\n```txt\nHow\nmany?\n```", map[string]string{"question": "How\nmany?"}, ""},
		{"without labels, a colon", whole, "```\nNote: how many?\n```", map[string]string{"question": "Note: how many?"}, ""},
		{"without labels and block", whole, "I cannot.", nil, "no block"},
		{"without labels, empty", whole, "```\n```", nil, "no block"},
		{"a thought with a block only", whole, "<think>\n```\nHow?\n```\n</think>\nI cannot.", nil, "no block"},
		{
			"other labels end a field", other, "```\n[Plan]: p\n[Question]: How?\n[difficulty]: hard\n[Tag]: x\n```",
			map[string]string{"plan": "p", "question": "How?", "difficulty": "hard", "tag": "x"},
			"",
		},
		{
			"no label beside those in brackets", other, "```\n[Plan]: p\n[Question]: How?\nNote: all.\n[Difficulty]: d\n[Tag]: x\n```",
			map[string]string{"plan": "p", "question": "How?\nNote: all.", "difficulty": "d", "tag": "x"},
			"",
		},
		{"every label of the template", other, "```\n[Plan]: p\n[Question]: How?\n[Difficulty]: d\n```", nil, "[TAG] is missing"},
		{"no brackets", plain, "```\nquestion: How?\n[Answer_Format]: x\n```", map[string]string{"question": "How?", "answer_format": "x"}, ""},
		{"no brackets, one missing", plain, "```\nquestion: How?\n```", nil, "[Answer Format] is missing"},
		{"a label that the template does not name", formOf("[Question]: q"), "```\n[Question]: How?\n[Tag]: x\n```", map[string]string{"question": "How?\n[Tag]: x"}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := tt.form.Read(tt.text)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("fields (-want +got):\n%s", diff)
			}
			if (err != nil) != (tt.err != "") || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Errorf("error %v, want %q", err, tt.err)
			}
		})
	}
}

// The form is the first block without placeholders. A template without it, or without a label that a stage needs, is an error.
func TestReadForms(t *testing.T) {
	const fence = "```"
	block := func(text string) string { return "\n" + fence + "txt\n" + text + "\n" + fence + "\n" }
	tests := []struct{ name, prompt, text, err string }{
		{"built in", "synth_again", "", ""},
		{"material first", "synth_explore", "Read" + block("{context}") + "Write" + block("[question]: q\n[answer]: a"), ""},
		{"no block", "synth_explore", "Write a question and an answer about {context}.", "synth_explore: it does not show the form"},
		{"only the material", "synth_explore", block("[Question]: {context}\n[Answer]: a"), "does not show the form"},
		{"no label", "synth_explore", "{context}" + block("The question and the answer."), "no label [question]"},
		{"no answer", "synth_explore", "{context}" + block("[Question]: q"), "no label [answer]"},
		{"another label", "synth_retrieval", "{abstract}" + block("[Query]: q"), "synth_retrieval: the form of the reply has no label [question]"},
		{"no evaluator", "synth_track", block("[Question]: q\n[Answer]: a\n[Answer_Format]: f"), "synth_track: the form of the reply has no label [evaluator]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := ReadForms(prompts.Of(map[string]string{tt.prompt: tt.text}))
			if (err != nil) != (tt.err != "") || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Errorf("error %v, want %q", err, tt.err)
			}
		})
	}
}
